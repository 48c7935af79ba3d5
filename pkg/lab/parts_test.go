package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for trial := range uint64(20) {
		for _, use := range []string{"network", "self-play", "split", "shuffle", "tournament"} {
			for number := range 50 {
				who := fmt.Sprint(trial, use, number)
				s := seed(trial, use, number)
				if other, taken := seen[s]; taken {
					t.Errorf("%s and %s share a seed", who, other)
				}
				seen[s] = who
			}
		}
	}
	// Old results stay what they are.
	if s := seed(1, "self-play", 2); s != 13781571325200019221 {
		t.Errorf("the seed of old games has become %d", s)
	}
}

// A trial keeps its folder as long as its networks stay the same.
func TestFolder(t *testing.T) {
	s := newSite(t)
	base := store.Folder(&s.load(t).Trials[0])
	for set, same := range map[string]bool{
		"generations=3":                     true,
		"tournament.rounds=9":               true,
		"tournament.players=[last, random]": true,
		"notebook=[{table: settings}]":      true,
		"hooks=[]":                          true,
		"seed=8":                            false,
		"game.max_moves=41":                 false,
		"game.start=chess960":               false,
		"network.width=9":                   false,
		"search.visits=7":                   false,
		"selfplay.games=7":                  false,
		"training.epochs=3":                 false,
		"training.schedule.initial=0.04":    false,
	} {
		if have := store.Folder(&s.load(t, set).Trials[0]) == base; have != same {
			t.Errorf("%s: same folder %v, want %v", set, have, same)
		}
	}
	// What a sweep varies splits folders, whatever it is.
	if err := os.WriteFile(filepath.Join(s.dir, "other.go"), []byte("package main"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"sweep.grid={generations: [2, 3]}", "sweep.grid={tournament.rounds: [2, 3]}", fmt.Sprintf("sweep.grid={stop: [%s, %s]}", filepath.Join(s.dir, "plies.go"), filepath.Join(s.dir, "other.go")), "sweep.seeds=2", "sweep.grid={search.visits: [6, 8]}"} {
		e := s.load(t, set)
		if len(e.Trials) != 2 || store.Folder(&e.Trials[0]) == store.Folder(&e.Trials[1]) {
			t.Errorf("%s: %d trials, in one folder", set, len(e.Trials))
		}
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 7300: "7,300", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if have := thousands(n); have != want {
			t.Errorf("thousands(%d) = %q, want %q", n, have, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "about 1 s", 7 * time.Second: "about 5 s", 93 * time.Second: "about 95 s",
		2 * time.Minute: "about 2 min", 119 * time.Minute: "about 119 min", 150 * time.Minute: "about 2.5 h",
	} {
		if have := roughly(d); have != want {
			t.Errorf("roughly(%v) = %q, want %q", d, have, want)
		}
	}
}

// What the language cannot know is told like its own faults.
func TestLoadFindsBadPositions(t *testing.T) {
	s := newSite(t)
	s.edit(t, "small.yaml", "opening: {random_plies: 4, share: 0.5}",
		"opening: {fens: [rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1, 8/8/8/8/8/8/8/K w - - 0 1]}")
	_, err := Load(s.file(), nil)
	wantError(t, err, "small.yaml:8:", "selfplay.opening.fens", "position 2")
	if errs, ok := err.(experiment.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}

	// Trials of a sweep share the fault, which is told once.
	_, err = Load(s.file(), []string{"sweep.seeds=3"})
	if errs, ok := err.(experiment.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}
	_, err = Load(filepath.Join(s.dir, "none.yaml"), nil)
	wantError(t, err, "none.yaml")
}

// No player is lost because another has its name.
func TestContestants(t *testing.T) {
	s := newSite(t)
	e := s.load(t, "generations=5", "tournament.players=[every: 2, last, untrained, random, {uci: /a/engine, depth: 3}, {uci: /b/engine, depth: 3, rounds: 2}, {uci: gone, depth: 1}]")
	r := newRun(e, s.options(nil))
	r.engines = map[string]*engine{}
	tr, err := r.trial(e.Trials[0], Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Settings.Tournament.Players {
		if p := &tr.Settings.Tournament.Players[i]; p.UCI == "/a/engine" || p.UCI == "/b/engine" {
			r.engines[engineKey(tr.variant, tr.chess960, p)] = &engine{name: "engine depth 3"}
		}
	}
	var have []string
	for _, c := range tr.contestants() {
		have = append(have, fmt.Sprintf("%s %d %d", c.name, c.generation, c.rounds))
	}
	want := []string{
		"gen-2 2 0", "gen-4 4 0", "gen-5 5 0", "untrained 0 0", "random -1 0",
		"engine depth 3 -1 0", "engine depth 3 (/b/engine) -1 2",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("players (-want +have):\n%s", diff)
	}
}
