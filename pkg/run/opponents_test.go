package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// An opponent that fails loses that game for that reason. The run reports the fault, keeps
// the last lines of the protocol, and starts the engine again. An interrupted run ends in
// the same games.
func TestOpponentsThatFail(t *testing.T) {
	t.Parallel()
	const rounds, reason = 4, chess.EngineCrash
	s, path := newSite(t), fake.Engine(t, "crash")
	set := []string{"generations=1", "training.window=1", "tournament.max_moves=4", "tournament.random_plies=0",
		fmt.Sprintf("tournament.rounds=%d", rounds), fmt.Sprintf("tournament.players=[random, {uci: %s, depth: 1}]", path)}
	r, err := s.try(context.Background(), nil, set...)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.trial(t), "tournament/games.pgn")
	games := readGames(t, file)
	if len(games) != rounds {
		t.Errorf("%d games, want %d", len(games), rounds)
	}
	faults := 0
	for _, g := range games {
		if g.Tag("Termination") != reason.String() {
			continue
		}
		faults++
		if g.Tag("Black") == match.Random || g.Result != chess.WhiteWins {
			t.Errorf("%s - %s: %s", g.Tag("White"), g.Tag("Black"), g.Result)
		}
	}
	if faults != rounds/2 {
		t.Errorf("%d games ended by %s, want %d", faults, reason, rounds/2)
	}
	said := slices.ContainsFunc(r.notes, func(n string) bool {
		return strings.Contains(n, reason.String()) && strings.Contains(n, "engine crash") && strings.Contains(n, "tournament/faults.log")
	})
	if !said {
		t.Errorf("no note about the fault: %q", r.notes)
	}
	log, err := os.ReadFile(filepath.Join(s.trial(t), "tournament/faults.log"))
	if err != nil || !strings.Contains(string(log), "> position startpos moves ") {
		t.Errorf("the log is\n%s\n(%v)", log, err)
	}

	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"tournament 1/", "tournament 3/"} {
		s.until(t, begins(at), set...)
	}
	if _, err := s.try(context.Background(), nil, set...); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("other games after interruptions (%v):\n%s\nwant\n%s", err, after, before)
	}
}
