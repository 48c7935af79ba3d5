package store

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"alamos/pkg/disk"
)

// Largest sizes in bytes.
const (
	maxCrate  = 64 << 20 // of the metadata
	maxPack   = 1 << 40  // of the files of a pack
	maxOpened = 4 << 30  // of the files of a pack that a command opens without unpack
)

// unpackFolder matches folders in which packs are unpacked, among results.
const unpackFolder = ".unpack-*"

// Unpack makes a pack a run in the folder of results and returns the run's folder. The folder
// appears under its name when all checksums are right. A run of this name is an error.
func Unpack(file, results string) (dir string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}()
	if err := os.MkdirAll(results, 0o777); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(results, unpackFolder)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	lock, err := disk.TakeLock(part) // CollectGarbage removes what nobody holds
	if err != nil {
		return "", err
	}
	defer lock.Release()
	name, err := extract(file, part, maxPack, func(name string) error {
		dir = filepath.Join(results, name)
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists: rename it, or unpack into another folder with --out", dir)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return dir, os.Rename(filepath.Join(part, name), dir)
}

// opened are the folders of the packs that are open, by their files.
var opened = struct {
	sync.Mutex
	dirs map[string]string
}{dirs: map[string]string{}}

// openPack unpacks a pack into a temporary folder, which is there until [ClosePacks], and returns
// the run's folder.
func openPack(file string) (dir string, err error) {
	opened.Lock()
	defer opened.Unlock()
	if dir := opened.dirs[file]; dir != "" {
		return dir, nil
	}
	part, err := os.MkdirTemp("", "alamos-pack-*")
	if err != nil {
		return "", err
	}
	name, err := extract(file, part, maxOpened, func(string) error { return nil })
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", file, err), os.RemoveAll(part))
	}
	dir = filepath.Join(part, name)
	opened.dirs[file] = dir
	return dir, nil
}

// Shown returns a path for readers: below a pack that is open, its file in place of its temporary
// folder.
func Shown(path string) string {
	opened.Lock()
	defer opened.Unlock()
	for file, dir := range opened.dirs {
		if rest, inside := strings.CutPrefix(path, dir); inside && (rest == "" || rest[0] == filepath.Separator) {
			return file + rest
		}
	}
	return path
}

// ClosePacks removes the temporary folders of the packs that were opened by their names.
func ClosePacks() (err error) {
	opened.Lock()
	defer opened.Unlock()
	for file, dir := range opened.dirs {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(dir)))
		delete(opened.dirs, file)
	}
	return err
}

// extract unpacks a pack below a folder. begin is called with the name of the experiment before
// anything is written.
func extract(file, to string, limit int64, begin func(name string) error) (name string, err error) {
	f, err := disk.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	name, err = readPack(f, limit, begin, func(p packed, content io.Reader) error {
		at := filepath.Join(to, filepath.FromSlash(p.path))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		w, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(checked(w, content, p), w.Sync(), w.Close())
	})
	if err != nil {
		return "", err
	}
	x, err := ReadExperiment(filepath.Join(to, name))
	if err != nil {
		return "", fmt.Errorf("no results of an experiment: %w", err)
	}
	for _, t := range x.Trials {
		if !trialFolder.MatchString(t.Folder) {
			return "", fmt.Errorf("%s: %q is not the folder of a trial", ExperimentName, t.Folder)
		}
	}
	return name, nil
}

// packName matches names of experiments, which are names of folders in a pack.
var packName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N} +._-]*$`)

// readPack reads a pack and calls write for each file, with its path below the folder of the
// experiment's name. write must read the whole content. The files together have at most limit
// bytes.
func readPack(r io.Reader, limit int64, begin func(name string) error, write func(f packed, content io.Reader) error) (name string, err error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(packWindow))
	if err != nil {
		return "", err
	}
	defer z.Close()
	archive := tar.NewReader(z)
	first, err := archive.Next()
	if err != nil {
		return "", fmt.Errorf("it is not a pack of alamos, or it is cut off: %w", err)
	}
	name, rest, _ := strings.Cut(first.Name, "/")
	if !packName.MatchString(name) || rest != crateName || first.Typeflag != tar.TypeReg || first.Size > maxCrate {
		return "", fmt.Errorf("it is not a pack of alamos: the first file is %q, not %s of an experiment", first.Name, crateName)
	}
	metadata, err := io.ReadAll(archive)
	if err != nil {
		return "", err
	}
	files, err := listPacked(metadata, limit)
	if err == nil {
		err = begin(name)
	}
	if err == nil {
		err = write(packed{path: first.Name, size: first.Size, sum: disk.SumOf(metadata)}, bytes.NewReader(metadata))
	}
	for err == nil {
		var h *tar.Header
		if h, err = archive.Next(); err == io.EOF {
			err = nil
			break
		} else if err == nil {
			err = readPacked(name, h, files, func(f packed) error { return write(f, archive) })
		}
	}
	if err != nil {
		return "", err
	}
	for f := range files {
		return "", fmt.Errorf("%s is missing (%d files are)", f, len(files))
	}
	const padding = 1 << 16 // of other writers of tar, which fill up a block of some kilobytes with zeros
	after, err := io.ReadAll(io.LimitReader(z, padding+1))
	if err != nil || len(after) > padding || len(bytes.Trim(after, "\x00")) > 0 {
		return "", errors.Join(err, errors.New("there is more after the end of the archive, or it is cut off"))
	}
	return name, nil
}

// readPacked checks an entry of the archive, writes its file and removes it from the list.
func readPacked(name string, h *tar.Header, files map[string]packed, write func(packed) error) error {
	inside, ok := strings.CutPrefix(h.Name, name+"/")
	f, listed := files[inside]
	switch {
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%s is not a regular file: a pack has no links, folders or devices", h.Name)
	case !ok || !listed:
		return fmt.Errorf("%s is twice in the archive, or not in the list of its files", h.Name)
	case h.Size != f.size:
		return fmt.Errorf("%s has %d bytes, not %d", h.Name, h.Size, f.size)
	}
	delete(files, inside)
	f.path = h.Name
	if err := write(f); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	return nil
}

// LeftOut returns a function that reports whether the pack that the run came from lacks a file of the
// trial's folder. No file of a run that came from no pack is left out. A crate of another program,
// which does not list the trial's manifest, is no pack.
func (t *Trial) LeftOut() (func(file string) bool, error) {
	run, folder := filepath.Split(t.Dir)
	metadata, err := disk.ReadFile(filepath.Join(run, crateName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files, err := listPacked(metadata, maxPack)
	if _, ours := files[path.Join(folder, ManifestName)]; err != nil || !ours {
		return func(string) bool { return false }, nil
	}
	return func(file string) bool {
		_, packed := files[path.Join(folder, file)]
		return !packed
	}, nil
}

// listPacked reads the list of the files of a pack from its metadata.
func listPacked(metadata []byte, limit int64) (map[string]packed, error) {
	var c crate
	if err := json.Unmarshal(metadata, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", crateName, err)
	}
	files := map[string]packed{}
	for _, e := range c.Graph {
		if e.Type != "File" {
			continue
		}
		at, err := url.PathUnescape(e.ID)
		if err != nil || !plainPath(at) || at == crateName {
			return nil, fmt.Errorf("%s: %q is not the path of a file in the folder", crateName, e.ID)
		}
		if _, double := files[at]; double {
			return nil, fmt.Errorf("%s: %s is listed twice", crateName, at)
		}
		size, err := strconv.ParseInt(e.ContentSize, 10, 64)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("%s: %s has no size: %q", crateName, at, e.ContentSize)
		}
		if limit -= size; size > maxPack || limit < 0 {
			return nil, fmt.Errorf("the files are too large: %s and those before it", at)
		}
		files[at] = packed{path: at, size: size, sum: e.SHA256}
	}
	return files, nil
}

// plainPath reports whether a path stays in its folder and has no hidden part.
func plainPath(at string) bool {
	return filepath.IsLocal(at) && path.Clean(at) == at && !strings.HasPrefix(at, ".") && !strings.Contains(at, "/.") && !strings.ContainsRune(at, 0)
}
