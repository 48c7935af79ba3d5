package disk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Lock is the exclusive or shared right to write to a folder.
type Lock struct{ f *os.File }

// lockName is the lock file of a folder. It is not deleted on release: if it were, two
// processes could lock two different files of this name.
const lockName = ".lock"

// HeldError means that another process holds the lock of a folder or journal.
type HeldError struct {
	Path   string
	Holder string    // "process 123 on host since 2026-11-21 15:30:12 UTC"
	Since  time.Time // by the clock of the file system; zero if Held did not return this
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s is being written by %s", e.Path, e.Holder) }

// TakeLock creates the folder if it is missing and takes its exclusive lock, or fails with
// a [HeldError]. The kernel releases the lock when the process ends, even if it is killed.
func TakeLock(dir string) (*Lock, error) { return lock(dir, syscall.LOCK_EX) }

// ShareLock takes a shared lock. While it is held, TakeLock fails for the same folder.
// [Held] does not report shared locks.
func ShareLock(dir string) (*Lock, error) { return lock(dir, syscall.LOCK_SH) }

func lock(dir string, how int) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking the folder: %w", err)
	}
	err = flock(f, how)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(&HeldError{Path: dir, Holder: holder(f)}, f.Close())
	case err == nil:
		err = sign(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return &Lock{f}, nil
}

// flock locks an open file, or fails with EWOULDBLOCK if another open file has the lock.
func flock(f *os.File, how int) (err error) {
	for range 5 { // retry, because Held may hold it for a moment
		if err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// Release releases the lock. It unlocks explicitly because closing the file is not enough:
// a child process that is just starting holds a copy of the descriptor until it executes
// its program.
func (l *Lock) Release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}

// sign writes the description of this process into the lock file.
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

// holder reads the description that sign wrote.
func holder(f *os.File) string {
	b, _ := io.ReadAll(io.LimitReader(f, 512))
	who, _, whole := strings.Cut(string(b), "\n")
	if !whole || who == "" {
		return "another process" // the holder has not signed yet
	}
	return who
}

// Held returns the holder of a folder's exclusive lock, or nil. It creates no file, so it
// works in a read-only folder.
func Held(dir string) (*HeldError, error) {
	f, err := Open(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Take a shared lock for a moment. TakeLock retries because of this.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		held := &HeldError{Path: dir, Holder: holder(f)}
		if info, err := f.Stat(); err == nil {
			held.Since = info.ModTime()
		}
		return held, nil
	case err != nil:
		return nil, fmt.Errorf("reading the lock %s: %w", f.Name(), err)
	}
	return nil, syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // see Release
}

// KeyLocks is a file of exclusive locks of keys, for processes that share a folder. The kernel
// releases a lock when its process ends.
type KeyLocks struct{ f *os.File }

// OpenKeyLocks opens the file, and creates it and its folder if they are missing.
func OpenKeyLocks(path string) (*KeyLocks, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, err
	}
	return &KeyLocks{f}, nil
}

func (l *KeyLocks) Close() error { return l.f.Close() }

// keyPause is the time between two attempts to take a lock.
const keyPause = 100 * time.Millisecond

// Lock locks a key. If another process holds it, Lock calls waiting once and waits, until ctx
// ends. A process must not lock a key that it holds. Two keys share a lock with a chance of
// 2^-62.
func (l *KeyLocks) Lock(ctx context.Context, key string, waiting func()) (release func(), err error) {
	sum := sha256.Sum256([]byte(key))
	at := unix.Flock_t{Type: unix.F_WRLCK, Start: int64(binary.LittleEndian.Uint64(sum[:]) >> 2), Len: 1}
	for told := false; ; told = true {
		if err = unix.FcntlFlock(l.f.Fd(), unix.F_OFD_SETLK, &at); err == nil {
			at.Type = unix.F_UNLCK
			return func() { _ = unix.FcntlFlock(l.f.Fd(), unix.F_OFD_SETLK, &at) }, nil // it fails only for a closed file, which has no locks
		}
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES) {
			return nil, fmt.Errorf("locking %s: %w", l.f.Name(), err)
		}
		if !told {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(keyPause):
		}
	}
}
