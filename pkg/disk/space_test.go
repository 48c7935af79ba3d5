package disk

import (
	"os"
	"path/filepath"
	"testing"
)

// A file counts once, whatever the number of its names. Removing a folder frees the files
// that have no name elsewhere.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write := func(path string, size int) {
		t.Helper()
		if err := WriteBytes(path, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(a, "own"), 1)
	write(filepath.Join(a, "shared"), 20)
	write(filepath.Join(b, "own"), 300)
	if err := Link(filepath.Join(a, "shared"), filepath.Join(b, "shared")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		paths       []string
		bytes, only int64
	}{
		{[]string{a}, 21, 1},
		{[]string{b}, 320, 300},
		{[]string{a, b}, 321, 321},
		{[]string{dir}, 321, 321},
		{[]string{filepath.Join(a, "own")}, 1, 1},
		{[]string{filepath.Join(a, "none")}, 0, 0},
		{nil, 0, 0},
	} {
		s, err := Measure(test.paths...)
		if err != nil || s.Bytes != test.bytes || s.Only != test.only || s.Changed.IsZero() != (test.bytes == 0) {
			t.Errorf("%q: %+v, %v, want %d and %d", test.paths, s, err, test.bytes, test.only)
		}
	}
	if os.Getuid() != 0 {
		if err := os.Chmod(a, 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(a, 0o777)
		if _, err := Measure(dir); err == nil {
			t.Error("a folder that cannot be read was measured")
		}
	}
}
