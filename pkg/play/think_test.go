package play

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// network makes a mind of a small network for atomic chess.
func network(t *testing.T) uci.Model {
	t.Helper()
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(nn.Spec{
		Planes: codec.Planes.Count(), Constant: codec.Planes.Constant(), PolicySize: codec.Policy.Size(), Depth: 1, Width: 8,
		PolicyHead: nn.PolicyConv, PolicyChannels: 2,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := nn.Checkpoint{Header: nn.Header{Spec: net.Spec(), Input: "atomic16", Policy: "uci1968", Variant: "atomic"}}
	if c.Network, err = net.State(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gen-0001.safetensors")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	mind, err := uci.Load(path, uci.Hardware{Threads: 1, Batch: 8, Precision: "fp32"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mind.Close)
	return mind
}

// alone is an evaluator that notices when it is asked twice at once.
type alone struct {
	search.Evaluator
	inside  atomic.Int32
	asked   atomic.Int64
	crowded atomic.Bool
}

func (a *alone) Evaluate(leaves []*encode.Leaf) error {
	if a.inside.Add(1) != 1 {
		a.crowded.Store(true)
	}
	defer a.inside.Add(-1)
	a.asked.Add(int64(len(leaves)))
	return a.Evaluator.Evaluate(leaves)
}

// A network plays many games at once, in all the ways that a network can, and is
// asked by one of them at a time.
func TestNetworkIsShared(t *testing.T) {
	var evals [2]alone
	var minds []uci.Model
	for i := range evals {
		mind := network(t)
		evals[i].Evaluator = mind.Eval
		mind.Eval = &evals[i]
		minds = append(minds, mind)
	}
	h := open(t, Config{Networks: minds})
	var games []string
	for _, body := range []string{
		`{"variant": "atomic", "white": {"player": "net-1", "visits": 30}, "black": {"player": "net-2", "visits": 20, "temperature": 1}}`,
		`{"variant": "atomic", "white": {"player": "net-1"}, "black": {"player": "net-1-alphabeta", "depth": 2}}`,
		`{"variant": "atomic", "white": {"player": "net-1", "seconds": 0.01}, "black": {"player": "random"}}`,
		`{"variant": "atomic", "chess960": -1, "white": {"player": "net-2", "visits": 50}, "black": {"player": "material", "depth": 2, "seconds": 1}}`,
	} {
		games = append(games, h.begin(body))
	}
	var wait sync.WaitGroup
	for _, game := range games {
		wait.Go(func() {
			h.watch(game, func(k *heard) bool { return len(k.Positions) > 12 || k.Outcome != nil })
		})
	}
	wait.Wait()
	for i := range evals {
		if e := &evals[i]; e.crowded.Load() || e.asked.Load() == 0 {
			t.Errorf("asked about %d positions; by two at once: %v", e.asked.Load(), e.crowded.Load())
		}
	}
	if f := h.pgn(games[0]); f.Tag("White") != "gen-0001 atomic 1x8" || f.Tag("Black") != "gen-0001 atomic 1x8 (2)" {
		t.Errorf("%v", f.Tags)
	}
	if setup := h.get("/api/setup"); strings.Contains(setup, `"id":"chess"`) || !strings.Contains(setup, `"variant":"atomic"`) {
		t.Errorf("the variants are not those of the networks: %s", setup)
	}
	horde := chess.Horde
	if s, err := New(Config{Networks: minds, Variant: &horde}); err == nil {
		s.Close()
		t.Error("horde, which no network plays, is offered")
	}
	if status, v := h.ask("/api/games", `{"variant": "horde", `+people+`}`); status != 400 {
		t.Errorf("horde: %d %v", status, v)
	}
}

// Every thinker finds a win, tells of it and plays it.
func TestWinsAreFound(t *testing.T) {
	h := open(t, Config{Networks: []uci.Model{network(t)}})
	const fen = "rnbqkbnr/1ppppppp/8/p5N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3" // the knight blows the king up
	for _, seat := range []string{
		`{"player": "net-1", "visits": 2000}`, `{"player": "net-1", "seconds": 20}`, `{"player": "net-1-alphabeta", "depth": 2}`,
		`{"player": "blank", "visits": 2000, "temperature": 5}`, `{"player": "material", "depth": 3}`, `{"player": "material", "depth": 1, "seconds": 5}`,
	} {
		game := h.begin(`{"variant": "atomic", "fen": "` + fen + `", "white": ` + seat + `, "black": {"player": "human"}}`)
		know := h.over(game)
		if know.Outcome.Text != "White wins: Black’s king has exploded." {
			t.Fatalf("%s: %+v after %+v", seat, know.Outcome, know.Positions[1].Move)
		}
		r := know.reports[0]
		if r == nil || r.Value != 1 || r.Score != "+#1" || r.Active || len(r.Moves) == 0 || r.Nodes == 0 && r.Tree {
			t.Fatalf("%s: %+v", seat, r)
		}
		if best := r.Moves[0]; best.From != "g5" || best.Score != "+#1" || !strings.HasSuffix(best.Line[0], "#") {
			t.Errorf("%s: %+v", seat, best)
		}
		if r.Tree {
			sum := 0.0
			for _, c := range r.Moves {
				sum += c.Prior
			}
			if sum <= 0 || sum > 1.001 {
				t.Errorf("%s: priors of %g in all", seat, sum)
			}
		}
		f := h.pgn(game)
		if e, ok := chess.ParseEval(f.Comment(0)); !ok || e.Mate != 1 {
			t.Errorf("%s: the file says %q", seat, f.Comment(0))
		}
	}
}

// An analysis thinks about the position that is looked at until it is told not to,
// and a search that is hurried plays.
func TestAnalysis(t *testing.T) {
	h := open(t, Config{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	h.must(game+"/move", move(0, "e4"))
	h.must(game+"/analyze", `{"player": "blank"}`)
	thinks := func(ply int) func(*heard) bool {
		return func(k *heard) bool {
			r := k.reports[ply]
			return k.Thinking == "analysis" && r != nil && r.Active && r.Tree && len(r.Moves) == mostCandidates
		}
	}
	h.watch(game, thinks(1))
	h.must(game+"/move", move(1, "e5"))
	h.watch(game, thinks(2))
	h.must(game+"/analyze", `{"player": "blank", "ply": 0}`)
	h.watch(game, thinks(0))
	h.must(game+"/analyze", `{"player": "material", "ply": 0}`)
	h.watch(game, func(k *heard) bool { return k.reports[0] != nil && !k.reports[0].Tree && k.reports[0].Depth >= 2 })
	h.must(game+"/analyze", `{"player": ""}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "" && k.Analyst == "" })

	h.must(game+"/seats", `{"white": {"player": "blank", "visits": 10000000}, "black": {"player": "human"}}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "move" && k.reports[2].Nodes > 100 })
	h.must(game+"/hurry", `{}`)
	h.at(game, 3)
	h.must(game+"/seats", `{"white": {"player": "material", "depth": 8}, "black": {"player": "human"}}`)
	h.must(game+"/back", `{"ply": 0}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "move" && len(k.Positions) == 1 })
	h.must(game+"/hurry", `{}`)
	h.at(game, 1)
	h.must(game+"/seats", `{"white": {"player": "material", "depth": 8}, "black": {"player": "material", "depth": 8, "seconds": 0.05}}`)
	h.at(game, 2) // time ends what depth does not
}

// A game that nobody looks at rests, and goes on when somebody comes back.
func TestRest(t *testing.T) {
	h := open(t, Config{})
	path := h.begin(`{"variant": "chess", "white": {"player": "blank", "visits": 10000000}, "black": {"player": "human"}}`)
	g := h.server.games[strings.TrimPrefix(path, "/api/games/")]
	h.watch(path, func(k *heard) bool { return k.Thinking == "move" })
	rests := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.watchers == 0 && g.doing == task{}
	}
	for !rests() {
		g.mu.Lock()
		g.touched = g.touched.Add(-rest)
		g.mu.Unlock()
		g.review()
		time.Sleep(time.Millisecond)
	}
	h.watch(path, func(k *heard) bool { return k.Thinking == "move" })
	if err := g.resign(); err != nil {
		t.Error(err)
	}
	for !rests() {
		time.Sleep(time.Millisecond)
	}
}

// broken is a network that fails.
type broken struct{ search.Uniform }

func (broken) Evaluate([]*encode.Leaf) error { return errors.New("out of memory") }

// An engine that fails says so and waits, and others go on.
func TestFailure(t *testing.T) {
	mind := uci.Model{Name: "broken", Variants: chess.Variants(), Eval: broken{}, Batch: 1}
	h := open(t, Config{Networks: []uci.Model{mind}})
	game := h.begin(`{"variant": "chess", "white": {"player": "net-1", "visits": 10}, "black": {"player": "human"}}`)
	know := h.watch(game, func(k *heard) bool { return k.Failure != "" })
	if know.Failure != "broken: out of memory" || !know.Paused || know.Thinking != "" || len(know.Positions) != 1 {
		t.Errorf("%+v", know.update)
	}
	h.must(game+"/seats", `{"white": {"player": "human"}, "black": {"player": "random"}}`)
	h.must(game+"/pause", `{"paused": false}`)
	h.must(game+"/move", move(0, "e4"))
	if know := h.at(game, 2); know.Failure != "" {
		t.Errorf("it still says %q", know.Failure)
	}
	h.must(game+"/analyze", `{"player": "net-1-alphabeta"}`)
	if know := h.watch(game, func(k *heard) bool { return k.Failure != "" }); know.Analyst != "" {
		t.Error("the analysis goes on")
	}
}

// A mate ends a search that has all the time it wants; the visits that it spared are
// not told.
func TestMateIsTold(t *testing.T) {
	players, _ := newPlayers(nil)
	i := slices.IndexFunc(players, func(p player) bool { return p.ID == "blank" })
	p, err := chess.ParseFEN(chess.Standard, "k7/8/1K6/8/8/8/1Q6/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	var last *Report
	think := &turn{
		player: &players[i], seat: seat{Seconds: 3600}, game: chess.NewGame(p),
		hurried: t.Context(), report: func(r *Report) { last = r }, engines: engines{},
	}
	if _, err := think.searchTree(t.Context()); err != nil {
		t.Fatal(err)
	}
	visits := 0
	for _, c := range last.Moves {
		visits += c.Visits
	}
	if last.mate != 1 || last.Moves[0].Visits == 0 || visits > last.Nodes || last.Nodes > 5000 {
		t.Errorf("mate in %d after %d visits, %d of them told", last.mate, last.Nodes, visits)
	}
}

// A tree goes on from move to move, and is another for another line.
func TestTreeGoesOn(t *testing.T) {
	players, _ := newPlayers(nil)
	i := slices.IndexFunc(players, func(p player) bool { return p.ID == "blank" })
	var last *Report
	think := &turn{
		player: &players[i], seat: seat{Visits: 2000}, game: chess.NewGame(chess.StartPosition(chess.Standard)),
		hurried: t.Context(), report: func(r *Report) { last = r }, engines: engines{},
	}
	m, err := think.searchTree(t.Context())
	if err != nil || last.Nodes < 2000 {
		t.Fatal(err, last)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	think.hurried = ended // so that there is nothing but what was kept
	for _, c := range []struct {
		change func()
		kept   bool
	}{{func() { think.game.Play(m) }, true}, {think.game.Undo, false}} {
		c.change()
		if _, err := think.searchTree(t.Context()); err != nil || last.Nodes > 0 != c.kept {
			t.Errorf("%d visits, %v: want some kept: %v", last.Nodes, err, c.kept)
		}
	}
}
