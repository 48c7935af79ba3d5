package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// unfinished ends the name of a file that is being written; it begins with a
// dot, so that no pattern for results finds it.
const unfinished = ".part"

// WriteFile writes a file whole or not at all: beside its name first, then, on
// the disk, renamed. What stood there before is replaced. The folder is made
// where it is missing. An error names the file.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*"+unfinished)
	if err != nil {
		return err
	}
	// Who holds the lock is alive: see SweepFile. Where a disk has no locks nothing is swept.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	err = write(f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	step("rename", path)
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

// WriteBytes is WriteFile of what is in memory.
func WriteBytes(path string, b []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// syncDir brings the names in a folder to the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Remove deletes a file that may be gone already.
func Remove(path string) error {
	step("remove", path)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SweepFile deletes what killed processes were writing of one file. What a living one
// is writing stays.
func SweepFile(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, begun := strings.CutPrefix(e.Name(), "."+filepath.Base(path)+".")
		number, part := strings.CutSuffix(name, unfinished)
		if !begun || !part || !e.Type().IsRegular() || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if err := sweepPart(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// sweepPart deletes a file unless its writer is alive.
func sweepPart(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // it is whole by now
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	return Remove(path)
}

// Sweep deletes what killed processes were writing below dir. Only who has the
// folder's lock may call it.
func Sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name()[0] != '.' || !strings.HasSuffix(d.Name(), unfinished) {
			return err
		}
		return os.Remove(path)
	})
}

// Link gives a file that is never changed a second name, replacing what was there: a
// hard link, or a copy if the file system allows none. It makes the folder if it is
// missing.
func Link(from, to string) error {
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("linking %s: %w", to, err)
	}
	name, err := unusedName(to)
	if err != nil {
		return fmt.Errorf("linking %s: %w", to, err)
	}
	if os.Link(from, name) != nil {
		return copyFile(from, to)
	}
	step("rename", to)
	if err := os.Rename(name, to); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	// Two names of one file are not renamed onto each other.
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return syncDir(dir)
}

// unusedName is a name for an unfinished file beside path.
func unusedName(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+unfinished)
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), os.Remove(f.Name()))
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	return WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

var watcher atomic.Pointer[func(step, path string)]

// Watch calls f just before each step of this package that changes what another process
// would find: "rename" (of a file that was written under another name), "append" (to a
// journal) and "remove". It is for tests that kill a process at each of them. Many
// goroutines may call f at once.
func Watch(f func(step, path string)) { watcher.Store(&f) }

func step(name, path string) {
	if f := watcher.Load(); f != nil {
		(*f)(name, path)
	}
}

// Pattern returns a pattern for filepath.Glob that matches only a path.
func Pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
