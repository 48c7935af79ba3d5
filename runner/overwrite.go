package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"alamos/pkg/data"
)

// checkOut returns an error where writing positions to a file would destroy something
// that is not positions of ours: one of the files that are read, or another program's.
func checkOut(out string, inputs []string) error {
	there, err := os.Stat(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return usagef("--out: %w", err)
	}
	for _, input := range inputs {
		if st, err := os.Stat(input); err == nil && os.SameFile(there, st) {
			return usagef("--out: %s is read by this import (%s): name another file", out, input)
		}
	}
	if !there.Mode().IsRegular() {
		return usagef("--out: %s is not a file", out)
	}
	if _, err := data.ReadMeta(out); err != nil {
		return usagef("--out: %s is there and is no file of samples of alamos: name another file, or delete it first", out)
	}
	return nil
}

// checkNew returns an error where a file is there already and force does not say to
// replace it.
func checkNew(out string, force bool) error {
	_, err := os.Stat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && force:
		return nil
	case err != nil:
		return fmt.Errorf("--out: %w", err)
	}
	return usagef("--out: %s is there already: name another file, or give --force to replace it", out)
}
