package store

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
)

// Trials and models are named in the same way everywhere:
//
//	lab                   the experiment, or its trial if it has only one
//	lab/3                 the trial with number 3
//	lab/width=16,seed=8   the trial with these swept values
//	lab/large,seed=8      the trial of this name in sweep.include, with this seed
//	lab/876a              the trial with a folder hash that begins with 876a
//	lab/3@20              the model after generation 20; also @last and @untrained
//
// If a name can be a trial number or a hash, it is a number. A swept key may be shortened
// to its last parts if no other swept key ends with them. Paths of experiment and trial
// folders also are names, and so is a hash without the experiment. The file of a pack stands for
// its experiment: lab.tar.zst, lab.tar.zst/3.

// HashDigits is the least number of digits of a hash that names a trial.
const HashDigits = 3

// FindTrial returns the index of the named trial: by number, by the name of its combination, by
// swept values, or by the first digits of its hash. An empty name means the only trial. Errors
// list the possible trials.
func FindTrial(trials []experiment.Trial, name string) (int, error) {
	found, err := find(trials, name, false)
	if err != nil {
		return 0, err
	}
	return found[0], nil
}

// TrialsOf returns the trials that a figure shows. A name in its list stands for all seeds of a
// combination, or for the trial with a number or hash.
func TrialsOf(trials []experiment.Trial, f *experiment.Figure) (shown []experiment.Trial, err error) {
	if len(f.Only) == 0 {
		return trials, nil
	}
	for _, name := range f.Only {
		found, err := find(trials, name, true)
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			shown = append(shown, trials[i])
		}
	}
	return shown, nil
}

// find returns the index of the named trial. With seeds, a name with swept values or that of a
// combination may mean several trials, such as its seeds.
func find(trials []experiment.Trial, name string, seeds bool) (found []int, err error) {
	if len(trials) == 0 {
		return nil, errors.New("the experiment has no trials")
	}
	n, err := strconv.Atoi(name)
	if err == nil && n >= 1 && n <= len(trials) {
		return []int{n - 1}, nil
	}
	named := func(t experiment.Trial) bool { return name != "" && (t.Label == name || ShortLabel(&t, ",") == name) }
	if i := slices.IndexFunc(trials, named); i >= 0 && !slices.ContainsFunc(trials[i+1:], named) {
		return []int{i}, nil
	}
	isNumber := err == nil && n < 10*len(trials) // an index that is too high is no hash
	means := func(t *experiment.Trial) bool {
		return name == "" || len(name) >= HashDigits && !isNumber && strings.HasPrefix(t.Folder, name)
	}
	combination := "" // the longest name of one with which name begins
	for _, t := range trials {
		rest, begins := strings.CutPrefix(name, t.Name)
		if begins && len(t.Name) > len(combination) && (rest == "" || rest[0] == ',' || rest[0] == ' ') {
			combination = t.Name
		}
	}
	byValues := combination != "" || strings.Contains(name, "=")
	if byValues {
		values, err := sweptValues(trials, name[len(combination):])
		if err != nil {
			return nil, err
		}
		means = func(t *experiment.Trial) bool {
			return (combination == "" || t.Name == combination) && !slices.ContainsFunc(values, func(v experiment.AxisValue) bool { return !slices.Contains(t.Axis, v) })
		}
	}
	var all []int
	for i := range trials {
		all = append(all, i)
		if means(&trials[i]) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1 || len(found) > 1 && seeds && byValues:
		return found, nil
	case name == "":
		return nil, fmt.Errorf("there are %d trials: want one of %s", len(trials), listTrials(trials, all))
	case len(found) == 0:
		return nil, fmt.Errorf("there is no trial %q: want one of %s", name, listTrials(trials, all))
	}
	return nil, fmt.Errorf("%q means %d trials: want one of %s", name, len(found), listTrials(trials, found))
}

var valueOf = regexp.MustCompile(`(?:^|[ ,]+)([\w.]+)=`)

// sweptValues parses "width=16,seed=8", also with spaces as in a label. It completes
// shortened keys.
func sweptValues(trials []experiment.Trial, name string) (values []experiment.AxisValue, err error) {
	var keys []string
	for _, a := range trials[0].Axis {
		keys = append(keys, a.Path)
	}
	at := valueOf.FindAllStringSubmatchIndex(name, -1)
	before := name
	if len(at) > 0 {
		before = name[:at[0][0]]
	}
	if before = strings.Trim(before, " ,"); before != "" {
		return nil, fmt.Errorf("no combination of the sweep is called %q", before)
	}
	for i, m := range at {
		end := len(name)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		short, value := name[m[2]:m[3]], name[m[1]:end]
		whole := []string{short}
		if !slices.Contains(keys, short) {
			whole = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !strings.HasSuffix(k, "."+short) })
		}
		switch len(whole) {
		case 0:
			return nil, fmt.Errorf("the sweep does not vary %q: it varies %s", short, cmp.Or(strings.Join(keys, ", "), "nothing"))
		case 1:
			values = append(values, experiment.AxisValue{Path: whole[0], Value: value})
		default:
			return nil, fmt.Errorf("%q is the end of several keys: want one of %s", short, strings.Join(whole, ", "))
		}
	}
	return values, nil
}

// listedTrials is the largest number of trials that an error lists.
const listedTrials = 12

func listTrials(trials []experiment.Trial, which []int) string {
	var names []string
	for _, i := range which {
		if len(names) == listedTrials {
			names = append(names, fmt.Sprintf("and %d more", len(which)-listedTrials))
			break
		}
		names = append(names, describeTrial(&trials[i]))
	}
	return strings.Join(names, ", ")
}

func describeTrial(t *experiment.Trial) string {
	if t.Label == "" {
		return fmt.Sprintf("%d (%s)", t.Number, t.Folder)
	}
	return fmt.Sprintf("%d (%s, %s)", t.Number, ShortLabel(t, ","), t.Folder)
}

// ShortLabel returns the label of a trial with shortened keys, see [ShortKey], and with this
// separator: "width=16,seed=8" is its name for "network.width=16 seed=8".
func ShortLabel(t *experiment.Trial, separator string) string {
	var out []string
	if t.Name != "" {
		out = append(out, t.Name)
	}
	for _, a := range t.Axis {
		if t.Sets(a.Path) {
			out = append(out, ShortKey(t, a.Path)+"="+a.Value)
		}
	}
	return strings.Join(out, separator)
}

// ShortKey returns the shortest suffix of a swept key that is unique among the swept keys.
func ShortKey(t *experiment.Trial, key string) string {
	parts := strings.Split(key, ".")
	for n := len(parts) - 1; n > 0; n-- {
		short := strings.Join(parts[n:], ".")
		same := func(a experiment.AxisValue) bool { return a.Path == short || strings.HasSuffix(a.Path, "."+short) }
		if i := slices.IndexFunc(t.Axis, same); i < 0 || !slices.ContainsFunc(t.Axis[i+1:], same) {
			return short
		}
	}
	return key
}

// TrialNames returns the names of trials that begin with typed, with descriptions, for
// shell completion. It always offers numbers, and labels and hashes once something is
// typed.
func TrialNames(trials []experiment.Trial, typed string) (names []string) {
	for i := range trials {
		t := &trials[i]
		for k, name := range []string{strconv.Itoa(i + 1), ShortLabel(t, ","), t.Folder} {
			if name != "" && strings.HasPrefix(name, typed) && (k == 0 || typed != "") {
				names = append(names, name+"\t"+strings.TrimSpace(t.Label+" "+t.Folder))
			}
		}
	}
	return names
}

// Resolve finds the results with a name. trial is nil if the name is an experiment's.
func Resolve(results, name string) (run *Run, trial *Trial, err error) {
	run, trials, err := resolve(results, name, false)
	if err != nil || trials == nil {
		return run, nil, err
	}
	return run, trials[0], nil
}

// ResolveAll finds the results with a name as [Resolve] does, and all trials that the name means
// with all its seeds. trials is nil if the name is an experiment's.
func ResolveAll(results, name string) (run *Run, trials []*Trial, err error) {
	return resolve(results, name, true)
}

func resolve(results, name string, seeds bool) (*Run, []*Trial, error) {
	name = strings.TrimSuffix(name, string(filepath.Separator))
	file, trial := cutPack(name)
	if file != "" {
		dir, err := openPack(file)
		if err != nil {
			return nil, nil, err
		}
		name = dir + trial
	}
	run, rest, err := findRun(results, name)
	if file != "" && run != nil {
		run.Changed = lastEnd(run.Opened) // its files have just been unpacked
	}
	switch {
	case err != nil || run != nil && rest == "":
		return run, nil, err
	case run == nil:
		run, trial, err := findHash(results, name)
		return run, []*Trial{trial}, err
	}
	trials, err := run.find(rest, seeds)
	return run, trials, err
}

// findRun finds the experiment at the start of a name and returns the rest of the name
// after the slash. run is nil if there is none.
func findRun(results, name string) (run *Run, rest string, err error) {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		for _, dir := range []string{filepath.Join(results, name[:end]), name[:end]} {
			if !exists(filepath.Join(dir, ExperimentName)) {
				continue
			}
			if run, err = ReadRun(dir); run != nil || err != nil {
				return run, strings.TrimPrefix(name[end:], "/"), err
			}
		}
	}
	return nil, "", nil
}

// Chosen returns the given trial, or with nil all that have begun: an error if none has.
func (r *Run) Chosen(trial *Trial) ([]*Trial, error) {
	switch {
	case trial != nil:
		return []*Trial{trial}, nil
	case r.Experiment == nil:
		return nil, fmt.Errorf("%s: %s", r.Name, r.Why)
	case len(r.Opened) == 0:
		return nil, fmt.Errorf("%s: no trial has begun: run it with alamos run", r.Name)
	}
	return r.Opened, nil
}

// find returns the trials that a name means, without those that have not begun. If none has, it
// returns an error.
func (r *Run) find(name string, seeds bool) ([]*Trial, error) {
	if r.Experiment == nil {
		return nil, fmt.Errorf("%s: %s", r.Name, r.Why)
	}
	found, err := find(r.Experiment.Trials, name, seeds)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	all := r.All()
	var begun []*Trial
	for _, i := range found {
		if len(all[i].Manifest.Stages) > 0 {
			begun = append(begun, all[i])
		}
	}
	if len(begun) == 0 && r.State == Damaged {
		return nil, fmt.Errorf("%s: %s", r.Name, r.Why)
	}
	if len(begun) == 0 {
		return nil, fmt.Errorf("%s: trial %d has not begun (alamos run continues it)", r.Name, found[0]+1)
	}
	return begun, nil
}

// findHash finds a trial of any experiment by the first digits of its hash.
func findHash(results, digits string) (*Run, *Trial, error) {
	runs, err := List(results)
	if err != nil {
		return nil, nil, err
	}
	var names, found []string
	var run *Run
	var trial *Trial
	for _, r := range runs {
		names = append(names, r.Name)
		for _, t := range r.Opened {
			if len(digits) >= HashDigits && strings.HasPrefix(filepath.Base(t.Dir), digits) {
				run, trial = r, t
				found = append(found, r.Name+"/"+describeTrial(&t.Declared))
			}
		}
	}
	switch {
	case len(found) == 1:
		return run, trial, nil
	case len(found) > 1:
		return nil, nil, fmt.Errorf("the hashes of several trials begin with %q: want one of %s", digits, strings.Join(found, ", "))
	case len(names) == 0:
		return nil, nil, fmt.Errorf("no results of %q: there are none at all in %s (alamos run makes them; --results names another folder)", digits, results)
	}
	return nil, nil, fmt.Errorf("no results of %q in %s: there are %s", digits, results, strings.Join(names, ", "))
}

// FindModel finds the named checkpoint: a file, or TRIAL@GENERATION.
func FindModel(results, name string) (file string, err error) {
	at := strings.LastIndex(name, "@")
	if at < 0 || exists(name) {
		if !exists(name) && !nn.IsModel(name) {
			return "", fmt.Errorf("%s: no such file, and no model of a run: want TRIAL@GENERATION, as in tiny@%s, or lab/3@%[2]s of a sweep", name, match.Last)
		}
		return name, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("model %s: %w", name, err)
		}
	}()
	t, err := findTrial(results, name[:at])
	if err != nil {
		return "", err
	}
	g, err := t.generationOf(name[at+1:])
	if err != nil {
		return "", err
	}
	return t.Path(CheckpointFile(g)), t.whole(checkpointStage(g))
}

// whole returns an error unless the files of a finished stage are as it wrote them.
func (t *Trial) whole(stage string) error {
	switch state, file, err := t.Manifest.Stage(stage).Verify(t.Dir, true); {
	case err != nil || state == FileOK:
		return err
	case state == FileMissing:
		return fmt.Errorf("%s is missing", Shown(t.Path(file)))
	default:
		return damagedOutput(t.Path(file))
	}
}

// NameSamples puts the sample files of a run in the place of its name. The run must have all its
// generations.
func NameSamples(results string, c *data.Config) error {
	if c.Kind != data.Run {
		return nil
	}
	t, err := findTrial(results, c.Run)
	if err != nil {
		return fmt.Errorf("data.run: %w", err)
	}
	last := t.Last()
	if done := t.Done(); done < last {
		return fmt.Errorf("data.run: %s has %d of %d generations (alamos run continues it)", c.Run, done, last)
	}
	if c.Generations > last {
		return fmt.Errorf("data.generations: %s has %d, not %d", c.Run, last, c.Generations)
	}
	c.Kind = data.Parquet
	for g := last - cmp.Or(c.Generations, last) + 1; g <= last; g++ {
		if err := t.whole(t.SamplesStage(g)); err != nil {
			return fmt.Errorf("data.run: %w", err)
		}
		c.Files = append(c.Files, disk.Pattern(t.Path(SamplesFile(g))))
	}
	return nil
}

// Title returns the name of a trial for people: the experiment's name and the swept values,
// such as "lab, width=16, seed=8".
func Title(t *experiment.Trial) string {
	return strings.TrimSuffix(t.Settings.Name+", "+ShortLabel(t, ", "), ", ")
}

// ModelTitle returns the name of a checkpoint of a run for people, such as "lab, width=16,
// generation 8". It returns "" for other files.
func ModelTitle(file string) string {
	file, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	g := 0
	dir, base := filepath.Dir(filepath.Dir(file)), filepath.Base(file)
	if _, err := fmt.Sscanf(base, "gen-%d", &g); err != nil || filepath.Join(dir, CheckpointFile(g)) != file {
		return ""
	}
	x, err := ReadExperiment(filepath.Dir(dir))
	if err != nil {
		return ""
	}
	for i := range x.Trials {
		if t := &x.Trials[i]; t.Folder != filepath.Base(dir) {
			continue
		} else if g == 0 {
			return Title(t) + ", untrained"
		} else {
			return fmt.Sprintf("%s, generation %d", Title(t), g)
		}
	}
	return ""
}

// findTrial finds a trial. The name of an experiment with one trial means that trial.
func findTrial(results, name string) (*Trial, error) {
	run, t, err := Resolve(results, name)
	if err != nil || t != nil {
		return t, err
	}
	only, err := run.find("", false)
	if err != nil {
		return nil, err
	}
	return only[0], nil
}

// generationOf parses the name of a generation that the trial has finished.
func (t *Trial) generationOf(word string) (int, error) {
	done := t.Done()
	if t.Manifest.Stage(UntrainedStage) == nil {
		return 0, errors.New("the trial has no network yet (alamos run continues it)")
	}
	switch word {
	case match.Last:
		return done, nil
	case match.Untrained:
		return 0, nil
	}
	g, err := strconv.Atoi(word)
	if err != nil || g < 0 || g > done {
		return 0, fmt.Errorf("no generation %q: there are 0 (%s) to %d (%s)", word, match.Untrained, done, match.Last)
	}
	return g, nil
}

// Generations returns the number of generations of which the named trial has checkpoints, also of
// generation 0. It is 0 if there is no such trial.
func Generations(results, name string) int {
	t, err := findTrial(results, name)
	if err != nil || t.Manifest.Stage(UntrainedStage) == nil {
		return 0
	}
	return t.Done() + 1
}
