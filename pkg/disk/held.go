package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Held tells who has the lock of a folder, nil where nobody has, and takes nothing:
// a folder that cannot be written to can be asked about.
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
