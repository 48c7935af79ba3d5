package chess

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestClocks(t *testing.T) {
	for comment, want := range map[string]time.Duration{
		"[%clk 0:03:00]":                  3 * time.Minute,
		"good [%eval 0.3] [%clk 1:30:59]": 90*time.Minute + 59*time.Second,
		"[%clk 0:00:07.5] a":              7500 * time.Millisecond,
		"[%clk   61:05 ]":                 61*time.Minute + 5*time.Second,
		"[%clk 45.123456789123]":          45*time.Second + 123456789,
		"[%clkx 9] [%clk 8]":              8 * time.Second,
		// not a time
		"":                   -1,
		"[%clk]":             -1,
		"[%clk 0:03:00":      -1,
		"%clk 0:03:00":       -1,
		"[%clk 0:60:00]":     -1,
		"[%clk 0:00:-1]":     -1,
		"[%clk 1:0:00:00]":   -1,
		"[%clk 5.]":          -1,
		"[%clk 5.x]":         -1,
		"[%clk 99999999:00]": -1,
		"[%emt 0:03:00]":     -1,
	} {
		got, found := Clock(comment)
		if found != (want >= 0) || found && got != want {
			t.Errorf("%q: have %v, %v, want %v", comment, got, found, want)
		}
	}
	if d, found := Elapsed("[%clk 1:00] [%emt 0:00:02.25]"); !found || d != 2250*time.Millisecond {
		t.Errorf("elapsed %v, %v", d, found)
	}
}

func TestClockRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "nanoseconds"))
		comment := WithCommand("text", "clk", FormatClock(d))
		if got, found := Clock(comment); !found || got != d {
			t.Fatalf("%v is written %q, which reads as %v, %v", d, comment, got, found)
		}
	})
	for d, want := range map[time.Duration]string{
		-1: "0:00:00", 0: "0:00:00", 3 * time.Minute: "0:03:00", 26*time.Hour + 1: "26:00:00.000000001",
		7500 * time.Millisecond: "0:00:07.5",
	} {
		if got := FormatClock(d); got != want {
			t.Errorf("%d is written %q, want %q", d, got, want)
		}
	}
}

func TestEvals(t *testing.T) {
	for comment, want := range map[string]Eval{
		"[%eval 0.17]":                    {Pawns: 0.17},
		"[%eval -1.50,20] [%clk 0:01:00]": {Pawns: -1.5, Depth: 20},
		"[%eval #-3]":                     {Mate: -3},
		"[%eval #12,7]":                   {Mate: 12, Depth: 7},
		"[%eval]":                         {},
		"[%eval x]":                       {},
		"[%eval #x]":                      {},
		"[%eval #0]":                      {},
		"[%eval NaN]":                     {},
		"[%eval +Inf]":                    {},
		"[%eval 1.0,-2]":                  {},
		"":                                {},
	} {
		got, found := ParseEval(comment)
		if found != (want != Eval{}) || found && got != want {
			t.Errorf("%q: have %+v, %v, want %+v", comment, got, found, want)
		}
		if found {
			if again, _ := ParseEval(WithCommand("", "eval", got.String())); again != want {
				t.Errorf("%q is written %v, which reads as %+v", comment, got, again)
			}
		}
	}
}

func TestWithCommand(t *testing.T) {
	for _, c := range [][2]string{
		{"", "[%clk 0:01:00]"},
		{"good", "[%clk 0:01:00] good"},
		{"a [%clk 0:09:00] b", "a [%clk 0:01:00] b"},
		{"[%clkx 9]", "[%clk 0:01:00] [%clkx 9]"},
	} {
		if got := WithCommand(c[0], "clk", "0:01:00"); got != c[1] {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}
