// Package report shows what runs have left of an experiment: tables as CSV,
// figures, the notebook page as HTML or Markdown, and lists for a terminal.
//
// It reads the store and nothing else: what it writes can be made again from
// there in seconds, byte for byte. It computes no result, runs no network and no
// search.
//
// A kind of figure is a file of its own, figure_KIND.go, that registers what the
// kind shows (of each trial or of all, made from which stages) and how the rows of
// the store become a chart of package plots. Nothing else needs to know of it.
//
// Every picture bears a stamp of three parts, and is stale where one differs:
//
//	experiment  hash of the figure's cell and of those settings of its trials that can change it
//	code        version of the drawing code, see codeVersion
//	data        hash of the numbers and words in the chart
//
// The data are hashed as they are shown and not as they lie in the store, where
// seconds stand beside them that no two runs have in common: an experiment that is
// run again from its beginning has the same stamps.
package report
