package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/nn/testdata/small"
	"alamos/pkg/search"
	"alamos/pkg/uci"
	"alamos/pkg/uci/testdata/fake"
)

// network makes a player with a small network for atomic chess.
func network(t *testing.T) *match.Opened {
	t.Helper()
	path := small.Checkpoint(t, 1)
	opener := match.Opener{FindModel: func(name string) (string, error) { return name, nil }, Hardware: match.Hardware{Threads: 1, Batch: 8, Precision: "fp32"}}
	p, err := opener.Open(&match.Spec{Model: match.Checkpoint(path)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opener.Close)
	return p
}

// Networks play many games at once, in all the ways that a network can.
func TestNetworkIsShared(t *testing.T) {
	h := open(t, PlayConfig{Players: []*match.Opened{network(t), network(t)}})
	var games []string
	for _, body := range []string{
		`{"variant": "atomic", "white": "player-1,visits=30", "black": "player-2,visits=20,temperature=1"}`,
		`{"variant": "atomic", "white": "player-1", "black": "player-1-alphabeta,depth=2"}`,
		`{"variant": "atomic", "white": "player-1,movetime=10", "black": "random"}`,
		`{"variant": "atomic", "chess960": -1, "white": "player-2,visits=50", "black": "material,depth=2,movetime=1000"}`,
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
	if f := h.pgn(games[0]); f.Tag("White") != "gen-0001 atomic 1x8" || f.Tag("Black") != "gen-0001 atomic 1x8 (2)" {
		t.Errorf("%v", f.Tags)
	}
	if setup := h.get("/api/setup"); !strings.Contains(setup, `"chess960":true,"offered":true`) || strings.Count(setup, `"offered":true`) != 1 || !strings.Contains(setup, `"variant":"atomic"`) {
		t.Errorf("the variants are not those of the networks: %s", setup)
	}
	// Games of other variants can be loaded.
	if know := h.over(h.begin(pgnSource(threeGames))); know.Variant != "chess" {
		t.Errorf("%+v", know.update)
	}
	horde := chess.Horde
	if s, err := NewPlay(PlayConfig{Players: []*match.Opened{network(t)}, Variant: &horde}); err == nil {
		s.Close()
		t.Error("horde, which no network plays, is offered")
	}
	if status, v := h.ask("/api/games", `{"variant": "horde", `+people+`}`); status != 400 {
		t.Errorf("horde: %d %v", status, v)
	}
}

// Every engine finds a win, reports it and plays it.
func TestWinsAreFound(t *testing.T) {
	h := open(t, PlayConfig{Players: []*match.Opened{network(t)}})
	const fen = "rnbqkbnr/1ppppppp/8/p5N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3" // the knight blows the king up
	for _, seat := range []string{
		"player-1,visits=2000", "player-1,movetime=20000", "player-1-alphabeta,depth=2",
		"uniform,visits=2000,temperature=5", "material,depth=3", "material,depth=1,movetime=5000",
	} {
		game := h.begin(`{"variant": "atomic", "fen": "` + fen + `", "white": "` + seat + `", "black": "human"}`)
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
		if !strings.HasPrefix(f.Comment(0), "[%eval #1]") {
			t.Errorf("%s: the file says %q", seat, f.Comment(0))
		}
	}
}

// An analysis searches the shown position until the user ends it,
// and a search that is hurried plays.
func TestAnalysis(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	h.must(game+"/move", move(0, "e4"))
	h.must(game+"/analyze", `{"player": "uniform"}`)
	thinks := func(ply int) func(*heard) bool {
		return func(k *heard) bool {
			r := k.reports[ply]
			return k.Thinking == "analysis" && r != nil && r.Active && r.Tree && len(r.Moves) == mostCandidates
		}
	}
	h.watch(game, thinks(1))
	h.must(game+"/move", move(1, "e5"))
	h.watch(game, thinks(2))
	h.must(game+"/analyze", `{"player": "uniform", "ply": 0}`)
	h.watch(game, thinks(0))
	h.must(game+"/analyze", `{"player": "material", "ply": 0}`)
	h.watch(game, func(k *heard) bool { return k.reports[0] != nil && !k.reports[0].Tree && k.reports[0].Depth >= 2 })
	h.must(game+"/analyze", `{"player": ""}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "" && k.Analyst == "" })

	h.must(game+"/seats", `{"white": "uniform,visits=10000000", "black": "human"}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "move" && k.reports[2].Nodes > 100 })
	h.must(game+"/hurry", `{}`)
	h.at(game, 3)
	h.must(game+"/seats", `{"white": "material,depth=8", "black": "human"}`)
	h.must(game+"/back", `{"ply": 0}`)
	h.watch(game, func(k *heard) bool { return k.Thinking == "move" && len(k.Positions) == 1 })
	h.must(game+"/hurry", `{}`)
	h.at(game, 1)
	h.must(game+"/seats", `{"white": "material,depth=8", "black": "material,depth=8,movetime=50"}`)
	h.at(game, 2) // time ends what depth does not
}

// A game that no page shows pauses, and continues when a page shows it again.
func TestRest(t *testing.T) {
	h := open(t, PlayConfig{})
	path := h.begin(`{"variant": "chess", "white": "material,depth=20", "black": "human"}`)
	g := h.server.games[strings.TrimPrefix(path, "/api/games/")]
	h.watch(path, func(k *heard) bool { return k.Thinking == "move" })
	rests := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.watchers == 0 && g.doing == task{}
	}
	for !rests() {
		g.mu.Lock()
		g.touched = g.touched.Add(-watchTimeout)
		g.mu.Unlock()
		g.endUnwatched()
		time.Sleep(time.Millisecond)
	}
	h.watch(path, func(k *heard) bool { return k.Thinking == "move" })
	if err := g.change((*game).resign, nil); err != nil {
		t.Error(err)
	}
	for !rests() {
		time.Sleep(time.Millisecond)
	}
}

// The engines of a game that no page shows end, although it is the human's turn.
func TestEnginesEndWithThePage(t *testing.T) {
	started := filepath.Join(t.TempDir(), "pid")
	script := filepath.Join(t.TempDir(), "engine")
	lines := fmt.Sprintf("#!/bin/sh\necho $$ >%s\nexec %s\n", started, fake.Engine(t, "well"))
	if err := os.WriteFile(script, []byte(lines), 0o755); err != nil {
		t.Fatal(err)
	}
	spec, err := match.ParseSpec("uci:" + script + ",depth=1")
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, PlayConfig{Players: []*match.Opened{{Spec: *spec}}})
	path := h.begin(`{"variant": "atomic", "white": "player-1", "black": "human"}`)
	h.at(path, 1)
	text, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the engine ended with its move: %v", err)
	}
	g := h.server.games[strings.TrimPrefix(path, "/api/games/")]
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		g.mu.Lock()
		g.touched = time.Now().Add(-watchTimeout)
		g.mu.Unlock()
		g.endUnwatched()
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatal("the engine still runs")
		}
	}
}

// broken is a network that fails.
type broken struct{ search.Uniform }

func (broken) Evaluate([]*encode.Leaf) error { return errors.New("out of memory") }

// An engine that fails says so and waits, and others go on.
func TestFailure(t *testing.T) {
	model := &uci.Model{Name: "broken", Variants: chess.Variants(), Eval: broken{}, Batch: 1}
	h := open(t, PlayConfig{Players: []*match.Opened{{Spec: match.Spec{Model: "broken@1"}, Model: model}}})
	game := h.begin(`{"variant": "chess", "white": "player-1,visits=10", "black": "human"}`)
	know := h.watch(game, func(k *heard) bool { return k.Failure != "" })
	if know.Failure != "broken has failed, and the game waits: the search ended: out of memory" || !know.Paused || know.Thinking != "" || len(know.Positions) != 1 {
		t.Errorf("%+v", know.update)
	}
	h.must(game+"/seats", `{"white": "human", "black": "random"}`)
	h.must(game+"/pause", `{"paused": false}`)
	h.must(game+"/move", move(0, "e4"))
	if know := h.at(game, 2); know.Failure != "" {
		t.Errorf("it still says %q", know.Failure)
	}
	h.must(game+"/analyze", `{"player": "player-1-alphabeta"}`)
	if know := h.watch(game, func(k *heard) bool { return k.Failure != "" }); know.Analyst != "" {
		t.Error("the analysis continues")
	}
}

// turnOf is a turn of a built-in player.
func turnOf(t *testing.T, at seat, g *chess.Game, last **Report) *turn {
	t.Helper()
	h := open(t, PlayConfig{})
	p, err := h.server.find(at, g.Position().Variant())
	if err != nil {
		t.Fatal(err)
	}
	return &turn{player: p, game: g, hurried: t.Context(), report: func(r *Report) { *last = r }, engines: engines{}}
}

// A mate ends a search that has all the time it wants; the visits that it spared are
// not told.
func TestMateIsTold(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "k7/8/1K6/8/8/8/1Q6/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	var last *Report
	const at = "uniform,movetime=3600000"
	if _, err := turnOf(t, at, chess.NewGame(p), &last).move(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	visits := 0
	for _, c := range last.Moves {
		visits += c.Visits
	}
	if last.mate != 1 || last.Moves[0].Visits == 0 || visits > last.Nodes || last.Nodes > 5000 {
		t.Errorf("mate in %d after %d visits, %d of them reported", last.mate, last.Nodes, visits)
	}
}

// A tree is kept from move to move, and replaced for another line.
func TestTreeGoesOn(t *testing.T) {
	var last *Report
	const at = "uniform,visits=2000"
	think := turnOf(t, at, chess.NewGame(chess.StartPosition(chess.Standard)), &last)
	m, err := think.move(t.Context(), at)
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
		if _, err := think.move(t.Context(), at); err != nil || last.Nodes > 0 != c.kept {
			t.Errorf("%d visits, %v: want some kept: %v", last.Nodes, err, c.kept)
		}
	}
}

// An external engine plays and analyzes like the others; another process takes the place
// of one that fails.
func TestExternalEngine(t *testing.T) {
	for _, mode := range []string{"well", "crash"} {
		spec, err := match.ParseSpec("uci:" + fake.Engine(t, mode) + ",depth=1")
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, PlayConfig{Players: []*match.Opened{{Spec: *spec}}})
		game := h.begin(`{"variant": "atomic", "white": "human", "black": "player-1"}`)
		h.must(game+"/move", move(0, "a3"))
		h.at(game, 2)
		h.must(game+"/move", move(2, "b3"))
		h.at(game, 4)
		h.must(game+"/move", move(4, "c3"))
		know := h.watch(game, func(k *heard) bool { return len(k.Positions) == 7 || k.Failure != "" })
		if failed := know.Failure != ""; failed != (mode == "crash") {
			t.Errorf("%s: failure %q", mode, know.Failure)
		}
		if mode == "well" {
			h.must(game+"/analyze", `{"player": "player-1"}`)
			h.watch(game, func(k *heard) bool { return k.Analyst == "player-1" })
		}
	}
}
