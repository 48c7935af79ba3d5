package disk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// errNotRegular is the error of a path that names a folder, a pipe or a device.
var errNotRegular = errors.New("it is not a regular file")

func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return err
}

// Open opens a regular file for reading. It refuses pipes and devices, which may never end.
func Open(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads a regular file, see [Open].
func ReadFile(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Sum returns the SHA-256 of a file in hexadecimal.
func Sum(path string) (string, error) { return sumOf(context.Background(), path) }

// sumOf is Sum with cancellation.
func sumOf(ctx context.Context, path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, b := sha256.New(), make([]byte, 1<<16)
	for {
		n, err := f.Read(b)
		h.Write(b[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err = cmp.Or(context.Cause(ctx), err); err != nil {
			return "", fmt.Errorf("reading %s: %w", path, err)
		}
	}
}

// SumFS returns the first 16 digits of a SHA-256 over the names and contents of the files
// in a folder. It ignores subfolders.
func SumFS(dir fs.FS) (string, error) {
	files, err := fs.ReadDir(dir, ".")
	h := sha256.New()
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		text, readErr := fs.ReadFile(dir, f.Name())
		err = errors.Join(err, readErr)
		fmt.Fprintf(h, "%d:%s%d:%s", len(f.Name()), f.Name(), len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], err
}

// Sums caches the checksums of big files by path, size and modification time, so that each
// file is read once. It is safe for concurrent use.
type Sums struct {
	// ReadOnly says that the cache is not saved.
	ReadOnly bool

	path string

	mu      sync.Mutex
	known   map[string]knownSum // by absolute path
	unsaved int64               // bytes of files whose sums were not saved yet
}

// knownSum is a checksum with the size and modification time that it is valid for.
type knownSum struct {
	Size  int64  `json:"size"`
	Nanos int64  `json:"changed"` // modification time since 1970
	Sum   string `json:"sha256"`
}

// settled is the least age of a modification for its checksum to be cached. Some file
// systems store times in seconds, so a later change could have the same time.
const settled = 3 * time.Second

// ReadSums reads the cache that a call of [Sums.Of] saved at path. The cache is empty if
// the file is missing or damaged.
func ReadSums(path string) *Sums {
	s := &Sums{path: path, known: map[string]knownSum{}}
	if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &s.known) != nil {
		s.known = map[string]knownSum{}
	}
	return s
}

// saveAfter is the number of bytes after which the cache is saved, so that a killed process
// does not read all files again.
const saveAfter = 256 << 20

// Of returns the [Sum] of each file. If ctx ends first, it returns the cause.
func (s *Sums) Of(ctx context.Context, paths ...string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := make([]string, len(paths))
	var err error
	for i, path := range paths {
		if sums[i], err = s.of(ctx, path); err != nil {
			break
		}
		if s.unsaved >= saveAfter {
			if err = s.save(); err != nil {
				break
			}
		}
	}
	return sums, errors.Join(err, s.save())
}

func (s *Sums) of(ctx context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	before, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	now, was := knownSum{Size: before.Size(), Nanos: before.ModTime().UnixNano()}, s.known[path]
	if now.Sum = was.Sum; now == was {
		return was.Sum, nil
	}
	if now.Sum, err = sumOf(ctx, path); err == nil && time.Since(before.ModTime()) >= settled {
		s.known[path] = now
		s.unsaved += now.Size
	}
	return now.Sum, err
}

// save writes the cache if it has changed.
func (s *Sums) save() error {
	if s.unsaved == 0 || s.ReadOnly {
		return nil
	}
	b, err := json.Marshal(s.known)
	if err == nil {
		err = WriteBytes(s.path, b)
	}
	if err == nil {
		s.unsaved = 0
	}
	return err
}
