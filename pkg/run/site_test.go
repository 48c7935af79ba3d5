package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// site is a folder with the experiment of testdata, its hook, and results.
type site struct{ dir string }

// newSite is a site where nothing has run. Its notebook is a short one: drawing
// all figures would be most of what a test does.
func newSite(t testing.TB) site { return newSiteOf(t, "testdata") }

// finishedSite is a site with the results and figures of a finished run.
func finishedSite(t *testing.T) site { return newSiteOf(t, undisturbed(t).dir) }

const shortNotebook = "notebook:\n  - text: Short\n  - figure: {kind: loss}\n"

func newSiteOf(t testing.TB, dir string) site {
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

// undisturbed returns the results of an undisturbed run. Tests must not change them.
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
	all, err := filepath.Glob(filepath.Join(s.results(), "*", store.ManifestName))
	if err != nil || len(all) != 1 {
		t.Fatalf("want one trial below %s, have %v (%v)", s.results(), all, err)
	}
	return filepath.Dir(all[0])
}

// options of runs in tests. The number of threads is fixed, as processes may have different
// numbers of processors.
func (s site) options(r Reporter) Options {
	return Options{Results: filepath.Join(s.dir, "results"), Workers: 2, Threads: 2, Batch: 8, Alamos: "test", Reporter: r}
}

// try runs the experiment with some settings changed.
func (s site) try(ctx context.Context, change func(*Options), set ...string) (*recorder, error) {
	e, err := experiment.LoadChecked(s.file(), set)
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

// command runs the experiment in another process, with more in its environment.
func (s site) command(t *testing.T, env []string, set ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), runVariable+"="+s.dir, setVariable+"="+strings.Join(set, "\n"))
	cmd.Env = append(cmd.Env, env...)
	cmd.WaitDelay = 20 * time.Second // a script's process may hold a pipe a moment longer
	return cmd
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

// stop runs the experiment until an event that begins so.
func (s site) stop(t *testing.T, at string, change func(*Options), set ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.try(ctx, func(o *Options) {
		if change != nil {
			change(o)
		}
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			if strings.HasPrefix(what, at) {
				cancel()
			}
		}}
	}, set...)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("canceled at %q: error %v", at, err)
	}
}

// fingerprint returns what must be equal in two runs of one experiment: the hashes of all
// files without times, and without those of a long notebook.
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
		case ".lock", store.ManifestName, "notebook.html", store.ExperimentName:
			b = nil // it is there
		case store.SettingsFile:
			b, _, _ = bytes.Cut(b, []byte("\nnotebook:")) // tests have notebooks of their own
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
	s.sameAs(t, undisturbed(t))
}

// sameAs wants a site to hold what an undisturbed one of the same settings does.
func (s site) sameAs(t *testing.T, undisturbed site) {
	t.Helper()
	if diff := cmp.Diff(undisturbed.fingerprint(t), s.fingerprint(t)); diff != "" {
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
