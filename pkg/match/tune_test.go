package match

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// spsaOf returns a search with these numbers of settings and pairs, whose best values are
// known, and the Elo that values lose.
func spsaOf(settings, pairs int, seed uint64) (*SPSA, func(values []float64) float64) {
	ranges := []Range{
		{Key: "log", Low: 0.5, High: 8},
		{Key: "linear", Low: 0, High: 2},
		{Key: "whole", Low: 4, High: 20, Whole: true},
		{Key: "small", Low: 0.01, High: 0.02},
	}
	start, best := []float64{5, 0.1, 18, 0.011}, []float64{1.2, 1.4, 10, 0.016}
	lost := func(values []float64) (elo float64) {
		for i, x := range values {
			off := ranges[i].part(x) - ranges[i].part(best[i])
			elo += 400 * off * off
		}
		return elo
	}
	return &SPSA{Ranges: ranges[:settings], Start: start[:settings], Pairs: pairs, Seed: seed, Delay: 32}, lost
}

// With known win probabilities, of which 100 Elo are lost at half a range from the best
// values, the values come near those in the median of 20 seeds.
func TestSPSAFindsTheBestValues(t *testing.T) {
	for settings := 2; settings <= 4; settings++ {
		var left, began []float64
		for seed := range uint64(20) {
			s, lost := spsaOf(settings, 1000, seed)
			rng := stats.NewRand(seed)
			for k := range s.Pairs {
				plus, minus := s.Players(k)
				points := 0.0
				for range 2 {
					if rng.Float64() < scoreOf(lost(minus)-lost(plus)) {
						points++
					}
				}
				s.Add(points)
			}
			left, began = append(left, lost(s.Mean())), append(began, lost(s.Start))
		}
		slices.Sort(left)
		t.Logf("%d settings: %.0f Elo lost at the start, in the end a median of %.1f, at most %.1f", settings, began[0], left[10], left[19])
		if left[10] > 4*float64(settings) || left[19] > began[0]/3 {
			t.Errorf("%d settings: lost Elo %.1f", settings, left)
		}
	}
}

func TestSPSAStaysWithinItsRanges(t *testing.T) {
	s, _ := spsaOf(4, 300, 1)
	for k := range s.Pairs {
		plus, minus := s.Players(k)
		for i, r := range s.Ranges {
			for _, x := range []float64{plus[i], minus[i], s.Values(k)[i]} {
				if !(x >= r.Low && x <= r.High) || r.Whole && x != math.Round(x) {
					t.Fatalf("pair %d: %s %v", k, r.Key, x)
				}
			}
			if plus[i] == minus[i] {
				t.Fatalf("pair %d: both players have %s %v", k, r.Key, plus[i])
			}
		}
		s.Add(2)
	}
}

// tuningOf is a tuning of two settings of a search without a network, quickly over.
func tuningOf(t *testing.T, player, file string, ranges ...string) *Tuning {
	t.Helper()
	c := configOf(t, player, player, file)
	tuning := &Tuning{Config: c, SPSA: SPSA{Pairs: 60, Delay: 32}}
	for _, text := range ranges {
		r, err := ParseRange(text)
		if err != nil {
			t.Fatal(err)
		}
		tuning.SPSA.Ranges = append(tuning.SPSA.Ranges, r)
	}
	return tuning
}

func trajectory(t *testing.T, tuning *Tuning) string {
	t.Helper()
	var b strings.Builder
	if err := tuning.WriteTrajectory(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The values and the games do not depend on the number of games at once, nor on
// interruptions.
func TestTune(t *testing.T) {
	words := []string{"search.c_puct=0.5..4", "tournament.search.fpu=0.05..1,c=0.2,r=0.1"}
	whole := filepath.Join(t.TempDir(), "whole.pgn")
	want := tuningOf(t, "uniform,visits=6", whole, words...)
	if err := Tune(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	path := trajectory(t, want)
	if lines := strings.Split(path, "\n"); len(lines) != 63 || lines[0] != "pair,points,c_puct,fpu" || !strings.HasPrefix(lines[1], "0,,1.5,0.3") {
		t.Errorf("trajectory:\n%s", path)
	}
	for _, workers := range []int{1, 4, 100} {
		again := tuningOf(t, "uniform,visits=6", "", words...)
		if again.Workers = workers; Tune(t.Context(), again) != nil || trajectory(t, again) != path {
			t.Errorf("%d games at once: another trajectory", workers)
		}
	}
	part := filepath.Join(t.TempDir(), "part.pgn")
	for kills := 0; ; kills++ {
		ctx, stop := context.WithCancel(t.Context())
		again := tuningOf(t, "uniform,visits=6", part, words...)
		again.Workers, again.Watch = 1+kills%3, &watched{after: 1 + 7*kills%19, stop: stop}
		err := Tune(ctx, again)
		stop()
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err != nil || trajectory(t, again) != path || read(t, part) != read(t, whole) || kills < 5 {
			t.Errorf("after %d interruptions another result: %v", kills, err)
		}
		break
	}
	other := tuningOf(t, "uniform,visits=6", part, "c_puct=0.5..4.5", words[1])
	if err := Tune(t.Context(), other); !errors.Is(err, errOther) {
		t.Errorf("games of another range are taken: %v", err)
	}
}

// The found settings are short, and those of a player that a command line can name.
func TestFoundSettings(t *testing.T) {
	tuning := tuningOf(t, "uniform,visits=6,root=gumbel,fpu=zero", "", "root.c_scale=0.123456..0.123457", "root.considered=2..1000", "fpu=0..1")
	tuning.SPSA.Pairs = 2
	tuning.Players[0].Search = append(tuning.Players[0].Search, uci.Setting{Name: "root.c_scale", Value: "0.123456"})
	if err := Tune(t.Context(), tuning); err != nil {
		t.Fatal(err)
	}
	if start := tuning.SPSA.Start; start[0] != 0.123456 || start[1] != 16 || start[2] != 0.5 {
		t.Errorf("start %v", start)
	}
	found := tuning.Found()
	if found[0] != 0.123456 || found[2] != math.Round(found[2]*1000)/1000 || tuning.Own[2] != "zero" {
		t.Errorf("found %v", found)
	}
	p := tuning.With([]float64{0.2, 9, 0.25})
	if len(tuning.Players[0].Search) != 3 {
		t.Fatalf("the player has changed: %v", tuning.Players[0].Search)
	}
	if want := "uniform 6 visits, root gumbel, root.c_scale 0.2, root.considered 9, fpu 0.25"; p.Name() != want {
		t.Errorf("the player with them is %s, want %s", p.Name(), want)
	}
	text := p.YAML()
	want := `tournament:
  search:
    visits: 6
    c_puct: 1.5
    fpu: 0.25
    solver: true
    lookahead: 1
    root:
      kind: gumbel
      considered: 9
      c_scale: 0.2
  temperature: {power: max}
`
	if text != want {
		t.Errorf("%s, want %s", text, want)
	}
	p.Visits, p.MoveTime, p.Depth = 0, 20, 9
	want = strings.Replace(want, "    visits: 6\n", "", 1) + "  limit: {depth: 9, movetime: 20}\n"
	if text := p.YAML(); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestTuneRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"search.cpuct=1..2":   `did you mean "c_puct"?`,
		"solver=0..1":         "no search has such a number to tune",
		"visits=10..20":       "no search has such a number to tune",
		"c_puct=1":            "want c_puct=LOW..HIGH",
		"c_puct=1..x":         "with numbers",
		"c_puct=0..2":         "want a number above 0",
		"fpu=0..11":           "want a number",
		"c_puct=2..1":         "want the lower bound first",
		"c_puct=1..1":         "want the lower bound first",
		"c_puct=1..2,c=0.9":   "want c from 0 to 0.5",
		"c_puct=1..2,step=3":  "want c=NUMBER or r=NUMBER",
		"leaves=1.5..3":       "want a whole number",
		"tournament.c_puct=1": "want tournament.c_puct=LOW..HIGH",
	} {
		if _, err := ParseRange(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, c := range []struct{ player, ranges, want string }{
		{"random", "c_puct=1..2", "random: want a tree search to tune"},
		{"uniform", "c_puct=2..3", "c_puct: it starts at 1.5, outside of 2..3: want a range around it, or another start, as in MODEL,c_puct=2.4"},
		{"uniform", "c_puct=1..2 search.c_puct=1..3", "c_puct: it is given twice"},
		{"uniform", "root.c_scale=0.1..3", "only with kind: gumbel"},
		{"uniform,c_base=19652", "c_puct=1..3", "only with c_base: 0"},
		{"uniform", "", "want pairs, and ranges"},
	} {
		tuning := tuningOf(t, c.player, "", strings.Fields(c.ranges)...)
		if err := Tune(t.Context(), tuning); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v, want %s", c.player, c.ranges, err, c.want)
		}
	}
}
