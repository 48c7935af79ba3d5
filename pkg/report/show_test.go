package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// evaluated is an experiment whose checkpoints are evaluated, with every table.
const evaluated = `alamos: 1
name: evaluated
generations: 3
search: {visits: 7}
training: {validation: 0.2}
evaluation: {every: 1, puzzles: [mates.epd]}
tournament: {rounds: 10, players: [every: 1, untrained, random]}
sweep: {grid: {network.depth: [1, 2]}}
hooks: [kings.go]
notebook: [table: trials, table: puzzles, table: accuracy, table: crosstable, table: standings, figure: {kind: tree, generation: 1}]
`

func contains(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("no %q in:\n%s", p, text)
		}
	}
}

func TestShow(t *testing.T) {
	r := made(t, load(t, evaluated, "notebook=[table: trials]"), 3)
	run, err := store.ReadRun(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	shown := func(trial *store.Trial, verify bool) (*Shown, string) {
		t.Helper()
		s, err := Show(run, trial, verify)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := s.Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
		return s, text.String()
	}
	s, text := shown(nil, false)
	contains(t, text, `^experiment +evaluated \(made.yaml\)$`, `^search.visits +7 +made.yaml:4$`, `^network.depth +\[1, 2\] `, `^# +network.depth +score`, `^2 +2 +0\.85.* [0-9a-f]{10}$`, `mates solved`)
	if len(s.All) != 2 || s.All[1].Number != 2 || s.All[1].Done != 3 || s.All[1].Metrics["score"].Missing() || strings.Contains(text, "self-play 1") {
		t.Errorf("%+v\n%s", s.All, text)
	}
	trial := run.Opened[1]
	trial.Manifest.Ended = &store.Ended{Generation: 3, Why: "enough"}
	s, text = shown(trial, true) // the fixture leaves no files of weights
	contains(t, text, `^differs in +network.depth=2$`, `^ended early +enough$`, `^training 3 +.* 1.5 s +1 missing: `, `^ +3  mates +40 +9 +22.5 +23 +57.5$`, `^ +3  opening +30 +25.0 +50.0 +0.125$`, `^gen-3 +34/0/6 +34.0 +85.0 +`)
	if s.Damaged() || strings.Contains(text, "1  mates") {
		t.Errorf("%s", text)
	}
	s.All[0].Details.Stages[0].State = store.FileDamaged
	if !s.Damaged() {
		t.Error("a damaged file is not reported")
	}
	run.Experiment = nil
	if _, err := Show(run, nil, false); err == nil {
		t.Error("shown without its experiment")
	}
}

func TestList(t *testing.T) {
	var out bytes.Buffer
	if err := List(&out, []*store.Run{
		{Name: "a", State: store.Finished, Trials: 2, TrialsDone: 2, Generations: 6, Done: 6, Bytes: 1_234_567, Page: "a/notebook.html", Experiment: &store.Experiment{}},
		{Name: "b", State: store.Running, Stage: "training 2", Holder: "process 7", Trials: 3, TrialsDone: 1, Old: 4, Experiment: &store.Experiment{}},
		{Name: "c", State: store.Running, Holder: "process 7"}, {Name: "d", State: store.Interrupted, Stage: "training 1"}, {Name: "e", State: store.Damaged, Why: "torn"},
	}); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), `^NAME +STATE`, `^a +finished +2 +6 .* 1.2 MB +a/notebook.html$`, `^b +running: training 2 \(process 7\) +1/3 \(\+4 old\)`,
		`^c +running \(process 7\) +0 +\?`, `^d +interrupted before training 1`, `^e +damaged: torn`)
	for seconds, want := range map[float64]string{1.26: "1.3 s", 59.6: "60 s", 7260: "2h1m0s"} {
		if have := lasted(seconds); have != want {
			t.Errorf("%v seconds: %s, want %s", seconds, have, want)
		}
	}
}

// A run writes the page, all figures and tables; the Markdown has its own.
func TestWrite(t *testing.T) {
	r := made(t, load(t, evaluated), 3)
	if err := Write(r.Experiment, r.Dir); err != nil {
		t.Fatal(err)
	}
	trial := filepath.Base(r.Trials[0].Dir)
	for name, want := range map[string]string{
		"notebook.html": "Puzzles solved by the network alone and with a search of", "trials.csv": "network.depth,number,trial,generations_done,samples",
		trial + "/generations.csv": "1,3,0,100,", trial + "/evaluation/puzzles.csv": "1,mates,40,3,0.075,21,0.525", trial + "/evaluation/accuracy.csv": "1,endgame,0,,0,0",
		trial + "/learning.csv": ",0.5,2,1.5,0.75,0.133333,1,0.833333,0.333333,0", trial + "/calibration.csv": "1,-1,-0.8,30,-0.9,-0.5",
		trial + "/hooks/kings.csv": "generation,alive", trial + "/epochs.csv": "1,1,0.05,",
	} {
		b, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s has no %q (%v):\n%.500s", name, want, err, b)
		}
	}
	page := filepath.Join(t.TempDir(), "page.md")
	if err := open(t, r.Experiment, r.Dir).WriteMarkdown(page); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(b), `\(\[csv\]\(<page/puzzles-depth-1.csv>\)\)`, `^\| \[2\]\(#trial_2\) \|`, `There is nothing to draw yet for the figure tree-gen-1: the run has not analyzed`)
	if err := r.WriteMarkdown("noending"); err == nil {
		t.Error("wrote a page without an ending")
	}
	if err := Tables(r.Trials[1]); err != nil {
		t.Error(err)
	}
}

// The page tells a reader what is missing and why.
func TestNotes(t *testing.T) {
	r := made(t, load(t, evaluated), 3)
	r.Failed = map[string]string{filepath.Base(r.Trials[1].Dir): "out of memory\nat line 2"}
	r.Left = []experiment.Left{{Label: "network.depth=5", Why: "sweep.budget.trials"}}
	r.Trials = r.Trials[:1]
	r.Trials[0].Manifest.Ended = &store.Ended{Generation: 3, Why: "2nd of 4"}
	r.Changes = []experiment.Difference{{Path: "search.visits", A: "800", B: "7"}, {Path: "notebook"}}
	r.Notebook[0].Table, r.Notebook[1].Table = "settings", "network"
	page, err := r.Page(Options{}, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(page.Markdown()), `1 trial failed`, `#2 network.depth=2: out of memory$`, `after generation 3 of 3, 2nd of 4$`, `leaves out 1 combination`, `network.depth=5: sweep.budget.trials$`,
		`^\| search.visits \| 800 \| 7 \|$`, `^<details><summary>Resolved settings \(`, `^<details><summary>Layers of the network network.depth=1</summary>`)
}

func TestRungTable(t *testing.T) {
	table := rungTable(store.Rung{Generation: 2, Metric: "accuracy.top1", Survivors: 1, Ranking: []store.RungTrial{{Trial: "abc"}}}, nil)
	if table.Columns[2].Name != "top1 accuracy" || table.Rows[0][1].Text != "abc" {
		t.Errorf("%+v", table)
	}
	for name, want := range map[string]store.Metric{
		"puzzles.x":            {Label: "x solved", Better: stats.Higher, Source: store.FromEvaluation, Share: true},
		"policy.x":             {Label: "x solved by the network alone", Better: stats.Higher, Source: store.FromEvaluation, Share: true},
		"accuracy.value_error": {Label: "value error", Better: stats.Lower, Source: store.FromEvaluation, OwnGames: true},
		"kings.on_board":       {Label: "kings.on board", Source: store.FromHooks},
	} {
		want.Name = name
		if have := store.MetricOf(name); have != want {
			t.Errorf("%s: %+v", name, have)
		}
	}
}
