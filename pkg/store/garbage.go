package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"alamos/pkg/disk"
)

// Garbage is a file or folder among the results that nothing needs.
type Garbage struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// Collection is the garbage in a folder of results.
type Collection struct {
	Garbage []Garbage `json:"garbage"`
	Freed   int64     `json:"freed"` // bytes without hard links among the other results
	// Left says which experiments were left alone, and why.
	Left []string `json:"left_alone"`
}

// CollectGarbage removes what no experiment in a folder of results needs: folders of trials
// that the experiment, as its latest run resolved it, does not have, and temporary files and
// folders that killed processes left. results may also be the folder of one experiment. It leaves alone
// experiments that are running, and all files and folders that no run has made. A dry
// collection only lists the garbage.
func CollectGarbage(results string, dry bool) (*Collection, error) {
	c := &Collection{Garbage: []Garbage{}, Left: []string{}}
	names := []string{"."}
	if !exists(filepath.Join(results, ExperimentName)) {
		var err error
		if names, err = Names(results); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if err := c.experiment(filepath.Join(results, name), dry); err != nil {
			return c, err
		}
	}
	return c, c.unpacked(results, dry)
}

// unpacked collects the folders that killed processes left while they unpacked a pack.
func (c *Collection) unpacked(results string, dry bool) error {
	dirs, err := filepath.Glob(filepath.Join(disk.Pattern(results), unpackFolder))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		release, err := hold(dir, dry)
		if _, held := errors.AsType[*disk.HeldError](err); held {
			continue
		}
		if err != nil {
			return err
		}
		err = c.collect([]Garbage{{Path: dir, What: "the rest of an unpack that was killed"}}, dry)
		if err = errors.Join(err, release()); err != nil {
			return err
		}
	}
	return nil
}

// hold takes the lock of a folder, or only looks whether another process holds it, since a dry
// collection writes nothing.
func hold(dir string, dry bool) (release func() error, err error) {
	if dry {
		folders, err := trialFolders(dir)
		if err != nil {
			return nil, err
		}
		held, err := heldBy(dir, folders)
		if held != nil {
			err = held
		}
		return func() error { return nil }, err
	}
	lock, err := disk.TakeLock(dir)
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}

// experiment collects the garbage of one experiment.
func (c *Collection) experiment(dir string, dry bool) error {
	release, err := hold(dir, dry)
	if held, ok := errors.AsType[*disk.HeldError](err); ok {
		c.Left = append(c.Left, held.Error())
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	x, err := ReadExperiment(dir)
	if errors.Is(err, ErrDamaged) {
		c.Left = append(c.Left, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	found, err := x.garbage(dir)
	if err != nil {
		return err
	}
	return c.collect(found, dry)
}

// collect measures garbage, and removes it unless the collection is dry.
func (c *Collection) collect(found []Garbage, dry bool) error {
	var paths []string
	for i := range found {
		space, err := disk.Measure(found[i].Path)
		if err != nil {
			return err
		}
		found[i].Bytes = space.Bytes
		paths = append(paths, found[i].Path)
	}
	space, err := disk.Measure(paths...)
	if err != nil {
		return err
	}
	c.Garbage, c.Freed = append(c.Garbage, found...), c.Freed+space.Only
	if dry {
		return nil
	}
	for _, path := range paths {
		if err := remove(path); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a file or the folder of a trial. A folder gets another name first, so that
// garbage recognizes it if the process is killed meanwhile.
func remove(path string) error {
	removed := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+removedSuffix)
	if info, err := os.Lstat(path); err == nil && info.IsDir() && trialFolder.MatchString(info.Name()) {
		if err := os.Rename(path, removed); err != nil {
			return err
		}
		path = removed
	}
	return os.RemoveAll(path)
}

const removedSuffix = ".removed"

var (
	trialFolder   = regexp.MustCompile(`^[0-9a-f]{10}$`)
	removedFolder = regexp.MustCompile(`^\.[0-9a-f]{10}\` + removedSuffix + `$`)
)

// garbage lists the garbage of the experiment. dir is its folder of results.
func (x *Experiment) garbage(dir string) (all []Garbage, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{ComparisonsFolder: true}
	for i := range x.Trials {
		known[x.Trials[i].Folder] = true
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !e.IsDir():
		case removedFolder.MatchString(e.Name()):
			all = append(all, Garbage{Path: path, What: "the rest of a folder that was not removed completely"})
		case known[e.Name()]:
			rest, err := leftovers(path)
			if err != nil {
				return nil, err
			}
			all = append(all, rest...)
		case trialFolder.MatchString(e.Name()) && x.Pending == 0: // a search may propose its trials again
			m, err := ReadManifest(path)
			if err == nil && m.Trial != "" && exists(filepath.Join(path, SettingsFile)) {
				all = append(all, Garbage{Path: path, What: strings.TrimSuffix("a trial that the experiment no longer has: "+m.Label, ": ")})
			}
		}
	}
	return all, nil
}

// leftovers lists the temporary files of stages in the folder of a trial that have ended. The
// process was killed before it removed them. A file that was changed after the end of its
// stage belongs to another attempt and is kept.
func leftovers(dir string) (all []Garbage, err error) {
	m, err := ReadManifest(dir)
	if errors.Is(err, ErrDamaged) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range m.Stages {
		for _, scratch := range ScratchFiles(s.Name) {
			info, err := os.Lstat(filepath.Join(dir, scratch))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if info.Mode().IsRegular() && info.ModTime().Before(s.Ended.Add(time.Second)) { // Ended has whole seconds
				all = append(all, Garbage{Path: filepath.Join(dir, scratch), What: fmt.Sprintf("a temporary file of %s, which has ended", s.Name)})
			}
		}
	}
	parts, err := disk.Unfinished(dir)
	for _, part := range parts {
		all = append(all, Garbage{Path: part, What: "a temporary file that a killed process left"})
	}
	slices.SortFunc(all, func(a, b Garbage) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}
