package report

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"alamos/plots"
)

// Finding is what a check says of a file.
type Finding struct {
	Path  string `json:"path"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
}

// State is how a file stands to what would be drawn today.
type State string

const (
	Current State = "current" // the same bytes
	Stale   State = "stale"   // drawn from other settings, other results or by other code
	Changed State = "changed" // the stamp is today's, the bytes are not
	Missing State = "missing"
	// Unchecked: there are no results here to draw it from. What its stamp says of
	// settings and code is today's.
	Unchecked State = "unchecked"
)

// OK reports whether nothing is to be done about the file.
func (s State) OK() bool { return s == Current || s == Unchecked }

// Check compares every figure and table of the experiment with the files that
// there are, and writes nothing. Of figures whose trials have no results here, as
// in a fresh copy of a repository, it can tell by their stamps whether settings
// and code are today's.
func (r *Report) Check(opt Options) ([]Finding, error) {
	files, faults := r.files(opt)
	findings := make([]Finding, len(files))
	errs := make([]error, len(files))
	inParallel(len(files), func(i int) { findings[i], errs[i] = files[i].check() })
	faults = errors.Join(append(errs, faults)...)

	all, err := r.all(opt)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if _, nothing := d.nothing(); !nothing {
			continue
		}
		for _, ext := range plots.Extensions {
			f, err := d.checkStamp(d.path + ext)
			faults = errors.Join(faults, err)
			if why, _ := d.nothing(); f.State == Stale && len(r.Trials) > 0 {
				f.Why += "; nothing can be drawn in its place: " + why
			}
			if f.Path != "" {
				findings = append(findings, f)
			}
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return findings, faults
}

// check compares a file with what it should be.
func (f *file) check() (Finding, error) {
	out := Finding{Path: f.path}
	have, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		out.State = Missing
		return out, nil
	}
	if err != nil {
		return out, err
	}
	want, err := f.bytes()
	if err != nil {
		return out, err
	}
	switch {
	case bytes.Equal(have, want):
		out.State = Current
	case f.stamp == nil:
		out.State, out.Why = Stale, "what it says has changed"
	default:
		out.State, out.Why = staleness(have, *f.stamp)
	}
	return out, nil
}

// staleness says why a picture is not what would be drawn today.
func staleness(have []byte, today plots.Stamp) (State, string) {
	stamp, err := plots.ParseStamp(have)
	switch {
	case errors.Is(err, plots.ErrNoStamp):
		return Stale, "it bears no stamp: it was drawn before there were any"
	case err != nil:
		return Changed, "it is no picture of alamos, or is damaged"
	}
	var why []string
	if stamp.Experiment != today.Experiment {
		why = append(why, "the experiment's settings have changed")
	}
	if stamp.Code != today.Code {
		why = append(why, "it was drawn by other code ("+stamp.Code+", this is "+today.Code+")")
	}
	if today.Data != "" && stamp.Data != today.Data {
		why = append(why, "the results have changed")
	}
	if len(why) == 0 {
		return Changed, "its stamp is today's but its bytes are not: it was edited, or drawn by another build"
	}
	return Stale, strings.Join(why, ", ")
}

// checkStamp judges a picture for which there is nothing to draw, by its stamp; the
// finding is empty where there is no file either.
func (d *drawn) checkStamp(path string) (Finding, error) {
	have, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Finding{}, nil
	}
	if err != nil {
		return Finding{}, err
	}
	why, _ := d.nothing()
	out := Finding{Path: filepath.Clean(path)}
	if out.State, out.Why = staleness(have, d.stamp); out.State == Changed {
		if _, err := plots.ParseStamp(have); err == nil {
			out.State, out.Why = Unchecked, why
		}
	}
	return out, nil
}
