package selfplay_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// hashed is a network that returns hashes of the planes and the indices:
// arbitrary, but a function of the position alone.
type hashed struct{}

func (hashed) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		h := uint64(0xcbf29ce484222325)
		next := func(w uint64) float64 {
			h = (h ^ w) * 0x9e3779b97f4a7c15
			h ^= h >> 29
			return float64(h>>11) / (1 << 53)
		}
		for _, w := range l.Planes {
			next(w)
		}
		l.Value = l.Sign * float32(next(1)-0.5)
		var sum float32
		for i, index := range l.Indices {
			l.Priors[i] = float32(0.05 + next(uint64(index)))
			sum += l.Priors[i]
		}
		for i := range l.Priors {
			l.Priors[i] /= sum
		}
	}
	return nil
}

func nets(n int) []search.Net {
	return slices.Repeat([]search.Net{hashed{}}, n)
}

func codec(t testing.TB, v chess.Variant) encode.Codec {
	t.Helper()
	c, err := encode.NewCodec("atomic16", "uci1968", v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// moverCodec is a codec whose networks predict the score of the side to move.
func moverCodec(t testing.TB, v chess.Variant) encode.Codec {
	t.Helper()
	c, err := encode.NewCodec("mover15", "uci1968-mover", v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// config is self-play with everything switched on, small.
func config() selfplay.Config {
	return selfplay.Config{
		Variant: chess.Atomic,
		Search: search.Config{
			Visits: 16, CPuct: 2, ExpandAt: 2, TreeReuse: true,
			Noise: search.Noise{Alpha: 0.3, Weight: 0.25},
		},
		Games:       12,
		MaxMoves:    40,
		LongGames:   "discard",
		Temperature: selfplay.Temperature{Power: 1, Plies: 20, Then: 4},
		Opening: selfplay.Opening{
			RandomPlies: 3, Share: 0.5,
			FENs: []string{
				"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
				"8/5k2/4p3/4p3/3P4/3P4/1K6/1R3q2 b - - 5 30",
			},
		},
		Seed: 11,
	}
}

// play returns the records in the order of their numbers.
func play(t testing.TB, cfg selfplay.Config, workers int) []*selfplay.Record {
	t.Helper()
	return playWith(t, cfg, nets(workers))
}

func playWith(t testing.TB, cfg selfplay.Config, nets []search.Net) []*selfplay.Record {
	t.Helper()
	var records []*selfplay.Record
	err := selfplay.Play(context.Background(), cfg, codec(t, cfg.Variant), nets, func(r *selfplay.Record) {
		records = append(records, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(records, func(a, b *selfplay.Record) int { return a.Number - b.Number })
	for _, r := range records { // every record can be packed
		text, err := r.Pack()
		if err != nil {
			t.Fatal(err)
		}
		again, err := cfg.Unpack(codec(t, cfg.Variant), text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("a record that was packed and unpacked:\n%s", diff)
		}
	}
	return records
}

// A worker cannot pass off a game that was not played so.
func TestUnpackRefuses(t *testing.T) {
	cfg := config()
	c := codec(t, cfg.Variant)
	records := play(t, cfg, 1)
	i := slices.IndexFunc(records, func(r *selfplay.Record) bool {
		return r.Outcome.Result != chess.Draw && r.Outcome.Reason != chess.Adjudication && len(r.Samples) > 2
	})
	if i < 0 {
		t.Fatal("no game was won")
	}
	for name, spoil := range map[string]func(r *selfplay.Record){
		"nothing":          func(*selfplay.Record) {},
		"number":           func(r *selfplay.Record) { r.Number = cfg.Games },
		"evaluations":      func(r *selfplay.Record) { r.Evaluations = -1 },
		"value of a root":  func(r *selfplay.Record) { r.RootValues[0] = 2 },
		"value":            func(r *selfplay.Record) { r.Samples[0].Value = 2 },
		"policy":           func(r *selfplay.Record) { r.Samples[0].Policy[0] += 0.5 },
		"result":           func(r *selfplay.Record) { r.Outcome.Result = -r.Outcome.Result },
		"illegal move":     func(r *selfplay.Record) { r.Moves[0] = r.Moves[1] },
		"unfinished":       func(r *selfplay.Record) { r.Moves, r.RootValues = r.Moves[:2], r.RootValues[:2] },
		"order of samples": func(r *selfplay.Record) { r.Samples[0], r.Samples[1] = r.Samples[1], r.Samples[0] },
		"no search":        func(r *selfplay.Record) { r.Roots = r.Roots[1:] },
	} {
		r := *records[i]
		r.Moves, r.RootValues, r.Roots, r.Samples = slices.Clone(r.Moves), slices.Clone(r.RootValues), slices.Clone(r.Roots), slices.Clone(r.Samples)
		for k := range r.Samples {
			r.Samples[k].Policy = slices.Clone(r.Samples[k].Policy)
		}
		spoil(&r)
		text, err := r.Pack()
		if err == nil {
			_, err = cfg.Unpack(c, text)
		}
		if (err == nil) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever text a worker sends: it is refused, or is a record that can be packed again.
func FuzzUnpack(f *testing.F) {
	cfg := config()
	cfg.Games = 3
	for _, r := range play(f, cfg, 1) {
		text, err := r.Pack()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
		f.Add(bytes.Replace(text, []byte(`"Samples":"`), []byte(`"Samples":"AAAA`), 1))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		selfplay.Peek(text)
		r, err := cfg.Unpack(codec(t, cfg.Variant), text)
		if err != nil {
			return
		}
		again, err := r.Pack()
		if err != nil {
			t.Fatal(err)
		}
		other, err := cfg.Unpack(codec(t, cfg.Variant), again)
		if diff := cmp.Diff(r, other, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v: a record that was packed again:\n%s", err, diff)
		}
	})
}

// The games do not depend on how they are shared out, nor on which of them are
// played.
func TestDeterminism(t *testing.T) {
	cfg := config()
	want := play(t, cfg, 1)
	if len(want) != cfg.Games {
		t.Fatalf("%d games, want %d", len(want), cfg.Games)
	}
	for _, workers := range []int{1, 2, 3} {
		for _, parallel := range []int{0, 1, 5} {
			cfg.Parallel = parallel
			got := play(t, cfg, workers)
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%d workers, %d at once: other games:\n%s", workers, parallel, cmp.Diff(want, got))
			}
		}
	}
	var some []*selfplay.Record
	var numbers []int
	for _, r := range want {
		if r.Number%3 == 1 {
			some, numbers = append(some, r), append(numbers, r.Number)
		}
	}
	cfg.Todo = selfplay.Numbers(numbers)
	if got := play(t, cfg, 2); !reflect.DeepEqual(some, got) {
		t.Errorf("other games when only some are played:\n%s", cmp.Diff(some, got))
	}
	for _, room := range []int{1, 4} { // numbers that come late
		late := make(chan int, room)
		go func() {
			defer close(late)
			for i, n := range numbers {
				late <- n
				time.Sleep(time.Duration(i%3) * time.Millisecond)
			}
		}()
		cfg.Todo = late
		if got := play(t, cfg, 2); !reflect.DeepEqual(some, got) {
			t.Errorf("other games when they are named one after the other:\n%s", cmp.Diff(some, got))
		}
	}
	cfg.Todo, cfg.Seed = nil, 12
	if got := play(t, cfg, 1); reflect.DeepEqual(want, got) {
		t.Error("another seed gave the same games")
	}
}

// Records are what was played: legal games to their end, a sample a move.
func TestRecords(t *testing.T) {
	for _, v := range []chess.Variant{chess.Atomic, chess.Standard} {
		cfg := config()
		cfg.Variant = v
		cfg.MaxMoves = 150
		cfg.Opening.FENs = nil
		if v == chess.Atomic {
			cfg.Future = 8
		}
		c := codec(t, v)
		cfg.Evaluations = new(atomic.Int64)
		records := play(t, cfg, 2)
		uci := encode.UCI1968Moves()
		var evaluations, decided int
		starts := make(map[string]bool)
		for _, r := range records {
			p, err := chess.ParseFEN(v, r.Start)
			if err != nil {
				t.Fatal(err)
			}
			starts[r.Start] = true
			g := chess.NewGame(p)
			var l chess.MoveList
			if len(r.Samples) != len(r.Moves) || len(r.RootValues) != len(r.Moves) {
				t.Fatalf("game %d: %d samples, %d values, %d moves", r.Number, len(r.Samples), len(r.RootValues), len(r.Moves))
			}
			for i, m := range r.Moves {
				g.Position().LegalMoves(&l)
				if o := g.Outcome(&l); o.Over() {
					t.Fatalf("game %d continues after %s", r.Number, o)
				}
				if !l.Contains(m) {
					t.Fatalf("game %d, ply %d: %s is not legal", r.Number, i, m)
				}
				s := r.Samples[i]
				if int(s.Game) != r.Number || int(s.Ply) != i {
					t.Fatalf("game %d, ply %d: sample of game %d, ply %d", r.Number, i, s.Game, s.Ply)
				}
				planes := make([]uint64, c.Planes.Count())
				c.Planes.Encode(planes, g)
				if !slices.Equal(planes, s.Planes) {
					t.Fatalf("game %d, ply %d: planes of another position", r.Number, i)
				}
				var sum float64
				played := false
				for k, index := range s.Indices {
					if g.Position().UCI(l.At(k)) != uci[index] {
						t.Fatalf("game %d, ply %d: index %d", r.Number, i, index)
					}
					sum += float64(s.Policy[k])
					played = played || l.At(k) == m && s.Policy[k] > 0
				}
				if len(s.Indices) != l.Len() || math.Abs(sum-1) > 1e-5 || !played {
					t.Fatalf("game %d, ply %d: a target of %d moves with sum %v; has the move played: %v", r.Number, i, len(s.Indices), sum, played)
				}
				if s.Value != float32(r.Outcome.Result) { // atomic16 keeps white's view
					t.Fatalf("game %d, ply %d: value %v of %s", r.Number, i, s.Value, r.Outcome)
				}
				if left := float32(len(r.Moves) - i); s.Draw != 1-s.Value*s.Value || s.MovesLeft != left {
					t.Fatalf("game %d, ply %d of %s: drawn %v, %v plies left, want %v", r.Number, i, r.Outcome, s.Draw, s.MovesLeft, left)
				}
				var want encode.Sample
				if c.Continue(&want, g.Position(), r.Moves[i:], cfg.Future); s.Reply != want.Reply || !slices.Equal(s.Future, want.Future) {
					t.Fatalf("game %d, ply %d: reply %d, board %x, want %d, %x", r.Number, i, s.Reply, s.Future, want.Reply, want.Future)
				}
				if v := r.RootValues[i]; !(v >= -1 && v <= 1) {
					t.Fatalf("game %d, ply %d: root value %v", r.Number, i, v)
				}
				g.Play(m)
			}
			g.Position().LegalMoves(&l)
			if o := g.Outcome(&l); o != r.Outcome || !o.Over() {
				t.Fatalf("game %d ended as %s, recorded as %s", r.Number, o, r.Outcome)
			}
			if r.Outcome.Result != chess.Draw {
				decided++
			}
			evaluations += r.Evaluations
		}
		if v == chess.Atomic && decided == 0 {
			t.Error("no game was won: the signs of values are not tested")
		}
		if len(starts) < 3 {
			t.Errorf("%d different beginnings, want several", len(starts))
		}
		if !starts[chessStart(v)] {
			t.Error("no game began at the start position")
		}
		if len(records) != cfg.Games || int(cfg.Evaluations.Load()) != evaluations {
			t.Errorf("%d games with %d evaluations, and %d were counted", len(records), evaluations, cfg.Evaluations.Load())
		}
	}
}

func chessStart(v chess.Variant) string {
	p := chess.StartPosition(v)
	return p.FEN()
}

// The result of a game is recorded from the view that the encoding predicts.
func TestPerspective(t *testing.T) {
	cfg := config()
	c := moverCodec(t, cfg.Variant)
	won := 0
	err := selfplay.Play(context.Background(), cfg, c, nets(1), func(r *selfplay.Record) {
		g, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		turn := g.Turn()
		for i, s := range r.Samples {
			want := float32(r.Outcome.Result)
			if turn == chess.Black {
				want = -want
			}
			if s.Value != want {
				t.Errorf("game %d, ply %d, %s to move: value %v of %s", r.Number, i, turn, s.Value, r.Outcome)
			}
			turn = turn.Other()
		}
		if r.Outcome.Result != chess.Draw {
			won++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if won == 0 {
		t.Error("no game was won: nothing was tested")
	}
}

// The first moves of a game may be drawn from the policy, without a search and samples.
func TestPolicyPlies(t *testing.T) {
	for _, capped := range []selfplay.PlayoutCap{{}, {Full: 0.5, Visits: 5}} {
		cfg := config()
		cfg.Games, cfg.PlayoutCap = 40, capped
		cfg.Temperature = selfplay.Temperature{Power: 1}
		cfg.Opening = selfplay.Opening{PolicyPlies: 6, Share: 1}
		records := play(t, cfg, 2)
		if again := play(t, cfg, 1); !reflect.DeepEqual(records, again) {
			t.Error("other games with other workers")
		}
		evaluator := search.NewEvaluator(codec(t, cfg.Variant), hashed{})
		starts, probable := map[int]int{}, 0.0
		for _, r := range records {
			g := chess.NewGame(chess.StartPosition(cfg.Variant))
			tree := search.NewTree(search.Config{}, 0)
			for ply := 0; ; ply++ {
				tree.SetRoot(g)
				if err := search.Run(context.Background(), []*search.Tree{tree}, evaluator); err != nil {
					t.Fatal(err)
				}
				if r.RootValues[ply] != float32(tree.Value()) {
					starts[ply]++
					break
				}
				for _, e := range tree.Root() {
					if e.Move == r.Moves[ply] {
						probable += math.Log(e.Prior * float64(len(tree.Root())))
					}
				}
				if len(r.Samples) > 0 && int(r.Samples[0].Ply) <= ply {
					t.Errorf("game %d: ply %d of the opening is a sample", r.Number, ply)
				}
				g.Play(r.Moves[ply])
			}
		}
		if len(starts) < 5 || starts[7] > 0 {
			t.Errorf("games by the number of moves in their opening: %v, want 0 to 6", starts)
		}
		if probable <= 0 {
			t.Errorf("the moves are less probable than random ones: %v nats", probable)
		}
	}
}

// Games that are too long may be kept, as draws or with the values of their searches.
func TestLongGames(t *testing.T) {
	cfg := config()
	cfg.MaxMoves = 10
	kept := 0
	for _, c := range []struct {
		long string
		mix  float64
		want func(result, searched float32) float64
	}{
		{"draw", 0, func(result, _ float32) float64 { return float64(result) }},
		{"draw", 0.25, func(result, searched float32) float64 { return 0.75*float64(result) + 0.25*float64(searched) }},
		{"search", 0.25, func(_, searched float32) float64 { return float64(searched) }},
	} {
		cfg.LongGames, cfg.ValueMix = c.long, c.mix
		for _, r := range play(t, cfg, 2) {
			if r.Thrown > 0 {
				t.Errorf("%s: game %d was discarded", c.long, r.Number)
			}
			if r.Outcome.Reason != chess.MoveLimit {
				continue
			}
			kept++
			if r.Outcome.Result != chess.Draw || len(r.Moves) != 2*cfg.MaxMoves || len(r.Samples) != len(r.Moves) {
				t.Errorf("%s: game %d ended with %v after %d plies and has %d samples", c.long, r.Number, r.Outcome, len(r.Moves), len(r.Samples))
			}
			for ply, s := range r.Samples {
				searched := r.RootValues[ply] // for the side to move; atomic16 keeps White's view
				if (strings.Contains(r.Start, " b ")) == (ply%2 == 0) {
					searched = -searched
				}
				if want := c.want(0, searched); math.Abs(float64(s.Value)-want) > 1e-6 {
					t.Errorf("%s, mix %v: game %d, ply %d has the value %v, want %v", c.long, c.mix, r.Number, ply, s.Value, want)
				}
				if want := 1 - float32(math.Abs(float64(s.Value))); s.Draw != want || s.MovesLeft != 0 {
					t.Errorf("%s, mix %v: game %d, ply %d is drawn with %v, want %v, and has %v plies left", c.long, c.mix, r.Number, ply, s.Draw, want, s.MovesLeft)
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no game reached the limit: nothing was tested")
	}
}

// drawish is hashed with a probability of draws that is a tenth of what the value leaves.
type drawish struct{ hashed }

func (d drawish) Evaluate(leaves []*encode.Leaf) error {
	if err := d.hashed.Evaluate(leaves); err != nil {
		return err
	}
	for _, l := range leaves {
		v := l.Sign * l.Value
		draw := (1 - float32(math.Abs(float64(v)))) / 10
		l.WDL = [3]float32{(1 - draw + v) / 2, draw, (1 - draw - v) / 2}
	}
	return nil
}

// A game without a result is no draw: the search says how likely one is.
func TestLongGamesDraws(t *testing.T) {
	cfg := config()
	cfg.MaxMoves, cfg.LongGames = 10, "search"
	kept := 0
	for _, r := range playWith(t, cfg, []search.Net{drawish{}}) {
		if r.Outcome.Reason != chess.MoveLimit {
			continue
		}
		for ply, s := range r.Samples {
			kept++
			if s.Draw <= 0 || s.Draw > 0.1 {
				t.Errorf("game %d, ply %d is drawn with %v", r.Number, ply, s.Draw)
			}
		}
	}
	if kept == 0 {
		t.Error("no game reached the limit: nothing was tested")
	}
}

// Games that are too long are played again, and their cost is counted.
func TestThrown(t *testing.T) {
	cfg := config()
	cfg.Opening = selfplay.Opening{}
	cfg.MaxMoves = 0
	free := play(t, cfg, 1)
	lengths := make([]int, 0, len(free))
	for _, r := range free {
		lengths = append(lengths, len(r.Moves))
	}
	slices.Sort(lengths)
	cfg.MaxMoves = lengths[len(lengths)/2] / 2
	cfg.Evaluations = new(atomic.Int64)
	short := play(t, cfg, 2)
	cost := 0
	for _, r := range short {
		cost += r.Evaluations
	}
	if all := int(cfg.Evaluations.Load()); cost != all {
		t.Errorf("the games cost %d evaluations, %d were made", cost, all)
	}
	cfg.Evaluations = nil
	if !slices.ContainsFunc(short, func(r *selfplay.Record) bool { return r.Thrown > 0 }) {
		t.Fatalf("no game was longer than %d moves: %v", cfg.MaxMoves, lengths)
	}
	for i, r := range short {
		if len(r.Moves) > 2*cfg.MaxMoves {
			t.Errorf("game %d has %d plies, want at most %d", r.Number, len(r.Moves), 2*cfg.MaxMoves)
		}
		if fits := len(free[i].Moves) <= 2*cfg.MaxMoves; fits != (r.Thrown == 0) {
			t.Errorf("game %d had %d plies without a limit and was thrown away %d times", r.Number, len(free[i].Moves), r.Thrown)
		}
		if r.Thrown > 0 && slices.Equal(r.Moves, free[i].Moves) {
			t.Errorf("game %d was played again in the same way", r.Number)
		}
	}

	cfg.Games, cfg.MaxMoves, cfg.Search.Visits = 1, 1, 1
	err := selfplay.Play(context.Background(), cfg, codec(t, cfg.Variant), nets(1), func(*selfplay.Record) {})
	if err == nil || !strings.Contains(err.Error(), "max_moves") {
		t.Errorf("games that can never end: %v", err)
	}
}

// counting cancels after some batches.
type counting struct {
	hashed
	calls  *atomic.Int64
	at     int64
	cancel func()
}

func (c counting) Evaluate(l []*encode.Leaf) error {
	if c.calls.Add(1) == c.at {
		c.cancel()
	}
	return c.hashed.Evaluate(l)
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls atomic.Int64
	n := counting{calls: &calls, at: 50, cancel: cancel}
	cfg := config()
	cfg.Games = 1000
	games := 0
	err := selfplay.Play(ctx, cfg, codec(t, cfg.Variant), []search.Net{n, n}, func(*selfplay.Record) { games++ })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("returned %v", err)
	}
	// Each of the two workers may have been inside one more batch.
	if calls.Load() > 52 || games == cfg.Games {
		t.Errorf("went on for %d batches", calls.Load())
	}
}

// failing is a network that breaks down.
type failing struct{ calls *atomic.Int64 }

var errBroken = errors.New("the network broke down")

func (f failing) Evaluate(l []*encode.Leaf) error {
	if f.calls.Add(1) > 20 {
		return errBroken
	}
	return hashed{}.Evaluate(l)
}

func TestErrors(t *testing.T) {
	cfg := config()
	c := codec(t, cfg.Variant)
	ignore := func(*selfplay.Record) {}
	nan := math.NaN()
	net := failing{new(atomic.Int64)}
	if err := selfplay.Play(context.Background(), cfg, c, []search.Net{net, net}, ignore); !errors.Is(err, errBroken) {
		t.Errorf("returned %v, want %v", err, errBroken)
	}
	if err := selfplay.Play(context.Background(), cfg, c, nil, ignore); err == nil {
		t.Error("no networks: no error")
	}
	for name, change := range map[string]func(*selfplay.Config){
		"visits":             func(c *selfplay.Config) { c.Search.Visits = 0 },
		"c_puct":             func(c *selfplay.Config) { c.Search.CPuct = nan },
		"games":              func(c *selfplay.Config) { c.Games = -1 },
		"power":              func(c *selfplay.Config) { c.Temperature.Power = 0 },
		"then":               func(c *selfplay.Config) { c.Temperature.Then = nan },
		"playout_cap.visits": func(c *selfplay.Config) { c.PlayoutCap = selfplay.PlayoutCap{Full: 0.5, Visits: 17} },
		"playout_cap.full":   func(c *selfplay.Config) { c.PlayoutCap.Visits = 5 },
		"surprise":           func(c *selfplay.Config) { c.Surprise = nan },
		"value_mix":          func(c *selfplay.Config) { c.ValueMix = 1.1 },
		"share":              func(c *selfplay.Config) { c.Opening.Share = 2 },
		"opening 1":          func(c *selfplay.Config) { c.Opening.FENs = []string{"nonsense"} },
		"the game is over":   func(c *selfplay.Config) { c.Opening.FENs = []string{"8/8/8/8/8/8/8/4K2R b - - 0 1"} },
		"use fewer": func(c *selfplay.Config) {
			c.Opening = selfplay.Opening{Share: 1, RandomPlies: 200, FENs: []string{"7k/8/8/8/8/8/r6r/5K2 w - - 90 80"}}
		},
		"variant": func(c *selfplay.Config) { c.Variant = chess.Variant(99) },
	} {
		cfg := config()
		change(&cfg)
		if err := selfplay.Play(context.Background(), cfg, c, nets(1), ignore); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: returned %v", name, err)
		}
	}
}

// timed measures the time spent in a network.
type timed struct {
	search.Net
	spent time.Duration
}

func (n *timed) Evaluate(leaves []*encode.Leaf) error {
	defer func(began time.Time) { n.spent += time.Since(began) }(time.Now())
	return n.Net.Evaluate(leaves)
}

// What self-play costs beside the network.
func BenchmarkPlay(b *testing.B) {
	cfg := config()
	cfg.Search.Visits = 200
	cfg.Games = 64
	net := &timed{Net: hashed{}}
	evaluations := 0
	for b.Loop() {
		for _, r := range playWith(b, cfg, []search.Net{net}) {
			evaluations += r.Evaluations
		}
	}
	beside := b.Elapsed() - net.spent
	b.ReportMetric(float64(beside.Nanoseconds())/float64(evaluations), "ns/evaluation-beside-network")
	b.ReportMetric(0, "ns/op")
}
