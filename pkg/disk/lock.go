package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Lock is the right to write to a folder.
type Lock struct{ f *os.File }

// lockName is the file of a folder's lock. It stays when the lock is released: if the
// file were removed, two processes could lock two files of this name.
const lockName = ".lock"

// HeldError is the error of a folder whose lock another process holds.
type HeldError struct {
	Dir    string
	Holder string // "process 123 on host since 2026-11-21 15:30:12 UTC"
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s is being written by %s", e.Dir, e.Holder) }

// TakeLock makes the folder if it is missing and takes its lock, or fails with a
// [HeldError]. The kernel releases the lock when its holder dies, however it dies.
func TakeLock(dir string) (*Lock, error) { return lock(dir, syscall.LOCK_EX) }

// ShareLock takes the lock together with others that share it: nobody can take it alone
// meanwhile. [Held] does not see it.
func ShareLock(dir string) (*Lock, error) { return lock(dir, syscall.LOCK_SH) }

func lock(dir string, how int) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking the folder: %w", err)
	}
	for range 5 { // Held may be reading it
		if err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = &HeldError{Dir: dir, Holder: holder(f)}
	} else {
		if err == nil {
			err = sign(f)
		}
		if err != nil {
			err = fmt.Errorf("locking %s: %w", path, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release releases the lock. Closing the file is not enough: a process that is being
// started at this instant has a copy of it until it runs its program.
func (l *Lock) Release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}

// sign writes the holder of the lock into its file.
func sign(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	who := fmt.Sprintf("process %d on %s since %s\n", os.Getpid(), host, time.Now().UTC().Format("2006-01-02 15:04:05 MST"))
	if _, err := f.WriteAt([]byte(who), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(who)))
}

// holder reads the holder of the lock.
func holder(f *os.File) string {
	b, _ := io.ReadAll(io.LimitReader(f, 512))
	who, _, whole := strings.Cut(string(b), "\n")
	if !whole || who == "" {
		return "another process" // that is about to sign
	}
	return who
}

// Held returns who holds the lock of a folder, nil if nobody does. It takes no lock, so
// it works in a folder that cannot be written to.
func Held(dir string) (*HeldError, error) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The lock is held for a moment, in common with others who ask: see TakeLock.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return &HeldError{Dir: dir, Holder: holder(f)}, nil
	case err != nil:
		return nil, fmt.Errorf("asking for the lock %s: %w", f.Name(), err)
	}
	return nil, syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // see Release
}
