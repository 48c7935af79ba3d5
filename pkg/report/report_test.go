package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

var update = flag.Bool("update", false, "write the digests of the pictures anew")

// Whatever kind the language knows is registered, and the other way round.
func TestKindsOfTheLanguage(t *testing.T) {
	var want []string
	for _, k := range experiment.Keys() {
		if k.Path == "notebook[].figure.kind" {
			for _, word := range strings.FieldsFunc(k.Type.Want(), func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) {
				if _, ok := kinds[word]; ok || word != "or" && word != "one" && word != "of" {
					want = append(want, word)
				}
			}
		}
	}
	slices.Sort(want)
	if have := slices.Sorted(maps.Keys(kinds)); !slices.Equal(want, have) {
		t.Errorf("kinds %q, the language has %q", have, want)
	}
}

// Every kind of figure draws something, the same bytes whoever draws it.
func TestEveryKind(t *testing.T) {
	e := load(t, sweepFile)
	r := made(t, e, 3)
	shown := map[string]bool{}
	first, err := r.files(Options{Out: "x"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.drawn("")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if d.err != nil || d.nothing != "" {
			t.Errorf("%s: %v%s", d.name, d.err, d.nothing)
		}
		shown[d.Kind] = true
	}
	for kind := range kinds {
		if !shown[kind] && kind != "final" { // see TestFinalTournament
			t.Errorf("no figure of kind %s was drawn", kind)
		}
	}
	again, err := open(t, r.Experiment, r.Dir).files(Options{Out: "x"})
	if err != nil || len(again) != len(first) {
		t.Fatalf("%d files, then %d (%v)", len(first), len(again), err)
	}
	trial := slugs(e.Trials)[e.Trials[1].ID]
	for i, f := range first {
		if strings.Contains(f.path, "depth-") && !strings.Contains(f.path, trial) {
			continue // one trial will do
		}
		a, err := f.bytes()
		if err != nil {
			t.Fatal(err)
		}
		b, err := again[i].bytes()
		if err != nil || f.path != again[i].path || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same when drawn again (%v)", f.path, err)
		}
		if f.stamp == nil {
			continue
		}
		if stamp, err := plots.ParseStamp(a); err != nil || stamp != *f.stamp {
			t.Errorf("%s bears the stamp %v (%v), want %v", f.path, stamp, err, f.stamp)
		}
	}
}

// A picture that changes while its data does not was drawn by other code: that code
// has another version, so that figures that were kept are known to be stale.
func TestCodeVersion(t *testing.T) {
	const golden = "testdata/pictures.json"
	type record struct {
		Version string            `json:"version"` // codeVersion
		SHA256  map[string]string `json:"sha256"`  // of SVG, without its stamp
	}
	r := made(t, load(t, sweepFile), 3)
	all, err := r.drawn("")
	if err != nil {
		t.Fatal(err)
	}
	have := record{codeVersion, map[string]string{}}
	for _, d := range all {
		if d.trial != nil && d.trial.ID != r.Trials[0].Declared.ID || d.figure == nil {
			continue
		}
		svg, err := d.figure.InlineSVG()
		if err != nil {
			t.Fatal(err)
		}
		// The class is for pages; files of pictures have none.
		sum := sha256.Sum256(bytes.Replace(svg, []byte(`class="shaded" `), nil, 1))
		have.SHA256[d.name] = hex.EncodeToString(sum[:8])
	}
	b, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var want record
	if err == nil {
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
	}
	diff := cmp.Diff(want.SHA256, have.SHA256)
	known := maps.Clone(have.SHA256)
	maps.DeleteFunc(known, func(name, _ string) bool { return want.SHA256[name] == "" }) // new in this test
	switch {
	case *update && !maps.Equal(known, want.SHA256) && want.Version == have.Version:
		t.Fatalf("pictures have changed: raise codeVersion first:\n%s", diff)
	case *update:
		b, err := json.MarshalIndent(have, "", " ")
		if err == nil {
			err = os.WriteFile(golden, append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	case diff != "":
		t.Errorf("pictures have changed: if that is meant, raise codeVersion and run go test ./pkg/report -run TestCodeVersion -update\n%s", diff)
	case want.Version != have.Version:
		t.Errorf("codeVersion is %s, that of %s is %s: run go test ./pkg/report -run TestCodeVersion -update", have.Version, golden, want.Version)
	}
}

// The stamp of a figure follows the settings that can change it, and no others.
func TestIdentity(t *testing.T) {
	identities := func(set ...string) map[string]string {
		r := &Report{Experiment: Describe(load(t, sweepFile, set...))}
		pictures, err := r.pictures()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, p := range pictures {
			if p.trial == nil || p.trial.ID == r.Experiment.Trials[0].ID {
				out[p.name] = r.identity(p)
			}
		}
		return out
	}
	base := identities()
	training := []string{"heatmap-loss", "metric-kl-samples", "learning-rate", "lengths", "length-histogram-gen-1", "loss", "loss-step", "loss-heads", "results", "inputs", "network"}
	hooks := []string{"metric-kings-alive", "series-kings-pieces", "sweep-kings-alive-training-schedule-kind-network-depth"}
	for set, want := range map[string]string{
		"about=Another text.":  "",
		"tournament.rounds=12": "tournament",
		"training.epochs=3":    "all",
		"generations=4":        "all",
		"hooks=[{file: kings.go, metric: kings}, more.go]": "hooks",
	} {
		have := identities(set)
		for name, was := range base {
			isTraining, isHooks := slices.Contains(training, name), slices.Contains(hooks, name)
			changes := want == "all" || want == "hooks" && isHooks || want == "tournament" && !isTraining && !isHooks
			changes = changes && name != "csv-published"
			if (have[name] != was) != changes {
				t.Errorf("%s: the stamp of %s changes %v, want %v", set, name, have[name] != was, changes)
			}
		}
	}
}

// Files are current, then missing, edited, of other data; all found without
// writing.
func TestCheck(t *testing.T) {
	e := load(t, strings.ReplaceAll(sweepFile, "training.schedule.kind: [plateau, constant]", "training.schedule.kind: [constant]"), "notebook=[{figure: {kind: loss}}, {figure: {kind: score}}, {table: generations}]")
	r := made(t, e, 3)
	out := Options{Out: t.TempDir()}
	paths, err := r.Redraw(out)
	if err != nil || len(paths) != 3*4+3+2*4+1 {
		t.Fatalf("%d files (%v): %v", len(paths), err, paths)
	}
	states := func(r *Report) map[string]State {
		t.Helper()
		findings, err := r.Check(out)
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]State{}
		for _, f := range findings {
			if f.State != Current {
				have[filepath.Base(f.Path)] = f.State
			}
		}
		return have
	}
	if have := states(r); len(have) > 0 {
		t.Errorf("just drawn: %v", have)
	}
	if err := os.Remove(filepath.Join(out.Out, "score.pdf")); err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(out.Out, "loss-depth-2-kind-constant-seed-1.svg")
	b, err := os.ReadFile(edited)
	if err == nil {
		err = os.WriteFile(edited, append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]State{"score.pdf": Missing, filepath.Base(edited): Changed}, states(r)); diff != "" {
		t.Error(diff)
	}
	// Another tournament, of the same settings: its figure is stale, no other.
	if _, err := r.Redraw(out); err != nil {
		t.Fatal(err)
	}
	m := r.Trials[0].Manifest
	facts, err := json.Marshal(played(3, 50, 5))
	if err != nil {
		t.Fatal(err)
	}
	m.Stage(store.TournamentStage).Facts = facts
	if err := m.Write(r.Trials[0].Dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]State{"score.svg": Stale, "score.png": Stale, "score.pdf": Stale, "trials.csv": Stale}, states(open(t, r.Experiment, r.Dir))); diff != "" {
		t.Error(diff)
	}
}

// An experiment that has not come far is shown as far as it has.
func TestUnfinished(t *testing.T) {
	e := load(t, sweepFile)
	for done, want := range map[int]string{0: "Trials that have not finished a generation are not shown: 8", 1: "1 of 3 generations", 3: "All there is"} {
		r := made(t, load(t, sweepFile, "sweep.seeds=1"), done)
		if done == 0 {
			r = made(t, e, 0)
		}
		if done != 3 { // TestEveryKind draws all that there is then
			if _, err := r.Redraw(Options{}); err != nil {
				t.Fatalf("%d generations: %v", done, err)
			}
		}
		page, err := r.Page(Options{}, r.Dir)
		if err != nil {
			t.Fatalf("%d generations: %v", done, err)
		}
		text := page.Markdown()
		if !strings.Contains(string(text), want) {
			t.Errorf("%d generations: the page does not say %q \n%s", done, want, text)
		}
	}
}

// The page has a table of layers for each different network.
func TestNetworks(t *testing.T) {
	for set, want := range map[string]int{"[2, 10]": 2, "[2]": 1} {
		r := made(t, load(t, sweepFile, "sweep.grid={network.depth: "+set+", training.schedule.kind: [plateau, constant]}", "notebook=[{table: network}]"), 3)
		page, err := r.Page(Options{}, r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		text := page.Markdown()
		if have := strings.Count(string(text), "Layers of the network: residual"); have != want {
			t.Errorf("depths %s: %d tables of layers, want %d", set, have, want)
		}
		if have := strings.Count(string(text), "| policy.linear | linear, softmax | 1968 | 9,196,464 |"); have != want {
			t.Errorf("depths %s: %d policies, want %d", set, have, want)
		}
	}
}

// The table of models has the checkpoints that played, the newest first, with what
// they learned from, and the others behind; that of pairs each two players, by color.
func TestModelsAndPairs(t *testing.T) {
	r := made(t, load(t, sweepFile, "sweep=null", "notebook=[{table: models}, {table: pairs}]"), 3)
	page, err := r.Page(Options{}, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	text := page.Markdown()
	at := 0
	for _, row := range []string{
		"| gen-3 | 3 | 300 | ", "| gen-2 | 2 | 200 | ", "| gen-1 | 1 | 100 | ", "| untrained | 0 | 0 |  |", "| random |  |  |  |",
		"| gen-1 | gen-2 | 1 | 0 | 4 | 20.0 |", "| gen-2 | gen-1 | 3 | 0 | 2 | 60.0 |", "| gen-1 | gen-3 | ", "| untrained | random | ", "| random | untrained | ",
	} {
		k := strings.Index(string(text)[at:], row)
		if k < 0 {
			t.Fatalf("no %q after the rows before it:\n%s", row, text)
		}
		at += k
	}
}

func TestSlugs(t *testing.T) {
	trial := func(axis ...string) experiment.Trial {
		var x experiment.Trial
		var label []string
		for i := 0; i < len(axis); i += 2 {
			x.Axis = append(x.Axis, experiment.AxisValue{Path: axis[i], Value: axis[i+1]})
			label = append(label, axis[i]+"="+axis[i+1])
		}
		x.Label = strings.Join(label, " ")
		x.ID = x.Label
		x.Folder = experiment.Hash(x.Label)[:10]
		return x
	}
	trials := []experiment.Trial{
		trial("network.depth", "2", "seed", "1"),
		trial("search.visits", "10", "tournament.search.visits", "20"),
		trial("game.start", `["`+strings.Repeat("8/", 40)+`"]`),
		trial("a.b", "x y/z"), trial("a.b", "x-y-z"),
	}
	have := slugs(trials)
	for i, want := range []string{"depth-2-seed-1", "search.visits-10-tournament.search.visits-20", trials[2].Folder, "b-x-y-z", trials[4].Folder} {
		if have[trials[i].ID] != want {
			t.Errorf("trial %d: %s, want %s", i, have[trials[i].ID], want)
		}
	}
	if len(slugs(trials[:1])) > 0 {
		t.Error("a lone trial needs no slug")
	}
}

// Axes that move together are no lines of their own.
func TestLineAxes(t *testing.T) {
	var q picture
	q.Figure = &experiment.Figure{}
	q.axes = []experiment.Axis{{Path: "games"}, {Path: "generations"}, {Path: "depth"}}
	for _, x := range [][3]string{{"100", "40", "2"}, {"100", "40", "5"}, {"200", "20", "2"}, {"200", "20", "5"}} {
		var s store.Trial
		for i, a := range q.axes {
			s.Declared.Axis = append(s.Declared.Axis, experiment.AxisValue{Path: a.Path, Value: x[i]})
		}
		q.groups = append(q.groups, store.Group{Trials: []*store.Trial{&s}})
	}
	for x, want := range map[string]string{"games": "[depth]", "depth": "[games generations]"} {
		var have []string
		for _, a := range q.lineAxes(x) {
			have = append(have, a.Path)
		}
		if fmt.Sprint(have) != want {
			t.Errorf("over %s: lines of %v", x, have)
		}
	}
}

// A sweep that says nothing of its notebook begins with its trials.
func TestSweepNotebook(t *testing.T) {
	file := func(sweep, rest string) string {
		return "alamos: 1\nname: x\nsweep: " + sweep + "\n" + rest
	}
	for _, test := range []struct{ file, want string }{
		{file("{seeds: 2}", ""), "trials score standings multiples learning-rate lengths generations metric learning network settings"},
		{file("{grid: {network.depth: [1, 2]}}", ""), "trials sweep elo score standings multiples learning-rate lengths generations metric learning network settings"},
		{file("{grid: {network.depth: [1, 2], network.width: [8, 16]}}", "tournament: {rounds: 0}"), "trials sweep loss heatmap loss effects loss multiples learning-rate lengths generations metric learning network settings"},
		{file("{grid: {network.depth: [1, 2], network.width: [8, 16], search.visits: [10, 20]}}", ""), "trials parallel elo effects elo score standings multiples learning-rate lengths generations metric learning network settings"},
		{file("{include: [{network.depth: 1}, {network.width: 8}, {search.visits: 10}, {search.c_puct: 1}, {search.fpu: 0.5}, {selfplay.games: 10}, {selfplay.surprise: 0.5}, {training.batch: 64}, {training.epochs: 2}]}", ""), "trials effects elo score standings multiples learning-rate lengths generations metric learning network settings"},
		{file("{grid: {network.depth: [1, 2]}}", "notebook: [{table: settings}]"), "settings"},
		{file("{seeds: 2}", "tournament: {rounds: 0}\ndata: {kind: pgn, files: a.pgn}\nevaluation: {puzzles: [a.epd]}"), "trials puzzles multiples learning-rate accuracy generations learning network settings"},
		{file("{seeds: 2}", "evaluation: {accuracy: false, puzzles: [a.epd]}"), "trials score standings puzzles multiples learning-rate lengths generations metric learning network settings"},
		{"alamos: 1\nname: x\n", "score standings crosstable loss lengths generations metric metric learning trials network settings"},
		{"alamos: 1\nname: x\nevaluation: {puzzles: [a.epd]}\n", "score standings crosstable puzzles loss accuracy lengths generations metric metric learning trials network settings"},
		{"alamos: 1\nname: x\ntournament: {rounds: 0}\nevaluation: {}\ndata: {kind: pgn, files: a.pgn}\n", "loss accuracy generations learning trials network settings"},
	} {
		var have []string
		for _, c := range Describe(load(t, test.file)).Notebook {
			switch {
			case c.Table != "":
				have = append(have, c.Table)
			case c.Figure != nil:
				have = append(have, c.Figure.Kind)
				if slices.Contains([]string{"sweep", "effects", "heatmap", "parallel"}, c.Figure.Kind) {
					have = append(have, c.Figure.Metric)
				}
			}
		}
		if have := strings.Join(have, " "); have != test.want {
			t.Errorf("%q: %s, want %s", test.file, have, test.want)
		}
	}
}

// The page of a sweep begins with an answer, which says what may be chance and what one
// seed can show.
func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		sweep string
		want  []string
	}{
		{"{grid: {network.depth: [1, 2]}}", []string{"with depth=2", "with depth=1", "may be chance", "about these networks, not about the settings"}},
		{"{grid: {network.depth: [1, 60]}, seeds: 3}", []string{"with depth=60", "higher than that of depth=1 by", "3 seeds"}},
		{"{grid: {network.depth: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}", []string{"and 7 more. The lead of depth=", "and 6 more may be chance."}},
		{"{seeds: 3}", nil},
	} {
		r := made(t, load(t, "alamos: 1\nname: x\ngenerations: 1\ntournament: {players: [last, untrained]}\nsweep: "+test.sweep), 1)
		text := answer(r.Trials, r.Axes, "")
		if (text == "") != (test.want == nil) {
			t.Fatalf("%s: %q", test.sweep, text)
		}
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q, want %q", test.sweep, text, want)
			}
		}
	}
}

// Results by color are the question if the first figure of the sweep shows them.
func TestAnswerAboutColors(t *testing.T) {
	for cells, want := range map[string]string{
		"{figure: {kind: sweep, metric: white_score}}":                          "Score of White in the tournament, with 95",
		"{figure: {kind: sweep, metric: draws}}, {figure: {kind: sweep}}":       "Share of draws in the tournament, with 95",
		"{figure: {kind: sweep}}, {figure: {kind: sweep, metric: white_score}}": "of the last network against its untrained network",
	} {
		r := made(t, load(t, "alamos: 1\nname: x\ngenerations: 1\ntournament: {players: [last, untrained]}\nsweep: {grid: {network.depth: [1, 2]}}\nnotebook: ["+cells+"]"), 1)
		if text := r.answer(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", cells, text, want)
		}
	}
}

// The caption of the losses names the heads that are drawn.
func TestCaptionOfLosses(t *testing.T) {
	for set, want := range map[string]string{
		"network.depth=1": "Losses of policy and value over epochs",
		"network={policy: none, policy_head: null}":                   "Loss of value over epochs",
		"network={policy: none, policy_head: null, moves_left: true}": "Losses of value and moves left over epochs",
		"network={soft_policy: true, future_board: 3}":                "Losses of policy, value, soft policy and future board over epochs",
		"network.moves_left=true":                                     "Losses of policy, value and moves left over epochs",
	} {
		r := made(t, load(t, sweepFile, "sweep=null", "notebook=[figure: loss-heads]", set), 3)
		page, err := r.Page(Options{}, r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		text := page.Markdown()
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: no %q\n%s", set, want, text)
		}
	}
}

// A key that means nothing in a trial puts it at none of its values.
func TestKeysOfSomeKinds(t *testing.T) {
	r := made(t, load(t, `alamos: 1
name: kinds
network: {depth: 1, width: 8}
generations: 1
sweep: {grid: {training.schedule.kind: [plateau, constant], training.schedule.patience: [1, 5]}}
tournament: {rounds: 0}
notebook:
  - figure: {kind: sweep, metric: loss}
  - figure: {kind: sweep, metric: loss, x: training.schedule.patience}
  - figure: {kind: parallel, metric: loss}
`), 1)
	all, err := r.drawn("")
	if err != nil {
		t.Fatal(err)
	}
	names := func(series []plots.Series) (out []string) {
		for _, s := range series {
			var x []float64
			for _, p := range s.Points {
				x = append(x, p.X)
			}
			out = append(out, fmt.Sprint(s.Name, " ", x))
		}
		return out
	}
	for i, want := range [][]string{
		{"patience=1 [0]", "patience=5 [0]", "without patience [1]"},
		{" [1 5]"}, // kind is plateau in all of them
	} {
		if diff := cmp.Diff(want, names(all[i].chart.(plots.Lines).Series)); diff != "" {
			t.Errorf("figure %d: %s", i, diff)
		}
	}
	c := all[2].chart.(plots.Parallel)
	if lines := c.Lines; !slices.Equal(c.Axes[1].Names, []string{"1", "5", "–"}) || len(lines) != 3 || lines[1].Name != "#2 kind=plateau patience=5" ||
		lines[2].Name != "#3 kind=constant" || lines[2].Values[1] != 2 {
		t.Errorf("parallel: %+v", c)
	}
}

// A report of one trial of a sweep has its files, with the same names and bytes.
func TestOnly(t *testing.T) {
	r := made(t, load(t, sweepFile, "sweep.seeds=1", "notebook=[table: trials, figure: score, figure: loss, figure: {kind: sweep, metric: elo}, table: standings]"), 3)
	r.Failed = map[string]string{filepath.Base(r.Trials[1].Dir): "out of memory"}
	bytesOf := func(r *Report) map[string]string {
		files, err := r.files(Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, f := range files {
			b, err := f.bytes()
			if err != nil {
				t.Fatal(err)
			}
			out[f.path] = string(b)
		}
		return out
	}
	whole := bytesOf(r)
	r.Only(r.Trials[1])
	if len(r.Trials) != 1 {
		t.Fatalf("%d trials", len(r.Trials))
	}
	dir := r.Trials[0].Dir
	for path, b := range bytesOf(r) {
		if !strings.HasPrefix(path, dir) || whole[path] != "" && whole[path] != b {
			t.Errorf("%s is of another trial or differs", path)
		}
	}
	if want := filepath.Join(dir, store.PageName); r.PagePath() != want {
		t.Errorf("the page is %s, want %s", r.PagePath(), want)
	}
	page, err := r.Page(Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page.Markdown())
	contains(t, text, `^# made/2$`, `^\*atomic, network.depth=2 training.schedule.kind=constant\*$`, `#2 network.depth=2 .*: out of memory`, `\(<figures/score.svg>\)`, `\(<figures/loss.svg>\)`)
	if strings.Contains(text, "depth=10") || strings.Contains(text, "trials.csv") || strings.Contains(text, "sweep") {
		t.Errorf("the page shows the other trial or the sweep:\n%s", text)
	}
}

// Figures of some trials alone are left out of the reports of others. A name that no trial has is
// an error of its figure, each time, and of no other.
func TestOnlySomeTrials(t *testing.T) {
	r := made(t, load(t, sweepFile, "sweep.seeds=2", "notebook=[figure: {kind: results, only: seed=1}, figure: {kind: loss, only: 2}, figure: {kind: score, only: seed=7}, figure: elo]"), 3)
	for range 2 {
		pictures, err := r.drawn("")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pictures {
			if (p.name == "score") != (p.err != nil && strings.Contains(p.err.Error(), `only: there is no trial "seed=7"`)) {
				t.Errorf("%s: %v", p.name, p.err)
			}
		}
	}
	r.Notebook = append(r.Notebook[:2:2], r.Notebook[3])
	r.Only(r.Trials[1])
	pictures, err := r.drawn("")
	var names []string
	for _, p := range pictures {
		names = append(names, p.name)
	}
	if err != nil || !slices.Equal(names, []string{"loss", "elo"}) {
		t.Errorf("figures %v, %v", names, err)
	}
}

// The page of very many trials says what it leaves out, and stays small.
func TestPageOfManyTrials(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of drawing")
	}
	text := `alamos: 1
name: many
network: {depth: 1, width: 8}
generations: 1
tournament: {rounds: 10, players: [every: 1, untrained]}
sweep: {random: {trials: 210, draw: {search.c_puct: {uniform: [1, 4]}, training.loss.policy: {uniform: [0.5, 1]}}}}
notebook:
  - figure: {kind: heatmap}
  - figure: {kind: score}
  - figure: {kind: multiples}
  - table: standings
`
	r := made(t, load(t, text), 1)
	page, err := r.Page(Options{}, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		" values: a heat map shows at most 100",
		"It shows the first 50 settings; 160 are left out.",
		"10 trials more are not on this page: see their folders, or write the page of one, as with alamos notebook many/201.",
		`id="trial_200"`,
	} {
		if !bytes.Contains(html, []byte(want)) {
			t.Errorf("the page does not have %s", want)
		}
	}
	if len(html) > 5<<20 || bytes.Contains(html, []byte("trial_201")) {
		t.Errorf("the page has %d bytes, and perhaps a link to what it leaves out", len(html))
	}
}

// The final tournament of a sweep opens its page, and gives the trials' scores and Elo.
func TestFinalTournament(t *testing.T) {
	const file = `alamos: 1
name: made
generations: 3
sweep:
  grid: {network.depth: [2, 10]}
  final: {rounds: 20, anchors: [random]}
tournament: {rounds: 10, players: [every: 1, untrained, random]}
`
	pages := map[string]string{}
	for _, seeds := range []string{"sweep.seeds=1", "sweep.seeds=2"} {
		e := load(t, file, seeds)
		r := made(t, e, 3)
		if page, err := r.Page(Options{}, r.Dir); err != nil || strings.Contains(string(page.Markdown()), "Standings of the final") {
			t.Errorf("a page before the final tournament (%v)", err)
		}
		var names []string
		for _, x := range e.Trials {
			names = append(names, x.Label)
		}
		res := &store.Tournament{Games: *match.NewResults(append(names, "random")), Anchor: "random", FirstMove: stats.Unknown()}
		for i, name := range res.Games.Names {
			p := store.PlayerResult{Generation: 3}
			if name == "random" {
				p.Generation = -1
			}
			p.Name, p.Elo = name, stats.Around(float64(400-100*i), 50)
			for j := range res.Games.Names {
				if i != j {
					res.Games.White[i][j] = stats.Record{Wins: 5 + j - i, Losses: 5 + i - j}
					p.Record = p.Record.Plus(stats.Record{Wins: 10 + 2*(j-i), Losses: 10 + 2*(i-j)})
				}
			}
			res.Players = append(res.Players, p)
		}
		facts, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		m := &store.Manifest{Stages: []*store.Stage{{Name: store.FinalStage, Facts: facts}}}
		dir := filepath.Join(r.Dir, store.ComparisonsFolder)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		r = open(t, r.Experiment, r.Dir)
		page, err := r.Page(Options{}, r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		pages[seeds] = string(page.Markdown())
		if elo, _ := store.Groups(r.Trials)[0].Measure("elo"); elo.Value < 300 {
			t.Errorf("%s: Elo %v", seeds, elo)
		}
	}
	for seeds, texts := range map[string][]string{
		"sweep.seeds=1": {"**Answer.** Share of the points of the last network in the final tournament", "Ratings in the final tournament", "Standings of the final tournament between all trials", "with score and Elo of the final tournament"},
		"sweep.seeds=2": {"Mean ratings of the settings in the final tournament", "Final tournament: 5 players"},
	} {
		at := 0
		for _, text := range texts {
			i := strings.Index(pages[seeds][at:], text)
			if i < 0 {
				t.Fatalf("%s: the page has no %q after what is before it:\n%s", seeds, text, pages[seeds])
			}
			at += i
		}
	}
}
