package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
)

// results leaves the results of an experiment of two trials in a new folder.
func results(t *testing.T) (dir string, x *Experiment, trials []*Trial) {
	t.Helper()
	e, err := experiment.Load("two.yaml", experiment.Options{ReadFile: func(string) ([]byte, error) {
		return []byte("alamos: 1\nname: two\ngenerations: 2\ntournament: {rounds: 2}\nsweep: {grid: {network.depth: [1, 2]}}\n"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "two")
	for _, declared := range e.Trials {
		trial, err := Open(dir, declared)
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, trial)
		reach(t, trial, UntrainedStage, SelfPlayStage(1), TrainStage(1), SelfPlayStage(2), TrainStage(2), TournamentStage)
	}
	x = Describe(e)
	x.Ended = true
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir, x, trials
}

// reach leaves a trial with these stages done, and no others.
func reach(t *testing.T, trial *Trial, stages ...string) {
	t.Helper()
	trial.Manifest.Stages = nil
	for _, s := range stages {
		trial.Manifest.Put(&Stage{Name: s})
	}
	if err := trial.Manifest.Write(trial.Dir); err != nil {
		t.Fatal(err)
	}
}

func TestReadRun(t *testing.T) {
	dir, x, trials := results(t)
	want := func(what, want string) {
		t.Helper()
		r, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		why := strings.ReplaceAll(r.Why, trials[0].Dir, "DIR")
		if have := fmt.Sprintf("%s %q, trials %d/%d +%d, generations %d/%d, %s", r.State, r.Stage, r.TrialsDone, r.Trials, r.Old, r.Done, r.Generations, why); !strings.HasPrefix(have, want) {
			t.Errorf("%s: %s\nwant %s", what, have, want)
		}
		if r.Name != "two" || r.Bytes == 0 || r.Changed.IsZero() {
			t.Errorf("%s: %+v", what, r)
		}
	}
	write := func(change func()) {
		t.Helper()
		change()
		if err := x.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	want("done", `finished "", trials 2/2 +0, generations 4/4, `)

	l, err := disk.TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := ReadRun(dir); err != nil || r.State != Running || !strings.Contains(r.Holder, fmt.Sprintf("process %d on", os.Getpid())) {
		t.Errorf("locked: %+v (%v)", r, err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}

	write(func() { x.Ended = false })
	reach(t, trials[1], UntrainedStage, SelfPlayStage(1), TrainStage(1), SelfPlayStage(2))
	want("killed", `interrupted "training 2 of trial 2", trials 1/2 +0, generations 3/4, `)
	write(func() { x.Ended, x.Failed = true, map[string]string{filepath.Base(trials[1].Dir): "no"} })
	want("failed", `failed "", trials 1/2 +0, generations 3/4, 1 of 2 trials failed`)

	write(func() { x.Failed = nil })
	if err := os.RemoveAll(trials[1].Dir); err != nil {
		t.Fatal(err)
	}
	want("removed", `interrupted "untrained network of trial 2", trials 1/2 +0, generations 2/4, `)
	write(func() { x.Trials = x.Trials[1:] })
	want("a trial less", `interrupted "untrained network", trials 0/1 +1, generations 0/2, `)

	if err := os.WriteFile(filepath.Join(trials[0].Dir, ManifestName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	write(func() { x.Trials = []experiment.Trial{trials[0].Declared} })
	want("a damaged manifest", `damaged "untrained network", trials 0/1 +0, generations 0/2, DIR/manifest.json is damaged (unexpected end of JSON input): delete it`)
	if err := os.WriteFile(filepath.Join(dir, ExperimentName), []byte(`{"name":`), 0o666); err != nil {
		t.Fatal(err)
	}
	want("a damaged experiment", `damaged "", trials 0/1 +0, generations 0/0, `+filepath.Join(dir, "experiment.json")+" is damaged (unexpected end of JSON input)")

	for name, text := range map[string]string{
		"a pack with options of another type": `{"name":"x","trials":[{"settings":{"tournament":{"players":[{"uci":"x","options":5}]}}}]}`,
		"rungs without end":                   `{"name":"x","halving":{"Factor":1,"First":1}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, ExperimentName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadExperiment(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}

	if r, err := ReadRun(t.TempDir()); r != nil || err != nil {
		t.Errorf("an empty folder: %v (%v)", r, err)
	}
	if runs, err := List(filepath.Dir(dir)); err != nil || len(runs) != 1 {
		t.Errorf("listed: %v (%v)", runs, err)
	}
	if runs, err := List(filepath.Join(dir, "nowhere")); err != nil || len(runs) != 0 {
		t.Errorf("listed where nothing is: %v (%v)", runs, err)
	}
}

// find writes a trial as EXPERIMENT/NUMBER.
func found(r *Run, t *Trial) string {
	if t == nil {
		return r.Name
	}
	return fmt.Sprintf("%s/%d", r.Name, t.Declared.Number)
}

func TestResolve(t *testing.T) {
	dir, _, trials := results(t)
	all, folder := filepath.Dir(dir), filepath.Base(trials[0].Dir)
	for name, want := range map[string]string{
		"two": "two", dir: "two", dir + "/": "two",
		"two/1": "two/1", "two/2": "two/2", dir + "/2": "two/2",
		"two/depth=2": "two/2", "two/network.depth=1": "two/1",
		"two/" + folder: "two/1", "two/" + folder[:4]: "two/1", trials[1].Dir: "two/2", folder[:5]: "two/1",
	} {
		r, trial, err := Resolve(all, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if have := found(r, trial); have != want {
			t.Errorf("%s: %s, want %s", name, have, want)
		}
	}
	candidates := fmt.Sprintf("1 (depth=1, %s), 2 (depth=2, %s)", folder, filepath.Base(trials[1].Dir))
	for name, wants := range map[string][]string{
		"three":       {`"three"`, "there are two"},
		"two/3333":    {`two: there is no trial "3333"`, candidates},
		"two/depth=3": {`there is no trial "depth=3"`, candidates},
		"two/width=1": {`does not vary "width"`, "network.depth"},
		"two/xyz":     {`there is no trial "xyz"`, candidates},
		folder[:2]:    {folder[:2], "there are two"}, // too few digits
	} {
		_, _, err := Resolve(all, name)
		wantError(t, err, wants...)
	}
	_, _, err := Resolve(t.TempDir(), "two")
	wantError(t, err, "none at all")
	if err := os.Remove(filepath.Join(trials[1].Dir, ManifestName)); err != nil {
		t.Fatal(err)
	}
	_, _, err = Resolve(all, "two/2")
	wantError(t, err, "trial 2 has not begun")
}

func TestFindTrial(t *testing.T) {
	axes := func(values ...string) (axis []experiment.AxisValue) {
		for i, path := range []string{"search.visits", "tournament.search.visits", "network.width", "seed"} {
			axis = append(axis, experiment.AxisValue{Path: path, Value: values[i]})
		}
		return axis
	}
	trials := make([]experiment.Trial, 12)
	for i := range trials {
		seed := fmt.Sprint(i + 1)
		trials[i] = experiment.Trial{Number: i + 1, Label: "search.visits=8 network.width=16 seed=" + seed, Axis: axes("8", "8", "16", seed), Folder: experiment.Hash(seed)[:10]}
		trials[i].Settings.Seed = uint64(i + 1)
	}
	trials[10].Name, trials[10].Label = "2 wide", "2 wide seed=11"
	trials[6].Folder, trials[7].Folder, trials[8].Folder = "13adbe1234", "119adbe123", "40adbe1234" // not the trials 13, 119 and 40
	for name, want := range map[string]int{"13a": 6, "119a": 7, "1": 0, "12": 11, "seed=3": 2, "2 wide": 10, "2 wide,seed=11": 10, "seed=11": 10, "width=16,seed=8": 7, "search.visits=8 network.width=16 seed=2": 1, trials[4].Folder: 4} {
		if i, err := FindTrial(trials, name); err != nil || i != want {
			t.Errorf("%s: %d (%v), want %d", name, i, err, want)
		}
	}
	for name, want := range map[string]string{
		"":              "there are 12 trials: want one of 1 (search.visits=8,width=16,seed=1, " + trials[0].Folder + "), 2 (",
		"13":            `there is no trial "13"`,
		"40":            `there is no trial "40"`,
		"119":           `there is no trial "119"`,
		"width=16":      `"width=16" means 12 trials`,
		"2 wide,seed=3": `there is no trial "2 wide,seed=3"`,
		"visits=8":      "search.visits, tournament.search.visits",
	} {
		_, err := FindTrial(trials, name)
		wantError(t, err, want)
	}
	more := append(slices.Clone(trials), experiment.Trial{Number: 13, Label: "network.width=16", Axis: axes("8", "8", "16", "1")})
	if i, err := FindTrial(more, "width=16"); i != 12 || err != nil {
		t.Errorf("a name that is all of one label: %d, %v", i, err)
	}
	if i, err := FindTrial(trials[:1], ""); i != 0 || err != nil {
		t.Errorf("the only trial: %d, %v", i, err)
	}
	if have := TrialNames(trials, "1"); len(have) < 4 || !slices.ContainsFunc(have, func(n string) bool { return strings.HasPrefix(n, "10\tsearch.visits=8 ") }) {
		t.Errorf("completion of 1: %q", have)
	}
	if have := TrialNames(trials, "search.visits=8,width=16,seed=1"); len(have) != 3 {
		t.Errorf("completion of a label: %q", have)
	}
}

func TestVerify(t *testing.T) {
	_, _, trials := results(t)
	x := trials[0]
	if err := disk.WriteBytes(x.Path("a"), []byte("a")); err != nil {
		t.Fatal(err)
	}
	sum, err := disk.Sum(x.Path("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		outputs map[string]string
		want    string
	}{
		{map[string]string{"a": sum}, "ok "},
		{map[string]string{"a": sum, "b": sum, "c": sum}, "missing b"},
		{map[string]string{"A": sum, "a": "another"}, "damaged a"},
		{nil, "ok "},
	} {
		state, file, err := (&Stage{Outputs: test.outputs}).Verify(x.Dir, true)
		if have := fmt.Sprint(state, " ", file); err != nil || have != test.want {
			t.Errorf("%v: %s (%v), want %s", test.outputs, have, err, test.want)
		}
	}
}

// A stored result is valid as long as its checkpoint and its file are unchanged.
func TestPositionResult(t *testing.T) {
	_, _, trials := results(t)
	x := trials[0]
	x.Manifest.Stage(TrainStage(2)).Outputs = map[string]string{CheckpointFile(2): "sum"}
	q, ok := x.Position(&experiment.Figure{Kind: "tree", Visits: 8})
	if !ok || q != (Position{Position: "start", Generation: 2, Visits: 8}) || q.Stage() != "position start, 8 visits of gen-2" {
		t.Errorf("position %+v of stage %q", q, q.Stage())
	}
	zero := 0
	p, _ := x.Position(&experiment.Figure{Kind: "policy", Visits: 8, Generation: &zero, Position: "fen"})
	if p != (Position{Position: "fen"}) || p.Stage() != "position fen, policy of untrained" || p.File() == q.File() {
		t.Errorf("position %+v of stage %q", p, p.Stage())
	}
	all, _ := x.Position(&experiment.Figure{Kind: "policy", Boards: experiment.MoveBoards})
	if !all.All || all.Stage() != "position start, all moves of the policy of gen-2" || all.File() == p.File() {
		t.Errorf("position %+v of stage %q", all, all.Stage())
	}
	if _, ok := x.Position(&experiment.Figure{Kind: "loss"}); ok {
		t.Error("a figure of losses has a position")
	}
	stored := func(want bool) {
		t.Helper()
		if a, err := x.PositionResult(q); err != nil || (a != nil) != want || a != nil && a.Moves[0].SAN != "e4" {
			t.Errorf("result %+v (%v), want one: %v", a, err, want)
		}
	}
	stored(false)
	if err := (&PositionResult{Moves: []MoveResult{{SAN: "e4", Q: stats.Float(math.NaN())}}}).Write(x.Path(q.File())); err != nil {
		t.Fatal(err)
	}
	sum, err := disk.Sum(x.Path(q.File()))
	if err != nil {
		t.Fatal(err)
	}
	x.Manifest.Put(&Stage{Name: q.Stage(), Inputs: Inputs{"network": "sum"}, Outputs: map[string]string{q.File(): sum}})
	stored(true)
	x.Manifest.Stage(TrainStage(2)).Outputs[CheckpointFile(2)] = "of another training"
	stored(false)
	x.Manifest.Stage(TrainStage(2)).Outputs[CheckpointFile(2)] = "sum"
	if err := os.WriteFile(x.Path(q.File()), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = x.PositionResult(q)
	wantError(t, err, q.File(), "checksum")
	if err := os.Remove(x.Path(q.File())); err != nil {
		t.Fatal(err)
	}
	stored(false)
}

// manyTrials leaves the finished results of a sweep of n trials below a new folder.
func manyTrials(t testing.TB, n int) (root string) {
	t.Helper()
	e, err := experiment.Load("many.yaml", experiment.Options{ReadFile: func(string) ([]byte, error) {
		return fmt.Appendf(nil, "alamos: 1\nname: many\ngenerations: 1\ntournament: {rounds: 2}\nsweep: {seeds: %d}\n", n), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	dir := filepath.Join(root, "many")
	for _, declared := range e.Trials {
		trial := &Trial{Declared: declared, Dir: filepath.Join(dir, declared.Folder), Manifest: &Manifest{}}
		for _, name := range []string{UntrainedStage, SelfPlayStage(1), TrainStage(1), TournamentStage} {
			trial.Manifest.Put(&Stage{Name: name, Inputs: Inputs{"seed": fmt.Sprint(declared.Settings.Seed)}})
		}
		b, err := json.Marshal(trial.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(trial.Dir, 0o777), os.WriteFile(trial.Path(ManifestName), b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	x := Describe(e)
	x.Ended = true
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	return root
}

// The work for a trial must not grow with the number of trials: twice as many may allocate
// little more than twice as much.
func TestListIsLinear(t *testing.T) {
	allocations := func(n int) float64 {
		root := manyTrials(t, n)
		return testing.AllocsPerRun(1, func() {
			if runs, err := List(root); err != nil || len(runs) != 1 || runs[0].TrialsDone != n {
				t.Fatalf("%+v (%v)", runs, err)
			}
		})
	}
	if few, many := allocations(50), allocations(100); many > 2.2*few {
		t.Errorf("%.0f allocations for 50 trials, %.0f for 100", few, many)
	}
}
