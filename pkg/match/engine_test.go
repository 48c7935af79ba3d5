package match

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/chess"

	"alamos/pkg/uci"
)

func engineEntry(t *testing.T, name string, engine uci.Found, processes int) Entry {
	return Entry{Name: name, New: func() (Player, error) { return NewUCI(t.Context(), name, engine, processes) }}
}

// Engines that fail lose the game with the fault as the reason, are started again,
// and the tournament continues to its end.
func TestEngineFaultsLoseTheGame(t *testing.T) {
	for _, test := range []struct {
		mode   string
		reason chess.Reason
		kind   error
	}{
		{"crash", chess.EngineCrash, uci.ErrCrash},
		{"hang", chess.EngineStall, uci.ErrStall},
		{"late", chess.TimeForfeit, uci.ErrTime},
		{"illegal", chess.IllegalMove, uci.ErrIllegalMove},
		{"garbage", chess.EngineGarbage, uci.ErrProtocol},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			spec := uci.Found{Player: uci.Player{Command: uci.Command{Path: fake.Engine(t, test.mode)}, Variant: chess.Atomic}, Limit: uci.Limit{Depth: 1}}
			spec.Timeouts.Search = time.Minute
			if test.mode == "hang" || test.mode == "late" {
				spec.Timeouts.Search = 2 * time.Second
				spec.Timeouts.Stop = 2 * time.Second
			}
			cfg := Tournament{Variant: chess.Atomic, Rounds: 6, MaxMoves: 4, Seed: 2}
			games := play(t, cfg, engineEntry(t, "engine", spec, 2), randomEntry("random"))
			if len(games) != 6 {
				t.Fatalf("%d games", len(games))
			}
			faults := 0
			for _, g := range games {
				if g.White == "engine" {
					checkGame(t, g, cfg.MaxMoves) // it only fails as Black
					continue
				}
				if len(g.Moves) < 5 {
					continue // over before move 3
				}
				faults++
				if want := (chess.Outcome{Result: chess.WhiteWins, Reason: test.reason}); g.Outcome != want {
					t.Errorf("outcome %v, want %v", g.Outcome, want)
				}
				var e *uci.Error
				if !errors.Is(g.Fault, test.kind) || !errors.As(g.Fault, &e) || e.Engine != "engine" || e.Transcript() == "" {
					t.Errorf("fault %v", g.Fault)
				}
			}
			if faults == 0 {
				t.Error("no game came as far as the fault")
			}
		})
	}
}

// engineScript writes a shell script that runs an engine.
func engineScript(t *testing.T, format string, args ...any) uci.Found {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+fmt.Sprintf(format, args...)), 0o755); err != nil {
		t.Fatal(err)
	}
	return uci.Found{Player: uci.Player{Command: uci.Command{Path: path}, Variant: chess.Atomic}, Limit: uci.Limit{Depth: 1}}
}

// If processes of an engine end, whatever the cause, new ones play the same games.
func TestEngineThatIsKilled(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 6, MaxMoves: 20, Seed: 2, Together: 3}
	var want string
	for _, script := range []string{"exec %s\n", "sed -u 40q | %s\n"} { // a process ends after 40 lines of input
		spec := engineScript(t, script, fake.Engine(t, "well"))
		games := play(t, cfg, engineEntry(t, "engine", spec, 2), randomEntry("random"))
		crashes := 0
		for _, g := range games {
			crashes += len(g.Crashes)
			if len(g.Faults()) != len(g.Crashes) {
				t.Errorf("%d crashes are described as %q", len(g.Crashes), g.Faults())
			}
		}
		if want == "" {
			want = pgn(t, games)
		}
		if pgn(t, games) != want {
			t.Error("an engine that is killed plays other games")
		}
		if killed := strings.Contains(script, "sed"); killed != (crashes > 0) {
			t.Errorf("%q: %d crashes", script, crashes)
		}
	}
}

// If an engine never starts again, the tournament ends.
func TestEngineThatDoesNotStartAgain(t *testing.T) {
	for _, test := range []struct {
		bad string // the starts that fail
		ok  bool
	}{{"3|4", true}, {"[2-9]|??", false}} {
		starts := filepath.Join(t.TempDir(), "starts")
		spec := engineScript(t, "echo >>%[1]s\ncase $(wc -l <%[1]s) in %[2]s) exit 3;; esac\nexec %[3]s\n", starts, test.bad, fake.Engine(t, "crash"))
		cfg := Tournament{Variant: chess.Atomic, Rounds: 12, MaxMoves: 4, Seed: 2, Together: 1}
		err := gamesOf(cfg, []Entry{engineEntry(t, "engine", spec, 1), randomEntry("random")}).Play(t.Context(), ignore)
		if (err == nil) != test.ok || err != nil && !errors.Is(err, uci.ErrCrash) {
			t.Errorf("starts %s fail: %v", test.bad, err)
		}
	}
}

// With a limit that is not time the games are the same, whichever process plays
// which.
func TestEngineGamesDoNotDependOnProcesses(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 4, MaxMoves: 10, Seed: 2}
	var want string
	for _, engines := range []int{1, 3} {
		spec := uci.Found{Player: uci.Player{Command: uci.Command{Path: fake.Engine(t, "well")}, Variant: chess.Atomic}, Limit: uci.Limit{Depth: 1}}
		got := pgn(t, play(t, cfg, engineEntry(t, "engine", spec, engines), randomEntry("random")))
		if want == "" {
			want = got
		} else if got != want {
			t.Error("other games with more processes")
		}
	}
}

// Engines play from chess960; one that cannot is an error, not a loss.
func TestEngineChess960(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Start: []string{chess.AnyChess960}, Rounds: 4, MaxMoves: 30, Seed: 2}
	spec := uci.Found{Player: uci.Player{Command: uci.Command{Path: fake.Engine(t, "well")}, Variant: chess.Atomic, Chess960: true}, Limit: uci.Limit{Depth: 1}}
	castled := 0
	for _, g := range play(t, cfg, engineEntry(t, "engine", spec, 2), randomEntry("random")) {
		if g.Fault != nil {
			t.Errorf("fault: %v", g.Fault)
			continue
		}
		checkGame(t, g, cfg.MaxMoves)
		for _, m := range g.Moves {
			if m.IsCastle() {
				castled++
			}
		}
	}
	if castled == 0 {
		t.Error("nobody castled")
	}
	spec.Command = uci.Command{Path: fake.Engine(t, "classical")}
	if _, err := NewUCI(t.Context(), "engine", spec, 2); !errors.Is(err, uci.ErrVariant) {
		t.Errorf("an engine without chess960: %v", err)
	}
}

// An engine that is not there or cannot play the variant is an error, not a loss.
func TestEngineThatCannotBeUsed(t *testing.T) {
	missing := uci.Found{Player: uci.Player{Command: uci.Command{Path: "./no-such-engine"}, Variant: chess.Atomic}, Limit: uci.Limit{Depth: 1}}
	entries := []Entry{engineEntry(t, "missing", missing, 1), randomEntry("random")}
	err := gamesOf(Tournament{Variant: chess.Atomic, Rounds: 2}, entries).Play(t.Context(), ignore)
	if !errors.Is(err, uci.ErrStart) {
		t.Errorf("%v", err)
	}
}

// Fairy-Stockfish plays variants that differ most from chess, from chess960 where
// they have it, and atomic chess at lichess' level 1: its moves are legal here, ours there, and
// nobody loses by a fault.
func TestFairyStockfishVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("starting engines takes seconds")
	}
	for _, v := range []chess.Variant{chess.Atomic, chess.Antichess, chess.RacingKings, chess.Crazyhouse} {
		cfg := Tournament{Variant: v, Rounds: 2, MaxMoves: 60, Seed: 5}
		opponent := uci.Opponent{Program: uci.FairyStockfish, Limit: uci.Limit{Depth: 1}}
		_, err := chess.Chess960(v, 0)
		switch {
		case v == chess.Atomic:
			opponent.Level = 1
		case err == nil:
			cfg.Start = []string{chess.AnyChess960}
		}
		found, err := opponent.Find(t.Context(), v, cfg.Start != nil)
		if errors.Is(err, uci.ErrNotInstalled) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range play(t, cfg, engineEntry(t, "fairy", *found, 1), randomEntry("random")) {
			if g.Fault != nil {
				t.Errorf("%s: fault: %v", v, g.Fault)
				continue
			}
			checkGame(t, g, cfg.MaxMoves)
			for i, in := range g.Infos {
				if engine := (g.turn(i) == chess.White) == (g.White == "fairy"); (in.Score != nil) != engine {
					t.Errorf("%s, ply %d: info %+v", v, i, in)
				}
			}
			t.Logf("%s: %s-%s: %v after %d plies from %s", v, g.White, g.Black, g.Outcome, len(g.Moves), g.Start.FEN())
		}
	}
}
