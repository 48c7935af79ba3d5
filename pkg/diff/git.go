package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
)

// openRevision opens a file at a revision. Its bases and scripts are read from the same
// revision.
func openRevision(name, revision, file string, o Options) (*Side, error) {
	r, file, err := findFile(revision, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e, err := experiment.Load(file, experiment.Options{ReadFile: r.read})
	if err != nil {
		return nil, at(revision, err)
	}
	return ofExperiment(name, revision+":", e, o), nil
}

// revision is a tree of files in a git repository, or the index.
type revision struct {
	top    string // of the repository
	commit string // empty means the index
}

// findFile resolves git's REVISION:FILE. The returned file is relative to the top of the
// repository.
func findFile(name, file string) (r revision, top string, err error) {
	if strings.HasPrefix(name, "-") {
		return r, "", fmt.Errorf("%q is no revision", name)
	}
	if r.top, err = git("", "rev-parse", "--show-toplevel"); err != nil {
		return r, "", err
	}
	if name != "" {
		if r.commit, err = git("", "rev-parse", "--verify", "--quiet", name+"^{commit}"); err != nil {
			return r, "", fmt.Errorf("git knows no revision %q", name)
		}
	}
	if strings.HasPrefix(file, "./") || strings.HasPrefix(file, "../") {
		prefix, err := git("", "rev-parse", "--show-prefix")
		if err != nil {
			return r, "", err
		}
		file = path.Join(prefix, file)
	}
	return r, filepath.FromSlash(path.Clean(file)), nil
}

// read reads a file, relative to the top.
func (r revision) read(file string) ([]byte, error) {
	file = filepath.ToSlash(filepath.Clean(file))
	if !fs.ValidPath(file) {
		return nil, errors.New("it is outside of the repository")
	}
	out, err := gitOutput(r.top, "cat-file", "blob", r.commit+":"+file)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return out, nil
}

// git runs git in a folder and returns the line that it prints.
func git(dir string, args ...string) (string, error) {
	out, err := gitOutput(dir, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

func gitOutput(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		text, _, _ = strings.Cut(text, "\n")
		return nil, fmt.Errorf("git: %s", text)
	}
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	return out, nil
}

// at puts the revision before the file names of faults.
func at(revision string, err error) error {
	var faults config.Errors
	if !errors.As(err, &faults) {
		return err
	}
	for _, f := range faults {
		f.File = revision + ":" + f.File
	}
	return faults
}
