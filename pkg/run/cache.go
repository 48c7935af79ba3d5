package run

import (
	"cmp"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// cache finds stages by their inputs in all trials below the folder of results. A stage is
// a function of its inputs, so trials can share its results. The cache knows the manifests
// that this process writes, and rereads those of other processes when the files have
// changed. It is safe for concurrent use.
type cache struct {
	root string // folder of all results

	mu     sync.Mutex
	trials map[string]*cachedTrial        // by folder relative to root; nil: not read yet
	places map[string][]string            // sorted folders that have or had a stage or player, by stageKey and playerKeys
	before map[string]*cachedTrial        // trials when this process began
	plan   bool                           // nothing below root changes, and planned stages are included
	games  map[string]int                 // numbers of games of the pairs in planned matches, by gamesKey and names
	claims map[string]*semaphore.Weighted // by hash of inputs; held while a trial works on the stage

	// A refresh waits until pause times the duration of the last one have passed, so that
	// a folder of thousands of trials costs a run little time.
	pause time.Duration
	again time.Time
}

type cachedTrial struct {
	folder   string      // relative to the root
	file     os.FileInfo // nil: the manifest includes planned stages
	manifest *store.Manifest
}

// source is a stage of another trial with the same inputs.
type source struct {
	dir     string
	stage   store.Stage // as in the manifest of a trial that reuses it
	machine store.Machine
}

func newCache(root string) *cache {
	return &cache{root: root, places: map[string][]string{}, games: map[string]int{}, claims: map[string]*semaphore.Weighted{}, pause: 20}
}

// refresh reads new and changed manifests. An unreadable manifest counts as empty.
func (c *cache) refresh() {
	if c.trials != nil && (c.plan || time.Now().Before(c.again)) {
		return
	}
	began := time.Now()
	all, _ := filepath.Glob(filepath.Join(disk.Pattern(c.root), "*", "*", store.ManifestName)) // the pattern is valid
	now, read := map[string]*cachedTrial{}, []string{}
	var readers errgroup.Group
	readers.SetLimit(runtime.GOMAXPROCS(0))
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
		t := &cachedTrial{folder: folder, file: info, manifest: &store.Manifest{}}
		now[folder] = t
		read = append(read, folder)
		readers.Go(func() error {
			if m, err := store.ReadManifest(filepath.Dir(path)); err == nil { // the trial's own run reports damage
				t.manifest = m
			}
			return nil
		})
	}
	_ = readers.Wait() // no reader returns an error
	if c.before == nil {
		c.before = maps.Clone(now)
	}
	c.trials = now
	for _, folder := range read {
		c.index(folder, now[folder].manifest.Stages...)
	}
	c.again = time.Now().Add(c.pause * time.Since(began))
}

// expire makes the next lookup read what other processes have written.
func (c *cache) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again = time.Time{}
}

// index adds the stages of a trial, and the players of its tournaments, to places.
func (c *cache) index(folder string, stages ...*store.Stage) {
	for _, s := range stages {
		for _, key := range append(slices.Collect(maps.Values(playerKeys(s.Inputs))), stageKey(s.Name, s.Inputs)) {
			if i, found := slices.BinarySearch(c.places[key], folder); !found {
				c.places[key] = slices.Insert(c.places[key], i, folder)
			}
		}
	}
}

func stageKey(name string, in store.Inputs) string { return name + " " + in.Hash() }

// folder returns the path of a trial's folder relative to the root.
func (c *cache) folder(dir string) string {
	rel, err := filepath.Rel(c.root, dir)
	if err != nil {
		return dir
	}
	return rel
}

// all refreshes the cache and returns all trials, sorted by folder.
func (c *cache) all() []*cachedTrial {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return slices.SortedFunc(maps.Values(c.trials), func(a, b *cachedTrial) int { return cmp.Compare(a.folder, b.folder) })
}

// having refreshes the cache and returns the trials other than that in dir that may have a
// stage or player with all these keys, sorted by folder.
func (c *cache) having(dir string, keys ...string) (found []*cachedTrial) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	lists := make([][]string, len(keys))
	for i, key := range keys {
		lists[i] = c.places[key]
	}
	slices.SortFunc(lists, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	for _, folder := range lists[0] {
		lacks := slices.ContainsFunc(lists[1:], func(other []string) bool {
			_, has := slices.BinarySearch(other, folder)
			return !has
		})
		if t := c.trials[folder]; t != nil && !lacks && folder != c.folder(dir) {
			found = append(found, t)
		}
	}
	return found
}

// find returns another trial's stage with the same inputs as s, or nil. It verifies the
// source's files, all of them if verify is set.
func (c *cache) find(s *Stage, dir string, verify bool) *source {
	for _, t := range c.having(dir, stageKey(s.Name, s.In)) {
		stage := t.manifest.Stage(s.Name)
		if stage == nil || !maps.Equal(stage.Inputs, s.In) {
			continue
		}
		src := &source{filepath.Join(c.root, t.folder), *stage, t.manifest.Machine}
		src.stage.From = cmp.Or(stage.From, filepath.ToSlash(t.folder))
		if state, _, err := src.stage.Verify(src.dir, verify); err == nil && state == store.FileOK {
			return src
		}
	}
	return nil
}

// nearest returns the manifest of the experiment's trial in which the inputs of a stage
// differ least from those of s. It is empty if no trial had the stage when this process
// began.
func (c *cache) nearest(s *Stage, dir string) *store.Manifest {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	nearest, least := &store.Manifest{}, math.MaxInt
	for _, folder := range slices.Sorted(maps.Keys(c.before)) {
		m := c.before[folder].manifest
		stage := m.Stage(s.Name)
		if stage == nil || filepath.Dir(folder) != filepath.Dir(c.folder(dir)) {
			continue
		}
		if n := len(s.In.Changed(stage.Inputs)); n < least {
			nearest, least = m, n
		}
	}
	return nearest
}

// engineID returns the identity of an engine in the latest stage that used an engine of this
// name and program, or "".
func (c *cache) engineID(name, program string, v chess.Variant) (id string) {
	var latest time.Time
	for _, t := range c.all() {
		for _, s := range t.manifest.Stages {
			have := cmp.Or(s.Inputs["engine "+name], s.Inputs[playerInput+markedName(name, program)], s.Inputs[playerInput+name])
			if have != "" && s.Inputs["game.variant"] == v.Spec() && s.Ended.After(latest) {
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

// planned replaces the manifest of the trial in dir by one with a planned stage.
func (c *cache) planned(dir string, m *store.Manifest, stage string) {
	c.refresh()
	folder := c.folder(dir)
	c.trials[folder] = &cachedTrial{folder: folder, manifest: m}
	c.index(folder, m.Stage(stage))
}

// wrote replaces the manifest of the trial in dir, which this process has written.
func (c *cache) wrote(dir string, m *store.Manifest) {
	info, err := os.Stat(filepath.Join(dir, store.ManifestName))
	if err != nil { // the next refresh reports what is there
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	folder := c.folder(dir)
	added := slices.Clone(m.Stages)
	if old := c.trials[folder]; old != nil {
		added = slices.DeleteFunc(added, func(s *store.Stage) bool { return slices.Contains(old.manifest.Stages, s) })
	}
	c.index(folder, added...)
	c.trials[folder] = &cachedTrial{folder, info, &store.Manifest{Machine: m.Machine, Stages: slices.Clone(m.Stages)}}
}

// claim waits until no other trial of this run works on a stage with these inputs. It then
// blocks other claims until the caller calls release.
func (c *cache) claim(ctx context.Context, in store.Inputs) (release func(), err error) {
	key := in.Hash()
	c.mu.Lock()
	claim := c.claims[key]
	if claim == nil {
		claim = semaphore.NewWeighted(1)
		c.claims[key] = claim
	}
	c.mu.Unlock()
	return func() { claim.Release(1) }, claim.Acquire(ctx, 1)
}
