package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/stats"
)

var nan = math.NaN()

func TestIntervals(t *testing.T) {
	for name, c := range map[string]struct{ have, want stats.Interval }{
		// Student's own example (1908, section IX): hours of sleep gained with the first
		// drug; the quantile of 9 degrees of freedom is 2.2622.
		"Student":    {stats.Mean([]float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, nan, 0.0, 2.0}), stats.Interval{Value: 0.75, Low: -0.5298, High: 2.0298}},
		"one value":  {stats.Mean([]float64{nan, 3}), stats.Exactly(3)},
		"no value":   {stats.Mean(nil), stats.Unknown()},
		"no games":   {stats.Share(0, 0), stats.Unknown()},
		"all points": {stats.Share(10, 10), stats.Interval{Value: 1, Low: 0.7225, High: 1}},
		// Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3.
		"81 of 263": {stats.Share(81, 263), stats.Interval{Value: 81. / 263, Low: 0.2553, High: 0.3662}},
		"0 of 20":   {stats.Share(0, 20).Times(100), stats.Interval{Value: 0, Low: 0, High: 16.1125}},
	} {
		if d := cmp.Diff(c.want, c.have, cmpopts.EquateApprox(0, 1e-4), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestShareHoldsItsValue(t *testing.T) {
	for _, x := range []struct {
		points float64
		games  int
	}{{0, 5}, {5, 5}, {2.5, 5}, {0.5, 1}} {
		m := stats.Share(x.points, x.games)
		if !m.Known() || m.Low < 0 || m.High > 1 || m.Low == m.High {
			t.Errorf("%v points of %d games: %v", x.points, x.games, m)
		}
	}
}

func TestIntervalJSON(t *testing.T) {
	for _, i := range []stats.Interval{{Value: 1.5, Low: 1, High: 2}, stats.Exactly(3), stats.Unknown()} {
		b, err := json.Marshal(i)
		if err != nil {
			t.Fatal(err)
		}
		var back stats.Interval
		if err := json.Unmarshal(b, &back); err != nil || !cmp.Equal(i, back, cmpopts.EquateNaNs()) {
			t.Errorf("%s is read as %+v: %v", b, back, err)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for _, use := range []string{"network", "self-play", "split", "shuffle", "tournament"} {
			for number := range 50 {
				who := fmt.Sprint(seed, use, number)
				s := stats.DeriveNamed(seed, use, number)
				if other, taken := seen[s]; taken {
					t.Errorf("%s and %s share a seed", who, other)
				}
				seen[s] = who
			}
		}
	}
}

// Games of equal seeds stay what they are.
func TestSeedsAreStable(t *testing.T) {
	for _, c := range []struct{ have, want uint64 }{
		{stats.DeriveNamed(1, "self-play", 2), 13781571325200019221},
		{stats.Mix(1234567), 6457827717110365317}, // from the reference implementation in C
		{stats.Nth(1234567, 1), 3203168211198807973},
		{stats.Derive(1, 2), stats.Mix(stats.Mix(1) ^ 2)},
	} {
		if c.have != c.want {
			t.Errorf("have %d, want %d", c.have, c.want)
		}
	}
}

// Two normal means with standard errors a and b differ with the standard error
// sqrt(a² + b²).
func TestMinus(t *testing.T) {
	a, b := stats.Around(10, 3), stats.Around(4, 4)
	if d := a.Minus(b); d != stats.Around(6, 5) {
		t.Errorf("have %+v", d)
	}
	if d := a.Minus(stats.Exactly(4)); d != stats.Around(6, 3) {
		t.Errorf("less an exact number: %+v", d)
	}
	if d := a.Minus(stats.Unknown()); !d.Missing() {
		t.Errorf("less nothing is %+v", d)
	}
	// Newcombe (1998), table II, example (a): 56/70 and 48/80, method 10.
	if d := stats.Share(56, 70).Minus(stats.Share(48, 80)); !cmp.Equal(d, stats.Interval{Value: 0.2, Low: 0.0524, High: 0.3339}, cmpopts.EquateApprox(0, 5e-5)) {
		t.Errorf("difference of shares: %+v", d)
	}
}

func TestRecord(t *testing.T) {
	r := stats.Record{Wins: 3, Draws: 2, Losses: 1}
	if r.Games() != 6 || r.Score() != 4 || r.String() != "+3 =2 -1" || r.Percent(1) != "66.7 %" || (stats.Record{}).Percent(1) != "-" {
		t.Errorf("%d games, %v points, %v, %s", r.Games(), r.Score(), r, r.Percent(1))
	}
	if both := r.Plus(r.Reversed()); both != (stats.Record{Wins: 4, Draws: 4, Losses: 4}) {
		t.Errorf("both sides: %v", both)
	}
}
