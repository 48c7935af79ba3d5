package run

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder remembers what a run did.
type recorder struct {
	mu     sync.Mutex
	cached []string
	reused []string
	of     map[string]string // label of the trial: stage -> why, "cached" or "as in" a folder
	ran    map[string]string // stage -> why
	notes  []string
	// overdone are tasks that did more than there was to do.
	overdone []string
	progress func() string
	event    func(string) // called for every event, if not nil
}

func (r *recorder) see(what string, remember func()) {
	r.mu.Lock()
	remember()
	r.mu.Unlock()
	if r.event != nil {
		r.event(what)
	}
}

func (r *recorder) Trial(number, of int, id, label, _ string) Report {
	r.see("trial "+id, func() {})
	return &recordedTrial{r, label}
}
func (r *recorder) Comparison(when string) Report {
	r.see("comparison "+when, func() {})
	return &recordedTrial{r, "comparisons"}
}
func (r *recorder) Progress(text func() string) { r.progress = text }
func (r *recorder) Note(text string) {
	r.see("note "+text, func() { r.notes = append(r.notes, text) })
}

// recordedTrial remembers what one trial did, by its label.
type recordedTrial struct {
	*recorder
	label string
}

func (t *recordedTrial) remember(stage, what string) {
	if t.of == nil {
		t.of = map[string]string{}
	}
	t.of[t.label+": "+stage] = what
}
func (t *recordedTrial) Stage(d Decision) {
	t.see(d.Does+" "+d.Name, func() {
		switch d.Does {
		case Cached:
			t.cached = append(t.cached, d.Name)
			t.remember(d.Name, "cached")
		case Reused:
			t.reused = append(t.reused, d.Name)
			t.remember(d.Name, "as in "+filepath.Base(d.From))
		default:
			t.ran[d.Name] = d.Why
			t.remember(d.Name, d.Why)
		}
	})
}
func (t *recordedTrial) Task(stage, _ string) Task { return recordedTask{t.recorder, stage} }

type recordedTask struct {
	*recorder
	stage string
}

func (t recordedTask) Set(done, total int, _ string) {
	if done > total { // games that the journal had were played again
		t.see("", func() { t.overdone = append(t.overdone, fmt.Sprintf("%s %d/%d", t.stage, done, total)) })
	}
	t.see(fmt.Sprintf("%s %d/%d", t.stage, done, total), func() {})
}
func (t recordedTask) Resume(done int) {
	t.see(fmt.Sprintf("%s resumes at %d", t.stage, done), func() {})
}
func (t recordedTask) Standings(current func() (string, []string)) {
	line, _ := current()
	t.see(t.stage+" "+line, func() {})
}
func (t recordedTask) End() {}

// stages wants these stages to have run, for these reasons, and no others.
func (r *recorder) stages(t *testing.T, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, r.ran); diff != "" {
		t.Errorf("stages that ran, and why (-want +have):\n%s", diff)
	}
}
