// Package diff compares two experiments: their resolved settings and their results. A
// caller writes
//
//	a, err := diff.Open("HEAD~3:experiments/lab.yaml", diff.Options{})
//	b, err := diff.Open("lab/3", diff.Options{})
//	r := diff.Compare(a, b, diff.Options{})
//	err = r.Text(os.Stdout, false, false)
//
// A side of the comparison is an experiment file, a file at a git revision, or the results
// of runs. The forms of a [Report] are text for a terminal, Markdown for a pull request,
// JSON for programs, and an HTML page.
//
// Settings are compared by their meaning: comments, the order of keys, the spelling of
// numbers and the location of a script make no difference. Lists are compared item by item,
// sweeps by the values of their axes.
//
// Results are compared trial by trial. Trials are matched by the settings that either side
// varies. A difference has a verdict only if a test or an interval excludes chance. "~"
// marks a difference within noise. With one seed on each side, the tests cover the chance
// of tournament games but not that of another training, and the report notes this.
//
// The package does not run, train or play anything. It does not compare results that belong
// to other settings, and names no winner without a measured error.
package diff
