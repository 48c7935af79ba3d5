package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Lock is the right to write to a folder.
type Lock struct{ f *os.File }

// lockName is the file of a folder's lock. It stays when the lock is given back:
// a file that was removed could be locked by two processes, under one name.
const lockName = ".lock"

// HeldError says that another process has the lock of a folder.
type HeldError struct {
	Dir    string
	Holder string // "process 123 on host since 2026-11-21 15:30:12 UTC"
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s is being written by %s", e.Dir, e.Holder) }

// TakeLock makes the folder where it is missing and takes its lock, or fails
// with a [HeldError]. The kernel gives the lock back when its holder dies,
// however it dies.
func TakeLock(dir string) (*Lock, error) { return lock(dir, syscall.LOCK_EX) }

// ShareLock takes the lock in common with others that share it: nobody has it alone
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
	for range 5 { // somebody may just be asking who has it, see Held
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

// Release gives the lock back. To close the file would not be enough: a process that is
// being started at this instant has a copy of it until it runs its program.
func (l *Lock) Release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}

// sign writes into the lock's file who has it.
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

// holder reads who has the lock.
func holder(f *os.File) string {
	b, _ := io.ReadAll(io.LimitReader(f, 512))
	who, _, whole := strings.Cut(string(b), "\n")
	if !whole || who == "" {
		return "another process" // that is about to sign
	}
	return who
}
