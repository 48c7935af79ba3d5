package report

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Diagnosis compares the measures of a run with those of good runs.
type Diagnosis struct {
	Experiment string           `json:"experiment"`
	Trials     []TrialDiagnosis `json:"trials"`
}

// TrialDiagnosis is the diagnosis of a trial.
type TrialDiagnosis struct {
	Trial       string    `json:"trial"`
	Generations int       `json:"generations"` // finished
	Symptoms    []Symptom `json:"symptoms"`
}

// Symptom is a measure that is out of the range of good runs.
type Symptom struct {
	Measure string      `json:"measure"`
	Unsure  bool        `json:"unsure,omitempty"` // there are too few games to know
	Since   int         `json:"since,omitempty"`  // generation; 0: the whole run
	Value   stats.Float `json:"value"`            // in the last generation
	Says    string      `json:"says"`
	Try     []Remedy    `json:"try,omitempty"`
	Source  string      `json:"source,omitempty"` // of the range
}

// Remedy is a setting to change.
type Remedy struct {
	Setting string `json:"setting"`
	Now     string `json:"now,omitempty"` // its value; empty if trials differ in it
	Change  string `json:"change"`        // what to change it to, and why
}

// Diagnose compares the trials of a run, or one of them, with good runs.
func Diagnose(run *store.Run, trial *store.Trial) (*Diagnosis, error) {
	x := run.Experiment
	if x == nil {
		return nil, fmt.Errorf("%s has no readable %s: run its experiment again", run.Dir, store.ExperimentName)
	}
	d := &Diagnosis{Experiment: run.Name}
	for i := range x.Trials {
		if trial != nil && x.Trials[i].ID != trial.Declared.ID {
			continue
		}
		t, err := store.Open(run.Dir, x.Trials[i])
		if err != nil {
			return nil, err
		}
		d.Trials = append(d.Trials, diagnose(x, t))
	}
	return d, nil
}

// Problems reports whether there is a symptom that is not unsure.
func (d *Diagnosis) Problems() bool {
	return slices.ContainsFunc(d.Trials, func(t TrialDiagnosis) bool {
		return slices.ContainsFunc(t.Symptoms, func(f Symptom) bool { return !f.Unsure })
	})
}

func diagnose(x *store.Experiment, t *store.Trial) TrialDiagnosis {
	d := TrialDiagnosis{Trial: nameOf(&t.Declared), Generations: t.Done(), Symptoms: []Symptom{}}
	if why, failed := x.Failed[filepath.Base(t.Dir)]; failed {
		f := Symptom{Measure: "failed", Since: t.Done() + 1, Says: "The trial failed: " + why + "."}
		if strings.Contains(why, "diverged") {
			f.Try = []Remedy{{Setting: "training.schedule.initial", Change: "a tenth of it"}, {Setting: "training.schedule.warmup", Change: "some thousand samples"}, {Setting: "training.optimizer.gradient_clip", Change: "1 to 10, so that one bad batch cannot ruin the network"}}
		}
		d.Symptoms = append(d.Symptoms, f)
	}
	var all []generation
	s := &t.Declared.Settings
	wdl, legal := s.Network.Value == nn.ValueWDL, s.Training.Loss.PolicyMask != nn.MaskNone
	for g := 1; g <= t.Done(); g++ {
		all = append(all, generation{t.Learning(g), t.Generation(g), t.Epochs(g), wdl, legal, s.Start != nil})
	}
	for i := range rules {
		if f := rules[i].apply(all); f != nil {
			d.Symptoms = append(d.Symptoms, *f)
		}
	}
	if strength := diagnoseStrength(t); strength != nil {
		d.Symptoms = append(d.Symptoms, *strength)
	}
	for _, f := range d.Symptoms {
		for i := range f.Try {
			f.Try[i].Now = valueOf(x, f.Try[i].Setting)
		}
	}
	return d
}

// valueOf returns the value of a setting if all trials have the same.
func valueOf(x *store.Experiment, path string) string {
	for _, s := range x.Settings {
		if s.Path == path && !s.Swept {
			return s.Value
		}
	}
	return ""
}

// persistent is the number of last generations that must be out of range for a symptom: a
// single one may be chance.
const persistent = 2

// apply returns a symptom if the measure is out of range in the last generations.
func (r *rule) apply(all []generation) *Symptom {
	from := max(r.from, 1)
	since := len(all) + 1
	for since > from && r.outside(r.of(all[:since-1])) {
		since--
	}
	judged := len(all) - from + 1
	if out := len(all) + 1 - since; out == 0 || out < min(persistent, judged) {
		return nil
	}
	value := r.of(all).Value
	return &Symptom{Measure: r.measure, Since: since, Value: stats.Float(value), Says: fmt.Sprintf(r.says, r.shown(value)), Try: slices.Clone(r.try), Source: r.source}
}

// outside reports whether the whole interval of a value is out of range.
func (r *rule) outside(v stats.Interval) bool {
	low, high := v.Value, v.Value
	if v.Known() {
		low, high = v.Low, v.High
	}
	return r.least > 0 && high < r.least || r.most > 0 && low > r.most // false for NaN
}

// shown formats a value of the rule.
func (r *rule) shown(x float64) string {
	if r.percent {
		return fmt.Sprintf("%.0f %%", 100*x)
	}
	return fourDigits(math.Round(x*1000) / 1000)
}

// diagnoseStrength compares the last checkpoint with the others of the tournament.
func diagnoseStrength(t *store.Trial) *Symptom {
	res := t.Tournament()
	if res == nil || t.Done() == 0 {
		return nil
	}
	last := res.Find(store.CheckpointName(t.Done()))
	if last < 0 {
		return nil
	}
	elo := res.Players[last].Elo
	f := &Symptom{Measure: "elo", Value: stats.Float(elo.Value), Source: "the 95 % intervals of the tournament's ratings"}
	best := last
	for i, p := range res.Players {
		switch {
		case p.Generation < 0 || i == last:
		case p.Elo.Low > elo.High && p.Elo.Value > res.Players[best].Elo.Value:
			best = i
		case p.Generation == 0 && p.Elo.High >= elo.Low && best == last:
			f.Unsure = true
		}
	}
	games := english.Plural(res.Players[last].Games(), "game", "")
	switch {
	case best != last:
		p := res.Players[best]
		f.Since, f.Unsure = p.Generation+1, false
		f.Says = fmt.Sprintf("The last checkpoint is weaker than %s: Elo %s against %s.", p.Name, Measured(elo), Measured(p.Elo))
		f.Try = []Remedy{{Setting: "training.schedule.initial", Change: "lower, or let the schedule lower it: late steps may be too large"}, {Setting: "training.window", Change: "longer: the network forgets what old games taught"}}
		return f
	case f.Unsure:
		f.Says = fmt.Sprintf("It is not known whether the last checkpoint is stronger than the untrained network: after %s the intervals of their ratings overlap.", games)
		f.Try = []Remedy{{Setting: "tournament.rounds", Change: "more: four times as many halve an interval"}, {Setting: "generations", Change: "more, if nothing else is unusual"}}
		return f
	}
	return nil
}

// Write writes the diagnosis for a terminal.
func (d *Diagnosis) Write(w io.Writer) error {
	var text strings.Builder
	for i, t := range d.Trials {
		if i > 0 {
			text.WriteByte('\n')
		}
		if len(t.Symptoms) == 0 {
			fmt.Fprintf(&text, "%s: nothing unusual in %s.\n", t.Trial, english.Plural(t.Generations, "generation", ""))
			continue
		}
		fmt.Fprintf(&text, "%s: %s in %s.\n", t.Trial, english.Plural(len(t.Symptoms), "symptom", ""), english.Plural(t.Generations, "generation", ""))
		for _, f := range t.Symptoms {
			f.write(&text)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (f *Symptom) write(text *strings.Builder) {
	fmt.Fprintf(text, "\n- %s", f.Says)
	if f.Since > 0 {
		fmt.Fprintf(text, " Since generation %d.", f.Since)
	}
	text.WriteByte('\n')
	for _, r := range f.Try {
		fmt.Fprintf(text, "  try %s", r.Setting)
		if r.Now != "" {
			fmt.Fprintf(text, " (now %s)", r.Now)
		}
		fmt.Fprintf(text, ": %s\n", r.Change)
	}
	if f.Source != "" {
		fmt.Fprintf(text, "  the range of %s is from %s\n", f.Measure, f.Source)
	}
}
