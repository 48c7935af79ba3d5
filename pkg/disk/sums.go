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
func Sum(path string) (string, error) { return sumWith(context.Background(), path) }

// SumOf returns the SHA-256 of data in hexadecimal.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sumWith is Sum with cancellation.
func sumWith(ctx context.Context, path string) (string, error) {
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

// Stamp is the size and the modification time of a file. A file that has the stamp under
// which it was hashed has the same contents, unless somebody set its time back.
type Stamp struct {
	Size  int64 `json:"size"`
	Nanos int64 `json:"changed"` // modification time since 1970
}

// StampOf returns the stamp of a file.
func StampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	return Stamp{info.Size(), info.ModTime().UnixNano()}, nil
}

// settled reports whether every later change of the file gives it another modification
// time. The clock of file times has steps: at most 10 ms on Linux, and 2 seconds on file
// systems that store whole seconds.
func (s Stamp) settled() bool {
	step := 20 * time.Millisecond
	if s.Nanos%int64(time.Second) == 0 {
		step = 3 * time.Second
	}
	return time.Since(time.Unix(0, s.Nanos)) >= step
}

// StampedSum returns the [Sum] of a file and its stamp. settled is false if a later change
// might leave the stamp as it is, because the file was written just now.
func StampedSum(ctx context.Context, path string) (sum string, stamp Stamp, settled bool, err error) {
	if stamp, err = StampOf(path); err != nil {
		return "", stamp, false, err
	}
	settled = stamp.settled()
	sum, err = sumWith(ctx, path)
	return sum, stamp, settled, err
}

// SumFS returns the first 16 digits of a SHA-256 over the paths and contents of the files
// in a folder.
func SumFS(dir fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, path)
		fmt.Fprintf(h, "%d:%s%d:%s", len(path), path, len(text), text)
		return err
	})
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

// knownSum is a checksum with the stamp that it is valid for.
type knownSum struct {
	Stamp
	Sum string `json:"sha256"`
}

// ReadSums reads the cache that a call of [Sums.Of] saved at path. The cache is empty if
// the file is missing or damaged.
func ReadSums(path string) *Sums {
	s := &Sums{path: path, known: map[string]knownSum{}}
	if b, err := ReadFile(path); err == nil && json.Unmarshal(b, &s.known) != nil {
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
	now, err := StampOf(path)
	if err != nil {
		return "", err
	}
	if was, known := s.known[path]; known && was.Stamp == now {
		return was.Sum, nil
	}
	sum, now, settled, err := StampedSum(ctx, path)
	if err == nil && settled {
		s.known[path] = knownSum{now, sum}
		s.unsaved += now.Size
	}
	return sum, err
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
