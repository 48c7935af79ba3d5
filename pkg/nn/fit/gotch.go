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
	"slices"
	"strings"
	"syscall"
	"time"

	"alamos/pkg/nn/sources"
)

const (
	cppDir      = "pkg/nn/cpp" // our C++, in the checkout
	gotchModule = "github.com/sugarme/gotch"
	libraryName = "libtch.so"
	stampName   = "fitted" // in the fitted copy: written last, says what libtch.so was made of
)

// ownSources decide what a fitted copy contains.
//
//go:embed copy.go lazy.go mend.go stub.go
var ownSources embed.FS

// fitting is one fitting of gotch to a libtorch.
type fitting struct {
	root  string // of the alamos checkout
	cpp   string // folder of our C++
	cache string // our directory in the user's cache
	lib   libtorch
	cxx   compiler
	r     *reporter

	machine string // digest of the libtorch and the compiler
	stamp   string // digest of what libtch.so is made of, beside gotch and the machine
}

// run makes the fitted copy and go.work unless both are as they should be.
//
// The copy's directory is named after what its Go code and the C++ of gotch
// depend on. Our own C++ is not part of that name: when it changes, libtch.so
// in the same directory is linked anew, so that Go need not recompile gotch.
// Checkouts of one user share the directory, as far as their C++ allows: see
// share.go.
//
// What programs link to is a door in front of libtorch: see lazy.go.
func (f *fitting) run() error {
	version, goVersion, err := requirements(filepath.Join(f.root, "go.mod"))
	if err != nil {
		return err
	}
	if err := f.identify(); err != nil {
		return err
	}
	fitCode, err := ownCode()
	if err != nil {
		return err
	}
	ours, err := sources.Read(os.DirFS(f.cpp))
	if err != nil {
		return err
	}
	shared := filepath.Join(f.cache, "gotch-"+sources.Digest(version, f.machine, fitCode))

	direct, _ := f.lib.oneDNN()
	f.stamp = sources.Digest(ours.Digest(), strings.Join(direct, " "))
	for _, dir := range []string{shared, f.own(shared)} {
		if fitted(dir, f.stamp) && workIsCurrent(f.root, workFile(goVersion, dir)) && slices.Contains(users(dir), f.root) {
			return nil
		}
	}
	if err := os.MkdirAll(f.cache, 0o755); err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()

	dir := f.place(shared)
	work := workFile(goVersion, dir)
	if !fitted(dir, f.stamp) { // another set-up may have done it while we waited
		if err := f.fit(version, dir, ours); err != nil {
			return err
		}
	}
	if err := f.use(dir); err != nil {
		return err
	}
	if workIsCurrent(f.root, work) {
		return nil
	}
	if err := writeWork(f.r, f.root, work); err != nil {
		return err
	}
	return f.warmUp()
}

// identify tells the libtorch and the compiler apart from others.
func (f *fitting) identify() error {
	fingerprint, err := f.lib.fingerprint()
	if err != nil {
		return err
	}
	f.machine = sources.Digest(fingerprint, f.cxx.Path, f.cxx.Version)
	return nil
}

// libraries are the files of a fitted copy that are made of C++.
func libraries() []string {
	if !hasDoor {
		return []string{"libtch/" + libraryName}
	}
	return []string{"libtch/" + realName, "libtch/" + libraryName}
}

// fitted reports whether dir is a whole fitted copy with this stamp.
func fitted(dir, stamp string) bool {
	have, err := os.ReadFile(filepath.Join(dir, stampName))
	if err != nil || string(have) != stamp {
		return false
	}
	for _, name := range append(libraries(), "go.mod", "ts/tensor.go", "libtch/lib.go") {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// fit makes the fitted copy, or only its libtch.so where the rest is there.
// Everything is written beside its place and renamed when it is whole.
func (f fitting) fit(version, dir string, ours sources.Sources) error {
	f.r.step("libtorch %s: %s, %s", f.lib.Version, f.lib.Origin, f.lib.Root)
	left, _ := filepath.Glob(filepath.Join(f.cache, "part-*"))
	for _, d := range left { // of a set-up that was killed: we hold the lock
		os.RemoveAll(d)
	}
	part := filepath.Join(f.cache, fmt.Sprintf("part-%d", os.Getpid()))
	defer os.RemoveAll(part)

	if err := mendedCopy(version, part); err != nil {
		return err
	}
	if err := splitGenerated(filepath.Join(part, "libtch/c-generated.go"), 10); err != nil {
		return fmt.Errorf("gotch %s: %w", version, err)
	}
	if err := f.build(part, version, ours); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(part, stampName), []byte(f.stamp), 0o644); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "libtch/lib.go")); err == nil {
		// The Go side is in use by Go's build cache and perhaps by running
		// programs: replace the library, which they keep open, and the stamp.
		os.Remove(filepath.Join(dir, stampName))
		for _, name := range append(libraries(), stampName) {
			if err := os.Rename(filepath.Join(part, name), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// build compiles libtch.so inside the copy at part, from gotch's C++ and ours.
func (f fitting) build(part, version string, ours sources.Sources) error {
	libFlags, err := f.lib.compileFlags()
	if err != nil {
		return err
	}
	store := objectStore{filepath.Join(f.cache, "objects")}
	cpp := filepath.Join(part, "libtch/cpp")
	libtch := filepath.Join(part, "libtch")

	var jobs []func() error
	objects := make([]string, len(ours.Names)+2)

	stubCode, err := ownSources.ReadFile("stub.go")
	if err != nil {
		return err
	}
	apiFlags := append([]string{"-O1", "-w"}, libFlags...)
	apiKey := "torch_api-" + sources.Digest(version, f.machine, strings.Join(apiFlags, " "), string(stubCode))
	apiFlags = append(apiFlags, "-I"+libtch)
	jobs = append(jobs, func() (err error) {
		objects[0], err = store.get(apiKey, func(target string) error {
			source := filepath.Join(cpp, "torch_api.cpp")
			done := f.r.long("looking for what this libtorch lacks (about 20 s)")
			stubbed, err := stubMissing(f.cxx, source, apiFlags)
			done()
			if err != nil {
				return err
			}
			if len(stubbed) > 0 {
				f.r.step("%d of gotch's functions are not in this libtorch and will return an error", len(stubbed))
			}
			defer f.r.long("compiling gotch's C++ (about half a minute, once for each libtorch)")()
			return f.cxx.object(source, target, apiFlags)
		})
		return err
	})
	direct, _ := f.lib.oneDNN()
	flags := append(append([]string{"-O3", "-Wall"}, libFlags...), direct...)
	for i, name := range ours.Names {
		jobs = append(jobs, func() (err error) {
			key := "alamos-" + sources.Digest(f.machine, strings.Join(flags, " "), ours.Headers, name, string(ours.Text[name]))
			objects[i+1], err = store.get(key, func(target string) error {
				f.r.step("compiling pkg/nn/cpp/%s", name)
				return f.cxx.object(filepath.Join(f.cpp, name), target, flags)
			})
			return err
		})
	}
	jobs = append(jobs, func() (err error) {
		// What a program asks, to know that the library is made of its own C++.
		text := fmt.Sprintf("extern \"C\" const char *alamos_sources(void) { return \"%s\"; }\n", ours.Digest())
		objects[len(ours.Names)+1], err = store.get("sources-"+sources.Digest(f.machine, text), func(target string) error {
			source := filepath.Join(cpp, "alamos_sources.cpp")
			if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
				return err
			}
			return f.cxx.object(source, target, nil)
		})
		return err
	})
	if err := parallel(jobs); err != nil {
		return err
	}
	store.prune(time.Now())
	f.r.step("linking %s", libraryName)
	return f.cxx.link(libtch, objects, f.lib)
}

// warmUp compiles the Go side of gotch into Go's build cache, which proves that
// it links, and shows where the first build's time goes.
func (f fitting) warmUp() error {
	defer f.r.long("go build %s (about half a minute the first time)", gotchModule+"/ts")()
	cmd := exec.Command("go", "build", gotchModule+"/ts")
	cmd.Dir = f.root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(f.root, "go.work"))
	_, err := output(cmd)
	return err
}

// lock keeps two set-ups from working in the same cache at once. The system
// releases it when the process ends, however it ends.
func (f fitting) lock() (unlock func(), err error) {
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

// ownCode returns the sources of this program that decide a copy's content.
func ownCode() (string, error) {
	var parts []string
	err := fs.WalkDir(ownSources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := ownSources.ReadFile(path)
		parts = append(parts, path, string(text))
		return err
	})
	return sources.Digest(parts...), err
}
