package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/hook"
)

// Variables in the environment that make the test binary a program to kill: one
// that runs the experiment of the site which the variable names, one that locks
// the folder and waits for the end of its input.
const (
	runVariable  = "ALAMOS_TEST_RUN"
	lockVariable = "ALAMOS_TEST_LOCK"
)

func TestMain(m *testing.M) {
	if hook.IsChild() {
		os.Exit(hook.RunChild())
	}
	if dir := os.Getenv(runVariable); dir != "" {
		if _, err := (site{dir}).try(context.Background(), nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(lockVariable); dir != "" {
		if _, err := takeLock(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	code := m.Run()
	if whole.made {
		os.RemoveAll(whole.site.dir)
	}
	os.Exit(code)
}

// site is a folder with the experiment of testdata, its hook, and results.
type site struct{ dir string }

// newSite is a site where nothing has run. Its notebook is a short one: drawing
// all figures would be most of what a test does.
func newSite(t *testing.T) site { return newSiteOf(t, "testdata") }

// finishedSite is a site whose experiment has run, and drawn all figures.
func finishedSite(t *testing.T) site { return newSiteOf(t, undisturbed(t).dir) }

const shortNotebook = "notebook:\n  - text: Short\n  - figure: {kind: loss}\n  - figure: {kind: crosstable}\n"

func newSiteOf(t *testing.T, dir string) site {
	t.Helper()
	s := site{t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), "notebook:")
	if err := os.WriteFile(s.file(), []byte(head+shortNotebook), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// whole is the site of a run that nothing disturbed, made when it is first
// asked for.
var whole struct {
	sync.Once
	site
	made   bool
	report *recorder
	err    error
}

// undisturbed returns the results of an undisturbed run, which nobody changes.
func undisturbed(t *testing.T) site {
	t.Helper()
	whole.Do(func() {
		if whole.dir, whole.err = os.MkdirTemp("", "alamos-lab-"); whole.err != nil {
			return
		}
		whole.made = true
		if whole.err = os.CopyFS(whole.dir, os.DirFS("testdata")); whole.err == nil {
			whole.report, whole.err = whole.try(context.Background(), nil)
		}
	})
	if whole.err != nil {
		t.Fatal(whole.err)
	}
	return whole.site
}

func (s site) file() string    { return filepath.Join(s.dir, "small.yaml") }
func (s site) results() string { return filepath.Join(s.dir, "results", "small") }

// trial is the folder of the only trial.
func (s site) trial(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(s.results(), "*", manifestName))
	if err != nil || len(all) != 1 {
		t.Fatalf("want one trial below %s, have %v (%v)", s.results(), all, err)
	}
	return filepath.Dir(all[0])
}

// options of runs in tests.
func (s site) options(r Reporter) Options {
	return Options{Results: filepath.Join(s.dir, "results"), Workers: 2, Batch: 8, Alamos: "test", Reporter: r}
}

// try runs the experiment with some settings changed.
func (s site) try(ctx context.Context, change func(*Options), set ...string) (*recorder, error) {
	e, err := Load(s.file(), set)
	if err != nil {
		return nil, err
	}
	r := &recorder{ran: map[string]string{}}
	opt := s.options(r)
	if change != nil {
		change(&opt)
	}
	return r, Run(ctx, e, opt)
}

// run is try where nothing may fail.
func (s site) run(t *testing.T, set ...string) *recorder {
	t.Helper()
	r, err := s.try(context.Background(), nil, set...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

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

// fingerprint is what must be equal of two runs of one experiment: the hashes
// of all files, less what tells of time and what only a long notebook has.
func (s site) fingerprint(t *testing.T) map[string]string {
	t.Helper()
	// Columns at the end of a table that depend on the machine.
	timed := map[string]int{"generations.csv": 2, "trials.csv": 1}
	out := map[string]string{}
	err := filepath.WalkDir(s.results(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		figure, _, _ := strings.Cut(d.Name(), ".")
		if filepath.Base(filepath.Dir(path)) == "figures" && !strings.Contains(shortNotebook, figure) {
			return nil
		}
		switch name := d.Name(); name {
		case ".lock", manifestName, "notebook.html", "experiment.yaml":
			b = nil // it is there
		case "generations.csv", "trials.csv":
			rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			b = nil
			for _, r := range rows {
				b = fmt.Appendln(b, r[:len(r)-timed[name]])
			}
		}
		h := sha256.Sum256(b)
		rel, err := filepath.Rel(s.results(), path)
		out[filepath.ToSlash(rel)] = hex.EncodeToString(h[:8])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same wants a site to hold what an undisturbed run leaves.
func (s site) same(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff(undisturbed(t).fingerprint(t), s.fingerprint(t)); diff != "" {
		t.Errorf("files (-undisturbed +these):\n%s", diff)
	}
}

// edit replaces text in a file of the site.
func (s site) edit(t *testing.T, name, old, now string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, now, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// allStages are the stages of the experiment of testdata, in order.
var allStages = []string{
	"untrained network", "self-play 1", "hooks 1", "training 1", "self-play 2", "hooks 2", "training 2", "tournament",
}

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
