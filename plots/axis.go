package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis describes the axis of a number in a figure.
type Axis struct {
	Label    string  // the measured quantity
	Unit     string  // its unit, set in parentheses after the label; may be empty
	Log      bool    // logarithmic, for numbers above 0
	FromZero bool    // extends the axis to 0
	From, To End     // what lies beyond is not shown
	Most     float64 // if above 0: the axis shows 0 to Most, and larger numbers are invalid

	// Ticks are the only places of ticks, if there are any and not many: the values of a swept
	// setting. Those without room have no label.
	Ticks []float64

	// Labels are what ticks are called instead of their numbers.
	Labels map[float64]string

	// Names are the values of a setting that is not numeric. A number on the axis is then the
	// index of a name.
	Names []string
}

// End is an end of an axis. The zero End is what the numbers need.
type End struct {
	Fixed bool
	At    float64
}

// or returns where the end is, which is needed if it is not fixed.
func (e End) or(needed float64) float64 {
	if e.Fixed {
		return e.At
	}
	return needed
}

func (a Axis) text() string {
	label, unit := clean(a.Label), clean(a.Unit)
	switch {
	case unit == "":
		return label
	case label == "":
		return unit
	}
	return label + " (" + unit + ")"
}

// check tests whether an axis can show numbers. On a logarithmic axis they must stay away
// from the limits of float64, so that the axis can extend beyond them.
func (a Axis) check(s span) error {
	n := float64(len(a.Names))
	low, high := a.From.or(s.min), a.To.or(s.max)
	switch {
	case s.empty():
	case a.From.Fixed && a.To.Fixed && !(low < high) || a.Log && min(low, high) <= 0:
		return fmt.Errorf("plots: the axis %q from %g to %g: want two ends in ascending order, above 0 if it is logarithmic: %w", a.text(), low, high, ErrInvalid)
	case a.Log && (s.min < 1e-200 || s.max > 1e200):
		return fmt.Errorf("plots: %g to %g on the logarithmic axis %q: %w", s.min, s.max, a.text(), ErrInvalid)
	case n > 0 && (a.Log || !s.whole || s.min < 0 || s.max >= n):
		return fmt.Errorf("plots: %g or %g on the axis %q is not the index of one of its %g names: %w", s.min, s.max, a.text(), n, ErrInvalid)
	}
	return nil
}

// labeledValue returns a value of the axis with its label and unit.
func (a Axis) labeledValue(value string) string { return joined(a.Label, value, a.Unit) }

// value returns a number of the axis as text.
func (a Axis) value(x float64) string {
	if len(a.Names) > 0 {
		return clean(a.Names[int(x)])
	}
	return brief(x)
}

// span is the range of some numbers. Use emptySpan for an empty one, because the zero value
// is not empty.
type span struct {
	min, max float64
	whole    bool // all numbers are whole
}

func emptySpan() span { return span{math.Inf(1), math.Inf(-1), true} }

func (s span) empty() bool { return s.min > s.max }

// add widens the span; NaN is ignored.
func (s *span) add(list ...float64) {
	for _, v := range list {
		if math.IsNaN(v) {
			continue
		}
		s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
		s.whole = s.whole && v == math.Trunc(v)
	}
}

// widen adds a share of the span's extent at both ends. It gives an extent to a span of
// equal numbers.
func (s span) widen(share float64, log bool) span {
	if log {
		lo, hi := math.Log10(s.min), math.Log10(s.max)
		pad := (hi - lo) * share
		if hi-lo < 0.1 {
			pad = 0.3
		}
		s.min, s.max = math.Pow(10, lo-pad), math.Pow(10, hi+pad)
		return s
	}
	// A range below the resolution of its numbers cannot be divided into ticks.
	least := math.Max(math.Abs(s.min), math.Abs(s.max)) * 1e-9
	if s.max-s.min <= least {
		pad := math.Max(1e-9, math.Max(math.Abs(s.max)*0.1, least))
		if s.whole {
			pad = math.Max(pad, 1)
		}
		s.min, s.max = s.min-pad, s.max+pad
		return s
	}
	pad := (s.max - s.min) * share
	s.min, s.max = s.min-pad, s.max+pad
	return s
}

// setRange sets the range, scale and ticks of a plot's axis. pad is the share of the range
// left free beyond the outermost numbers, and target the desired number of ticks.
func setRange(axis *plot.Axis, a Axis, s span, pad float64, target int) {
	all := s
	switch {
	case a.Most > 0 && !a.Log:
		all = span{0, a.Most, false}
	case a.FromZero && !a.Log:
		if all.add(0); all.min == all.max {
			all.max = 1
		}
	}
	wide := all.widen(pad, a.Log)
	if all != s { // no empty strip beyond 0 or Most where no number is near them
		wide.min, wide.max = min(all.min, s.min-(all.min-wide.min)), max(all.max, s.max+(wide.max-all.max))
	}
	axis.Min, axis.Max = a.From.or(wide.min), a.To.or(wide.max)
	if !(axis.Min < axis.Max) { // all numbers are beyond the fixed end
		end := a.To.or(a.From.At)
		beside := span{end, end, all.whole}.widen(pad, a.Log)
		axis.Min, axis.Max = a.From.or(beside.min), a.To.or(beside.max)
	}
	if a.Log {
		axis.Scale = plot.LogScale{}
		axis.Tick.Marker = logTicks{}
		return
	}
	axis.Tick.Marker = linearTicks{target: target, whole: all.whole}
}

// mostTicks is the largest number of an axis' own ticks.
const mostTicks = 12

// ownTicks sets the ticks of an axis, after its range, to its own. length is that of the drawn
// axis; labels are beside one another on a horizontal axis, else above one another.
func (a Axis) ownTicks(axis *plot.Axis, length vg.Length, horizontal bool) {
	values := slices.Compact(slices.Sorted(slices.Values(a.Ticks)))
	values = slices.DeleteFunc(values, func(v float64) bool { return !(v >= axis.Min && v <= axis.Max) })
	if n := len(values); n == 0 || n > mostTicks && len(a.Labels) == 0 {
		return
	}
	var ticks plot.ConstantTicks
	end := vg.Length(math.Inf(-1)) // of the last label
	for _, v := range values {
		tick, half := plot.Tick{Value: v, Label: cmp.Or(clean(a.Labels[v]), brief(v))}, vg.Length(tickSize)/2
		if horizontal {
			half = axis.Tick.Label.Width(tick.Label)/2 + 2
		}
		if at := length * vg.Length(axis.Norm(v)); at-half < end {
			tick.Label = ""
		} else {
			end = at + half
		}
		ticks = append(ticks, tick)
	}
	axis.Tick.Marker = ticks
}

// linearTicks sets ticks at multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct {
	target int
	whole  bool // only whole numbers make sense
}

func (t linearTicks) Ticks(min, max float64) []plot.Tick {
	step := niceStep((max - min) / float64(t.target))
	if t.whole && step < 1 {
		step = 1
	}
	first, last := math.Ceil(min/step-1e-6), math.Floor(max/step+1e-6)
	if !(last-first < 100) || math.Abs(first) > 1e12 { // NaN, or no resolution left
		return []plot.Tick{{Value: min, Label: strconv.FormatFloat(min, 'g', 6, 64)}}
	}
	var ticks []plot.Tick
	for i := first; i <= last; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step})
	}
	label := labeler(math.Max(math.Abs(first*step), math.Abs(last*step)), step)
	for i := range ticks {
		ticks[i].Label = label(ticks[i].Value)
	}
	return ticks
}

// niceStep returns the nearest of 1, 2 and 5 times a power of ten, by ratio.
func niceStep(raw float64) float64 {
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	// The bounds are the geometric means of neighbors: sqrt(1 x 2) and so on.
	switch m := raw / base; {
	case m < math.Sqrt2:
		return base
	case m < math.Sqrt(10):
		return 2 * base
	case m < math.Sqrt(50):
		return 5 * base
	}
	return 10 * base
}

// suffix returns the unit for numbers up to largest: thousands (k), millions (M), billions
// (G), or none.
func suffix(largest float64) (unit float64, name string) {
	switch {
	case largest >= 1e9:
		return 1e9, "G"
	case largest >= 1e6:
		return 1e6, "M"
	case largest >= 1e4:
		return 1e3, "k"
	}
	return 1, ""
}

// labeler returns a formatter of numbers up to largest at multiples of step.
func labeler(largest, step float64) func(float64) string {
	if largest >= 1e13 || step < 1e-6 {
		return brief
	}
	unit, name := suffix(largest)
	decimals := int(math.Max(0, -math.Floor(math.Log10(step/unit)+1e-9)))
	return func(v float64) string {
		if math.Abs(v) < step/2 {
			return "0"
		}
		return minus(strconv.FormatFloat(v/unit, 'f', decimals, 64)) + name
	}
}

// brief formats a number for reading, with up to four significant digits.
func brief(v float64) string {
	a := math.Abs(v)
	if a >= 1e12 || a < 1e-3 {
		return minus(strings.NewReplacer("e+", "e", "e-0", "e-").Replace(strconv.FormatFloat(v, 'g', 3, 64)))
	}
	if a >= 9999.5 { // four digits make 10,000 of it
		a = max(a, 1e4)
	}
	unit, name := suffix(a)
	return minus(strconv.FormatFloat(v/unit, 'g', 4, 64)) + name
}

// minus writes a minus sign, not a hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// logTicks sets ticks at powers of ten, with unlabeled ones at their multiples,
// and labels 1, 2 and 5 times where the axis spans few powers.
type logTicks struct{}

func (logTicks) Ticks(min, max float64) []plot.Tick {
	lo, hi := int(math.Floor(math.Log10(min)+1e-9)), int(math.Ceil(math.Log10(max)-1e-9))
	every := (hi-lo)/8 + 1
	few := math.Log10(max)-math.Log10(min) < 1.7
	var ticks []plot.Tick
	labels := 0
	for e := lo; e <= hi; e++ {
		base := math.Pow(10, float64(e))
		for m := 1.0; m < 10; m++ {
			v := m * base
			if v < min*(1-1e-9) || v > max*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: v}
			if m == 1 && (e-lo)%every == 0 || few && (m == 1 || m == 2 || m == 5) {
				tick.Label = brief(v * (1 + 1e-9))
				labels++
			}
			if tick.Label != "" || every == 1 {
				ticks = append(ticks, tick)
			}
		}
	}
	if labels < 2 { // a range so short that it is nearly linear
		return linearTicks{target: 5}.Ticks(min, max)
	}
	return ticks
}
