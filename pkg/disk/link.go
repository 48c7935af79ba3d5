package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Link gives a file that is never written to a second name, whole or not at all,
// in the place of what stood there: a hard link, or a copy where the file system
// allows none. The folder is made where it is missing.
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
