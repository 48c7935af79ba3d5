package run

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/experiment"

	"alamos/pkg/store"
)

func TestRunLeavesItsFiles(t *testing.T) {
	s := undisturbed(t)
	first := map[string]string{}
	for _, stage := range allStages {
		first[stage] = "first time"
	}
	whole.report.stages(t, first)

	dir := s.trial(t)
	for _, f := range []string{
		"../notebook.html", "../trials.csv", "experiment.yaml", "manifest.json", "generations.csv", "epochs.csv", "hooks/plies.csv",
		"games/gen-0001.pgn", "games/gen-0002.pgn", "samples/gen-0001.parquet", "samples/gen-0002.parquet",
		"checkpoints/gen-0000.safetensors", "checkpoints/gen-0001.safetensors", "checkpoints/gen-0002.safetensors",
		"tournament/games.pgn", "tournament/crosstable.csv", "tournament/ratings.csv",
		"figures/score.svg", "figures/score-generation.svg", "figures/loss.png", "figures/learning-rate.svg", "figures/lengths.svg",
		"figures/lengths-samples.svg", "figures/metric-plies-plies.svg", "figures/crosstable.svg", "figures/elo.png",
	} {
		if st, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		} else if st.Size() == 0 {
			t.Errorf("%s is empty", f)
		}
	}
	for f := range s.fingerprint(t) {
		if name := filepath.Base(f); name != ".lock" && (name[0] == '.' || strings.HasSuffix(name, ".journal") || strings.HasSuffix(name, ".progress") || strings.HasSuffix(name, ".steps")) {
			t.Errorf("%s was left behind", f)
		}
	}

	for f, want := range map[string]struct {
		rows int
		head string
	}{
		"../trials.csv":             {1, "number,trial,generations_done,samples,loss,"},
		"generations.csv":           {2, "generation,games,thrown_away,samples,"},
		"epochs.csv":                {4, "generation,epoch,learning_rate,"},
		"learning.csv":              {2, "generation,loss,"},
		"hooks/plies.csv":           {2, "generation,nothing,plies"},
		"tournament/crosstable.csv": {4, "player,games,wins,"},
		"tournament/ratings.csv":    {4, "player,elo,"},
	} {
		rows := readCSV(t, filepath.Join(dir, f))
		if len(rows) != 1+want.rows || !strings.HasPrefix(strings.Join(rows[0], ","), want.head) {
			t.Errorf("%s: %d rows under %v, want %d under %s", f, len(rows)-1, rows[0], want.rows, want.head)
		}
	}

	// Every measure of learning has a number in every generation.
	for _, row := range readCSV(t, filepath.Join(dir, "learning.csv")) {
		if slices.Contains(row, "") {
			t.Errorf("learning.csv lacks a number: %v", row)
		}
	}

	// What files say must agree: games, samples, tables and the manifest.
	generations := readCSV(t, filepath.Join(dir, "generations.csv"))
	for i, g := range []string{"gen-0001", "gen-0002"} {
		games := readGames(t, filepath.Join(dir, "games", g+".pgn"))
		set, err := data.Read(filepath.Join(dir, "samples", g+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		row := generations[1+i]
		if len(games) != 6 || row[1] != "6" || countGames(set) != 6 || strconv.Itoa(set.Len()) != row[3] {
			t.Errorf("%s: %d games, samples of %d games (%d); the table says %v", g, len(games), countGames(set), set.Len(), row)
		}
		plies := 0
		for _, p := range games {
			plies += len(p.Moves)
			if p.Result == chess.Unfinished || p.Tag("Termination") == "" {
				t.Errorf("%s: a game that never ended: %v", g, p.Tags)
			}
		}
		if mean := strconv.FormatFloat(float64(plies)/6, 'g', 6, 64); row[4] != mean {
			t.Errorf("%s: games of %s plies on average, the table says %s", g, mean, row[4])
		}
		if hook := readCSV(t, filepath.Join(dir, "hooks/plies.csv")); hook[1+i][2] != row[4] || hook[1+i][1] != "" {
			t.Errorf("%s: the hook counted %s plies a game, the table says %s", g, hook[1+i][2], row[4])
		}
	}
	if games := readGames(t, filepath.Join(dir, "tournament/games.pgn")); len(games) != 4*3/2*4 {
		t.Errorf("%d games of the tournament, want 24", len(games))
	}

	page, err := os.ReadFile(Notebook(whole.load(t), filepath.Join(s.dir, "results")))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Every stage, figure and table", "score-generation.svg", "gen-2", "nothing to draw yet"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("the page does not show %q", text)
		}
	}
}

func TestSecondRunDoesNothing(t *testing.T) {
	s := finishedSite(t)
	// What a killed run was writing goes away.
	if err := os.WriteFile(filepath.Join(s.trial(t), "games", ".gen-0001.pgn.123.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.run(t)
	r.stages(t, map[string]string{})
	if diff := cmp.Diff(allStages, r.cached); diff != "" {
		t.Errorf("cached (-want +have):\n%s", diff)
	}
	s.same(t)
}

// Of a generation, only the wanted games are kept in PGN, and all samples.
func TestFirstGamesInPGN(t *testing.T) {
	t.Parallel()
	set := with(quick, "selfplay.opening.fork_share=0", "tournament.rounds=0")
	all, some := newSite(t), newSite(t)
	all.run(t, set...)
	some.run(t, append(set, "selfplay.pgn=2")...)
	read := func(s site, name string) string {
		b, err := os.ReadFile(filepath.Join(s.trial(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	whole, first := read(all, store.GamesFile(1)), read(some, store.GamesFile(1))
	if rest, is := strings.CutPrefix(whole, first); !is || strings.Count(first, "[Event ") != 2 || strings.Count(rest, "[Event ") != 1 {
		t.Errorf("of\n%s\nhave\n%s", whole, first)
	}
	if read(all, store.SamplesFile(1)) != read(some, store.SamplesFile(1)) {
		t.Error("other samples")
	}
}

// A change of the experiment runs what it concerns, and says why.
func TestChangesRunWhatTheyConcern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  string
		edit func(s site)
		ran  map[string]string
	}{
		{name: "tournament.rounds", set: "tournament.rounds=2", ran: map[string]string{"tournament": "tournament.rounds 4 -> 2"}},
		{name: "tournament.players", set: "tournament.players=[last, random]", ran: map[string]string{
			"tournament": "players -gen-1 -untrained"}},
		{name: "no tournament", set: "tournament.rounds=0", ran: map[string]string{}},
		{name: "fewer generations", set: "generations=2", ran: map[string]string{}},
		{name: "hook", edit: func(s site) { s.edit(t, "plies.go", "sum := 0", "sum := 1") }, ran: map[string]string{
			"hooks 1": "hook plies changed", "hooks 2": "hook plies changed"}},
		{name: "comment", edit: func(s site) { s.edit(t, "small.yaml", "seed: 7", "seed: 7 # a prime") }, ran: map[string]string{}},
		{name: "about", edit: func(s site) { s.edit(t, "small.yaml", "as small as they come", "and small") }, ran: map[string]string{}},
		{name: "order of keys", edit: func(s site) {
			s.edit(t, "small.yaml", "search: {visits: {from: 5, to: 6, over: 2}, noise: {weight: 0.25}}\nselfplay:", "selfplay:")
			s.edit(t, "small.yaml", "generations: 2\n", "generations: 2\nsearch: {noise: {weight: 0.250}, visits: {over: 2, to: 6, from: 5}}\n")
		}, ran: map[string]string{}},
		{name: "order of players", set: "tournament.players=[random, every: 1, untrained]", ran: map[string]string{"tournament": "players in another order"}},
		{name: "notebook", edit: func(s site) { s.edit(t, "small.yaml", "text: Short", "text: Long") }, ran: map[string]string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := finishedSite(t)
			if test.edit != nil {
				test.edit(s)
			}
			var set []string
			if test.set != "" {
				set = []string{test.set}
			}
			s.run(t, set...).stages(t, test.ran)
			again := s.run(t, set...)
			again.stages(t, map[string]string{})
		})
	}
}

func TestMoreGenerationsGoOn(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	before := s.fingerprint(t)
	r := s.run(t, "generations=3", "tournament.rounds=2")
	r.stages(t, map[string]string{
		"self-play 3": "first time", "hooks 3": "first time", "training 3": "first time",
		"tournament": "players +gen-3, tournament.rounds 4 -> 2",
	})
	if diff := cmp.Diff(allStages[:7], r.cached); diff != "" {
		t.Errorf("cached (-want +have):\n%s", diff)
	}
	after := s.fingerprint(t)
	for f, h := range before {
		switch {
		case strings.HasSuffix(f, ".safetensors"), strings.HasSuffix(f, ".parquet"), strings.HasPrefix(filepath.Base(f), "gen-"):
			if after[f] != h {
				t.Errorf("%s changed", f)
			}
		}
	}
	if rows := readCSV(t, filepath.Join(s.trial(t), "generations.csv")); len(rows) != 4 {
		t.Errorf("generations.csv has %d rows, want 3", len(rows)-1)
	}
}

func TestMissingFilesAreMadeAgain(t *testing.T) {
	t.Parallel()
	for file, stage := range map[string]string{
		"games/gen-0002.pgn":               "self-play 2",
		"samples/gen-0001.parquet":         "self-play 1",
		"checkpoints/gen-0000.safetensors": "untrained network",
		"checkpoints/gen-0002.safetensors": "training 2",
		"tournament/ratings.csv":           "tournament",
		"epochs.csv":                       "",
		"figures/loss.svg":                 "",
		"../notebook.html":                 "",
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := finishedSite(t)
			if err := os.Remove(filepath.Join(s.trial(t), file)); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			if stage != "" {
				want[stage] = file + " is missing"
			}
			s.run(t).stages(t, want)
			s.same(t)
		})
	}
}

// Trials have folders of their own, a row each, and figures together.
func TestSweep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.edit(t, "small.yaml", "generations: 2", "generations: 1\nsweep:\n  grid: {search.visits: [4], tournament.rounds: [2, 0]}")
	s.edit(t, "small.yaml", "window: 2", "window: 1")
	s.edit(t, "small.yaml", shortNotebook, "notebook:\n  - figure: {kind: lengths}\n  - figure: {kind: score}\n  - table: trials\n  - table: standings\n")
	r := s.run(t)
	if r.notes == nil {
		t.Error("a run of two trials has no notes")
	}
	rows := readCSV(t, filepath.Join(s.results(), "trials.csv"))
	if len(rows) != 3 || !slices.Equal(rows[0][:4], []string{"search.visits", "tournament.rounds", "number", "trial"}) {
		t.Fatalf("trials.csv: %v", rows)
	}
	folders := map[string]bool{}
	for _, row := range rows[1:] {
		folders[row[3]] = true
		played := row[slices.Index(rows[0], "score")] != ""
		if played != (row[1] == "2") {
			t.Errorf("trial %v: a score without a tournament, or a tournament without a score", row)
		}
		if _, err := os.Stat(filepath.Join(s.results(), row[3], "manifest.json")); err != nil {
			t.Error(err)
		}
	}
	if len(folders) != 2 {
		t.Errorf("trials share folders: %v", rows)
	}

	// One trial's fault does not stop the others.
	damaged := filepath.Join(s.results(), rows[1][3], store.ManifestName)
	if err := os.WriteFile(damaged, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := s.try(context.Background(), nil)
	wantError(t, err, damaged)
	if left := readCSV(t, filepath.Join(s.results(), "trials.csv")); len(left) != 2 || left[1][2] != rows[2][2] {
		t.Errorf("trials.csv has %v, want the second trial", left)
	}
	for _, f := range []string{"lengths.svg", "lengths.png"} {
		if _, err := os.Stat(filepath.Join(s.results(), "figures", f)); err != nil {
			t.Error(err)
		}
	}
}

func (s site) load(t *testing.T, set ...string) *experiment.Experiment {
	t.Helper()
	e, err := experiment.LoadChecked(s.file(), set)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return rows
}

func readGames(t *testing.T, path string) []*chess.PGN {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*chess.PGN
	for r := chess.NewPGNReader(f); ; {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, p)
	}
}

// countGames returns the number of games in the samples of one generation.
func countGames(set *data.Set) int {
	games := map[int32]bool{}
	for i := range set.Len() {
		games[set.Sample(i).Game] = true
	}
	return len(games)
}
