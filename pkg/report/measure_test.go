package report

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"alamos/pkg/stats"
)

func TestMeasureText(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		m    stats.Interval
		want string
	}{
		{stats.Exactly(0), "0"},
		{stats.Unknown(), "–"},
		{stats.Exactly(61), "61"},
		{stats.Exactly(-0.25), "−0.25"},
		{stats.Exactly(2.30949), "2.309"},
		{stats.Exactly(411022), "411,022"},
		{stats.Exactly(-1234567.8), "−1,234,568"},
		{stats.Exactly(0.00001234), "1.234e−05"},
		{stats.Exactly(3e12), "3e12"},
		{stats.Exactly(inf), "∞"},
		{stats.Exactly(-inf), "−∞"},
		{stats.Interval{Value: 118, Low: 108.7, High: 127.3}, "118.0 ± 9.3"},
		{stats.Interval{Value: 118, Low: 64, High: 172}, "118 ± 54"},
		{stats.Interval{Value: 0.5, Low: 0.4958, High: 0.5042}, "0.5000 ± 0.0042"},
		{stats.Interval{Value: 118, Low: 108, High: 139}, "118 −10/+21"},
		{stats.Interval{Value: 118, Low: 108, High: inf}, "118 (108 … ∞)"},
		{stats.Interval{Value: 118, Low: 120, High: 130}, "118"}, // no interval of this value
		{stats.Interval{Value: 118, Low: 118, High: 118}, "118"},
		{stats.Interval{Value: -0.0001, Low: -1, High: 1}, "0.0 ± 1.0"},
	} {
		if have := Measured(c.m); have != c.want {
			t.Errorf("%#v is written %q, want %q", c.m, have, c.want)
		}
	}
}

func TestMarks(t *testing.T) {
	known := stats.Around
	for name, c := range map[string]struct {
		better Better
		values []stats.Interval
		want   string
	}{
		"one stands out":            {Higher, []stats.Interval{known(1, 1), known(9, 1), known(5, 1)}, " ★ "},
		"lower is better":           {Lower, []stats.Interval{known(1, 1), known(9, 1), known(5, 1)}, "★  "},
		"within noise":              {Higher, []stats.Interval{known(8, 1), known(9, 1), known(5, 1)}, "~~ "},
		"intervals that overlap":    {Higher, []stats.Interval{known(7.5, 1), known(9, 1)}, " ★"}, // and still 1.5 > sqrt(2)
		"no intervals":              {Higher, []stats.Interval{stats.Exactly(8), stats.Exactly(9)}, " ★"},
		"equal, no intervals":       {Higher, []stats.Interval{stats.Exactly(9), stats.Exactly(9), stats.Exactly(1)}, "~~ "},
		"one lacks its interval":    {Higher, []stats.Interval{stats.Exactly(8.9), known(9, 1)}, "~~"},
		"best lacks its interval":   {Higher, []stats.Interval{known(8.9, 1), stats.Exactly(9)}, "~~"},
		"beyond the other's":        {Higher, []stats.Interval{stats.Exactly(7), known(9, 1)}, " ★"},
		"missing":                   {Higher, []stats.Interval{stats.Unknown(), stats.Exactly(1), stats.Exactly(2)}, "  ★"},
		"alone":                     {Higher, []stats.Interval{stats.Unknown(), stats.Exactly(1)}, "  "},
		"nothing":                   {Higher, nil, ""},
		"neither is better":         {Neither, []stats.Interval{stats.Exactly(1), stats.Exactly(2)}, "  "},
		"infinite, as of one score": {Higher, []stats.Interval{stats.Exactly(math.Inf(1)), stats.Exactly(math.Inf(1)), stats.Exactly(2)}, "~~ "},
	} {
		have := ""
		for _, m := range marks(c.values, c.better) {
			have += cmp.Or(string(m), " ")
		}
		if have != c.want {
			t.Errorf("%s: marks %q, want %q", name, have, c.want)
		}
	}
}

// Bare numbers of a column have equally many decimals.
func TestSameDecimals(t *testing.T) {
	for _, c := range []struct {
		values []stats.Interval
		want   string
	}{
		{[]stats.Interval{stats.Exactly(2.5), stats.Exactly(31), stats.Unknown(), stats.Around(7, 1)}, "2.5 31.0 – 7.0 ± 1.0"},
		{[]stats.Interval{stats.Exactly(0.0001234), stats.Exactly(123456)}, "0.0001234 123,456"},
		{[]stats.Interval{stats.Exactly(1.5), stats.Exactly(math.Inf(1))}, "1.5 ∞"},
	} {
		if have := strings.Join(sameDecimals(c.values), " "); have != c.want {
			t.Errorf("%v: %s, want %s", c.values, have, c.want)
		}
	}
}

func TestDelta(t *testing.T) {
	for want, i := range map[string]stats.Interval{"+40": stats.Around(40, 14), "−40": stats.Around(-40, 14), "+10.0": stats.Around(10, 6), "+2": stats.Exactly(2), "0": stats.Exactly(0), "–": stats.Unknown()} {
		if have := Delta(i); have != want {
			t.Errorf("%v: %s, want %s", i, have, want)
		}
	}
}
