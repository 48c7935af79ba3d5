package match

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"pgregory.net/rapid"
)

// addPairs adds pairs of games of two players, by the points of the first in each game. NaN
// is no game. The first player has White in the first game of a pair.
func addPairs(t fataler, r *Results, i, j int, pairs ...[2]float64) {
	t.Helper()
	p := NewPair(r.Names[i], r.Names[j])
	number := r.Pairs[min(i, j)][max(i, j)].Pairs() * 2
	for _, pair := range pairs {
		for k, points := range pair {
			if math.IsNaN(points) {
				continue
			}
			g := &Game{White: r.Names[i], Black: r.Names[j], Number: number + k}
			if k == 1 {
				g.White, g.Black, points = g.Black, g.White, 1-points
			}
			g.Outcome.Result = [...]chess.Result{chess.BlackWins, chess.Draw, chess.WhiteWins}[int(2*points)]
			if err := r.Add(g); err != nil || g.Pair() != p {
				t.Fatal(err)
			}
		}
		number += 2
	}
}

// fataler is a test, of package testing or rapid.
type fataler interface {
	Helper()
	Fatal(...any)
}

func mustRate(t fataler, r *Results, anchor string) *Ratings {
	t.Helper()
	out, err := Rate(r, anchor)
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

// repeated returns a slice of equal pairs.
func repeated(n int, pair ...float64) (all [][2]float64) {
	for range n {
		all = append(all, [2]float64(pair))
	}
	return all
}

// three is a tournament of three players.
func three(t fataler) *Results {
	r := NewResults([]string{"a", "b", "c"})
	addPairs(t, r, 0, 1, append(repeated(4, 1, 0.5), repeated(6, 1, 0)...)...)
	addPairs(t, r, 2, 0, append(repeated(3, 0.5, 0), repeated(7, 0, 0)...)...)
	addPairs(t, r, 1, 2, append(repeated(5, 1, 1), repeated(5, 0, 0.5)...)...)
	return r
}

// Two players: the rating is the logarithm of their points, and its interval is that of the
// share.
func TestRateTwoPlayers(t *testing.T) {
	r := NewResults([]string{"strong", "weak"})
	addPairs(t, r, 0, 1, append(append(repeated(11, 1, 1), repeated(2, 0.5, 1)...), repeated(5, 1, 0)...)...)
	addPairs(t, r, 0, 1, [2]float64{0.5, 0.5}, [2]float64{0, 0})
	got := mustRate(t, r, "weak")
	near(t, "rating", got.List[0].Elo.Value, 400*math.Log10(31./9), 1e-3)
	share := r.Share(0, 1)
	near(t, "share", share.Value, 31./40, 1e-12)
	near(t, "lower", scoreOf(got.List[0].Elo.Low), share.Low, 1e-6)
	near(t, "upper", scoreOf(got.List[0].Elo.High), share.High, 1e-6)
	if w := got.List[1]; w.Elo != (stats.Interval{}) {
		t.Errorf("the anchor is %+v", w)
	}
	near(t, "superiority", got.LOS(0, 1)+got.LOS(1, 0), 1, 1e-12)
}

// Without draws and pairs that depend on each other, the interval of many games is the normal
// one of a share.
func TestRateManyGames(t *testing.T) {
	r := NewResults([]string{"a", "b"})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		addPairs(t, r, 0, 1, [2]float64{coin(rng, 0.64), coin(rng, 0.64)})
	}
	share := r.Share(0, 1)
	half := stats.Normal95 * math.Sqrt(share.Value*(1-share.Value)/40_000)
	near(t, "below", share.Value-share.Low, half, 1e-4)
	near(t, "above", share.High-share.Value, half, 1e-4)
	near(t, "Elo", mustRate(t, r, "b").List[0].Elo.Value, 100, 3)
}

func coin(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// A difference does not depend on the anchor, and anchored at a player it is the other's
// rating.
func TestDifference(t *testing.T) {
	free, anchored := mustRate(t, three(t), ""), mustRate(t, three(t), "a")
	d, want := free.Difference(2, 0), anchored.List[2].Elo
	near(t, "difference", d.Value, want.Value, 1e-6)
	near(t, "lower", d.Low, want.Low, 1e-3)
	near(t, "upper", d.High, want.High, 1e-3)
	for i := range 3 {
		for j := range 3 {
			x, y := free.LOS(i, j), free.LOS(j, i)
			near(t, "sum", x+y, 1, 1e-12)
			if d := free.Difference(i, j).Value; (d > 0) != (x > 0.5) && d != 0 {
				t.Errorf("LOS %v at a difference of %v", x, d)
			}
		}
	}
}

// Who wins all games is rated as after one more, a draw.
func TestRatePerfectScores(t *testing.T) {
	r := NewResults([]string{"all", "none"})
	addPairs(t, r, 0, 1, repeated(10, 1, 1)...)
	e := mustRate(t, r, "none").List[0].Elo
	near(t, "rating", e.Value, 400*math.Log10(20.5/0.5), 1e-3)
	if !(e.Low > 200 && e.Low < e.Value && e.Value < e.High && e.High < 4000) {
		t.Errorf("all of 20 games are %+v", e)
	}
	if s := r.Share(0, 1); !(s.Low > 0.83 && s.Low < 0.95 && s.Value == 1 && s.High == 1) {
		t.Errorf("all of 20 games are the share %+v", s)
	}
	many := NewResults(strings.Split("abcdef", ""))
	for i := range 6 {
		for j := range i {
			addPairs(t, many, i, j, repeated(10, map[bool]float64{true: 0, false: 0.5}[j == 0], map[bool]float64{true: 0, false: 0.5}[j == 0])...)
		}
	}
	near(t, "all of 100 games against five", mustRate(t, many, "b").List[0].Elo.Value, 400*math.Log10(100.5/0.5), 1e-3)
	draws := NewResults([]string{"x", "y"})
	addPairs(t, draws, 0, 1, repeated(5, 0.5, 0.5)...)
	near(t, "only draws", mustRate(t, draws, "").List[0].Elo.Value, 0, 1e-6)
	// The others' ratings stay as they are without the player who won nothing.
	r = three(t)
	want := mustRate(t, r, "a").List[2].Elo.Value
	with := NewResults([]string{"a", "b", "c", "none"})
	for i := range 3 {
		for j := range 3 {
			with.White[i][j], with.Pairs[i][j] = r.White[i][j], r.Pairs[i][j]
		}
		addPairs(t, with, i, 3, repeated(10, 1, 1)...)
	}
	near(t, "rating with a player of no points", mustRate(t, with, "a").List[2].Elo.Value, want, 15)
}

// Every player's points are those that its rating lets expect.
func TestExpectedPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tournament(t)
		got := mustRate(t, r, "")
		m := got.model
		if m == nil {
			return
		}
		missing := make([]float64, len(m.group))
		for _, c := range m.cells {
			x := c.points - c.games*scoreOf(got.List[m.group[c.a]].Elo.Value-got.List[m.group[c.b]].Elo.Value)
			missing[c.a], missing[c.b] = missing[c.a]+x, missing[c.b]-x
		}
		for a, x := range missing {
			if math.Abs(x) > 1e-5 {
				t.Fatalf("%s has %v points more than expected", got.List[m.group[a]].Name, x)
			}
		}
		for _, i := range m.group {
			e := got.List[i].Elo
			w := m.contrast(i, -1)
			for _, end := range []float64{e.Low, e.High} {
				if x := m.deviance(w, end/scale); math.Abs(x-m.quantile*m.quantile*m.chance(w)) > 1e-4*(1+x) {
					t.Fatalf("%s: deviance %v at the end %v of %+v", got.List[i].Name, x, end, e)
				}
			}
		}
	})
}

func TestRateDisconnected(t *testing.T) {
	names := []string{"p", "q", "a", "b", "c", "alone"}
	r := NewResults(names)
	addPairs(t, r, 0, 1, [2]float64{1, 1}, [2]float64{1, 0})
	addPairs(t, r, 2, 3, [2]float64{1, 0.5}, [2]float64{0, 0})
	addPairs(t, r, 3, 4, [2]float64{1, 1}, [2]float64{0.5, 0.5})
	for _, test := range []struct{ anchor, rated string }{{"", "abc"}, {"q", "pq"}, {"c", "abc"}} {
		got := mustRate(t, r, test.anchor)
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
	for _, p := range mustRate(t, NewResults(names), "").List {
		if !p.Elo.Missing() {
			t.Errorf("%s is rated without a game", p.Name)
		}
	}
}

// tournament draws any tournament of a few players.
func tournament(t *rapid.T) *Results {
	n := rapid.IntRange(2, 6).Draw(t, "players")
	r := NewResults(strings.Split("abcdef", "")[:n])
	points := rapid.SampledFrom([]float64{0, 0.5, 1, 1, math.NaN()})
	for i := range n {
		for j := range i {
			for range rapid.IntRange(0, 10).Draw(t, "pairs") {
				addPairs(t, r, i, j, [2]float64{points.Draw(t, "first"), points.Draw(t, "second")})
			}
		}
	}
	return r
}

// Exchanging colors turns the advantage around and leaves the ratings; reversing all results
// turns everything around.
func TestRateSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := tournament(t)
		colors, reversed := NewResults(r.Names), NewResults(r.Names)
		for i := range r.Names {
			for j := range r.Names {
				colors.White[j][i] = r.White[i][j].Reversed()
				reversed.White[i][j] = r.White[i][j].Reversed()
				p := r.Pairs[i][j]
				colors.Pairs[i][j], reversed.Pairs[i][j] = p, Pentanomial{p[4], p[3], p[2], p[1], p[0]}
			}
		}
		a, b, c := mustRate(t, r, ""), mustRate(t, colors, ""), mustRate(t, reversed, "")
		same := func(what string, x, y float64) {
			if !(math.Abs(x-y) < 1e-2 || math.IsNaN(x) && math.IsNaN(y)) {
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
	for i, g := range []struct {
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
		if err := r.Add(&Game{White: g.white, Black: g.black, Number: i, Outcome: chess.Outcome{Result: g.result}}); (err == nil) != g.ok {
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
	if err := WriteRatings(&ratings, mustRate(t, r, "b")); err != nil {
		t.Fatal(err)
	}
	const wantRatings = `player,elo,lower,upper,games,score,superior,white_wins,white_draws,white_losses,black_wins,black_draws,black_losses
b,0.0,0.0,0.0,4,2.5,0.648,2,1,0,0,0,1
a,-88.7,-1147.9,683.7,4,1.5,,1,0,0,0,1,2
"c,""d""",,,,0,0,,0,0,0,0,0,0
`
	if got := ratings.String(); got != wantRatings {
		t.Errorf("ratings.csv:\n%swant:\n%s", got, wantRatings)
	}
}

// simulate plays pairs of games of players with known strengths, in units of scale, with draws
// and with openings that favor White by chance.
func simulate(t fataler, rng *rand.Rand, r *Results, strength []float64, games int, draws float64) {
	for i := range strength {
		for j := range i {
			for range games / 2 {
				favor := 0.3 + 0.5*rng.NormFloat64()
				game := func(d float64) float64 { // as Davidson's model has it
					win, loss := math.Exp(d/2), math.Exp(-d/2)
					u := rng.Float64() * (win + draws + loss)
					switch {
					case u < win:
						return 1
					case u < win+draws:
						return 0.5
					}
					return 0
				}
				d := strength[i] - strength[j]
				addPairs(t, r, i, j, [2]float64{game(d + favor), game(d - favor)})
			}
		}
	}
}

// truth returns the logistic ratings of players with these strengths: those of very many
// games.
func truth(t *testing.T, strength []float64, draws float64) []Rating {
	r := NewResults(strings.Split("abcdef", "")[:len(strength)])
	simulate(t, rand.New(rand.NewPCG(1, 1)), r, strength, 100_000, draws)
	return mustRate(t, r, "a").List
}

// Of 95 % intervals, about 95 % have the true rating and the true share, whatever the number
// of games, for even players and for those that score 95 %.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates thousands of tournaments")
	}
	const runs = 1000
	for _, c := range []struct {
		strength []float64
		draws    float64
	}{
		{[]float64{0, 0}, 1}, {[]float64{0, 0, 0.5, -0.5}, 1}, {[]float64{0, 4.7}, 1}, {[]float64{0, 2, 4.7}, 1},
		{[]float64{0, 2.2}, 0},         // 90 %, where 20 games are often all won
		{[]float64{0, 0, 0, 0, -8}, 6}, // nearly all draws but for one player
	} {
		strength, draws := c.strength, c.draws
		want := truth(t, strength, draws)
		last := len(strength) - 1
		for _, games := range []int{20, 60, 400} {
			rng := rand.New(rand.NewPCG(7, uint64(games)))
			ratings, shares := 0, 0
			for range runs {
				r := NewResults(strings.Split("abcdef", "")[:len(strength)])
				simulate(t, rng, r, strength, games, draws)
				if e := mustRate(t, r, "a").List[last].Elo; e.Low <= want[last].Elo.Value && want[last].Elo.Value <= e.High {
					ratings++
				}
				if s := r.Share(last, 0); s.Low <= scoreOf(want[last].Elo.Value) && scoreOf(want[last].Elo.Value) <= s.High {
					shares++
				}
			}
			t.Logf("strengths %v, %d games: %d ratings and %d shares of %d are in their intervals", strength, games, ratings, shares, runs)
			most := 980
			if games == 20 { // where a few results are likely, intervals of 95 % have more
				most = 995
			}
			if min(ratings, shares) < 930 || max(ratings, shares) > most {
				t.Errorf("strengths %v, %d games: %d ratings and %d shares of %d are in their intervals", strength, games, ratings, shares, runs)
			}
		}
	}
}
