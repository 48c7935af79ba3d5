package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/disk"
)

// Manifest records the stages of a trial. It is manifest.json in the trial's folder.
type Manifest struct {
	Trial   string   `json:"trial"`
	Label   string   `json:"label"`
	Machine Machine  `json:"machine"` // where the latest stage ran
	Stages  []*Stage `json:"stages"`  // in the order of their first runs
	Ended   *Ended   `json:"ended,omitempty"`
	// Begun is the last interrupted stage, with the time spent on it.
	Begun *Begun `json:"begun,omitempty"`
}

// Stage is a stage that has run.
type Stage struct {
	Name    string            `json:"name"`
	Inputs  Inputs            `json:"inputs"`
	Outputs map[string]string `json:"outputs"` // file relative to the trial's folder -> SHA-256
	// Facts are the stage's table rows. Each stage has its own row type.
	Facts json.RawMessage `json:"facts,omitempty"`
	// Stamps are those of the outputs when they were last hashed. An output has none if it
	// was too young for its stamp to prove anything.
	Stamps  map[string]disk.Stamp `json:"stamps,omitempty"`
	Ended   time.Time             `json:"ended"`
	Seconds float64               `json:"seconds"` // sum over all processes that worked on it, except killed ones
	// On is the kind of machine, if the stage used a network.
	On Kind `json:"on,omitzero"`
	// From is the folder of the trial that ran the stage, relative to the folder of all
	// results. It is empty if this trial ran it.
	From string `json:"from,omitempty"`
	// Planned marks a stage that exists only in a plan.
	Planned bool `json:"-"`
}

// Begun is an interrupted stage.
type Begun struct {
	Name    string  `json:"name"`
	Inputs  Inputs  `json:"inputs"`
	Seconds float64 `json:"seconds"` // so far
}

// Ended records that a trial ended before the last generation of its experiment. Such a
// trial is complete: the stages after training used the generations that exist.
type Ended struct {
	Generation int    `json:"generation"` // the last one
	Why        string `json:"why"`        // "5th of 8 after 2 generations"
	// Rung is the number of the comparison of successive halving that the trial lost, from 1.
	// Such a trial plays no tournament. 0 means that it lost none.
	Rung int `json:"rung,omitempty"`
}

// Machine describes the machine of a stage. It is never an input.
type Machine struct {
	Host      string   `json:"host"`
	CPU       string   `json:"cpu"`
	Cores     int      `json:"cores"`
	OS        string   `json:"os"`
	Go        string   `json:"go"`
	Alamos    string   `json:"alamos"`
	Precision string   `json:"precision"`         // of inference: "fp32" or "bf16"
	Devices   []string `json:"devices,omitempty"` // of networks, such as "cuda:0"; none means the CPU
	GPU       string   `json:"gpu,omitempty"`     // name of the first GPU, if there is one
}

// Kind is what the bits of a network's numbers depend on besides the inputs of a stage.
type Kind struct {
	Device    string `json:"device,omitempty"`    // "cpu" or "cuda"
	Precision string `json:"precision,omitempty"` // of the inference, or of the training
	// Threads is the number of threads that trained on the processor: it changes the order of sums.
	Threads int `json:"threads,omitempty"`
	// Answers is a hash of the network's evaluations of fixed positions. Processors may round
	// differently in one precision.
	Answers string `json:"answers,omitempty"`
}

func (k Kind) String() string {
	text := strings.TrimSpace(k.Device + " " + k.Precision)
	if k.Threads > 0 {
		text += ", " + english.Plural(k.Threads, "thread", "")
	}
	if k.Answers != "" {
		text += ", answers " + k.Answers
	}
	return text
}

// Hardware describes the processor and the devices that networks ran on.
func (m Machine) Hardware() string {
	h := fmt.Sprintf("%s, %s", m.CPU, english.Plural(m.Cores, "core", ""))
	if len(m.Devices) > 0 {
		h += fmt.Sprintf(", %s (%s)", cmp.Or(m.GPU, "graphics card"), strings.Join(m.Devices, ", "))
	}
	return h
}

// ManifestName is the file name of a trial's manifest.
const ManifestName = "manifest.json"

// ErrDamaged means that the contents of a file are not what was written.
var ErrDamaged = errors.New("is damaged")

// ReadManifest reads the manifest in dir. A missing file gives an empty manifest. Facts that
// are not the rows of their stage are damage, so that reading a row of a trial cannot fail.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	b, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, nil
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	err = json.Unmarshal(b, &m)
	for i := 0; i < len(m.Stages) && err == nil; i++ {
		err = m.Stages[i].check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w (%v): delete it and the run starts this trial again", path, ErrDamaged, err)
	}
	return &m, nil
}

// Write replaces the manifest in dir.
func (m *Manifest) Write(dir string) error { return writeJSON(filepath.Join(dir, ManifestName), m) }

// writeJSON writes a value to a file atomically, unless the file has that content.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return disk.UpdateBytes(path, append(b, '\n'))
}

// Spent returns the seconds that earlier processes spent on the stage with these inputs if
// it was interrupted.
func (m *Manifest) Spent(name string, in Inputs) float64 {
	if b := m.Begun; b != nil && b.Name == name && maps.Equal(b.Inputs, in) {
		return b.Seconds
	}
	return 0
}

// Stage returns the named stage, or nil if it has not run.
func (m *Manifest) Stage(name string) *Stage {
	for _, s := range m.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Put adds a stage or replaces its earlier run.
func (m *Manifest) Put(s *Stage) {
	for i, old := range m.Stages {
		if old.Name == s.Name {
			m.Stages[i] = s
			return
		}
	}
	m.Stages = append(m.Stages, s)
}

// Drop removes the named stage, if it exists. An experiment no longer has it.
func (m *Manifest) Drop(name string) {
	m.Stages = slices.DeleteFunc(m.Stages, func(s *Stage) bool { return s.Name == name })
}

// Decode decodes the facts of a stage into v. A nil stage is an error.
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
	FileLeftOut FileState = "not in the pack" // missing because the pack that the run came from has no such file
)

// Record adds the checksums and stamps of files that the stage has written. dir is the
// trial's folder.
func (s *Stage) Record(dir string, files ...string) error {
	s.Outputs, s.Stamps = map[string]string{}, map[string]disk.Stamp{}
	for _, file := range files {
		sum, err := s.hash(dir, file)
		if err != nil {
			return err
		}
		s.Outputs[file] = sum
	}
	return nil
}

// hash returns the checksum of a file and keeps its stamp.
func (s *Stage) hash(dir, file string) (string, error) {
	sum, stamp, settled, err := disk.StampedSum(context.Background(), filepath.Join(dir, file))
	if settled {
		s.Stamps[file] = stamp
	}
	return sum, err
}

// Verify compares the files of a stage with their checksums. dir is the trial's folder.
// Verify returns the worst state and the first file in that state. Unless all is set, it
// trusts files with unchanged stamps. It keeps the stamps of the files that it hashes.
func (s *Stage) Verify(dir string, all bool) (FileState, string, error) {
	state, which := FileOK, ""
	if s.Planned {
		return state, which, nil
	}
	was := s.Stamps
	s.Stamps = map[string]disk.Stamp{}
	for _, file := range slices.Sorted(maps.Keys(s.Outputs)) {
		if stamp, known := was[file]; known && !all {
			if now, err := disk.StampOf(filepath.Join(dir, file)); err == nil && now == stamp {
				s.Stamps[file] = stamp
				continue
			}
		}
		sum, err := s.hash(dir, file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if state == FileOK {
				state, which = FileMissing, file
			}
		case err != nil:
			return state, file, err
		case sum != s.Outputs[file]:
			delete(s.Stamps, file)
			return FileDamaged, file, nil
		}
	}
	return state, which, nil
}

// FirstTime is the reason to run a stage that has not run.
const FirstTime = "first time"

// Fresh reports whether the stage has run with these inputs and all its files exist. If
// not, why is the reason to run it. A damaged file is an error, because later stages would
// use it; see [Stage.Verify] for all. The manifest gets the stamps of the files that were
// hashed.
func (m *Manifest) Fresh(dir, name string, in Inputs, all bool) (ok bool, why string, err error) {
	old := m.Stage(name)
	if old == nil {
		return false, FirstTime, nil
	}
	if c := in.Change(old.Inputs); c != "" {
		return false, c, nil
	}
	s := *old // others may read the old one
	state, file, err := s.Verify(dir, all)
	switch {
	case err != nil:
		return false, "", err
	case state == FileMissing:
		return false, file + " is missing", nil
	case state == FileDamaged && m.Begun != nil && m.Begun.Name == name:
		return false, file + " is of an interrupted run", nil
	case state == FileDamaged:
		return false, "", damagedOutput(filepath.Join(dir, file))
	}
	m.Put(&s)
	return true, "", nil
}

// damagedOutput returns the error of a file that differs from what a stage wrote.
func damagedOutput(path string) error {
	return fmt.Errorf("%s %w: it is not what the run wrote (its checksum differs); delete it and the run makes it again", path, ErrDamaged)
}
