package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/disk"
)

// Manifest is the memory of a trial: manifest.json in its folder.
type Manifest struct {
	Trial   string   `json:"trial"`
	Label   string   `json:"label"`
	Machine Machine  `json:"machine"` // where the latest stage ran
	Stages  []*Stage `json:"stages"`  // in the order in which they first ran
	Ended   *Ended   `json:"ended,omitempty"`
	// Begun is the stage that was interrupted last. It keeps the time spent on it.
	Begun *Begun `json:"begun,omitempty"`
}

// Stage is one stage that has run.
type Stage struct {
	Name    string            `json:"name"`
	Inputs  Inputs            `json:"inputs"`
	Outputs map[string]string `json:"outputs"` // file below the trial's folder -> SHA-256
	// Facts are the stage's rows for the tables. Each stage has its own type of rows.
	Facts   json.RawMessage `json:"facts,omitempty"`
	Ended   time.Time       `json:"ended"`
	Seconds float64         `json:"seconds"` // of all processes that worked on it, except killed ones
	// From is the folder of the trial that ran the stage, below the folder of all
	// results. It is empty if this trial ran it.
	From string `json:"from,omitempty"`
	// Planned reports, in a plan, that the stage will have run by then.
	Planned bool `json:"-"`
}

// Begun is a stage that was interrupted.
type Begun struct {
	Name    string  `json:"name"`
	Inputs  Inputs  `json:"inputs"`
	Seconds float64 `json:"seconds"` // so far
}

// Ended is why a trial ended before the last generation of its experiment. Such a
// trial is complete: the stages after training used the generations that there are.
type Ended struct {
	Generation int    `json:"generation"` // the last one
	Why        string `json:"why"`        // "5th of 8 after 2 generations"
}

// Machine is where a stage ran. It is never an input.
type Machine struct {
	Host      string   `json:"host"`
	CPU       string   `json:"cpu"`
	Cores     int      `json:"cores"`
	OS        string   `json:"os"`
	Go        string   `json:"go"`
	Alamos    string   `json:"alamos"`
	Precision string   `json:"precision"`         // of inference: "fp32" or "bf16"
	Devices   []string `json:"devices,omitempty"` // that networks ran on: "cuda:0"; none: the processor
	GPU       string   `json:"gpu,omitempty"`     // name of the first, if there is one
}

// Hardware describes what networks ran on.
func (m Machine) Hardware() string {
	h := fmt.Sprintf("%s, %s", m.CPU, english.Plural(m.Cores, "core", ""))
	if len(m.Devices) > 0 {
		h += fmt.Sprintf(", %s (%s)", cmp.Or(m.GPU, "graphics card"), strings.Join(m.Devices, ", "))
	}
	return h
}

// ManifestName is the file of a trial's manifest.
const ManifestName = "manifest.json"

// ErrDamaged is the error of a file whose bytes are not those that were written.
var ErrDamaged = errors.New("is damaged")

// ReadManifest reads the manifest in dir. A folder without one has an empty manifest.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, nil
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	err = json.Unmarshal(b, &m)
	if err == nil && slices.Contains(m.Stages, nil) {
		err = errors.New("a stage is null")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w (%v): delete it and the run starts this trial again", path, ErrDamaged, err)
	}
	return &m, nil
}

// Write replaces the manifest in dir.
func (m *Manifest) Write(dir string) error { return writeJSON(filepath.Join(dir, ManifestName), m) }

// writeJSON writes a value to a file, whole or not at all.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, append(b, '\n'))
}

// Spent returns the seconds that earlier processes spent on an interrupted stage.
func (m *Manifest) Spent(name string, in Inputs) float64 {
	if b := m.Begun; b != nil && b.Name == name && maps.Equal(b.Inputs, in) {
		return b.Seconds
	}
	return 0
}

// Stage returns the stage of a name, or nil if it has not run.
func (m *Manifest) Stage(name string) *Stage {
	for _, s := range m.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Put adds a stage, or replaces an earlier run of it.
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

// Decode decodes the facts of a stage into v. A nil stage, which has not run, is an
// error.
func (s *Stage) Decode(v any) error {
	if s == nil {
		return errors.New("the stage has not run")
	}
	if err := json.Unmarshal(s.Facts, v); err != nil {
		return fmt.Errorf("manifest: facts of stage %q: %w", s.Name, err)
	}
	return nil
}

// FileState is the result of comparing a file with its checksum.
type FileState string

const (
	FileOK      FileState = "ok"
	FileMissing FileState = "missing"
	FileDamaged FileState = "damaged"
)

// Verify compares the files of a stage, in the folder of its trial, with their
// checksums. It returns the worst state and the first file in that state.
func (s *Stage) Verify(dir string) (FileState, string, error) {
	state, which := FileOK, ""
	if s.Planned {
		return state, which, nil
	}
	for _, file := range slices.Sorted(maps.Keys(s.Outputs)) {
		sum, err := disk.Sum(filepath.Join(dir, file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if state == FileOK {
				state, which = FileMissing, file
			}
		case err != nil:
			return state, file, err
		case sum != s.Outputs[file]:
			return FileDamaged, file, nil
		}
	}
	return state, which, nil
}

// Fresh reports whether the stage has run with these inputs and its files are all
// there, or else why it must run. A file that is not what the stage wrote is an
// error, because the run would build on it.
func (m *Manifest) Fresh(dir, name string, in Inputs) (ok bool, why string, err error) {
	s := m.Stage(name)
	if s == nil {
		return false, "first time", nil
	}
	if c := in.Change(s.Inputs); c != "" {
		return false, c, nil
	}
	state, file, err := s.Verify(dir)
	switch {
	case err != nil:
		return false, "", err
	case state == FileMissing:
		return false, file + " is missing", nil
	case state == FileDamaged:
		return false, "", damagedOutput(filepath.Join(dir, file))
	}
	return true, "", nil
}

// damagedOutput is the error of a file that is not what a stage wrote.
func damagedOutput(path string) error {
	return fmt.Errorf("%s %w: it is not what the run wrote (its checksum differs); delete it and the run makes it again", path, ErrDamaged)
}
