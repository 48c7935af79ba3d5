package run

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"alamos/pkg/disk"
)

// advised adds to an error of the disk what a person can do about it.
func advised(err error) error {
	var held *disk.HeldError
	var advice string
	switch {
	case errors.As(err, &held):
		advice = "wait for it or stop it, or give another folder with --results"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "make room and run again: what was finished is kept"
	case errors.Is(err, syscall.EFBIG):
		advice = "raise the limit of a file's size (ulimit -f) and run again: what was finished is kept"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "make it writable, or give another folder with --results"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}
