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

// Finding is the result of a check of one file.
type Finding struct {
	Path  string `json:"path"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
}

// State is the result of comparing a file with the one that would be drawn today.
type State string

const (
	Current State = "current" // the same bytes
	Stale   State = "stale"   // drawn from other settings, other results or by other code
	Changed State = "changed" // the stamp is current, but the bytes differ
	Missing State = "missing"
	// Unchecked files have current settings and code in their stamps, but the results to
	// draw them from are not here.
	Unchecked State = "unchecked"
)

// OK reports whether the file needs no action.
func (s State) OK() bool { return s == Current || s == Unchecked }

// Check compares every figure and table of the experiment with the files on disk, and
// writes nothing. If the results of a trial are not here, as in a fresh copy of a
// repository, it compares only the settings and the code in the stamps of the figures.
func (r *Report) Check(opt Options) ([]Finding, error) {
	files, faults := r.files(opt)
	findings := make([]Finding, len(files))
	errs := make([]error, len(files))
	inParallel(len(files), func(i int) { findings[i], errs[i] = files[i].check() })
	for i, f := range files {
		if f.bytes == nil && findings[i].State == Stale && len(r.Trials) > 0 {
			findings[i].Why += "; nothing can be drawn in its place: " + f.why
		}
	}
	findings = slices.DeleteFunc(findings, func(f Finding) bool { return f.Path == "" })
	return findings, errors.Join(append(errs, faults)...)
}

// check compares a file with the one that would be drawn. It returns no finding if neither
// exists.
func (f *file) check() (Finding, error) {
	have, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.bytes == nil:
		return Finding{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return Finding{Path: f.path, State: Missing}, nil
	case err != nil:
		return Finding{Path: f.path}, err
	}
	out := Finding{Path: filepath.Clean(f.path)}
	if f.bytes == nil {
		if out.State, out.Why = staleness(have, *f.stamp); out.State == Changed && out.Why == edited {
			out.State, out.Why = Unchecked, f.why
		}
		return out, nil
	}
	want, err := f.bytes()
	switch {
	case err != nil:
		return out, err
	case bytes.Equal(have, want):
		out.State = Current
	case f.stamp == nil:
		out.State, out.Why = Stale, "its contents have changed"
	default:
		out.State, out.Why = staleness(have, *f.stamp)
	}
	return out, nil
}

const edited = "its stamp is today's but its bytes are not: it was edited, or drawn by another build"

// staleness compares a picture with the stamp of the one that would be drawn today.
func staleness(have []byte, today plots.Stamp) (State, string) {
	stamp, err := plots.ParseStamp(have)
	switch {
	case errors.Is(err, plots.ErrNoStamp):
		return Stale, "it has no stamp"
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
		return Changed, edited
	}
	return Stale, strings.Join(why, ", ")
}
