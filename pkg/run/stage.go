package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// Stage is a piece of a trial's work. It is a function of its inputs: equal inputs give
// equal bytes, in any trial.
type Stage struct {
	Name string
	// In includes the version of the stage's code as "code". Raise the version when the
	// stage writes other bytes for the same inputs, so that old results are computed again.
	In    store.Inputs
	Files []string // output files, relative to the trial's folder
	// Run writes the files and returns rows for the tables, or nil. Until they are complete it
	// may keep its state in the scratch file of the stage.
	Run func(ctx context.Context) (facts any, err error)
	// Done is called after Run, when the manifest contains the stage. It may be nil.
	Done func() error
	// Work adds the work of the stage to an estimate; nil: negligible.
	Work func(*estimate) error
}

// The outcomes of a stage.
const (
	Cached = "cached" // it has run with the same inputs
	Reused = "reused" // another trial has run it, or will run it
	Runs   = "runs"
)

// Decision is the outcome of a stage.
type Decision struct {
	Name string `json:"name"`
	Does string `json:"does"`           // Cached, Reused or Runs
	Why  string `json:"why,omitempty"`  // reason to run
	From string `json:"from,omitempty"` // folder of the trial that ran it, if reused
	// Maybe is set in plans if the stage runs only if an earlier stage, which runs again,
	// changes its output.
	Maybe bool `json:"maybe,omitempty"`
	Work  Work `json:"work,omitzero"` // estimate, in a plan
}

// decide returns the outcome of a stage, and the source if the stage is reused.
func (t *Trial) decide(s *Stage) (Decision, *source, error) {
	d := Decision{Name: s.Name, Does: Cached}
	fresh, why, err := t.Results.Manifest.Fresh(t.Results.Dir, s.Name, s.In, t.run.Verify)
	if fresh || err != nil {
		return d, nil, err
	}
	if src := t.run.cache.find(s, t.Results.Dir, t.run.Verify); src != nil {
		d.Does, d.From = Reused, src.dir
		return d, src, nil
	}
	d.Does, d.Why = Runs, why
	if t.isNew && why == store.FirstTime {
		d.Why = t.newInputs(s)
	}
	return d, nil, nil
}

// newInputs returns the reason to run a stage of a new trial: how its inputs differ
// from those of the most similar trial of earlier runs of the experiment. All stages of a
// trial are compared with the same one.
func (t *Trial) newInputs(s *Stage) string {
	if t.nearest == nil {
		t.nearest = t.run.cache.nearest(s, t.Results.Dir)
	}
	if old := t.nearest.Stage(s.Name); old != nil {
		if change := s.In.Change(old.Inputs); change != "" {
			return change + ": no trial has it"
		}
	}
	return store.FirstTime
}

// decided reports whether this process has reached the stage before. With halving a trial
// repeats its earlier stages on the way to a higher rung.
func (t *Trial) decided(name string) bool {
	return slices.ContainsFunc(t.decisions, func(d Decision) bool { return d.Name == name })
}

// keepDecision keeps the first decision on a stage.
func (t *Trial) keepDecision(d Decision) {
	if !t.decided(d.Name) {
		t.decisions = append(t.decisions, d)
	}
}

// executor processes the stages of trials: a run executes them, a plan predicts their
// outcomes.
type executor interface {
	batch(*run) error   // before the first trial, and when TPE has added trials
	begin(*Trial) error // before the first stage
	stage(context.Context, *Trial, *Stage) error
	end(*Trial) error // after the last one
}

type execution struct{}

func (execution) batch(r *run) error { return r.description().Write(r.dir) }

func (execution) begin(t *Trial) error {
	for _, d := range []string{"checkpoints", "games", "samples"} {
		if err := os.MkdirAll(t.Results.Path(d), 0o777); err != nil {
			return err
		}
	}
	return t.Results.WriteSettings()
}

// stage runs a stage unless it is cached or can be reused. It reports each stage once per
// process.
func (execution) stage(ctx context.Context, t *Trial, s *Stage) error {
	release, err := t.early.wait(s)
	if err != nil {
		return err
	}
	var d Decision
	var src *source
	look := func() (done bool, err error) {
		d, src, err = t.decide(s)
		return d.Does != Runs, err
	}
	if release != nil { // the goroutine that played holds the stage
		_, err = look()
	} else {
		release, err = t.hold(ctx, s, look)
	}
	defer release()
	if err != nil {
		return err
	}
	switch d.Does {
	case Cached:
		if !t.decided(s.Name) { // before a lower rung
			t.Report.Stage(d)
		}
	case Reused:
		err = t.reuse(d, src)
	default:
		t.Report.Stage(d)
		t.run.forecast.begin(t.Results.Dir, s.Name)
		err = t.compute(ctx, s)
	}
	if err != nil {
		return err
	}
	t.run.forecast.end(t, d)
	t.keepDecision(d)
	for _, file := range store.ScratchFiles(s.Name) {
		err = errors.Join(err, disk.Remove(t.Results.Path(file)))
	}
	return err
}

// hold claims a stage in this process and, unless look says that it is done, locks it against other
// runs. If one of them may have done it meanwhile, hold looks again. The caller must call release,
// even after an error.
func (t *Trial) hold(ctx context.Context, s *Stage, look func() (done bool, err error)) (release func(), err error) {
	unclaim, err := t.run.cache.claim(ctx, s.In)
	if err != nil {
		return func() {}, err
	}
	if done, err := look(); done || err != nil {
		return unclaim, err
	}
	unlock, waited, err := t.lock(ctx, s)
	if err != nil {
		return unclaim, err
	}
	if waited || len(t.run.Trials) > 0 { // jobs that share stages begin at the same time
		t.run.cache.expire()
		_, err = look()
	}
	return func() { unlock(); unclaim() }, err
}

// lock waits until no other run works on a stage.
func (t *Trial) lock(ctx context.Context, s *Stage) (unlock func(), waited bool, err error) {
	if t.run.locks == nil {
		return func() {}, false, nil
	}
	unlock, err = t.run.locks.Lock(ctx, stageKey(s.Name, s.In), func() {
		waited = true
		t.Report.Note(s.Name + ": another run works on it; waiting for that")
	})
	return unlock, waited, err
}

// scratch returns the path of the scratch file of a stage.
func (t *Trial) scratch(stage string) string { return t.Results.Path(store.ScratchFile(stage)) }

func (execution) end(t *Trial) error {
	if err := t.writeManifest(); err != nil {
		return err
	}
	return report.Tables(t.Results)
}

// reuse links the files of a stage of another trial into this trial's folder and copies its
// manifest entry.
func (t *Trial) reuse(d Decision, src *source) error {
	if err := t.begin(src.stage.Name, src.stage.Inputs); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(src.stage.Outputs)) {
		if err := disk.Link(filepath.Join(src.dir, file), t.Results.Path(file)); err != nil {
			return fmt.Errorf("reusing it from %s: %w", src.dir, err)
		}
	}
	t.Report.Stage(d)
	t.Results.Manifest.Put(&src.stage)
	t.Results.Manifest.Begun, t.Results.Manifest.Machine = nil, src.machine
	return t.writeManifest()
}

// begin notes that a stage that the manifest has is being replaced, so that its files are no
// damage if that is interrupted.
func (t *Trial) begin(name string, in store.Inputs) error {
	m := t.Results.Manifest
	if m.Stage(name) == nil {
		return nil
	}
	m.Begun = &store.Begun{Name: name, Inputs: in, Seconds: m.Spent(name, in)}
	return t.writeManifest()
}

// compute runs a stage and adds it to the manifest.
func (t *Trial) compute(ctx context.Context, s *Stage) error {
	if err := t.begin(s.Name, s.In); err != nil {
		return err
	}
	m, began := t.Results.Manifest, time.Now()
	t.kind = store.Kind{}
	facts, err := s.Run(ctx)
	spent := m.Spent(s.Name, s.In) + time.Since(began).Seconds()
	if err != nil {
		m.Begun = &store.Begun{Name: s.Name, Inputs: s.In, Seconds: spent}
		_ = t.writeManifest() // the stage's error is more important
		return err
	}
	out := &store.Stage{
		Name: s.Name, Inputs: s.In, On: t.kind,
		Ended: time.Now().UTC().Truncate(time.Second), Seconds: spent,
	}
	if err := out.Record(t.Results.Dir, s.Files...); err != nil {
		return err
	}
	if facts != nil {
		if out.Facts, err = json.Marshal(facts); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	m.Put(out)
	m.Begun, m.Machine = nil, t.Machine
	if err := t.writeManifest(); err != nil || s.Done == nil {
		return err
	}
	return s.Done()
}

func (t *Trial) writeManifest() error {
	err := t.Results.Manifest.Write(t.Results.Dir)
	if err == nil {
		t.run.cache.wrote(t.Results.Dir, t.Results.Manifest)
	}
	return err
}

// openJournal opens the journal of a long stage, which stores finished parts until the
// stage's files are written, and calls replay for each entry. A journal of other inputs is
// emptied, and so is one of another kind of machine, because two kinds would give a mixture that
// neither can repeat. Damaged entries are not errors: their work is repeated.
func (t *Trial) openJournal(path string, in store.Inputs, kind store.Kind, replay func(entry []byte) error) (*disk.Journal, error) {
	head := journalHead(in)
	j, err := disk.OpenJournal(path, append(slices.Clip(head), kindText(kind)...), replay)
	if err != nil {
		return nil, fmt.Errorf("%w (delete it to do again what it has)", err)
	}
	t.noteRepeats(path, j, head, kind)
	return j, nil
}

// journalForm is the version of the form of entries. Journals of another form are begun again.
const journalForm = " 2"

// journalHead returns the beginning of the head of the journal of a stage with these inputs. The
// kind of machine follows.
func journalHead(in store.Inputs) []byte {
	b, _ := json.Marshal(in) // strings can always be marshaled
	return append(append(b, journalForm...), '\n')
}

// kindText returns a kind as it is in the head of a journal.
func kindText(k store.Kind) []byte {
	b, _ := json.Marshal(k) // strings and numbers can always be marshaled
	return b
}

// noteRepeats reports what a journal lost: damaged bytes, and the work of another kind of machine.
func (t *Trial) noteRepeats(path string, j *disk.Journal, head []byte, kind store.Kind) {
	if j.Dropped > 0 {
		t.Report.Note(fmt.Sprintf("%s: %s bytes are torn or damaged; what they held is done again", path, humanize.Comma(j.Dropped)))
	}
	var other store.Kind
	if text, same := bytes.CutPrefix(j.Other, head); same && json.Unmarshal(text, &other) == nil {
		t.Report.Note(fmt.Sprintf("%s was begun on another kind of machine (%s) and is done again on this one (%s)", path, other, kind))
	}
}
