package match

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"pgregory.net/rapid"
)

// results builds a tournament from records of White against Black.
func results(names []string, white map[[2]int]stats.Record) *Results {
	r := NewResults(names)
	for pair, record := range white {
		r.White[pair[0]][pair[1]] = record
	}
	return r
}

// three is a tournament of three players, five or ten games for each color.
func three() *Results {
	return results([]string{"a", "b", "c"}, map[[2]int]stats.Record{
		{0, 1}: {Wins: 6, Draws: 2, Losses: 2}, {1, 0}: {Wins: 3, Draws: 3, Losses: 4}, {0, 2}: {Wins: 9, Draws: 1},
		{2, 0}: {Wins: 1, Draws: 2, Losses: 7}, {1, 2}: {Wins: 5, Draws: 4, Losses: 1}, {2, 1}: {Wins: 2, Draws: 3, Losses: 5},
	})
}

// fataler is a test, of package testing or rapid.
type fataler interface {
	Helper()
	Fatal(...any)
}

func mustRate(t fataler, r *Results, anchor string, virtual float64) *Ratings {
	t.Helper()
	out, err := rate(r, anchor, virtual)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.4f, want %.4f", what, got, want)
	}
}

// Two players and no prior: the maximum has a closed form. The shares of wins,
// draws and losses are met exactly, so that the difference is the logarithm of
// wins over losses, whose variance is 1/wins + 1/losses.
func TestRateTwoPlayers(t *testing.T) {
	r := results([]string{"strong", "weak"}, map[[2]int]stats.Record{{0, 1}: {Wins: 5, Draws: 3, Losses: 2}, {1, 0}: {Wins: 2, Draws: 3, Losses: 5}})
	got := mustRate(t, r, "weak", 0)
	half := stats.Normal95 * 400 / math.Ln10 * math.Sqrt(1./10+1./4)
	near(t, "rating", got.List[0].Elo.Value, 400*math.Log10(10./4), 1e-6)
	near(t, "upper", got.List[0].Elo.High-got.List[0].Elo.Value, half, 1e-6)
	near(t, "drawishness", got.Drawishness, 6/math.Sqrt(10*4), 1e-9)
	near(t, "advantage", got.Advantage.Value, 0, 1e-6)
	if w := got.List[1]; w.Elo != (stats.Interval{}) {
		t.Errorf("the anchor is %+v", w)
	}
}

// The numbers were computed by a program of its own, in Python: the likelihood
// written again, maximized by golden sections along one parameter after another,
// its second derivatives by differences, inverted by Gauss-Jordan elimination.
func TestRateThreePlayers(t *testing.T) {
	for _, test := range []struct {
		anchor        string
		virtual       float64
		elo, half     [3]float64
		advantage, nu float64
		advantageHalf float64
	}{
		{"", 0, [3]float64{203.381, 20.779, -224.160}, [3]float64{114.848, 96.364, 119.203}, 82.707, 0.92413, 128.651},
		{"", 1, [3]float64{197.371, 20.120, -217.492}, [3]float64{112.011, 94.810, 116.039}, 79.580, 0.93954, 125.940},
		{"a", 1, [3]float64{0, -177.251, -414.863}, [3]float64{0, 172.064, 207.446}, 79.580, 0.93954, 125.940},
	} {
		got := mustRate(t, three(), test.anchor, test.virtual)
		for i, p := range got.List {
			near(t, p.Name, p.Elo.Value, test.elo[i], 0.01)
			near(t, p.Name+" upper", p.Elo.High-p.Elo.Value, test.half[i], 0.01)
			near(t, p.Name+" lower", p.Elo.Value-p.Elo.Low, test.half[i], 0.01)
		}
		near(t, "advantage", got.Advantage.Value, test.advantage, 0.01)
		near(t, "advantage upper", got.Advantage.High-got.Advantage.Value, test.advantageHalf, 0.01)
		near(t, "drawishness", got.Drawishness, test.nu, 1e-4)
	}
}

// A difference does not depend on the anchor, and anchored at a player it is the
// other's rating.
func TestDifference(t *testing.T) {
	free, anchored := mustRate(t, three(), "", 1), mustRate(t, three(), "a", 1)
	d, want := free.Difference(2, 0), anchored.List[2].Elo
	near(t, "difference", d.Value, want.Value, 1e-6)
	near(t, "lower", d.Low, want.Low, 1e-6)
	near(t, "upper", d.High, want.High, 1e-6)
}

func TestRatePerfectScores(t *testing.T) {
	r := results([]string{"all", "none"}, map[[2]int]stats.Record{{0, 1}: {Wins: 10}, {1, 0}: {Losses: 10}})
	got := mustRate(t, r, "none", 1)
	if e := got.List[0].Elo; !(e.Value > 300 && e.Value < 2000 && e.Low > 0) {
		t.Errorf("ten games to nothing with each color are %+v", e)
	}
	// One virtual game of a quarter a win and a quarter a loss for all of it:
	// 20.25 wins to 0.25 losses.
	near(t, "rating", got.List[0].Elo.Value, 400*math.Log10(20.25/0.25), 1e-6)
	if _, err := rate(r, "", 0); !errors.Is(err, ErrNoMaximum) {
		t.Errorf("without a prior: %v", err)
	}
	draws := results([]string{"x", "y"}, map[[2]int]stats.Record{{0, 1}: {Draws: 10}})
	near(t, "only draws", mustRate(t, draws, "", 1).List[0].Elo.Value, 0, 1e-6)
}

func TestRateDisconnected(t *testing.T) {
	names := []string{"p", "q", "a", "b", "c", "alone"}
	r := results(names, map[[2]int]stats.Record{{0, 1}: {Wins: 3, Losses: 1}, {2, 3}: {Wins: 1, Draws: 1, Losses: 2}, {3, 4}: {Wins: 2, Draws: 2}})
	for _, test := range []struct{ anchor, rated string }{{"", "abc"}, {"q", "pq"}, {"c", "abc"}} {
		got := mustRate(t, r, test.anchor, 1)
		rated := ""
		for _, p := range got.List {
			if !p.Elo.Missing() {
				rated += p.Name
			}
		}
		if rated != test.rated {
			t.Errorf("anchor %q: rated are %q, want %q", test.anchor, rated, test.rated)
		}
		if d := got.Difference(0, 2); !d.Missing() {
			t.Errorf("a difference of %v between players that nothing connects", d)
		}
	}
	if _, err := Rate(r, "nobody"); err == nil {
		t.Error("an anchor that does not play was accepted")
	}
	for _, p := range mustRate(t, NewResults(names), "", 1).List {
		if !p.Elo.Missing() {
			t.Errorf("%s is rated without a game", p.Name)
		}
	}
}

// tournament draws any tournament of a few players.
func tournament(t *rapid.T) *Results {
	n := rapid.IntRange(2, 6).Draw(t, "players")
	r := NewResults(strings.Split("abcdef", "")[:n])
	count := rapid.IntRange(0, 20)
	for i := range n {
		for j := range n {
			if i != j && rapid.Bool().Draw(t, "meet") {
				r.White[i][j] = stats.Record{Wins: count.Draw(t, "wins"), Draws: count.Draw(t, "draws"), Losses: count.Draw(t, "losses")}
			}
		}
	}
	return r
}

// Exchanging colors turns the advantage around and leaves the ratings; reversing
// all results turns everything around.
func TestRateSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tournament(t)
		colors, reversed := NewResults(r.Names), NewResults(r.Names)
		for i := range r.Names {
			for j := range r.Names {
				colors.White[j][i] = r.White[i][j].Reversed()
				reversed.White[i][j] = r.White[i][j].Reversed()
			}
		}
		a, b, c := mustRate(t, r, "", 1), mustRate(t, colors, "", 1), mustRate(t, reversed, "", 1)
		same := func(what string, x, y float64) {
			if !(math.Abs(x-y) < 1e-4 || math.IsNaN(x) && math.IsNaN(y)) {
				t.Fatalf("%s: %v and %v", what, x, y)
			}
		}
		same("advantage with colors exchanged", a.Advantage.Value, -b.Advantage.Value)
		same("advantage with results reversed", a.Advantage.Value, -c.Advantage.Value)
		var sum float64
		for i := range a.List {
			a, b, c := a.List[i].Elo, b.List[i].Elo, c.List[i].Elo
			if !a.Missing() {
				sum += a.Value
			}
			same("rating with colors exchanged", a.Value, b.Value)
			same("upper bound with colors exchanged", a.High, b.High)
			same("rating with results reversed", a.Value, -c.Value)
			same("bounds with results reversed", a.High, -c.Low)
		}
		same("mean", sum, 0)
	})
}

// If each game counts twice, the ratings are the same and their intervals narrower.
func TestMoreGamesNarrowIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tournament(t)
		twice := NewResults(r.Names)
		for i := range r.Names {
			for j := range r.Names {
				twice.White[i][j] = r.White[i][j].Plus(r.White[i][j])
			}
		}
		a, b := mustRate(t, r, "", 1), mustRate(t, twice, "", 2)
		for i := range a.List {
			wide, narrow := a.List[i].Elo.High-a.List[i].Elo.Low, b.List[i].Elo.High-b.List[i].Elo.Low
			if math.Abs(wide-narrow*math.Sqrt2) > 1e-3*(1+wide) {
				t.Fatalf("%s: width %v, with each game twice %v", a.List[i].Name, wide, narrow)
			}
		}
	})
}

// Whatever the results, scores add up to the games.
func TestScoresAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tournament(t)
		var score float64
		games := 0
		for i, s := range r.Standings() {
			score += s.Score()
			games += s.Games()
			if s.White.Games()+s.Black.Games() != s.Games() {
				t.Fatalf("%+v", s)
			}
			for j := range r.Names {
				if a, b := r.Against(i, j), r.Against(j, i); a.Score()+b.Score() != float64(a.Games()) {
					t.Fatalf("%+v and %+v", a, b)
				}
			}
		}
		if 2*score != float64(games) {
			t.Fatalf("scores of %v in %d games", score, games/2)
		}
	})
}

func TestResults(t *testing.T) {
	r := NewResults([]string{"a", "b", "c,\"d\""})
	for _, g := range []struct {
		white, black string
		result       chess.Result
		ok           bool
	}{
		{"a", "b", chess.WhiteWins, true},
		{"b", "a", chess.Draw, true},
		{"b", "a", chess.WhiteWins, true},
		{"b", "a", chess.WhiteWins, true},
		{"a", "nobody", chess.Draw, false},
		{"a", "a", chess.Draw, false},
		{"a", "b", chess.Unfinished, false},
	} {
		if err := r.Add(g.white, g.black, g.result); (err == nil) != g.ok {
			t.Errorf("%+v: %v", g, err)
		}
	}
	want := Standing{Name: "b", Record: stats.Record{Wins: 2, Draws: 1, Losses: 1}, White: stats.Record{Wins: 2, Draws: 1}, Black: stats.Record{Losses: 1}}
	if got := r.Standings()[1]; got != want {
		t.Errorf("b is %+v, want %+v", got, want)
	}
	var crosstable, ratings bytes.Buffer
	if err := WriteCrosstable(&crosstable, r); err != nil {
		t.Fatal(err)
	}
	const wantTable = `player,games,wins,draws,losses,score,a,b,"c,""d"""
a,4,1,1,2,1.5,,1.5,
b,4,2,1,1,2.5,2.5,,
"c,""d""",0,0,0,0,0,,,
`
	if got := crosstable.String(); got != wantTable {
		t.Errorf("crosstable.csv:\n%swant:\n%s", got, wantTable)
	}
	// Only the layout: the numbers are those of other tests.
	variances := mat.NewDense(3, 3, []float64{0, 0, 0, 0, 40, 0, 0, 0, 60})
	list := &Ratings{covariance: variances, List: []Rating{
		{Standing{Name: "none"}, stats.Unknown()},
		{Standing{Name: "low", Record: stats.Record{Wins: 1, Draws: 1, Losses: 2}, White: stats.Record{Wins: 1, Losses: 1}, Black: stats.Record{Draws: 1, Losses: 1}}, stats.Interval{Value: -12.34, Low: -50, High: 25.36}},
		{Standing{Name: "zero", Record: stats.Record{Wins: 1, Draws: 2, Losses: 1}}, stats.Interval{Value: -0.01, Low: -0.04, High: 0.04}},
	}}
	if err := WriteRatings(&ratings, list); err != nil {
		t.Fatal(err)
	}
	const wantRatings = `player,elo,lower,upper,games,score,superior,white_wins,white_draws,white_losses,black_wins,black_draws,black_losses
zero,0.0,0.0,0.0,4,2,0.891,0,0,0,0,0,0
low,-12.3,-50.0,25.4,4,1.5,,1,0,1,0,1,1
none,,,,0,0,,0,0,0,0,0,0
`
	if got := ratings.String(); got != wantRatings {
		t.Errorf("ratings.csv:\n%swant:\n%s", got, wantRatings)
	}
}
