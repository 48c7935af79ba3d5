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

// sumOf is Sum with cancellation.
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

// untilDone is a reader that fails once ctx ends.
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
	path string

	mu      sync.Mutex
	known   map[string]knownSum // by absolute path
	changed bool
	read    int64 // bytes of files since the last Write
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

// ReadSums reads the cache that [Sums.Write] left at path. The cache is empty if the file
// is missing or damaged.
func ReadSums(path string) *Sums {
	s := &Sums{path: path, known: map[string]knownSum{}}
	if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &s.known) != nil {
		s.known = map[string]knownSum{}
	}
	return s
}

// Of returns the [Sum] of a file. If ctx ends first, it returns the cause.
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

// Write saves the cache if at least atLeast bytes of files were read since the last write.
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
