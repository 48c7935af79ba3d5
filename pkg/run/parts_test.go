package run

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
)

// A trial keeps its folder as long as its networks stay the same.
func TestFolder(t *testing.T) {
	s := newSite(t)
	base := s.load(t).Trials[0].Folder
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
		if have := s.load(t, set).Trials[0].Folder == base; have != same {
			t.Errorf("%s: same folder %v, want %v", set, have, same)
		}
	}
	// What a sweep varies splits folders, whatever it is.
	if err := os.WriteFile(filepath.Join(s.dir, "other.go"), []byte("package main"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"sweep.grid={generations: [2, 3]}", "sweep.grid={tournament.rounds: [2, 3]}", fmt.Sprintf("sweep.grid={stop: [%s, %s]}", filepath.Join(s.dir, "plies.go"), filepath.Join(s.dir, "other.go")), "sweep.seeds=2", "sweep.grid={search.visits: [6, 8]}"} {
		e := s.load(t, set)
		if len(e.Trials) != 2 || e.Trials[0].Folder == e.Trials[1].Folder {
			t.Errorf("%s: %d trials, in one folder", set, len(e.Trials))
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 7 * time.Second: "7 s", 93 * time.Second: "95 s",
		2 * time.Minute: "2 min", 99 * time.Minute: "99 min", 101 * time.Minute: "1 h 40 min", 122 * time.Minute: "2 h", 11 * time.Hour: "11 h",
	} {
		if have := Roughly(d); have != want {
			t.Errorf("Roughly(%v) = %q, want %q", d, have, want)
		}
	}
}

// Faults that only a run can find are reported like those of the language.
func TestLoadFindsBadPositions(t *testing.T) {
	s := newSite(t)
	s.edit(t, "small.yaml", "opening: {random_plies: 4, share: 0.5, fork_share: 0.3}",
		"opening: {fens: [rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1, 8/8/8/8/8/8/8/K w - - 0 1]}")
	_, err := experiment.LoadChecked(s.file(), nil)
	wantError(t, err, "small.yaml:8:", "selfplay.opening.fens", "position 2")
	if errs, ok := err.(config.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}

	// Trials of a sweep share the fault, which is reported once.
	_, err = experiment.LoadChecked(s.file(), []string{"sweep.seeds=3"})
	if errs, ok := err.(config.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}
	_, err = experiment.LoadChecked(filepath.Join(s.dir, "none.yaml"), nil)
	wantError(t, err, "none.yaml")
}
