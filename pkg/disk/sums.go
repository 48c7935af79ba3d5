package disk

import (
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

// Sum returns the SHA-256 of a file in hexadecimal.
func Sum(path string) (string, error) { return sumOf(context.Background(), path) }

// sumOf is Sum until ctx ends.
func sumOf(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, untilDone{ctx, f}); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// untilDone reads until ctx ends.
type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.in.Read(b)
}

// SumFS identifies the files of a folder, not of those below it: the start of a
// SHA-256 of their names and contents.
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

// Sums caches the checksums of big files by their sizes and modification times, so that
// each is read once. It is safe for use by many goroutines.
type Sums struct {
	path string

	mu      sync.Mutex
	known   map[string]knownSum // by absolute path
	changed bool
	read    int64 // bytes of files since the last Write
}

// knownSum is the checksum of a file that was so long and was changed then.
type knownSum struct {
	Size  int64  `json:"size"`
	Nanos int64  `json:"changed"` // since 1970
	Sum   string `json:"sha256"`
}

// settled is how old a change must be for a file's time to differ from that of a later
// one: some file systems count in seconds.
const settled = 3 * time.Second

// ReadSums reads what an earlier process left at path with [Sums.Write]. A missing or
// damaged file leaves the cache empty.
func ReadSums(path string) *Sums {
	s := &Sums{path: path, known: map[string]knownSum{}}
	if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &s.known) != nil {
		s.known = map[string]knownSum{}
	}
	return s
}

// Of returns the [Sum] of a file, or the cause of ctx if that ends before.
func (s *Sums) Of(ctx context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	before, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	now := knownSum{Size: before.Size(), Nanos: before.ModTime().UnixNano()}
	s.mu.Lock()
	was := s.known[path]
	s.mu.Unlock()
	if now.Sum = was.Sum; now == was {
		return was.Sum, nil
	}
	if now.Sum, err = sumOf(ctx, path); err != nil {
		return "", err
	}
	if time.Since(before.ModTime()) < settled {
		return now.Sum, nil
	}
	s.mu.Lock()
	s.known[path], s.changed = now, true
	s.read += now.Size
	s.mu.Unlock()
	return now.Sum, nil
}

// Write writes the cache for later processes if at least that many bytes of files were
// read since the last time.
func (s *Sums) Write(atLeast int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed || s.read < atLeast {
		return nil
	}
	b, err := json.Marshal(s.known)
	if err == nil {
		err = WriteBytes(s.path, b)
	}
	if err == nil {
		s.changed, s.read = false, 0
	}
	return err
}
