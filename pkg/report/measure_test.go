package report

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
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
		{stats.Exactly(2402), "2,402"},
		{stats.Exactly(-1234567.8), "−1,234,568"},
		{stats.Exactly(0.00001234), "1.234e−5"},
		{stats.Exactly(3e12), "3e12"},
		{stats.Exactly(inf), "∞"},
		{stats.Exactly(-inf), "−∞"},
		{stats.Interval{Value: 118, Low: 108.7, High: 127.3}, "118.0 ± 9.3"},
		{stats.Interval{Value: 118, Low: 64, High: 172}, "118 ± 54"},
		{stats.Interval{Value: 0.5, Low: 0.4958, High: 0.5042}, "0.5000 ± 0.0042"},
		{stats.Interval{Value: 118, Low: 108, High: 139}, "118 (108 … 139)"},
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

func TestNumbersOfTables(t *testing.T) {
	for want, x := range map[string]float64{"−94.3": -94.3, "0.0": -0.02, "−0.5": -0.5, "−1,234.5": -1234.5, "": math.NaN()} {
		if have := fixed(x, 1); have != want {
			t.Errorf("%g is written %q, want %q", x, have, want)
		}
	}
}

func TestMarks(t *testing.T) {
	around := func(x float64) []float64 { return []float64{x - 0.1, x, x + 0.1} }
	for name, c := range map[string]struct {
		better stats.Better
		seeds  [][]float64
		want   string
	}{
		"one stands out":    {stats.Higher, [][]float64{around(1), around(9), around(5)}, " ★ "},
		"lower is better":   {stats.Lower, [][]float64{around(1), around(9), around(5)}, "★  "},
		"within noise":      {stats.Higher, [][]float64{around(8.95), around(9), around(5)}, "~~ "},
		"one seed each":     {stats.Higher, [][]float64{{8}, {9}}, " ?"},
		"equals":            {stats.Higher, [][]float64{{9}, {8}, {9}}, "   "},
		"one has one seed":  {stats.Higher, [][]float64{around(8), {9}, around(1)}, " ? "},
		"no noise":          {stats.Higher, [][]float64{{8, 8}, {9, 9}}, "~~"},
		"missing":           {stats.Higher, [][]float64{nil, around(1), around(2)}, "  ★"},
		"alone":             {stats.Higher, [][]float64{nil, around(1)}, "  "},
		"nothing":           {stats.Higher, nil, ""},
		"neither is better": {stats.Neither, [][]float64{around(1), around(2)}, "  "},
	} {
		m := &measured{seeds: c.seeds}
		for _, x := range c.seeds {
			m.values = append(m.values, stats.Mean(x))
		}
		have := ""
		for _, m := range m.marks(c.better) {
			have += cmp.Or(string(m), " ")
		}
		if have != c.want {
			t.Errorf("%s: marks %q, want %q", name, have, c.want)
		}
	}
}

// Of sweeps whose settings do not matter, the marks of no more than 5 % set one apart.
func TestMarksOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, seeds := range []int{2, 3, 5} {
		for _, settings := range []int{2, 4, 12} {
			wrong := 0
			for range 1000 {
				m := &measured{}
				for range settings {
					var x []float64
					for range seeds {
						x = append(x, rng.NormFloat64())
					}
					m.values, m.seeds = append(m.values, stats.Mean(x)), append(m.seeds, x)
				}
				if slices.ContainsFunc(m.marks(stats.Higher), func(m mark) bool { return m != noiseMark }) {
					wrong++
				}
			}
			if wrong > 65 { // 5 %, and two standard deviations of the count
				t.Errorf("%d settings of %d seeds: the marks of %d sweeps of 1000 set one apart", settings, seeds, wrong)
			}
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

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"loss": "Loss", "ähnliche Züge": "Ähnliche Züge", "": "", "2 plies": "2 plies"} {
		if have := capital(text); have != want {
			t.Errorf("%q becomes %q, want %q", text, have, want)
		}
	}
}
