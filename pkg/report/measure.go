package report

import (
	"math"
	"strconv"
	"strings"
)

// Measure is a measured number and the 95 % interval that it is known to.
type Measure struct {
	Value float64 // NaN: not measured
	// Low and High are the interval's ends. An interval is known where
	// Low <= Value <= High and Low < High; leave both 0 for none.
	Low, High float64
	// Text is shown in place of what the page would write: the digits that the
	// interval justifies, or four where there is none.
	Text string
}

// Unmeasured is the measure of what was not measured.
func Unmeasured() Measure { return Measure{Value: math.NaN()} }

// Missing reports whether there is no value.
func (m Measure) Missing() bool { return math.IsNaN(m.Value) }

// Known reports whether there is an interval.
func (m Measure) Known() bool { return m.Low <= m.Value && m.Value <= m.High && m.Low < m.High }

// Minus returns how much m is above other. If both are measured apart from one
// another, the interval of the difference follows from theirs: each end is as
// far from the difference as the root of the sum of squares of the two
// distances that push it there (Zou and Donner, "Construction of confidence
// limits about effect measures", Statistics in Medicine 27, 2008). It is not
// known unless both are.
func (m Measure) Minus(other Measure) Measure {
	if !m.Known() || !other.Known() {
		return Measure{Value: m.Value - other.Value}
	}
	return m.minus(other)
}

// minus is Minus where what has no interval counts as exact.
func (m Measure) minus(other Measure) Measure {
	below, above := m.sides()
	otherBelow, otherAbove := other.sides()
	d := m.Value - other.Value
	return Measure{Value: d, Low: d - math.Hypot(below, otherAbove), High: d + math.Hypot(above, otherBelow)}
}

// sides are the distances from the value to the ends of its interval.
func (m Measure) sides() (below, above float64) {
	if !m.Known() {
		return 0, 0
	}
	return m.Value - m.Low, m.High - m.Value
}

// Noise reports whether a difference's interval holds 0: what differs by so
// little is not told apart.
func (m Measure) Noise() bool { return m.Known() && m.Low <= 0 && m.High >= 0 }

// Better says which of two values is preferred.
type Better int

const (
	Neither Better = iota // a value that is only described
	Higher                // a score
	Lower                 // a loss
)

// gain returns by how much a difference is one for the better.
func (b Better) gain(difference float64) float64 {
	if b == Lower {
		return -difference
	}
	return difference
}

// String writes the value and its interval: "118.0 ± 9.3", or "118.0 −9.3/+13.1"
// where its sides differ; a dash where nothing was measured.
func (m Measure) String() string { return m.format(false) }

// signed is String with a sign before values above 0.
func (m Measure) signed() string { return m.format(true) }

func (m Measure) format(sign bool) string {
	if m.Text != "" {
		return m.Text
	}
	if m.Missing() {
		return "–"
	}
	plus := ""
	if sign && m.Value > 0 {
		plus = "+"
	}
	if !m.Known() {
		return plus + fourDigits(m.Value)
	}
	below, above := m.Value-m.Low, m.High-m.Value
	if math.IsInf(below, 0) || math.IsInf(above, 0) {
		return plus + fourDigits(m.Value) + " (" + m.interval() + ")"
	}
	digits := decimals((below + above) / 2)
	if math.Abs(below-above) <= 0.05*(below+above) {
		return plus + notebookFixed(m.Value, digits) + " ± " + notebookFixed((below+above)/2, digits)
	}
	return plus + notebookFixed(m.Value, digits) + " −" + notebookFixed(below, digits) + "/+" + notebookFixed(above, digits)
}

// interval writes the two ends, "" where they are not known.
func (m Measure) interval() string {
	if !m.Known() {
		return ""
	}
	digits := decimals((m.High - m.Low) / 2)
	return notebookFixed(m.Low, digits) + " … " + notebookFixed(m.High, digits)
}

// decimals is the number of digits after the point that shows two digits of a
// half width.
func decimals(half float64) int {
	if half <= 0 || math.IsInf(half, 0) {
		return 0
	}
	return min(12, max(0, 1-int(math.Floor(math.Log10(half)))))
}

// fourDigits writes a number with four significant digits, and never fewer
// than stand before its point.
func fourDigits(x float64) string {
	size := math.Abs(x)
	if size != 0 && (size < 1e-4 || size >= 1e9) {
		return strings.ReplaceAll(strings.Replace(infinity(strconv.FormatFloat(x, 'g', 4, 64)), "e+", "e", 1), "-", "−")
	}
	digits := 0
	if size != 0 {
		digits = max(0, 3-int(math.Floor(math.Log10(size))))
	}
	s := notebookFixed(x, digits)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// fixed writes a number with so many digits after the point, a minus that is
// as wide as the plus, and commas from 10,000 on.
func notebookFixed(x float64, digits int) string {
	s := infinity(strconv.FormatFloat(x, 'f', digits, 64))
	if strings.Trim(s, "-0.") == "" { // no negative zero
		s = strings.TrimPrefix(s, "-")
	}
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}

func infinity(s string) string {
	return strings.TrimPrefix(strings.Replace(s, "Inf", "∞", 1), "+")
}
