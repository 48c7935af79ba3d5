// Package diff says how two experiments differ: in their settings after
// resolution, and in what came of them.
//
// A side of the comparison ([Open]) is an experiment file, a file at a revision
// of git, or what runs have left. [Compare] makes a [Report] of two sides, which
// is written as text for a terminal, as Markdown for a pull request, as JSON for
// programs, or as a page.
//
// Settings are compared by what they mean: comments, order of keys, spelling of
// numbers and the place of a script never show. Lists are compared item by item,
// sweeps by the values of their axes.
//
// Results are compared trial by trial, trials being matched by the settings that
// either side varies. A difference is called one only where chance does not
// explain it (stats.go says how that is decided); "~" stands for all others. Where
// there is one seed a side, what chance means is the games of a tournament, not
// the luck of a training, and the report says so.
//
// The package refuses to run, train or play anything, to compare results that
// belong to other settings than those asked for, and to call a winner where
// nothing was measured with an error.
package diff
