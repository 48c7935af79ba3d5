package store

import (
	"archive/tar"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
)

// A pack is a run in one file: a tar archive, compressed by zstd. All its files are in a folder
// with the name of the experiment. The first is an RO-Crate 1.1 that lists the others with their
// sizes and checksums. The bytes of a pack depend only on the results, the level and the versions
// of alamos and its libraries.

// PackExtension is the end of the name of a pack.
const PackExtension = ".tar.zst"

// Levels of a pack: which files it has.
const (
	PackPage     = "page"     // what figures, notebook, show, table and diff read
	PackNetworks = "networks" // also the checkpoints
	PackAll      = "all"      // also samples, games and figures
)

// PackLevels are the levels, the smallest first.
var PackLevels = []string{PackPage, PackNetworks, PackAll}

const (
	crateName    = "ro-crate-metadata.json"
	crateVersion = "https://w3id.org/ro/crate/1.1"
)

// crate is the metadata of a pack: an RO-Crate, which is JSON-LD.
type crate struct {
	Context []any    `json:"@context"`
	Graph   []entity `json:"@graph"`
}

// entity is an entity of a crate. Its keys are those of schema.org.
type entity struct {
	ID              string `json:"@id"`
	Type            string `json:"@type"`
	ConformsTo      *ref   `json:"conformsTo,omitempty"`
	About           *ref   `json:"about,omitempty"`
	Name            string `json:"name,omitempty"`
	Description     string `json:"description,omitempty"`
	DatePublished   string `json:"datePublished,omitempty"`
	SoftwareVersion string `json:"softwareVersion,omitempty"`
	Instrument      *ref   `json:"instrument,omitempty"`
	Result          *ref   `json:"result,omitempty"`
	ContentSize     string `json:"contentSize,omitempty"` // in bytes
	SHA256          string `json:"sha256,omitempty"`
	HasPart         []ref  `json:"hasPart,omitempty"`
}

type ref struct {
	ID string `json:"@id"`
}

// packed is a file of a pack. Its path is relative to the folder of the experiment.
type packed struct {
	path, sum string
	size      int64
}

// Pack writes a run, or one of its trials unless that is nil, into a file. version is that of
// alamos. A file that is missing or differs from what its stage wrote is an error.
func Pack(run *Run, trial *Trial, level, version, to string) error {
	switch {
	case !packName.MatchString(run.Name):
		return fmt.Errorf("%q cannot be the name of a run in a pack: rename the folder; want letters, digits, spaces and + . _ -", run.Name)
	case run.Experiment == nil:
		return fmt.Errorf("%s: %s", run.Name, run.Why)
	case run.State == Running:
		return fmt.Errorf("%s is running (%s): its files change", run.Name, run.Holder)
	case run.State == Damaged && trial == nil:
		return fmt.Errorf("%s: %s", run.Name, run.Why)
	}
	trials := run.Opened
	if trial != nil {
		trials = []*Trial{trial}
	}
	files, err := filesToPack(run, trials, level)
	if err != nil {
		return err
	}
	metadata, err := json.MarshalIndent(describePack(run, trials, level, version, files), "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteFile(to, func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(packWindow))
		if err != nil {
			return err
		}
		return errors.Join(writePack(z, run, metadata, files), z.Close())
	})
}

// packWindow is the size of the window of the compression.
const packWindow = 8 << 20

// filesToPack lists the files of a pack, sorted by their paths.
func filesToPack(run *Run, trials []*Trial, level string) (files []packed, err error) {
	comparisons, err := Open(run.Dir, experiment.Trial{Folder: ComparisonsFolder})
	if err != nil {
		return nil, err
	}
	recorded := map[string]string{}
	var folders []string
	for _, t := range append([]*Trial{comparisons}, trials...) {
		folders = append(folders, t.Declared.Folder)
		for _, s := range t.Manifest.Stages {
			for file, sum := range s.Outputs {
				recorded[path.Join(t.Declared.Folder, file)] = sum
			}
		}
	}
	var replayed shownGames
	for _, c := range run.Experiment.Notebook {
		replayed.tournament = replayed.tournament || c.Games == experiment.TournamentGames
		replayed.selfplay = replayed.selfplay || c.Games != "" && c.Games != experiment.TournamentGames
	}
	root, err := filepath.EvalSymlinks(run.Dir) // WalkDir would not follow it
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == root {
			return err
		}
		name, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		folder, inside, _ := strings.Cut(filepath.ToSlash(name), "/")
		isTrial := slices.Contains(folders, folder)
		switch {
		case d.IsDir() && (isTrial || inside != "" || folder == "figures" && level == PackAll):
			return nil
		case d.IsDir():
			return fs.SkipDir
		case !packs(level, cmp.Or(inside, folder), replayed):
			return nil
		}
		f := packed{path: filepath.ToSlash(name)}
		if f.sum, err = disk.Sum(at); err != nil {
			return err
		}
		if was, ok := recorded[f.path]; ok && was != f.sum {
			return damagedOutput(at)
		}
		delete(recorded, f.path)
		info, err := os.Stat(at)
		if err == nil {
			f.size = info.Size()
			files = append(files, f)
		}
		return err
	})
	for _, file := range slices.Sorted(maps.Keys(recorded)) { // those that were not found
		if _, inside, _ := strings.Cut(file, "/"); err == nil && packs(level, inside, replayed) {
			hint := "alamos run makes it again"
			if !packs(PackPage, inside, replayed) {
				hint += ", and a pack of a lower level does without it"
			}
			err = fmt.Errorf("%s is missing, which a pack of the level %s has: %s", filepath.Join(run.Dir, filepath.FromSlash(file)), level, hint)
		}
	}
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.path, b.path) })
	return files, err
}

// shownGames says which games a notebook replays.
type shownGames struct{ selfplay, tournament bool }

// packs reports whether a pack of a level has a file. Its name is relative to the folder of the
// trial.
func packs(level, name string, replayed shownGames) bool {
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/.") || name == crateName { // a lock, the temporary file of a killed run, an editor's folder, or what unpack left
		return false
	}
	kind, _, _ := strings.Cut(name, "/")
	switch {
	case level == PackAll:
		return true
	case kind == "checkpoints":
		return level == PackNetworks && path.Ext(name) == ".safetensors"
	case kind == "games":
		return replayed.selfplay && path.Ext(name) == ".pgn"
	case path.Base(name) == path.Base(TournamentGames) && kind != "files": // also of a final, or a rung
		return replayed.tournament
	case kind == "figures":
		return strings.HasPrefix(name, "figures/data/")
	}
	return kind != "samples" && kind != "targets" && kind != PageName && path.Ext(name) != ".journal"
}

// describePack returns the metadata of a pack.
func describePack(run *Run, trials []*Trial, level, version string, files []packed) crate {
	name := run.Name
	if len(trials) == 1 {
		name = Title(&trials[0].Declared)
	}
	root := entity{
		ID: "./", Type: "Dataset", Name: name, DatePublished: lastEnd(trials).UTC().Format(time.RFC3339),
		Description: fmt.Sprintf("Results of the chess experiment %s, packed at the level %s. alamos unpack checks and opens them.", name, level),
	}
	var entities []entity
	for _, f := range files {
		id := (&url.URL{Path: f.path}).EscapedPath()
		root.HasPart = append(root.HasPart, ref{id})
		entities = append(entities, entity{ID: id, Type: "File", ContentSize: strconv.FormatInt(f.size, 10), SHA256: f.sum})
	}
	head := []entity{
		{ID: crateName, Type: "CreativeWork", ConformsTo: &ref{crateVersion}, About: &ref{"./"}},
		root,
		{ID: "#alamos", Type: "SoftwareApplication", Name: "alamos", SoftwareVersion: version},
		{ID: "#pack", Type: "CreateAction", Name: "alamos pack", Instrument: &ref{"#alamos"}, Result: &ref{"./"}},
	}
	return crate{Context: []any{crateVersion + "/context", map[string]string{"sha256": "https://schema.org/sha256"}}, Graph: append(head, entities...)}
}

// lastEnd returns when the last stage of the trials ended.
func lastEnd(trials []*Trial) (last time.Time) {
	for _, t := range trials {
		for _, s := range t.Manifest.Stages {
			if s.Ended.After(last) {
				last = s.Ended
			}
		}
	}
	return last
}

// writePack writes the archive of a pack.
func writePack(w io.Writer, run *Run, metadata []byte, files []packed) error {
	archive := tar.NewWriter(w)
	header := func(name string, size int64) error {
		return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: path.Join(run.Name, name), Size: size, Mode: 0o644, ModTime: time.Unix(0, 0)})
	}
	err := header(crateName, int64(len(metadata)))
	if err == nil {
		_, err = archive.Write(metadata)
	}
	for _, f := range files {
		if err == nil {
			err = header(f.path, f.size)
		}
		if err == nil {
			err = copyPacked(archive, filepath.Join(run.Dir, filepath.FromSlash(f.path)), f)
		}
	}
	return errors.Join(err, archive.Close())
}

func copyPacked(w io.Writer, from string, f packed) error {
	r, err := disk.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	err = checked(w, io.LimitReader(r, f.size+1), f)
	if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk {
		return fmt.Errorf("%s was changed meanwhile: %w", from, err)
	}
	return err
}

// checked copies a file of a pack and compares it with its size and checksum.
func checked(w io.Writer, r io.Reader, f packed) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), r)
	switch {
	case err != nil:
		return err
	case n != f.size:
		return fmt.Errorf("it has %d bytes, not %d", n, f.size)
	case hex.EncodeToString(sum.Sum(nil)) != f.sum:
		return errors.New("its checksum differs")
	}
	return nil
}

// IsPack reports whether a name is that of a pack.
func IsPack(name string) bool {
	file, _ := cutPack(name)
	return file != ""
}

// cutPack splits the name of a pack, or of a trial in it, into the file and the name of the
// trial. The file is empty if the name is none of a pack.
func cutPack(name string) (file, trial string) {
	i := strings.Index(name, PackExtension)
	if i < 0 {
		return "", ""
	}
	file, trial = name[:i+len(PackExtension)], name[i+len(PackExtension):]
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || trial != "" && trial[0] != '/' {
		return "", ""
	}
	return file, trial
}
