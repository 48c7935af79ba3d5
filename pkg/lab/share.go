package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// shelf finds stages by their inputs in all trials below the folder of results: a
// stage is a function of its inputs, so that what one trial has done another need
// not do. It reads a manifest again when that has changed, and is safe for use by
// many goroutines.
type shelf struct {
	root string // of all results

	mu      sync.Mutex
	folders map[string]*shelved      // by folder, below root; nil: never looked
	still   bool                     // nothing below root changes: to look once is enough
	running map[string]chan struct{} // by hash of inputs: closed when the stage has ended
}

// shelved is what the shelf knows of a trial.
type shelved struct {
	manifest os.FileInfo
	stages   map[string]string // hash of inputs -> name of the stage
	matches  map[string]string // name of a stage with players -> its matchKey
}

func newShelf(root string) *shelf {
	return &shelf{root: root, running: map[string]chan struct{}{}}
}

// donor is a stage of a trial.
type donor struct {
	dir   string // of the trial, below the root
	stage string
}

// refresh reads the manifests that are new or have changed. One that cannot be
// read has nothing to give.
func (s *shelf) refresh() {
	if s.still && s.folders != nil {
		return
	}
	all, _ := filepath.Glob(filepath.Join(globSafe(s.root), "*", "*", store.ManifestName)) // the pattern is sound
	now := map[string]*shelved{}
	var wg sync.WaitGroup
	seats := make(chan struct{}, runtime.NumCPU())
	for _, path := range all {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		dir, err := filepath.Rel(s.root, filepath.Dir(path))
		if err != nil {
			continue
		}
		old := s.folders[dir]
		if old != nil && old.manifest.ModTime().Equal(info.ModTime()) && os.SameFile(old.manifest, info) {
			now[dir] = old
			continue
		}
		entry := &shelved{manifest: info}
		now[dir] = entry
		wg.Go(func() {
			seats <- struct{}{}
			entry.read(path)
			<-seats
		})
	}
	wg.Wait()
	s.folders = now
}

// globSafe is a path as a pattern for itself.
func globSafe(path string) string {
	var b bytes.Buffer
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// read indexes a manifest. It trusts the hashes no further than to find a stage:
// who takes one reads the manifest whole.
func (e *shelved) read(path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var m struct {
		Stages []struct {
			Name   string
			Inputs json.RawMessage
		}
	}
	if json.Unmarshal(b, &m) != nil {
		return
	}
	e.stages, e.matches = map[string]string{}, map[string]string{}
	for _, st := range m.Stages {
		var compact bytes.Buffer
		if json.Compact(&compact, st.Inputs) != nil {
			continue
		}
		sum := sha256.Sum256(compact.Bytes()) // as Inputs.Hash, whose JSON this is
		e.stages[hex.EncodeToString(sum[:])] = st.Name
		if !bytes.Contains(st.Inputs, []byte(`"`+playersList+`"`)) {
			continue
		}
		var in store.Inputs
		if json.Unmarshal(st.Inputs, &in) == nil {
			e.matches[st.Name] = matchKey(in)
		}
	}
}

// find lists who has a stage of these inputs, but for the trial in dir.
func (s *shelf) find(name string, in store.Inputs, dir string) []donor {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	hash, own := in.Hash(), s.below(dir)
	var all []donor
	for _, folder := range slices.Sorted(maps.Keys(s.folders)) {
		if folder != own && s.folders[folder].stages[hash] == name {
			all = append(all, donor{folder, name})
		}
	}
	return all
}

// matches lists the matches of other trials whose games may be those of a match.
func (s *shelf) matches(in store.Inputs, dir string) []donor {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	common, own := matchKey(in), s.below(dir)
	var all []donor
	for _, folder := range slices.Sorted(maps.Keys(s.folders)) {
		if folder == own {
			continue
		}
		matches := s.folders[folder].matches
		for _, name := range slices.Sorted(maps.Keys(matches)) {
			if matches[name] == common {
				all = append(all, donor{folder, name})
			}
		}
	}
	return all
}

func (s *shelf) below(dir string) string {
	rel, err := filepath.Rel(s.root, dir)
	if err != nil {
		return dir
	}
	return rel
}

// take reads a stage of another trial and makes sure that its files are what they
// were. It returns nil where they are not.
func (s *shelf) take(d donor, in store.Inputs) (*store.Stage, *store.Manifest) {
	dir := filepath.Join(s.root, d.dir)
	m, _, err := store.ReadManifest(dir)
	if err != nil {
		return nil, nil // what is damaged there is told by its own run
	}
	if fresh, _, err := m.Fresh(dir, d.stage, in); err != nil || !fresh {
		return nil, nil
	}
	st := *m.Stage(d.stage)
	if st.From == "" {
		st.From = filepath.ToSlash(d.dir)
	}
	return &st, m
}

// begin waits until no other trial of this run is at work on a stage of these
// inputs, and says that the caller is, until it calls done.
func (s *shelf) begin(ctx context.Context, in store.Inputs) (done func(), err error) {
	key := in.Hash()
	for {
		s.mu.Lock()
		other, busy := s.running[key]
		if !busy {
			own := make(chan struct{})
			s.running[key] = own
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.running, key)
				s.mu.Unlock()
				close(own)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// borrow takes a stage from another trial that has it, and tells whether there was
// one.
func (t *trial) borrow(name string, in store.Inputs) (bool, error) {
	for _, d := range t.shelf.find(name, in, t.Dir) {
		st, m := t.shelf.take(d, in)
		if st == nil {
			continue
		}
		from := filepath.Join(t.shelf.root, d.dir)
		for _, file := range slices.Sorted(maps.Keys(st.Outputs)) {
			if err := disk.Link(filepath.Join(from, file), t.Path(file)); err != nil {
				return false, fmt.Errorf("taking it from %s: %w", from, err)
			}
		}
		t.Reporter.Shared(name, from)
		t.Manifest.Put(st)
		t.Manifest.Machine = m.Machine
		return true, t.Manifest.Write(t.Dir)
	}
	return false, nil
}
