package disk

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Sums remembers the checksums of files that may be many and big, by their sizes and
// the times of their last changes, so that each is read once. It is safe for use by
// many goroutines.
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

// settled is how old a change must be for a file's time to tell it from a later one:
// some file systems count in seconds.
const settled = 3 * time.Second

// ReadSums reads what an earlier process left at path with [Sums.Write]. Where that is
// missing or damaged nothing is known.
func ReadSums(path string) *Sums {
	s := &Sums{path: path, known: map[string]knownSum{}}
	if b, err := os.ReadFile(path); err == nil && json.Unmarshal(b, &s.known) != nil {
		s.known = map[string]knownSum{}
	}
	return s
}

// Of is [Sum] of a file, and the cause of ctx where that ends before.
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

// Write keeps what is known for later processes, where at least so many bytes of files
// have been read since it last did.
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
