package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMeasureText(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		m    Measure
		want string
	}{
		{Measure{}, "0"},
		{Unmeasured(), "–"},
		{Measure{Value: 61}, "61"},
		{Measure{Value: -0.25}, "−0.25"},
		{Measure{Value: 2.30949}, "2.309"},
		{Measure{Value: 411022}, "411,022"},
		{Measure{Value: -1234567.8}, "−1,234,568"},
		{Measure{Value: 0.00001234}, "1.234e−05"},
		{Measure{Value: 3e12}, "3e12"},
		{Measure{Value: inf}, "∞"},
		{Measure{Value: -inf}, "−∞"},
		{Measure{Value: 118, Low: 108.7, High: 127.3}, "118.0 ± 9.3"},
		{Measure{Value: 118, Low: 64, High: 172}, "118 ± 54"},
		{Measure{Value: 0.5, Low: 0.4958, High: 0.5042}, "0.5000 ± 0.0042"},
		{Measure{Value: 118, Low: 108, High: 139}, "118 −10/+21"},
		{Measure{Value: 118, Low: 108, High: inf}, "118 (108 … ∞)"},
		{Measure{Value: 118, Low: 120, High: 130}, "118"}, // no interval of this value
		{Measure{Value: 118, Low: 118, High: 118}, "118"},
		{Measure{Value: -0.0001, Low: -1, High: 1}, "0.0 ± 1.0"},
		{Measure{Value: 1, Text: "one"}, "one"},
	} {
		if have := c.m.String(); have != c.want {
			t.Errorf("%#v is written %q, want %q", c.m, have, c.want)
		}
	}
}

// Two normal means with standard errors a and b differ with the standard error
// sqrt(a² + b²).
func TestMinusOfSymmetricIntervals(t *testing.T) {
	a, b := Measure{Value: 10, Low: 7, High: 13}, Measure{Value: 4, Low: 0, High: 8}
	d := a.Minus(b)
	if d != (Measure{Value: 6, Low: 1, High: 11}) {
		t.Errorf("have %+v", d)
	}
	if d.Noise() {
		t.Error("6 ± 5 is called noise")
	}
	if back := b.Minus(a); back.Low != -d.High || back.High != -d.Low || back.Value != -d.Value {
		t.Errorf("the difference the other way round is %+v", back)
	}
	if d := a.Minus(Measure{Value: 4}); d.Known() {
		t.Errorf("an interval from one side alone: %+v", d)
	}
	if d := a.Minus(Unmeasured()); !d.Missing() {
		t.Errorf("less nothing is %+v", d)
	}
}

// Whatever the sides: the difference lies in its interval, and the interval is
// at least as wide as the wider of the two.
func TestMinusProperties(t *testing.T) {
	measure := rapid.Custom(func(t *rapid.T) Measure {
		v := rapid.Float64Range(-1e6, 1e6).Draw(t, "value")
		return Measure{Value: v, Low: v - rapid.Float64Range(1e-3, 1e6).Draw(t, "below"), High: v + rapid.Float64Range(1e-3, 1e6).Draw(t, "above")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := measure.Draw(t, "a"), measure.Draw(t, "b")
		d := a.Minus(b)
		if !d.Known() {
			t.Fatalf("%+v less %+v has no interval", a, b)
		}
		if wider := max(a.High-a.Low, b.High-b.Low); d.High-d.Low < wider*(1-1e-9) {
			t.Fatalf("%+v less %+v has the interval of width %g, less than %g", a, b, d.High-d.Low, wider)
		}
	})
}

func TestVerdict(t *testing.T) {
	known := func(v, half float64) Measure { return Measure{Value: v, Low: v - half, High: v + half} }
	for _, c := range []struct {
		row            Compared
		verdict, delta string
	}{
		{Compared{Better: Higher, A: known(100, 10), B: known(140, 10)}, "better", "+40"},
		{Compared{Better: Lower, A: known(100, 10), B: known(140, 10)}, "worse", "+40"},
		{Compared{A: known(100, 10), B: known(140, 10)}, "higher", "+40"},
		{Compared{A: known(140, 10), B: known(100, 10)}, "lower", "−40"},
		{Compared{Better: Higher, A: known(100, 10), B: known(110, 10)}, "~", "~"},
		// Measured together, the same difference is beyond noise.
		{Compared{Better: Higher, A: known(100, 10), B: known(110, 10), Delta: &Measure{Value: 10, Low: 4, High: 16}}, "better", "+10.0"},
		{Compared{Better: Higher, A: Measure{Value: 1}, B: Measure{Value: 3}}, "", "+2"},
		{Compared{A: Measure{Value: 3}, B: Measure{Value: 3}}, "=", "0"},
		{Compared{A: known(1, 1), B: Unmeasured()}, "", "–"},
	} {
		if have := c.row.Verdict(); have != c.verdict {
			t.Errorf("%+v: verdict %q, want %q", c.row, have, c.verdict)
		}
		if have := c.row.view().Delta; have != c.delta {
			t.Errorf("%+v: difference %q, want %q", c.row, have, c.delta)
		}
	}
}

func TestMarks(t *testing.T) {
	known := func(v, half float64) Measure { return Measure{Value: v, Low: v - half, High: v + half} }
	for name, c := range map[string]struct {
		better Better
		values []Measure
		want   string
	}{
		"one stands out":            {Higher, []Measure{known(1, 1), known(9, 1), known(5, 1)}, " ★ "},
		"lower is better":           {Lower, []Measure{known(1, 1), known(9, 1), known(5, 1)}, "★  "},
		"within noise":              {Higher, []Measure{known(8, 1), known(9, 1), known(5, 1)}, "~~ "},
		"intervals that overlap":    {Higher, []Measure{known(7.5, 1), known(9, 1)}, " ★"}, // and still 1.5 > sqrt(2)
		"no intervals":              {Higher, []Measure{{Value: 8}, {Value: 9}}, " ★"},
		"equal, no intervals":       {Higher, []Measure{{Value: 9}, {Value: 9}, {Value: 1}}, "~~ "},
		"one lacks its interval":    {Higher, []Measure{{Value: 8.9}, known(9, 1)}, "~~"},
		"best lacks its interval":   {Higher, []Measure{known(8.9, 1), {Value: 9}}, "~~"},
		"beyond the other's":        {Higher, []Measure{{Value: 7}, known(9, 1)}, " ★"},
		"missing":                   {Higher, []Measure{Unmeasured(), {Value: 1}, {Value: 2}}, "  ★"},
		"alone":                     {Higher, []Measure{Unmeasured(), {Value: 1}}, "  "},
		"nothing":                   {Higher, nil, ""},
		"neither is better":         {Neither, []Measure{{Value: 1}, {Value: 2}}, "  "},
		"infinite, as of one score": {Higher, []Measure{{Value: math.Inf(1)}, {Value: math.Inf(1)}, {Value: 2}}, "~~ "},
	} {
		o := Overview{Metrics: []Metric{{Better: c.better}}}
		for _, v := range c.values {
			o.Rows = append(o.Rows, OverviewRow{Values: []Measure{v}})
		}
		have := ""
		for _, m := range o.marks(0) {
			have += map[mark]string{plainValue: " ", bestValue: "★", amongBest: "~"}[m]
		}
		if have != c.want {
			t.Errorf("%s: marks %q, want %q", name, have, c.want)
		}
	}
}
