package run

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"

	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// No player is lost because another has its name.
func TestPlayersOfTournament(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.yaml")
	const text = `alamos: 1
name: small
generations: 5
tournament:
  rounds: 2
  players: [every: 2, last, untrained, random, {uci: /a/engine, depth: 3}, {uci: /b/engine, depth: 3, rounds: 2}, {uci: gone, depth: 1},
    {alphabeta: 3, depth: 2}, {alphabeta: last, depth: 2}, {policy: 2}, {policy: untrained}]
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := experiment.LoadChecked(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := store.Open(t.TempDir(), e.Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	of, err := experiment.NewSetup(&stored.Declared.Settings)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{cache: newCache(t.TempDir())}
	trial := &Trial{Settings: &stored.Declared.Settings, Results: stored, Setup: of, run: r}
	for i := range trial.Settings.Tournament.Players {
		if p := &trial.Settings.Tournament.Players[i]; p.UCI == "/a/engine" || p.UCI == "/b/engine" {
			_, _ = r.engines.get(engineKey(of, p.Opponent()), func() (*uci.Found, error) { return &uci.Found{}, nil })
		}
	}
	var have []string
	for _, c := range trial.players(t.Context(), trial.Results.Last()) {
		have = append(have, fmt.Sprintf("%s %d %d", c.name, c.generation, c.spec.Rounds))
	}
	want := []string{
		"gen-2 2 0", "gen-4 4 0", "gen-5 5 0", "untrained 0 0", "random -1 0",
		"engine depth 3 -1 0", "engine depth 3 (/b/engine) -1 2",
		"gen-3 alpha-beta depth 2 -1 0", "gen-5 alpha-beta depth 2 -1 0", "gen-2 policy -1 0", "untrained policy -1 0",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("players (-want +have):\n%s", diff)
	}
}
