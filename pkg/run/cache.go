package run

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// cache finds stages by their inputs in all trials below the folder of results. A stage is
// a function of its inputs, so trials can share its results. The cache rereads a manifest
// when the file has changed. It is safe for concurrent use.
type cache struct {
	root string // folder of all results

	mu     sync.Mutex
	trials map[string]*cachedTrial  // by folder relative to root; nil: not read yet
	plan   bool                     // nothing below root changes, and planned stages are included
	claims map[string]chan struct{} // by hash of inputs; closed when the stage has ended
}

type cachedTrial struct {
	file     os.FileInfo // nil: the manifest includes planned stages
	manifest *store.Manifest
}

// source is a stage of another trial with the same inputs.
type source struct {
	folder  string // relative to the root
	dir     string
	stage   *store.Stage
	machine store.Machine
}

// reused returns the manifest entry of the stage for the trial that reuses it.
func (s *source) reused() *store.Stage {
	out := *s.stage
	if out.From == "" {
		out.From = filepath.ToSlash(s.folder)
	}
	return &out
}

func newCache(root string) *cache {
	return &cache{root: root, claims: map[string]chan struct{}{}}
}

// refresh reads new and changed manifests. An unreadable manifest counts as empty.
func (c *cache) refresh() {
	if c.plan && c.trials != nil {
		return
	}
	all, _ := filepath.Glob(filepath.Join(disk.Pattern(c.root), "*", "*", store.ManifestName)) // the pattern is valid
	now := map[string]*cachedTrial{}
	var readers errgroup.Group
	readers.SetLimit(runtime.NumCPU())
	for _, path := range all {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		folder := c.folder(filepath.Dir(path))
		old := c.trials[folder]
		if old != nil && old.file.ModTime().Equal(info.ModTime()) && os.SameFile(old.file, info) {
			now[folder] = old
			continue
		}
		t := &cachedTrial{file: info, manifest: &store.Manifest{}}
		now[folder] = t
		readers.Go(func() error {
			if m, err := store.ReadManifest(filepath.Dir(path)); err == nil { // the trial's own run reports damage
				t.manifest = m
			}
			return nil
		})
	}
	_ = readers.Wait() // no reader returns an error
	c.trials = now
}

// folder returns the path of a trial's folder relative to the root.
func (c *cache) folder(dir string) string {
	rel, err := filepath.Rel(c.root, dir)
	if err != nil {
		return dir
	}
	return rel
}

// manifests refreshes the cache and iterates over all trials except that in dir, sorted by
// folder.
func (c *cache) manifests(dir string) iter.Seq2[string, *store.Manifest] {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	trials, own := c.trials, c.folder(dir)
	return func(yield func(string, *store.Manifest) bool) {
		for _, folder := range slices.Sorted(maps.Keys(trials)) {
			if folder != own && !yield(folder, trials[folder].manifest) {
				return
			}
		}
	}
}

// find returns another trial's stage with the same inputs as s, or nil. It verifies the
// checksums of the source's files.
func (c *cache) find(s *Stage, dir string) *source {
	for folder, m := range c.manifests(dir) {
		src := &source{folder, filepath.Join(c.root, folder), m.Stage(s.Name), m.Machine}
		if src.stage == nil || !maps.Equal(src.stage.Inputs, s.In) {
			continue
		}
		if state, _, err := src.stage.Verify(src.dir); err == nil && state == store.FileOK {
			return src
		}
	}
	return nil
}

// engineID returns the identity of an engine in the latest stage that used an engine of this
// name and program, or "".
func (c *cache) engineID(name, program string, v chess.Variant) (id string) {
	var latest time.Time
	for _, m := range c.manifests("") {
		for _, s := range m.Stages {
			have := cmp.Or(s.Inputs["engine "+name], s.Inputs[playerInput+markedName(name, program)], s.Inputs[playerInput+name])
			if have != "" && s.Inputs["game.variant"] == v.String() && s.Ended.After(latest) {
				id, latest = have, s.Ended
			}
		}
	}
	return id
}

// manifest returns the manifest in dir. In a plan it includes the stages planned so far.
func (c *cache) manifest(dir string) (*store.Manifest, error) {
	if c.plan && c.trials != nil {
		if t := c.trials[c.folder(dir)]; t != nil && t.file == nil {
			return t.manifest, nil
		}
	}
	return store.ReadManifest(dir)
}

// planned replaces the manifest of the trial in dir by one with planned stages.
func (c *cache) planned(dir string, m *store.Manifest) {
	c.refresh()
	c.trials[c.folder(dir)] = &cachedTrial{manifest: m}
}

// claim waits until no other trial of this run works on a stage with these inputs. It then
// blocks other claims until the caller calls release.
func (c *cache) claim(ctx context.Context, in store.Inputs) (release func(), err error) {
	key := in.Hash()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.mu.Lock()
		other, busy := c.claims[key]
		if !busy {
			own := make(chan struct{})
			c.claims[key] = own
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.claims, key)
				c.mu.Unlock()
				close(own)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
		}
	}
}
