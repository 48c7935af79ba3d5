// Package diff compares two experiments: their resolved settings and their results.
//
// A side of the comparison ([Open]) is an experiment file, a file at a revision of git,
// or the results of runs. [Compare] makes a [Report] of two sides, which is written as
// text for a terminal, as Markdown for a pull request, as JSON for programs, or as a page.
//
// Settings are compared by their meaning: comments, the order of keys, the spelling of
// numbers and the place of a script make no difference. Lists are compared item by item,
// sweeps by the values of their axes.
//
// Results are compared trial by trial. Trials are matched by the settings that either
// side varies. A difference has a verdict only if chance does not explain it, see
// stats.go; "~" stands for a difference within noise. With one seed on each side, chance
// is that of the games of a tournament and not that of another training, and the report
// notes it.
//
// The package refuses to run, train or play anything, to compare results that belong to
// other settings, and to name a winner where nothing was measured with an error.
package diff
