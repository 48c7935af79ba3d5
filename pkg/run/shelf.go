package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// Shelf finds stages by their inputs in all trials below the folder of results: a
// stage is a function of its inputs, so that what one trial has done another need
// not do. It reads a manifest again when that has changed, and is safe for use by
// many goroutines.
type Shelf struct {
	root string // of all results
	kin  Kinship

	mu      sync.Mutex
	folders map[string]*shelved      // by folder, below root; nil: never looked
	still   bool                     // nothing below root changes: to look once is enough
	running map[string]chan struct{} // by hash of inputs: closed when the stage has ended
}

// shelved is what the shelf knows of a trial.
type shelved struct {
	manifest os.FileInfo
	stages   map[string]string // hash of inputs -> name of the stage
	kin      map[string]string // name of a stage that may have kin -> its key
}

// Kinship is between stages of different inputs that can use parts of each other's
// results.
type Kinship struct {
	Input string                    // that stages with kin have, and no others
	Key   func(store.Inputs) string // equal for kin
}

// NewShelf is the shelf of all trials below a folder of results.
func NewShelf(root string, kin Kinship) *Shelf {
	return &Shelf{root: root, kin: kin, running: map[string]chan struct{}{}}
}

// donor is a stage of a trial.
type donor struct {
	dir   string // of the trial, below the root
	stage string
}

// refresh reads the manifests that are new or have changed. One that cannot be
// read has nothing to give.
func (s *Shelf) refresh() {
	if s.still && s.folders != nil {
		return
	}
	all, _ := filepath.Glob(filepath.Join(disk.Pattern(s.root), "*", "*", store.ManifestName)) // the pattern is sound
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
			entry.read(path, s.kin)
			<-seats
		})
	}
	wg.Wait()
	s.folders = now
}

// read indexes a manifest. It trusts the hashes no further than to find a stage:
// who takes one reads the manifest whole.
func (e *shelved) read(path string, kin Kinship) {
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
	e.stages, e.kin = map[string]string{}, map[string]string{}
	for _, st := range m.Stages {
		var compact bytes.Buffer
		if json.Compact(&compact, st.Inputs) != nil {
			continue
		}
		sum := sha256.Sum256(compact.Bytes()) // as Inputs.Hash, whose JSON this is
		e.stages[hex.EncodeToString(sum[:])] = st.Name
		if !bytes.Contains(st.Inputs, []byte(`"`+kin.Input+`"`)) {
			continue
		}
		var in store.Inputs
		if json.Unmarshal(st.Inputs, &in) == nil {
			e.kin[st.Name] = kin.Key(in)
		}
	}
}

// find lists who has a stage of these inputs, but for the trial in dir.
func (s *Shelf) find(name string, in store.Inputs, dir string) []donor {
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

// Kin has the stages of other trials, with their folders, that are kin to one of
// these inputs of the trial in dir.
func (s *Shelf) Kin(in store.Inputs, dir string) iter.Seq2[string, *store.Stage] {
	s.mu.Lock()
	s.refresh()
	key, own := s.kin.Key(in), s.below(dir)
	var all []donor
	for _, folder := range slices.Sorted(maps.Keys(s.folders)) {
		kin := s.folders[folder].kin
		for _, name := range slices.Sorted(maps.Keys(kin)) {
			if folder != own && kin[name] == key {
				all = append(all, donor{folder, name})
			}
		}
	}
	s.mu.Unlock()
	return func(yield func(string, *store.Stage) bool) {
		for _, d := range all {
			dir := filepath.Join(s.root, d.dir)
			m, err := store.ReadManifest(dir)
			if err != nil {
				continue // what is damaged there is told by its own run
			}
			if st := m.Stage(d.stage); st != nil && !yield(dir, st) {
				return
			}
		}
	}
}

// Manifests has those of all trials that can be read.
func (s *Shelf) Manifests() iter.Seq[*store.Manifest] {
	s.mu.Lock()
	s.refresh()
	folders := slices.Sorted(maps.Keys(s.folders))
	s.mu.Unlock()
	return func(yield func(*store.Manifest) bool) {
		for _, folder := range folders {
			m, err := store.ReadManifest(filepath.Join(s.root, folder))
			if err == nil && !yield(m) {
				return
			}
		}
	}
}

func (s *Shelf) below(dir string) string {
	rel, err := filepath.Rel(s.root, dir)
	if err != nil {
		return dir
	}
	return rel
}

// take reads a stage of another trial and makes sure that its files are what they
// were. It returns nil where they are not.
func (s *Shelf) take(d donor, in store.Inputs) (*store.Stage, *store.Manifest) {
	dir := filepath.Join(s.root, d.dir)
	m, err := store.ReadManifest(dir)
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
func (s *Shelf) begin(ctx context.Context, in store.Inputs) (done func(), err error) {
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
