package diff

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
)

// DriverArgs are the arguments with which git calls an external diff: the path,
// and of each side a file with the content, its hash and its mode; after a rename
// also the new path and git's remark. For a file with conflicts there is the path alone.
type DriverArgs struct {
	Path, NewPath    string
	OldFile, NewFile string // os.DevNull: the file is not there
	Unmerged         bool
	// Prefix is the folder, from the top of the repository, in which git was called:
	// after git diff --relative paths start there. It is in GIT_PREFIX.
	Prefix string
}

// ParseDriverArgs reads what git passes to an external diff.
func ParseDriverArgs(args []string) (DriverArgs, error) {
	switch len(args) {
	case 1:
		return DriverArgs{Path: args[0], NewPath: args[0], Unmerged: true}, nil
	case 7, 9:
		d := DriverArgs{Path: args[0], NewPath: args[0], OldFile: args[1], NewFile: args[4]}
		if len(args) == 9 {
			d.NewPath = args[7]
		}
		return d, nil
	}
	return DriverArgs{}, fmt.Errorf("want the 7 arguments of GIT_EXTERNAL_DIFF (path old-file old-hex old-mode new-file new-hex new-mode), have %d", len(args))
}

// Driver writes how an experiment file differs between two versions that git has
// written to files. Both versions extend files of the working tree, because git does not
// name their revisions. So the differences are those that this file makes; a base that
// changed is a file of its own in the same diff. A version that is not a valid experiment
// has its first fault reported, and the lines of the two are compared as text.
//
// git stops its whole diff when a driver fails, so Driver fails only where it cannot
// write.
func Driver(w io.Writer, d DriverArgs, o Options, color bool) error {
	title := report.Heading{Text: "alamos diff a/" + d.Path + " b/" + d.NewPath}
	blocks, err := d.compare(o, color)
	if err != nil {
		first, more, _ := strings.Cut(err.Error(), "\n")
		if more != "" {
			first += fmt.Sprintf(", and %s more", english.Plural(strings.Count(more, "\n")+1, "fault", ""))
		}
		blocks = notes([]string{"compared line by line: " + first})
		text, err := d.lines(color)
		if err != nil {
			blocks = append(blocks, report.Note{Text: err.Error()})
		}
		blocks = append(blocks, report.Text{Markdown: text})
	}
	if err := report.WriteText(w, color, append([]report.Block{title}, blocks...)...); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n") // before the next file
	return err
}

// compare is the report of the two versions.
func (d DriverArgs) compare(o Options, color bool) ([]report.Block, error) {
	if d.Unmerged {
		return notes([]string{"the file has conflicts: nothing is compared"}), nil
	}
	a, errA := d.side("a/", d.Path, d.OldFile, o)
	b, errB := d.side("b/", d.NewPath, d.NewFile, o)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	r, err := Compare(a, b, o)
	if err != nil {
		return nil, err
	}
	return r.textBlocks(color), nil
}

// side is one version of a file; of one that is not there, a side without
// settings.
func (d DriverArgs) side(prefix, path, content string, o Options) (*Side, error) {
	name := prefix + path
	if content == os.DevNull {
		return &Side{Name: name}, nil
	}
	if below := filepath.Join(d.Prefix, path); !exists(path) && exists(below) {
		path = below
	}
	clean := filepath.Clean(path)
	e, err := experiment.Load(path, experiment.Options{ReadFile: func(p string) ([]byte, error) {
		if filepath.Clean(p) == clean {
			return os.ReadFile(content)
		}
		data, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) { // deleted since: as it was committed
			if committed, gitErr := gitOutput("", "cat-file", "blob", "HEAD:"+filepath.ToSlash(filepath.Clean(p))); gitErr == nil {
				return committed, nil
			}
		}
		return data, err
	}})
	if err != nil {
		var faults config.Errors
		if errors.As(err, &faults) {
			for _, f := range faults {
				if filepath.Clean(f.File) == clean {
					f.File = prefix + f.File
				}
			}
		}
		return nil, err
	}
	s := ofExperiment(name, "", e, o)
	if other := d.OldFile == os.DevNull || d.NewFile == os.DevNull; other {
		s.written() // of a whole file, what it says, not every default
	}
	return s, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// written leaves only what a file sets.
func (s *Side) written() {
	kept := s.rows[:0:0]
	for _, r := range s.rows {
		if !r.Origin.Default() && r.Path != "alamos" { // which all files set
			kept = append(kept, r)
		}
	}
	s.rows = kept
}

// lines compares the two files line by line, as git does.
func (d DriverArgs) lines(color bool) (string, error) {
	look := "--no-color"
	if color {
		look = "--color=always"
	}
	out, err := exec.Command("git", "diff", "--no-index", "--no-ext-diff", look, d.OldFile, d.NewFile).Output()
	var differ *exec.ExitError
	if err != nil && !(errors.As(err, &differ) && differ.ExitCode() == 1) {
		return "", fmt.Errorf("git diff: %w", err)
	}
	_, hunks, ok := strings.Cut(string(out), "@@ ")
	if !ok {
		return "", nil
	}
	return "--- a/" + d.Path + "\n+++ b/" + d.NewPath + "\n@@ " + hunks, nil
}
