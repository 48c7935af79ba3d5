package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"

	"alamos/pkg/store"
)

// Of positions without results no values are learned, also where their chunk was made for
// a policy alone.
func TestDataWithoutResults(t *testing.T) {
	t.Parallel()
	s := dataSite(t)
	samples := make([]encode.Sample, 100)
	for i := range samples {
		samples[i] = encode.Sample{Game: int32(i), Planes: make([]uint64, 16), Indices: []int32{int32(i)}, Policy: []float32{1}, Draw: -1}
	}
	meta := data.Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "chess"}
	if err := data.Write(filepath.Join(s.dir, "none.parquet"), meta, samples); err != nil {
		t.Fatal(err)
	}
	sets := []string{noTournament, "generations=1", "data={kind: parquet, files: [" + filepath.Join(s.dir, "none.parquet") + "], chunk: 50}"}
	blind := append(slices.Clone(sets), "training.loss.value=0", "evaluation={accuracy: true}")
	s.run(t, blind...)
	x, err := store.Open(s.results(), s.load(t, blind...).Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	phases := x.Accuracy(1)
	if len(phases) == 0 {
		t.Fatal("no accuracy")
	}
	if all := phases[len(phases)-1]; all.Positions == 0 || math.IsNaN(float64(all.Top1)) || !math.IsNaN(float64(all.ValueError)) {
		t.Errorf("accuracy %+v, want no value error where there is no result", all)
	}
	_, err = s.try(t.Context(), nil, sets...)
	wantError(t, err, "data 1", "none.parquet", "has no result", "training.loss.value: 0")
	_, err = s.try(t.Context(), nil, append(sets, "training.loss.value=0", "network.moves_left=true")...)
	wantError(t, err, "training.loss.moves_left: 0")
}

// A network of another shape learns from the samples of a run.
func TestDataOfRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	file := filepath.Join(s.dir, "again.yaml")
	if err := os.WriteFile(file, []byte(`
alamos: 1
extends: small
name: again
network: {width: 16}
selfplay: null
search: null
hooks: []
data: {kind: run, run: small, generations: 1, chunk: all}
generations: 1
training: {window: 1}
tournament: {rounds: 0}
notebook: [{text: Short}]
`), 0o644); err != nil {
		t.Fatal(err)
	}
	again := func(set ...string) error {
		e, err := experiment.LoadChecked(file, set)
		if err != nil {
			return err
		}
		return Run(t.Context(), e, s.options(&recorder{ran: map[string]string{}}))
	}
	wantError(t, again(), "data.run: ", `no results of "small"`)
	s.run(t, noTournament)
	wantError(t, again("data.generations=3"), "data.generations: small has 2, not 3")
	wantError(t, again("data.run=small/2"), "data.run: small: ", "2")
	if err := again(); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *store.Trial {
		_, x, err := store.Resolve(filepath.Join(s.dir, "results"), name+"/1")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	own, other := open("small"), open("again")
	if have, want := other.Generation(1).Samples, own.Generation(2).Samples; have != want || want == 0 {
		t.Errorf("%d samples, want the %d of the run's last generation", have, want)
	}
	if err := os.Remove(own.Path(store.SamplesFile(2))); err != nil {
		t.Fatal(err)
	}
	wantError(t, again("seed=3"), "data.run: ", "gen-0002.parquet is missing")
}

// dataSite is a site whose experiment learns from the games of testdata in place of
// self-play.
func dataSite(t *testing.T) site {
	t.Helper()
	s := newSite(t)
	s.edit(t, "small.yaml", "game: {variant: atomic, max_moves: 40}", "game: {variant: chess, max_moves: 40}")
	s.edit(t, "small.yaml", "selfplay: {games: 6, opening: {random_plies: 4, share: 0.5, fork_share: 0.3}, decided: {value: 0.1, visits: 3, weight: 0.8}}", "data: {kind: pgn, files: \"*.pgn\", positions: 10, chunk: 100, shuffle: 50}")
	s.edit(t, "small.yaml", "generations: 2", "generations: 3")
	s.edit(t, "small.yaml", "window: 2", "window: 1")
	s.edit(t, "small.yaml", "hooks: [plies.go]", "")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, "games.pgn"), old, old); err != nil {
		t.Fatal(err)
	}
	return s
}

const noTournament = "tournament.rounds=0"

// Generations learn from chunks of the data; everything behind is as it is with games
// of one's own.
func TestData(t *testing.T) {
	t.Parallel()
	s := dataSite(t)
	r := s.run(t)
	want := map[string]string{"untrained network": "first time", "tournament": "first time"}
	for g := 1; g <= 3; g++ {
		want[store.DataStage(g)], want[store.TrainStage(g)] = "first time", "first time"
	}
	r.stages(t, want)

	// 24 games of which each gives 10 positions, or all it has, are two chunks of 100
	// and the rest.
	x, err := store.Open(s.results(), s.load(t).Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	games, pass := 0, 0
	for g := 1; g <= 3; g++ {
		row := x.Generation(g)
		set, err := data.Read(x.Path(store.SamplesFile(g)))
		if err != nil {
			t.Fatal(err)
		}
		if set.Len() != row.Samples || row.Samples < 50 || countGames(set) != row.Games || row.WhiteWins+row.Draws+row.BlackWins != countGames(set) {
			t.Errorf("generation %d: %d samples of %d games in the file, %+v", g, set.Len(), countGames(set), row)
		}
		if row.Data == nil || row.Data.Pass < pass || !math.IsNaN(row.MeanPlies()) {
			t.Errorf("generation %d: %+v", g, row)
		}
		if pass = row.Data.Pass; pass == 1 {
			games += row.Games + row.Data.NoResult + row.Data.NoMoves
		}
	}
	if games != 24 || pass != 2 {
		t.Errorf("%d games in the first pass, the last generation is of pass %d", games, pass)
	}
	rows := readCSV(t, filepath.Join(s.trial(t), "generations.csv"))
	if len(rows) != 4 || rows[1][4] != "" || rows[1][3] == "0" {
		t.Errorf("generations.csv: %v", rows)
	}
	if _, err := os.Stat(filepath.Join(s.trial(t), store.GamesFile(1))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there are games (%v)", err)
	}

	s.run(t).stages(t, map[string]string{})
	// It is the bytes that count, and not their names.
	from, to := filepath.Join(s.dir, "games.pgn"), filepath.Join(s.dir, "other.pgn")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	s.run(t).stages(t, map[string]string{})
	damage(t, to, func(b []byte) []byte { return []byte(strings.Replace(string(b), "Stockfish", "Stickfosh", 1)) })
	r = s.run(t, noTournament)
	if why := r.ran[store.DataStage(1)]; why != "data.contents changed" {
		t.Errorf("ran %v", r.ran)
	}
	if _, again := r.ran[store.TrainStage(1)]; again { // a name in a tag is not part of a position
		t.Errorf("ran %v", r.ran)
	}
}

// Chunks are shared between trials, decide nothing but what they hold, and are gone on
// with after a kill.
func TestDataIsSharedAndResumed(t *testing.T) {
	t.Parallel()
	s := dataSite(t)
	s.edit(t, "small.yaml", "about:", "sweep: {grid: {network.width: [8, 4]}}\nabout:")
	plain := newSiteOf(t, s.dir)
	plain.run(t, noTournament)
	for _, at := range []string{"runs data 2", "runs training 2", "runs data 3"} {
		s.until(t, begins(at), noTournament)
	}
	r := s.run(t, noTournament)
	s.sameAs(t, plain)
	if what := r.of["network.width=4: data 1"]; !strings.HasPrefix(what, "as in ") {
		t.Errorf("the second trial says of data 1: %q", what)
	}
}

// A chunk is gone on to from where the one before ended: what was read for those before
// is not read again.
func TestDataBeginsAtItsCursor(t *testing.T) {
	t.Parallel()
	s := dataSite(t)
	s.edit(t, "small.yaml", "chunk: 100, shuffle: 50", "chunk: 60, games: 100, shuffle: 0") // with a bound the files are read in their order
	b, err := os.ReadFile(filepath.Join(s.dir, "games.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	// The first file has ten games, of the 12 that are in two chunks.
	at := 0
	for range 11 {
		at += 1 + bytes.Index(b[at+1:], []byte("[Event "))
	}
	first, old := filepath.Join(s.dir, "a.pgn"), time.Now().Add(-time.Hour)
	write := func(name string, data []byte) {
		t.Helper()
		if err := errors.Join(os.WriteFile(name, data, 0o644), os.Chtimes(name, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	write(first, b[:at])
	write(filepath.Join(s.dir, "games.pgn"), b[at:])
	plain := newSiteOf(t, s.dir)
	for _, name := range []string{"a.pgn", "games.pgn"} {
		if err := os.Chtimes(filepath.Join(plain.dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	plain.run(t, noTournament)
	s.until(t, begins("runs data 3"), noTournament)
	write(first, make([]byte, at)) // of the same size and time, so that its checksum is not computed again
	s.run(t, noTournament)
	s.sameAs(t, plain)
}

// A plan is what the run does, and knows how much there is to learn from.
func TestPlanOfData(t *testing.T) {
	t.Parallel()
	s := dataSite(t)
	check := func() {
		t.Helper()
		plan := s.plan(t, s.file(), true, noTournament)
		r := s.run(t, noTournament)
		for stage, what := range r.of {
			if have := plan.says()[stage]; have != what {
				t.Errorf("%s: the plan says %q, the run %q", stage, have, what)
			}
		}
		if sum := plan.Total; len(r.ran) > 0 && !(sum.Seconds > 0) || sum.Games != 0 || len(plan.Problems) > 0 {
			t.Errorf("the total of the plan is %+v, problems %q", sum, plan.Problems)
		}
	}
	check()
	check()
	s.edit(t, "small.yaml", "generations: 3", "generations: 4")
	check()
}

// Missing files are reported before anything runs, also by a plan.
func TestMissingData(t *testing.T) {
	s := dataSite(t)
	s.edit(t, "small.yaml", `files: "*.pgn"`, "files: [games.pgn, none-*.pgn]")
	_, err := s.try(context.Background(), nil)
	wantError(t, err, "none-*.pgn", "no such file")
	if plan := s.plan(t, s.file(), false); len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0], "none-*.pgn") {
		t.Errorf("problems %q", plan.Problems)
	}
	_, err = s.try(context.Background(), nil, "data.label={uci: /nowhere/strong, depth: 1}", "data.files="+filepath.Join(s.dir, "games.pgn"))
	wantError(t, err, "/nowhere/strong")
	_, err = experiment.LoadChecked(s.file(), []string{"game.variant=atomic", "data.kind=lc0"})
	wantError(t, err, ": data: lc0's data is of chess")

	// A script that measures games has none.
	e := s.load(t, "hooks=["+filepath.Join(s.dir, "plies.go")+"]")
	wantError(t, Check(t.Context(), e, false), "plies.go", "MeasureCheckpoint")
}

// An engine plays the games of a chunk, and what it is is part of their identity.
func TestDataOfAnEngine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := fake.Engine(t, "well")
	s.edit(t, "small.yaml", "selfplay: {games: 6, opening: {random_plies: 4, share: 0.5, fork_share: 0.3}, decided: {value: 0.1, visits: 3, weight: 0.8}}", fmt.Sprintf("data: {kind: engine, games: 5, shuffle: 0, engine: {uci: %s, depth: 1, random_plies: 8}}", path))
	s.edit(t, "small.yaml", "hooks: [plies.go]", "")
	s.run(t, noTournament)
	x, err := store.Open(s.results(), s.load(t).Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	for g := 1; g <= 2; g++ {
		if row := x.Generation(g); row.Games != 5 || row.Samples == 0 {
			t.Errorf("generation %d: %+v", g, row)
		}
	}
	if x.Output(store.DataStage(1), store.SamplesFile(1)) == x.Output(store.DataStage(2), store.SamplesFile(2)) {
		t.Error("both generations have the same games")
	}
	in := x.Manifest.Stage(store.DataStage(1)).Inputs
	if id := in["engine well depth 1"]; !strings.HasPrefix(id, "Fake 1.0") {
		t.Errorf("inputs %v", in)
	}
	s.run(t, noTournament).stages(t, map[string]string{})
}
