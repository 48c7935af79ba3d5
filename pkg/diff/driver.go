package diff

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
)

// DriverArgs are the arguments with which git calls an external diff: the path, and for
// each side a file with the content, its hash and its mode. After a rename they also
// include the new path and git's remark. For a file with conflicts there is only the path.
type DriverArgs struct {
	Path, NewPath    string
	OldFile, NewFile string // os.DevNull if the file does not exist
	Unmerged         bool
	// Prefix is the folder in which git was called, relative to the top of the repository.
	// After git diff --relative, paths are relative to it. It is in GIT_PREFIX.
	Prefix string
}

// ParseDriverArgs parses git's arguments of an external diff.
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

// Driver writes the differences of an experiment file between two versions that git has
// written to files. Both versions extend files of the working tree, because git does not
// name their revisions. The result therefore shows only this file's differences; a changed
// base is a separate file of the same diff. For a version that is not a valid experiment,
// Driver reports the first fault and compares the lines as text.
//
// git stops its whole diff when a driver fails, so Driver fails only if it cannot write. color
// and short are as in [Report.Text].
func Driver(w io.Writer, d DriverArgs, o Options, color, short bool) error {
	title := report.Heading{Text: "alamos diff a/" + d.Path + " b/" + d.NewPath}
	blocks, err := d.compare(o, short)
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

// compare returns the report of the two versions.
func (d DriverArgs) compare(o Options, short bool) ([]report.Block, error) {
	if d.Unmerged {
		return notes([]string{"the file has conflicts: nothing is compared"}), nil
	}
	a, errA := d.side("a/", d.Path, d.OldFile, o)
	b, errB := d.side("b/", d.NewPath, d.NewFile, o)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	return Compare(a, b, o).textBlocks(short)
}

// side opens one version of a file. For a missing file it returns a side without settings.
func (d DriverArgs) side(prefix, path, content string, o Options) (*Side, error) {
	name := prefix + path
	if content == os.DevNull {
		return &Side{Name: name, written: name}, nil
	}
	below := filepath.Join(d.Prefix, path)
	_, missing := os.Stat(path)
	if _, err := os.Stat(below); missing != nil && err == nil {
		path = below
	}
	clean := filepath.Clean(path)
	e, err := experiment.Load(path, experiment.Options{Lenient: true, ReadFile: func(p string) ([]byte, error) {
		if filepath.Clean(p) == clean {
			return os.ReadFile(content)
		}
		data, err := disk.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) { // deleted since, so read it as committed
			return committed("HEAD", p)
		}
		return data, err
	}})
	if err != nil {
		return nil, prefixed(err, prefix, func(file string) bool { return filepath.Clean(file) == clean })
	}
	s := ofExperiment(name, "", e, o)
	if d.OldFile == os.DevNull || d.NewFile == os.DevNull {
		// For a whole file, show what it sets instead of every default.
		s.rows = slices.DeleteFunc(s.rows, func(r config.Explained) bool { return r.Origin.Default() || r.Path == "alamos" })
	}
	return s, nil
}

// lines compares the two files line by line, as git does.
func (d DriverArgs) lines(color bool) (string, error) {
	look := "--no-color"
	if color {
		look = "--color=always"
	}
	out, err := exec.Command("git", "diff", "--no-index", "--no-ext-diff", look, d.OldFile, d.NewFile).Output()
	if differ, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && differ.ExitCode() == 1) {
		return "", err
	}
	_, hunks, ok := strings.Cut(string(out), "@@ ")
	if !ok {
		return "", nil
	}
	return "--- a/" + d.Path + "\n+++ b/" + d.NewPath + "\n@@ " + hunks, nil
}
