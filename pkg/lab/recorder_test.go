package lab

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder remembers what a run did.
type recorder struct {
	mu     sync.Mutex
	cached []string
	ran    map[string]string // stage -> why
	notes  []string
	// overdone are tasks that did more than there was to do.
	overdone []string
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

func (r *recorder) Trial(_, _ int, id, _, _ string) { r.see("trial "+id, func() {}) }
func (r *recorder) Cached(stage string) {
	r.see("cached "+stage, func() { r.cached = append(r.cached, stage) })
}
func (r *recorder) Runs(stage, why string) { r.see("runs "+stage, func() { r.ran[stage] = why }) }
func (r *recorder) Note(text string) {
	r.see("note "+text, func() { r.notes = append(r.notes, text) })
}
func (r *recorder) Task(stage, _ string) Task { return recordedTask{r, stage} }

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
func (t recordedTask) End() {}

// stages wants these stages to have run, for these reasons, and no others.
func (r *recorder) stages(t *testing.T, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, r.ran); diff != "" {
		t.Errorf("stages that ran, and why (-want +have):\n%s", diff)
	}
}
