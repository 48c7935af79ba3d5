// Package notebook turns the results of an experiment into a page that is read
// like a scientific notebook: text, tables, figures, and the settings that
// made them.
//
// A [Page] is a title and a list of cells. [Page.HTML] renders it as one file
// that needs nothing else: styles, pictures and a few lines of script are
// inside, it reads well without script, on paper and without a network.
// [Page.Markdown] renders the same cells as Markdown for places that show no
// HTML. The same page gives the same bytes.
//
// Everything that comes from outside is text: names, values and captions are
// escaped, HTML within Markdown is shown and not run, pictures are rewritten
// from a list of drawing elements, and the page forbids its reader's browser
// to load or run anything that is not part of it.
//
// A page of a sweep has an [Overview], whose rows lead to the trials of a
// [SideBySide]; a page of two experiments has a [Diff] of their settings, a
// [Comparison] of what they came to, and a [Pair] for each figure.
//
// The package refuses to know what an experiment is: it reads no results,
// computes nothing but whether a [Measure] is beyond the noise of another,
// asks no clock, and writes no files.
package report
