package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/disk"
)

const (
	cppDir      = "pkg/nn/cpp" // our C++, in the checkout
	gotchModule = "github.com/sugarme/gotch"
	libraryName = "libtch.so"
)

// ownSources are the sources of this program that determine the content of a fitted copy.
//
//go:embed gotch.go gotch.patch door.go door stub.go fitting.go compile.go libtorch.go
var ownSources embed.FS

// fitting is one fitting of gotch to a libtorch.
type fitting struct {
	cache   string // our directory in the user's cache
	version string // of gotch
	cpp     string // folder of our C++
	ours    sources
	lib     libtorch
	cxx     compiler
	r       *reporter

	machine string // digest of the libtorch and the compiler
}

func newFitting(r *reporter, cache, version, cpp string, lib libtorch, cxx compiler) (*fitting, error) {
	ours, err := readSources(cpp)
	if err != nil {
		return nil, err
	}
	fingerprint, err := lib.fingerprint()
	return &fitting{
		cache: cache, version: version, cpp: cpp, ours: ours, lib: lib, cxx: cxx, r: r,
		machine: digest(fingerprint, cxx.Path, cxx.Version),
	}, err
}

// copyDir returns the directory of the fitted copy. Its name is a digest of everything that
// determines its content, so that checkouts of one user share a copy if they can.
func (f *fitting) copyDir() (string, error) {
	direct, _ := f.lib.oneDNN()
	sources, err := disk.SumFS(ownSources)
	name := digest(f.version, f.machine, f.ours.digest, strings.Join(direct, " "), sources)
	return filepath.Join(f.cache, "gotch-"+name), err
}

// run makes the fitted copy and the go.work of the checkout at root, unless both are current.
func (f *fitting) run(root, goVersion string) error {
	dir, err := f.copyDir()
	if err != nil {
		return err
	}
	work := workFile(goVersion, dir)
	if touch(dir) && workIsCurrent(root, work) {
		return noteUse(dir, root)
	}
	if err := os.MkdirAll(f.cache, 0o755); err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if !touch(dir) { // another set-up may have made it while we waited
		if err := f.make(dir); err != nil {
			return err
		}
		prune(filepath.Join(f.cache, "gotch-*"), time.Now())
	}
	if err := noteUse(dir, root); err != nil || workIsCurrent(root, work) {
		return err
	}
	if err := writeWork(f.r, root, work); err != nil {
		return err
	}
	return f.warmUp(root)
}

// usersFile is in a fitted copy and lists the checkouts that use it.
const usersFile = "checkouts"

// noteUse notes that the checkout at root uses a fitted copy.
func noteUse(dir, root string) error {
	name := filepath.Join(dir, usersFile)
	users, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(strings.Split(string(users), "\n"), root) {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(root + "\n")
	return errors.Join(err, f.Close())
}

// inUse reports whether the go.work of a checkout names a fitted copy: programs that were built
// there look for their library in the copy.
func inUse(dir string) bool {
	users, _ := os.ReadFile(filepath.Join(dir, usersFile)) // there is none beside an object
	for root := range strings.SplitSeq(string(users), "\n") {
		if work, err := os.ReadFile(filepath.Join(root, "go.work")); root != "" && err == nil && strings.Contains(string(work), dir) {
			return true
		}
	}
	return false
}

// libraries lists the files of a fitted copy that are compiled from C++.
func libraries() []string {
	if !hasDoor {
		return []string{"libtch/" + libraryName}
	}
	return []string{"libtch/" + realName, "libtch/" + libraryName}
}

// make makes the fitted copy in a temporary directory, and renames it when it is complete.
func (f *fitting) make(dir string) error {
	f.r.step("libtorch %s: %s, %s", f.lib.Version, f.lib.Origin, f.lib.Root)
	left, _ := filepath.Glob(filepath.Join(f.cache, "part-*"))
	for _, d := range left { // of a set-up that was killed: we hold the lock
		os.RemoveAll(d)
	}
	part := filepath.Join(f.cache, fmt.Sprintf("part-%d", os.Getpid()))
	defer os.RemoveAll(part)
	if err := mendedCopy(f.version, part); err != nil {
		return err
	}
	if err := splitGenerated(filepath.Join(part, "libtch/c-generated.go"), 10); err != nil {
		return fmt.Errorf("gotch %s: %w", f.version, err)
	}
	if err := f.build(part); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// build compiles libtch.so inside the copy at part, from gotch's C++ and ours.
func (f *fitting) build(part string) error {
	libFlags, err := f.lib.compileFlags()
	if err != nil {
		return err
	}
	stubCode, err := ownSources.ReadFile("stub.go")
	if err != nil {
		return err
	}
	store := objectStore{filepath.Join(f.cache, "objects")}
	libtch, cpp := filepath.Join(part, "libtch"), filepath.Join(part, "libtch/cpp")
	var jobs errgroup.Group
	jobs.SetLimit(runtime.GOMAXPROCS(0))
	objects := make([]string, len(f.ours.names)+2)
	job := func(i int, key string, compile func(target string) error) {
		jobs.Go(func() (err error) {
			objects[i], err = store.get(key, compile)
			return err
		})
	}
	apiFlags := append([]string{"-O1", "-w"}, libFlags...)
	apiKey := "torch_api-" + digest(f.version, f.machine, strings.Join(apiFlags, " "), string(stubCode))
	job(0, apiKey, func(target string) error {
		return f.compileGotch(filepath.Join(cpp, "torch_api.cpp"), target, append(apiFlags, "-I"+libtch))
	})
	// A program compares this digest with that of its own C++.
	text := fmt.Sprintf("extern \"C\" const char *alamos_sources(void) { return \"%s\"; }\n", f.ours.digest)
	job(1, "sources-"+digest(f.machine, text), func(target string) error {
		source := filepath.Join(cpp, "alamos_sources.cpp")
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			return err
		}
		return f.cxx.object(source, target, nil)
	})
	direct, _ := f.lib.oneDNN()
	// Without errno, loops with square roots are vectorized.
	flags := append(append([]string{"-O3", "-fno-math-errno", "-Wall"}, libFlags...), direct...)
	for i, name := range f.ours.names {
		key := "alamos-" + digest(f.machine, strings.Join(flags, " "), f.ours.headers, name, f.ours.text[name])
		job(i+2, key, func(target string) error {
			f.r.step("compiling pkg/nn/cpp/%s", name)
			return f.cxx.object(filepath.Join(f.cpp, name), target, flags)
		})
	}
	if err := jobs.Wait(); err != nil {
		return err
	}
	prune(filepath.Join(store.dir, "*.o*"), time.Now())
	f.r.step("linking %s", libraryName)
	return f.cxx.link(libtch, objects, f.lib)
}

// compileGotch compiles gotch's C++, with stubs for functions that this libtorch lacks.
func (f *fitting) compileGotch(source, target string, flags []string) error {
	done := f.r.long("looking for what this libtorch lacks (about 20 s)")
	stubbed, err := stubMissing(f.cxx, source, flags)
	done()
	if err != nil {
		return err
	}
	if len(stubbed) > 0 {
		f.r.step("%d of gotch's functions are not in this libtorch and will return an error", len(stubbed))
	}
	defer f.r.long("compiling gotch's C++ (about half a minute, once for each libtorch)")()
	return f.cxx.object(source, target, flags)
}

// warmUp compiles the Go side of gotch into Go's build cache. This proves that it links, and
// shows that the first build takes its time there.
func (f *fitting) warmUp(root string) error {
	defer f.r.long("go build %s (about half a minute the first time)", gotchModule+"/ts")()
	cmd := exec.Command("go", "build", gotchModule+"/ts")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"))
	_, err := output(cmd)
	return err
}

// lock prevents two set-ups from using the same cache at once. The system releases it when
// the process ends, however it ends.
func (f *fitting) lock() (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(f.cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		done := f.r.long("waiting for another set-up on this machine")
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		done()
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return func() { file.Close() }, nil
}

var (
	requireGotch = regexp.MustCompile(`(?m)^(?:require)?\s+` + regexp.QuoteMeta(gotchModule) + `\s+(v\S+)`)
	goDirective  = regexp.MustCompile(`(?m)^go\s+(\S+)`)
)

// requirements reads from a go.mod the version of gotch and the Go version.
func requirements(name string) (gotch, goVersion string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", "", err
	}
	g, v := requireGotch.FindSubmatch(text), goDirective.FindSubmatch(text)
	if g == nil || v == nil {
		return "", "", fmt.Errorf("%s: wants a go line and a requirement of %s", name, gotchModule)
	}
	return string(g[1]), string(v[1]), nil
}

const workHeader = "// Written by make setup: points this checkout at gotch as fitted to this machine.\n"

// workFile returns the text of go.work. Its last line names the fitted copy.
func workFile(goVersion, dir string) string {
	if strings.ContainsAny(dir, " \t\"'`()[]{},") {
		dir = strconv.Quote(dir)
	}
	return fmt.Sprintf("%s\ngo %s\n\nuse .\n\nreplace %s => %s\n", workHeader, goVersion, gotchModule, dir)
}

// workIsCurrent reports whether the checkout's go.work has the wanted text.
func workIsCurrent(root, want string) bool {
	have, err := os.ReadFile(filepath.Join(root, "go.work"))
	return err == nil && string(have) == want
}

// writeWork writes go.work. A go.work that set-up did not write is kept beside
// it as go.work.old.
func writeWork(r *reporter, root, text string) error {
	name := filepath.Join(root, "go.work")
	if old, err := os.ReadFile(name); err == nil && !strings.HasPrefix(string(old), workHeader) {
		if err := os.Rename(name, name+".old"); err != nil {
			return err
		}
		r.warn("go.work was not written by set-up: it is now go.work.old")
	}
	r.step("writing go.work")
	return disk.WriteBytes(name, []byte(text))
}
