package bench

import "testing"

func TestShape(t *testing.T) {
	for _, s := range []string{"6x64", "20x256", "0x1", "sparse-256+128x8"} {
		if x, err := ParseShape(s); err != nil || x.String() != s {
			t.Errorf("%s: %v, %v", s, x, err)
		}
	}
	for _, s := range []string{"", "6", "x64", "6x", "6x0", "-1x64", "06x64", "6x64 ", "6x64x2", "6X64", "sparse", "sparse-256", "sparse-256+0x1x", "sparse-0+32x1"} {
		if x, err := ParseShape(s); err == nil {
			t.Errorf("%q is read as %v", s, x)
		}
	}
}
