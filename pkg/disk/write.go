package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// unfinished is the suffix of temporary files. Their names begin with a dot, so that
// patterns for results do not match them.
const unfinished = ".part"

// partName returns the name of a temporary file of path, with a * for a random number. It names
// the process that writes it, for [SweepStale].
func partName(path string) string {
	host, _ := os.Hostname() // without a name every process counts as one of another host
	return fmt.Sprintf(".%s.~%s~%d~*%s", filepath.Base(path), host, os.Getpid(), unfinished)
}

// WriteFile writes a file atomically: it writes a temporary file in the same folder, syncs
// it and renames it. It replaces an existing file and creates a missing folder. Errors name
// the file. A device, such as /dev/null, is an error.
func WriteFile(path string, write func(io.Writer) error) error { return writeAs(path, 0o644, write) }

// WriteSecret writes a file that only its owner can read, as [WriteFile] does.
func WriteSecret(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return writeAs(path, 0o600, bytesOf(b))
}

func writeAs(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeDevice != 0 {
		return errors.New("it is a device, which a file would replace")
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, partName(path))
	if err != nil {
		return err
	}
	// The lock shows SweepFile that the writer is alive. If the file system has no locks,
	// SweepFile deletes nothing.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	err = write(f)
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
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

func bytesOf(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// WriteBytes writes b with [WriteFile].
func WriteBytes(path string, b []byte) error { return WriteFile(path, bytesOf(b)) }

// WriteBytesIn writes the file of that name below dir with [WriteBytes], unless "..", or a
// symbolic link below dir, leads to another folder.
func WriteBytesIn(dir, name string, b []byte) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var root *os.Root
		if root, err = os.OpenRoot(dir); err == nil {
			err = errors.Join(root.MkdirAll(filepath.Dir(name), 0o777), root.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Join(dir, name), err)
	}
	return WriteBytes(filepath.Join(dir, name), b)
}

// UpdateBytes is WriteBytes, but leaves a file alone that has these bytes.
func UpdateBytes(path string, b []byte) error {
	if old, err := ReadFile(path); err == nil && bytes.Equal(old, b) {
		return nil
	}
	return WriteBytes(path, b)
}

// syncDir syncs the directory entries of a folder.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Remove deletes a file. A missing file is not an error.
func Remove(path string) error {
	step("remove", path)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SweepFile deletes the temporary files of path that killed processes left. It keeps those
// of live processes.
func SweepFile(path string) error {
	dir, base := filepath.Split(path)
	parts, err := filepath.Glob(Pattern(dir+"."+base) + ".~*" + unfinished)
	for _, part := range parts {
		err = errors.Join(err, sweepPart(part))
	}
	return err
}

// sweepPart deletes a temporary file unless its writer is alive. NFS gives an exclusive lock
// only to those who may write.
func sweepPart(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) { // it was renamed or removed meanwhile
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

// Sweep deletes all temporary files below dir. The caller must hold the folder's lock.
func Sweep(dir string) error {
	all, err := Unfinished(dir)
	for _, path := range all {
		err = errors.Join(err, Remove(path))
	}
	return err
}

// staleAge is the age at which a temporary file is that of a dead process.
const staleAge = 24 * time.Hour

// SweepStale deletes the temporary files below dir of processes of this host that have ended,
// and all that were not written to for a day. It needs no lock.
func SweepStale(dir string) error {
	all, err := Unfinished(dir)
	host, _ := os.Hostname()
	for _, path := range all {
		info, gone := os.Stat(path)
		if gone != nil { // it was renamed or removed meanwhile
			continue
		}
		dead := time.Since(info.ModTime()) > staleAge
		if writer := strings.Split(filepath.Base(path), "~"); len(writer) == 4 && writer[1] == host {
			pid, unnamed := strconv.Atoi(writer[2])
			dead = dead || unnamed == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
		}
		if dead {
			err = errors.Join(err, Remove(path))
		}
	}
	return err
}

// Unfinished lists the temporary files below dir, also those of live processes.
func Unfinished(dir string) (all []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // not made yet, or removed meanwhile
			return nil
		}
		if err == nil && d.Type().IsRegular() && d.Name()[0] == '.' && strings.HasSuffix(d.Name(), unfinished) {
			all = append(all, path)
		}
		return err
	})
	return all, err
}

// Link gives an immutable file a second name and replaces an existing file of that name. It
// makes a hard link, or a copy if the file system does not support links. It creates a
// missing folder.
func Link(from, to string) error {
	dir := filepath.Dir(to)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("linking %s: %w", to, err)
	}
	name := filepath.Join(dir, strings.Replace(partName(to), "*", strconv.FormatUint(rand.Uint64(), 10), 1))
	if os.Link(from, name) != nil {
		return copyFile(from, to)
	}
	step("rename", to)
	// Rename does nothing if both names already are links to the same file.
	if err := errors.Join(os.Rename(name, to), Remove(name)); err != nil {
		return err
	}
	return syncDir(dir)
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

// Watch calls f just before each step of this package that changes files: "rename" (of a
// temporary file to its final name), "append" (to a journal) and "remove". Tests use it to
// kill a process at each step. f may be called concurrently.
func Watch(f func(step, path string)) { watcher.Store(&f) }

func step(name, path string) {
	if f := watcher.Load(); f != nil {
		(*f)(name, path)
	}
}

// Pattern escapes path for filepath.Glob, so that it matches only itself.
func Pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
