package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Normal95 is the 97.5 % quantile of the normal distribution: half the width of a 95 %
// interval, in standard deviations.
const Normal95 = 1.959963984540054

// Interval is an estimate with the ends of its 95 % confidence interval. NaN marks unknown
// parts: all three fields if nothing was measured, and only the ends if the error is
// unknown. In JSON, NaN and infinities are null.
type Interval struct{ Value, Low, High float64 }

// Unknown returns the interval of a number that was not measured.
func Unknown() Interval { return Interval{math.NaN(), math.NaN(), math.NaN()} }

// Exactly returns a number without an interval.
func Exactly(x float64) Interval { return Interval{x, math.NaN(), math.NaN()} }

// Around returns the interval x ± half.
func Around(x, half float64) Interval { return Interval{x, x - half, x + half} }

// Missing reports whether the value is unknown.
func (i Interval) Missing() bool { return math.IsNaN(i.Value) }

// Known reports whether the ends are known.
func (i Interval) Known() bool { return i.Low <= i.Value && i.Value <= i.High }

// HasWidth reports whether the interval is more than a point.
func (i Interval) HasWidth() bool { return i.Known() && i.Low < i.High }

// Minus returns i - other for independent estimates. Each end lies away from the difference
// by the root of the sum of squares of the two errors in that direction. For shares with
// Wilson intervals this is method 10 of R. G. Newcombe, "Interval estimation for the
// difference between independent proportions", Statistics in Medicine 17 (1998). For other
// estimates see G. Y. Zou and A. Donner, "Construction of confidence limits about effect
// measures", Statistics in Medicine 27 (2008). A number without an interval counts as
// exact.
func (i Interval) Minus(other Interval) Interval {
	below, above := i.errors()
	otherBelow, otherAbove := other.errors()
	d := i.Value - other.Value
	return Interval{d, d - math.Hypot(below, otherAbove), d + math.Hypot(above, otherBelow)}
}

// Times returns the interval in another unit, such as percent. The factor is above 0.
func (i Interval) Times(factor float64) Interval {
	return Interval{factor * i.Value, factor * i.Low, factor * i.High}
}

// Widened returns the interval with its ends further from the value by a factor.
func (i Interval) Widened(factor float64) Interval {
	return Interval{i.Value, i.Value - factor*(i.Value-i.Low), i.Value + factor*(i.High-i.Value)}
}

// errors returns the distances from the value to the ends.
func (i Interval) errors() (below, above float64) {
	if !i.Known() {
		return 0, 0
	}
	return i.Value - i.Low, i.High - i.Value
}

// intervalJSON is the JSON form of [Interval].
type intervalJSON struct {
	Value Float `json:"value"`
	Low   Float `json:"low"`
	High  Float `json:"high"`
}

// MarshalJSON returns an object such as {"value": 1, "low": 0.5, "high": 1.5}.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(intervalJSON{Float(i.Value), Float(i.Low), Float(i.High)})
}

// UnmarshalJSON is the inverse of MarshalJSON. Null becomes NaN.
func (i *Interval) UnmarshalJSON(b []byte) error {
	var j intervalJSON
	err := json.Unmarshal(b, &j)
	*i = Interval{float64(j.Value), float64(j.Low), float64(j.High)}
	return err
}

// Mean returns the mean of values with the interval mean ± t s / √n, where t is Student's t
// with n-1 degrees of freedom. It suits trials that differ only in their seed. Mean ignores
// NaN. One value has no interval, and without values the mean is unknown.
func Mean(values []float64) Interval {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	n := len(known)
	switch n {
	case 0:
		return Unknown()
	case 1:
		return Exactly(known[0])
	}
	mean, deviation := stat.MeanStdDev(known, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	return Around(mean, t*deviation/math.Sqrt(float64(n)))
}

// Share returns points / n for n games, with the score interval of E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", JASA 22 (1927). Each game
// counts as a coin flip. Draws make the true interval narrower.
func Share(points float64, n int) Interval {
	if n == 0 {
		return Unknown()
	}
	const z = Normal95
	games := float64(n)
	p := points / games
	center := (p + z*z/(2*games)) / (1 + z*z/games)
	half := z / (1 + z*z/games) * math.Sqrt(p*(1-p)/games+z*z/(4*games*games))
	return Interval{p, min(p, center-half), max(p, center+half)} // rounding may put p outside the interval
}

// Float is a number that JSON stores as null if it is NaN or infinite. Null is read as NaN.
type Float float64

func (f Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

// Record counts results from one player's view.
type Record struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns the points: 1 for a win and 1/2 for a draw.
func (r Record) Score() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share returns the fraction of points scored. It is NaN without games.
func (r Record) Share() float64 { return r.Score() / float64(r.Games()) }

// Plus returns the record over the games of both.
func (r Record) Plus(o Record) Record {
	return Record{r.Wins + o.Wins, r.Draws + o.Draws, r.Losses + o.Losses}
}

// Reversed returns the record from the opponent's view.
func (r Record) Reversed() Record { return Record{r.Losses, r.Draws, r.Wins} }

// String returns the record as text, such as "+3 =1 -2".
func (r Record) String() string { return fmt.Sprintf("+%d =%d -%d", r.Wins, r.Draws, r.Losses) }

// Percent returns the share of the points as text, "-" without games.
func (r Record) Percent(digits int) string {
	if r.Games() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", digits, 100*r.Share())
}
