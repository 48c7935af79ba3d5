package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// writeFile writes a file whole or not at all: beside its name first, then
// renamed. The folder is made where it is missing.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("writing %s: %w", path, err)
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeBytes(path string, b []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// litter is how the files are called that a writer of ours makes beside a name
// before it renames them: here, in nn, dataset and plots.
var litter = regexp.MustCompile(`^\..+\.[0-9]+$|\.(parquet|safetensors\.[0-9]+)\.tmp$`)

// sweepLitter deletes what killed runs were writing. Only the holder of dir's
// lock may call it.
func sweepLitter(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !litter.MatchString(d.Name()) {
			return err
		}
		return os.Remove(path)
	})
}

// sum returns the SHA-256 of a file in hexadecimal.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// lock is the right to write to the results of one experiment.
type lock struct{ f *os.File }

// takeLock refuses when another process has the lock, naming it. The kernel
// gives the lock back when its holder dies, however it dies.
func takeLock(dir string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the results folder: %w", err)
	}
	path := filepath.Join(dir, ".lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking the results folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 64))
		who := "another process"
		if pid := strings.TrimSpace(string(holder)); pid != "" {
			who = "process " + pid
		}
		return nil, fmt.Errorf("%s is being written by %s: wait for it or stop it, or give another folder with --results", dir, who)
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return &lock{f}, nil
}

func (l *lock) release() { l.f.Close() }
