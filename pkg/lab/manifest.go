package lab

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
	"strings"
	"time"

	"alamos/pkg/disk"
)

// Manifest is the memory of a trial: manifest.json in its folder.
type Manifest struct {
	Trial   string   `json:"trial"`
	Label   string   `json:"label"`
	Machine Machine  `json:"machine"` // where the latest stage ran
	Stages  []*Stage `json:"stages"`  // in the order in which a trial runs them
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
	Seconds float64         `json:"seconds"`
}

// Inputs is everything that decides what a stage writes: settings by their
// path, files by their checksum, the version of the stage's code.
type Inputs map[string]string

// settings adds a group of settings under its path.
func (in Inputs) settings(path string, group any) {
	b, err := json.Marshal(group)
	if err != nil {
		panic(err) // settings are plain values
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		panic(err)
	}
	in.flatten(path, v)
}

func (in Inputs) flatten(path string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, v := range m {
			in.flatten(path+"."+k, v)
		}
		return
	}
	b, _ := json.Marshal(v)
	in[path] = strings.Trim(string(b), `"`)
}

// change says in a few words how inputs differ from those of an earlier run.
func (in Inputs) change(was Inputs) string {
	keys := maps.Clone(in)
	maps.Copy(keys, was)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if in[k] == was[k] {
			continue
		}
		if len(out) == 3 {
			out = append(out, "and more")
			break
		}
		out = append(out, describe(k, was[k], in[k]))
	}
	return strings.Join(out, ", ")
}

func describe(key, was, is string) string {
	switch {
	case key == "code": // of the stage, see untrainedCode and those below it
		return fmt.Sprintf("alamos computes this in another way now (version %s -> %s)", was, is)
	case len(was) == 64 || len(is) == 64: // a checksum says nothing to a reader
		return key + " changed"
	case was == "":
		return fmt.Sprintf("%s %s (new)", key, is)
	case is == "":
		return fmt.Sprintf("%s %s (gone)", key, was)
	}
	return fmt.Sprintf("%s %s -> %s", key, was, is)
}

func (m *Manifest) stage(name string) *Stage {
	for _, s := range m.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// put stores a stage in the place of an earlier run of the same name.
func (m *Manifest) put(s *Stage) {
	for i, old := range m.Stages {
		if old.Name == s.Name {
			m.Stages[i] = s
			return
		}
	}
	m.Stages = append(m.Stages, s)
}

// facts decodes the facts of a stage into v.
func (s *Stage) facts(v any) error {
	if err := json.Unmarshal(s.Facts, v); err != nil {
		return fmt.Errorf("manifest: facts of stage %q: %w", s.Name, err)
	}
	return nil
}

// The manifest, and a copy of it: with both damaged all work of a trial would
// have to be done again.
const (
	manifestName = "manifest.json"
	manifestCopy = ".manifest.json"
)

// readManifest reads the manifest in dir. Where there is none, the copy takes
// its place, and note says so; there may be neither yet.
func readManifest(dir string) (m *Manifest, note string, err error) {
	path, spare := filepath.Join(dir, manifestName), filepath.Join(dir, manifestCopy)
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
	case errors.Is(err, errDamaged) && copyErr == nil:
		return nil, "", fmt.Errorf("%w: delete it and the run goes on from its copy %s", err, spare)
	case errors.Is(err, errDamaged):
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
		return nil, fmt.Errorf("%s %w (%v)", path, errDamaged, err)
	}
	return &m, nil
}

// sum is the checksum of what the manifest says now.
func (m *Manifest) sum() (string, error) {
	bare := *m
	bare.Checksum = ""
	b, err := json.Marshal(bare)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:]), nil
}

// write writes the manifest and its copy.
func (m *Manifest) write(dir string) (err error) {
	if m.Checksum, err = m.sum(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := disk.WriteBytes(filepath.Join(dir, manifestName), b); err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, manifestCopy), b)
}

// mend writes the manifest again where it and its copy are not the same: a kill
// between them leaves them so.
func (m *Manifest) mend(dir string) error {
	if len(m.Stages) == 0 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err == nil {
		var spare []byte
		if spare, err = os.ReadFile(filepath.Join(dir, manifestCopy)); err == nil && bytes.Equal(b, spare) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.write(dir)
}

// fresh reports whether the stage in the manifest stands for these inputs and
// its files are all there; otherwise why it must run. A file that is there but
// is not what the stage wrote is an error: the run would build on it.
func (m *Manifest) fresh(dir, name string, in Inputs) (ok bool, why string, err error) {
	s := m.stage(name)
	if s == nil {
		return false, "first time", nil
	}
	if c := in.change(s.Inputs); c != "" {
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
