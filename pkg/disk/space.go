package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// Space is the space that files and folders take.
type Space struct {
	Bytes   int64     // size of all files; one with several hard links counts once
	Only    int64     // the part of Bytes without hard links elsewhere, which removing them would free
	Changed time.Time // latest modification time of a file
}

// Measure returns the space of files and folders. It skips files that are removed meanwhile.
func Measure(paths ...string) (Space, error) {
	var s Space
	type file struct{ device, inode uint64 }
	links := map[file]uint64{} // number of links that were seen
	count := func(_ string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil && !d.IsDir() {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || info == nil {
			return err
		}
		if info.ModTime().After(s.Changed) {
			s.Changed = info.ModTime()
		}
		stat := info.Sys().(*syscall.Stat_t)
		key := file{uint64(stat.Dev), stat.Ino}
		if links[key]++; links[key] == 1 {
			s.Bytes += info.Size()
		}
		if links[key] == uint64(stat.Nlink) {
			s.Only += info.Size()
		}
		return nil
	}
	for _, path := range paths {
		root, err := filepath.EvalSymlinks(path) // WalkDir would not follow it
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = filepath.WalkDir(root, count)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
