package words

import "testing"

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 7300: "7,300", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if have := Thousands(n); have != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, have, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 games", 1: "1 game", 2: "2 games"} {
		if have := Plural(n, "game"); have != want {
			t.Errorf("Plural(%d) = %q, want %q", n, have, want)
		}
	}
}
