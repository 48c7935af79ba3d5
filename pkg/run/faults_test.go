package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// Nothing may have run when a run is refused.
func refused(t *testing.T, s site, r *recorder, err error, texts ...string) {
	t.Helper()
	wantError(t, err, texts...)
	r.stages(t, map[string]string{})
	if all, _ := filepath.Glob(filepath.Join(s.results(), "*", "*")); len(all) > 0 {
		t.Errorf("a run that was refused left %v", all)
	}
}

func TestResultsThatCannotBeWritten(t *testing.T) {
	s := newSite(t)
	file := filepath.Join(s.dir, "small.yaml") // no folder
	r, err := s.try(context.Background(), func(o *Options) { o.Results = file })
	refused(t, s, r, err, file)
}

// A second run on the same results is refused with an error that names their holder.
func TestTwoRunsAtOnce(t *testing.T) {
	s := newSite(t)
	l, err := disk.TakeLock(s.results())
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.try(context.Background(), nil)
	refused(t, s, r, err, s.results(), fmt.Sprintf("process %d on %s since 20", os.Getpid(), host), "wait for it or stop it", "--results")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

// A worker's player that cannot be opened is an error.
func TestGamesWithoutNetwork(t *testing.T) {
	trial := probeTrial(t)
	trial.Results = &store.Trial{Dir: t.TempDir()}
	_, err := trial.gamesPlayer(t.Context(), 1)
	wantError(t, err, store.CheckpointFile(0))
}

func TestMissingEngine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"generations=1", "training.window=1", "tournament.rounds=2",
		"tournament.players=[last, random, {uci: /nowhere/strong, depth: 1}, {uci: /nowhere/weak, depth: 1}]"}
	r, err := s.try(context.Background(), nil, set...)
	refused(t, s, r, err, "/nowhere/strong", "/nowhere/weak", "--skip-missing-engines")

	r, err = s.try(context.Background(), func(o *Options) { o.SkipMissingEngines = true }, set...)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"/nowhere/strong", "/nowhere/weak"} {
		if !slices.ContainsFunc(r.notes, func(n string) bool { return strings.HasPrefix(n, "left out: ") && strings.Contains(n, engine) }) {
			t.Errorf("no note that %s is left out: %q", engine, r.notes)
		}
	}
	if rows := readCSV(t, filepath.Join(s.trial(t), "tournament/crosstable.csv")); len(rows) != 3 {
		t.Errorf("crosstable %v, want two players", rows)
	}

	// Without a tournament no engine is needed. The page shows none then,
	// though one was played before.
	if r, err = s.try(context.Background(), nil, append(set, "tournament.rounds=0")...); err != nil {
		t.Fatal(err)
	}
	r.stages(t, map[string]string{})
	if rows := readCSV(t, filepath.Join(s.results(), "trials.csv")); rows[1][slices.Index(rows[0], "score")] != "" {
		t.Errorf("trials.csv has the score of an old tournament: %v", rows)
	}
	// The same where the opponents that are left are no tournament.
	set[3] = "tournament.players=[last, {uci: /nowhere/strong, depth: 1}]"
	if _, err = s.try(context.Background(), func(o *Options) { o.SkipMissingEngines = true }, set...); err != nil {
		t.Fatal(err)
	}
	if rows := readCSV(t, filepath.Join(s.results(), "trials.csv")); rows[1][slices.Index(rows[0], "score")] != "" {
		t.Errorf("trials.csv has the score of an old tournament: %v", rows)
	}
}

// A script that fails stops its trial where the experiment says so, and says where;
// the other trials continue.
func TestHookThatFails(t *testing.T) {
	s := newSite(t)
	s.edit(t, "plies.go", "\tsum := 0\n", "\tsum := 0\n\tif len(g.Games) == 4 {\n\t\tpanic(\"four games\")\n\t}\n")
	s.edit(t, "small.yaml", "generations: 2", "generations: 1\nsweep:\n  grid: {selfplay.games: [4, 5]}")
	s.edit(t, "small.yaml", "hooks: [plies.go]", "hooks: [{file: plies.go, on_error: stop}]")
	set := []string{"training.window=1", "tournament.rounds=0"}
	r, err := s.try(context.Background(), nil, set...)
	wantError(t, err, "plies.go:15:3: ", "four games", "hooks 1")
	if !slices.ContainsFunc(r.notes, func(n string) bool { return strings.HasPrefix(n, "failed: ") }) {
		t.Errorf("no note that a trial failed: %q", r.notes)
	}
	if rows := readCSV(t, filepath.Join(s.results(), "trials.csv")); len(rows) != 2 || rows[1][0] != "5" {
		t.Errorf("trials.csv has %v, want the trial of 5 games", rows)
	}
	page, err := os.ReadFile(filepath.Join(s.results(), "notebook.html"))
	if err != nil || !strings.Contains(string(page), "1 trial failed") {
		t.Errorf("the page does not say that a trial failed (%v)", err)
	}

	// Mended, only what is missing runs: its games are not played again.
	s.edit(t, "plies.go", "panic(\"four games\")", "sum = 0")
	r = s.run(t, set...)
	if _, again := r.ran["self-play 1"]; again || r.ran["hooks 1"] == "" || r.ran["training 1"] == "" {
		t.Errorf("ran %v", r.ran)
	}

	// A fault that was allowed is none that stops a run, until it shall.
	s.edit(t, "plies.go", "sum = 0", "panic(\"four games\")")
	s.edit(t, "small.yaml", "on_error: stop", "on_error: empty")
	s.run(t, set...)
	s.edit(t, "small.yaml", "on_error: empty", "on_error: stop")
	_, err = s.try(context.Background(), nil, set...)
	wantError(t, err, "plies.go:15:3: ", "four games", "hooks 1")
}

// The script that runs is the one whose hash stands in the manifest.
func TestHookChangedWhileRunning(t *testing.T) {
	s := newSite(t)
	_, err := s.try(context.Background(), func(o *Options) {
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			if what == "runs hooks 1" {
				s.edit(t, "plies.go", "sum := 0", "sum := 1")
			}
		}}
	})
	wantError(t, err, "plies.go was changed")
}
