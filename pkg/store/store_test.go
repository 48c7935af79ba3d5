package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/search"
	"alamos/pkg/stats"
)

// wantError wants an error that has all these texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

func TestInputsChange(t *testing.T) {
	const a, b = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	for _, test := range []struct {
		was, is Inputs
		want    string
	}{
		{Inputs{"x": "1"}, Inputs{"x": "1"}, ""},
		{Inputs{"tournament.rounds": "4"}, Inputs{"tournament.rounds": "6"}, "tournament.rounds 4 -> 6"},
		{Inputs{"code": "1"}, Inputs{"code": "2"}, "alamos computes this in another way now (version 1 -> 2)"},
		{Inputs{"network": a}, Inputs{"network": b}, "network changed"},
		{Inputs{}, Inputs{"player random": "plays"}, "player random plays (new)"},
		{Inputs{"player random": "plays"}, Inputs{}, "player random plays (gone)"},
		{Inputs{}, Inputs{"samples 2": a}, "samples 2 changed"},
		{Inputs{"b": "1", "a": "1"}, Inputs{"b": "2", "a": "2"}, "a 1 -> 2, b 1 -> 2"},
		{listed("gen-2", "random"), listed("random", "gen-2"), "players in another order"},
		{listed("gen-2", "random"), listed("gen-4", "random", "untrained"), "players -gen-2 +gen-4 +untrained"},
		{listed("a", "b", "c", "d", "e", "f", "g"), listed("a"), "players -b -c -d -e -f -g"},
		{listed("a"), listed("a", "b", "c", "d", "e", "f", "g", "h", "i"), "players +b +c +d +e +f +g +2 more"},
		{Inputs{"player random": "plays"}, listed("random"), `players ["random"] (new)`},
		{Inputs{}, Inputs{"a": "1", "b": "1", "c": "1", "d": "1", "e": "1"}, "a 1 (new), b 1 (new), c 1 (new), and more"},
	} {
		if have := test.is.Change(test.was); have != test.want {
			t.Errorf("%v -> %v: %q, want %q", test.was, test.is, have, test.want)
		}
	}
}

// listed are the inputs of a tournament of these players.
func listed(names ...string) Inputs {
	in := Inputs{}
	in.List("player", names)
	for _, n := range names {
		in["player "+n] = "plays"
	}
	return in
}

func TestInputsOfSettings(t *testing.T) {
	in := Inputs{}
	in.Settings("search", search.Config{Visits: 100, CPuct: 1.5, TreeReuse: true, Noise: search.Noise{Alpha: 0.3}})
	for key, want := range map[string]string{"search.visits": "100", "search.c_puct": "1.5", "search.tree_reuse": "true", "search.noise.alpha": "0.3"} {
		if in[key] != want {
			t.Errorf("%s is %q, want %q (all: %v)", key, in[key], want, in)
		}
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func(in Inputs, ok bool, why string) {
		t.Helper()
		haveOK, haveWhy, err := m.Fresh(dir, "stage", in, false)
		if err != nil || haveOK != ok || haveWhy != why {
			t.Errorf("fresh: %v, %q, %v; want %v, %q", haveOK, haveWhy, err, ok, why)
		}
	}
	in := Inputs{"x": "1"}
	fresh(in, false, "first time")

	path := filepath.Join(dir, "out.txt")
	if err := disk.WriteBytes(path, []byte("bytes")); err != nil {
		t.Fatal(err)
	}
	h, err := disk.Sum(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Put(&Stage{Name: "other"})
	m.Put(&Stage{Name: "stage", Inputs: in, Outputs: map[string]string{"out.txt": h}, Facts: json.RawMessage(`{"loss":null}`)})
	m.Put(&Stage{Name: "other", Seconds: 2}) // replaces
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	if m, err = ReadManifest(dir); err != nil {
		t.Fatal(err)
	}
	if len(m.Stages) != 2 || m.Stages[0].Name != "other" || m.Stages[0].Seconds != 2 {
		t.Errorf("stages: %+v", m.Stages)
	}
	var facts struct {
		Loss stats.Float `json:"loss"`
	}
	if err := m.Stage("stage").Decode(&facts); err != nil || !math.IsNaN(float64(facts.Loss)) {
		t.Errorf("facts %+v (%v), want NaN", facts, err)
	}
	fresh(in, true, "")
	fresh(Inputs{"x": "2"}, false, "x 1 -> 2")

	if err := os.WriteFile(path, []byte("bytez"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err = m.Fresh(dir, "stage", in, false)
	wantError(t, err, path, "checksum")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fresh(in, false, "out.txt is missing")
}

// A file with the size and time that it had when it was hashed is not read again, except on
// request. A copy with another time is.
func TestFreshTrustsStamps(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "out.txt"), time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	write("bytes", time.Now().Add(time.Hour)) // so young that its stamp proves nothing
	s := &Stage{Name: "stage"}
	if err := s.Record(dir, "out.txt"); err != nil || len(s.Stamps) > 0 {
		t.Fatalf("stamps %v (%v)", s.Stamps, err)
	}
	m := &Manifest{}
	m.Put(s)
	for _, step := range []struct {
		text   string
		at     time.Time
		all    bool
		damage bool
	}{
		{"bytes", old, false, false}, // which gives it a stamp
		{"bytez", old, false, false},
		{"bytez", old, true, true},
		{"bytez", old.Add(time.Second), false, true},
		{"byte", old, false, true},
		{"bytes", old.Add(time.Minute), false, false},
		{"bytez", old.Add(time.Minute), false, false},
	} {
		write(step.text, step.at)
		ok, _, err := m.Fresh(dir, "stage", nil, step.all)
		if ok == step.damage || errors.Is(err, ErrDamaged) != step.damage {
			t.Errorf("%+v: %v, %v", step, ok, err)
		}
		if step.damage != (err != nil) {
			continue
		}
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		if m, err = ReadManifest(dir); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Stamps) > 0 {
		t.Error("the recorded stage changed, which others may read")
	}
}

func TestFloatJSON(t *testing.T) {
	type pair struct{ A, B stats.Float }
	b, err := json.Marshal(pair{1.5, stats.Float(math.NaN())})
	if err != nil || string(b) != `{"A":1.5,"B":null}` {
		t.Fatalf("%s (%v)", b, err)
	}
	var back pair
	if err := json.Unmarshal(b, &back); err != nil || back.A != 1.5 || !math.IsNaN(float64(back.B)) {
		t.Errorf("%+v (%v)", back, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"x"}`), &back); err == nil {
		t.Error("a text is not a number")
	}
}

func TestFindMetric(t *testing.T) {
	s := &Trial{Manifest: &Manifest{}}
	s.Declared.Settings.Generations = 2
	s.Declared.Settings.Hooks = []experiment.Hook{{File: config.File{Path: "x/kings.go"}}, {File: config.File{Path: "pawns.go"}, Metric: "pawn"}}
	s.Manifest.Put(&Stage{Name: HooksStage(1), Inputs: Inputs{"hooks": `["kings","pawn"]`}, Facts: json.RawMessage(`{"metrics": [{"alive": 1, "dead": null}, {}]}`)})
	s.Manifest.Put(&Stage{Name: HooksStage(2), Inputs: Inputs{"hooks": `["old","pawn","kings"]`}, Facts: json.RawMessage(`{"metrics": [{"alive": 7}, {"passed": 3}, {"alive": 1}]}`)})
	for name, want := range map[string]string{
		"alive": "0 alive", "kings.dead": "0 dead", "dead": "0 dead",
		"pawn": "1 passed", "passed": "1 passed", "pawn.passed": "1 passed", // only generation 2 has it
	} {
		i, metric, err := s.FindMetric(name)
		if have := fmt.Sprint(i, " ", metric); err != nil || have != want {
			t.Errorf("%s: %s (%v), want %s", name, have, err, want)
		}
	}
	for _, name := range []string{"kings", "queens", "pawn.alive"} {
		_, _, err := s.FindMetric(name)
		wantError(t, err, fmt.Sprintf("%q", name), "alive, dead, passed")
		if errors.Is(err, ErrUnmeasured) {
			t.Errorf("%s: every hook has metrics: %v", name, err)
		}
	}
	s.Declared.Settings.Hooks = append(s.Declared.Settings.Hooks, experiment.Hook{File: config.File{Path: "queens.go"}}) // it has failed twice
	if _, _, err := s.FindMetric("traded"); !errors.Is(err, ErrUnmeasured) {
		t.Errorf("a metric of a hook that failed: %v", err)
	}
	if i, metric, err := s.FindMetric("dead"); i != 0 || metric != "dead" || err != nil {
		t.Errorf("beside a hook that failed: %d %s, %v", i, metric, err)
	}
	s.Declared.Settings.Hooks = nil
	_, _, err := s.FindMetric("traded")
	wantError(t, err, "no hooks")
}

func TestCompareStages(t *testing.T) {
	want := []string{UntrainedStage, SelfPlayStage(1), HooksStage(1), TargetStage(1), TrainStage(1), CheckpointHooksStage(1), StopStage(1),
		SelfPlayStage(2), TrainStage(2), SelfPlayStage(10), TournamentStage, Position{Position: "start", Generation: 2}.Stage()}
	have := slices.Clone(want)
	slices.Sort(have)
	if slices.Equal(have, want) {
		t.Fatal("the order of letters would do")
	}
	slices.SortFunc(have, CompareStages)
	if !slices.Equal(have, want) {
		t.Errorf("%q", have)
	}
}

// A trial's folder has its settings and the scripts that they name. They depend on the
// experiment only: not on the folder of the results, and not on earlier settings.
func TestWriteSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	script := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err == nil {
			err = os.WriteFile(name, []byte(text), 0o666)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	script("a/count.go", "package main // a")
	script("b/count.go", "package main // b")
	script("stop.go", "package main // stop")
	load := func(text string) experiment.Trial {
		script("x.yaml", "alamos: 1\nname: x\ngame: {variant: atomic}\n"+text)
		e, err := experiment.Load("x.yaml", experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Trials[0]
	}
	both := load("hooks: [a/count.go, {file: b/count.go, metric: b}]\n")
	write := func(dir string, declared experiment.Trial) map[string]string {
		if err := (&Trial{Declared: declared, Dir: dir}).WriteSettings(); err != nil {
			t.Fatal(err)
		}
		have := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			have[strings.TrimPrefix(path, dir)] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return have
	}
	near := write("results/x/1", both)
	if len(near) != 3 {
		t.Errorf("files %v, want the settings and two scripts", slices.Collect(maps.Keys(near)))
	}
	if diff := cmp.Diff(near, write("far/away/from/here/1", both)); diff != "" {
		t.Error(diff)
	}
	again, err := experiment.Load("results/x/1/"+SettingsFile, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := again.Trials[0], both; a.ID != b.ID || experiment.Hash(a.Settings.Hooks) != experiment.Hash(b.Settings.Hooks) {
		t.Errorf("the record has the hooks %v, want %v", a.Settings.Hooks, b.Settings.Hooks)
	}
	// Other settings leave no file of these.
	stop := load("stop: stop.go\n")
	if diff := cmp.Diff(write("new", stop), write("results/x/1", stop)); diff != "" {
		t.Error(diff)
	}
	script("stop.go", "package main // changed")
	if err := (&Trial{Declared: stop, Dir: "new"}).WriteSettings(); err == nil || !strings.Contains(err.Error(), "stop.go has changed") {
		t.Errorf("error %v for a script that has changed", err)
	}
}
