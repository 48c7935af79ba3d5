package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"alamos/pkg/disk"
)

// Manifest is the memory of a trial: manifest.json in its folder.
type Manifest struct {
	Trial   string   `json:"trial"`
	Label   string   `json:"label"`
	Machine Machine  `json:"machine"` // where the latest stage ran
	Stages  []*Stage `json:"stages"`  // in the order in which a trial runs them
	Ended   *Ended   `json:"ended,omitempty"`
	// Begun is the stage that was interrupted last, so that its time is not lost.
	Begun *Begun `json:"begun,omitempty"`
	// Checksum is the SHA-256, in hexadecimal, of the manifest as JSON without it.
	// Manifests of early versions have none.
	Checksum string `json:"checksum,omitempty"`
}

// Stage is one stage that has run.
type Stage struct {
	Name    string            `json:"name"`
	Inputs  Inputs            `json:"inputs"`
	Outputs map[string]string `json:"outputs"` // file below the trial's folder -> SHA-256
	// Facts are the stage's rows for the tables; what they hold is the stage's.
	Facts   json.RawMessage `json:"facts,omitempty"`
	Ended   time.Time       `json:"ended"`
	Seconds float64         `json:"seconds"` // of all processes that worked on it, but for those that were killed
	// From is the folder of the trial that ran the stage, below the folder of all
	// results; empty: this one.
	From string `json:"from,omitempty"`
}

// Begun is the beginning of a stage, which another process goes on with.
type Begun struct {
	Name    string  `json:"name"`
	Inputs  Inputs  `json:"inputs"`
	Seconds float64 `json:"seconds"` // so far
}

// Spent is how many seconds went into the beginning of a stage.
func (m *Manifest) Spent(name string, in Inputs) float64 {
	if b := m.Begun; b != nil && b.Name == name && maps.Equal(b.Inputs, in) {
		return b.Seconds
	}
	return 0
}

// Stage returns the stage of a name, nil where it has not run.
func (m *Manifest) Stage(name string) *Stage {
	for _, s := range m.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Put stores a stage in the place of an earlier run of the same name.
func (m *Manifest) Put(s *Stage) {
	for i, old := range m.Stages {
		if old.Name == s.Name {
			m.Stages[i] = s
			return
		}
	}
	m.Stages = append(m.Stages, s)
}

// Drop removes the stage of a name, if it is there.
func (m *Manifest) Drop(name string) {
	m.Stages = slices.DeleteFunc(m.Stages, func(s *Stage) bool { return s.Name == name })
}

// Decode decodes the facts of a stage into v. It is an error when the stage, nil,
// has not run.
func (s *Stage) Decode(v any) error {
	if s == nil {
		return errors.New("the stage has not run")
	}
	if err := json.Unmarshal(s.Facts, v); err != nil {
		return fmt.Errorf("manifest: facts of stage %q: %w", s.Name, err)
	}
	return nil
}

// ErrDamaged is the error of a file whose bytes are not those that were written.
var ErrDamaged = errors.New("is damaged")

// The manifest, and a copy of it: with both damaged all work of a trial would
// have to be done again.
const (
	ManifestName = "manifest.json"
	ManifestCopy = ".manifest.json"
)

// ReadManifest reads the manifest in dir. Where there is none, the copy takes
// its place, and note says so; there may be neither yet.
func ReadManifest(dir string) (m *Manifest, note string, err error) {
	path, spare := filepath.Join(dir, ManifestName), filepath.Join(dir, ManifestCopy)
	if m, err = parseManifest(path); err == nil {
		return m, "", nil
	}
	copied, copyErr := parseManifest(spare)
	switch gone, copyGone := errors.Is(err, fs.ErrNotExist), errors.Is(copyErr, fs.ErrNotExist); {
	case gone && copyGone:
		return &Manifest{}, "", nil
	case gone && copyErr == nil:
		return copied, path + " is missing: going on from its copy " + spare, nil
	case gone:
		return nil, "", fmt.Errorf("%w: delete it and the run starts this trial anew", copyErr)
	case errors.Is(err, ErrDamaged) && copyErr == nil:
		return nil, "", fmt.Errorf("%w: delete it and the run goes on from its copy %s", err, spare)
	case errors.Is(err, ErrDamaged):
		return nil, "", fmt.Errorf("%w, and so is its copy %s: delete both and the run starts this trial anew", err, spare)
	}
	return nil, "", err
}

// parseManifest reads a manifest and its checksum.
func parseManifest(path string) (*Manifest, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	err = json.Unmarshal(b, &m)
	if err == nil && slices.Contains(m.Stages, nil) {
		err = errors.New("a stage is null")
	}
	if err == nil && m.Checksum != "" {
		var sum string
		if sum, err = m.sum(); err == nil && sum != m.Checksum {
			err = errors.New("its checksum differs")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w (%v)", path, ErrDamaged, err)
	}
	return &m, nil
}

// sum is the checksum of what the manifest says now.
func (m *Manifest) sum() (string, error) {
	bare := *m
	bare.Checksum = ""
	return sumJSON(bare)
}

// sumJSON is the SHA-256 of a value as JSON.
func sumJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}

// Write writes the manifest and its copy.
func (m *Manifest) Write(dir string) (err error) {
	if m.Checksum, err = m.sum(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := disk.WriteBytes(filepath.Join(dir, ManifestName), b); err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, ManifestCopy), b)
}

// Mend writes the manifest again where it and its copy are not the same: a kill
// between them leaves them so.
func (m *Manifest) Mend(dir string) error {
	if len(m.Stages) == 0 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err == nil {
		var spare []byte
		if spare, err = os.ReadFile(filepath.Join(dir, ManifestCopy)); err == nil && bytes.Equal(b, spare) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.Write(dir)
}

// Fresh reports whether the stage in the manifest stands for these inputs and
// its files are all there; otherwise why it must run. A file that is there but
// is not what the stage wrote is an error: the run would build on it.
func (m *Manifest) Fresh(dir, name string, in Inputs) (ok bool, why string, err error) {
	s := m.Stage(name)
	if s == nil {
		return false, "first time", nil
	}
	if c := in.Change(s.Inputs); c != "" {
		return false, c, nil
	}
	for _, file := range slices.Sorted(maps.Keys(s.Outputs)) {
		path := filepath.Join(dir, file)
		h, err := disk.Sum(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, file + " is missing", nil
		}
		if err != nil {
			return false, "", err
		}
		if h != s.Outputs[file] {
			return false, "", fmt.Errorf("%s is not what the run wrote (its checksum differs): it was changed or damaged; delete it and the run makes it again", path)
		}
	}
	return true, "", nil
}
