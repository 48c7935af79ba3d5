// Package report shows the results of experiments: the notebook page as HTML or Markdown,
// figures, tables as CSV, and lists for a terminal.
//
// A [Page] is a document of seven kinds of blocks. Its Markdown is the page: goldmark
// makes the HTML, in which only folds, columns and pictures have tags of their own, and
// the same blocks are the text of `alamos show`, `diff`, `network`, `analyze` and `ls`.
// The HTML is one file that needs no other: styles, pictures and a few lines of script
// are inside, and it reads well without script and on paper. Names and captions are
// escaped, HTML in the author's Markdown is shown as text, and a policy forbids the
// browser to load anything or to run another script.
//
// A [Report] is the results of one experiment. A kind of figure or table is a function
// from the store's rows to a chart of package plots or a [Table], entered in kinds or
// trialTables. Every picture has a stamp of three hashes, and is stale where one differs:
//
//	experiment  the figure's cell and those settings of its trials that can change it
//	code        the version of the drawing code, see codeVersion
//	data        the numbers and words in the chart
//
// The data are hashed as they are shown, without the seconds that the store keeps, so
// that an experiment that runs again from the beginning has the same stamps.
//
// [Network] lists a network layer by layer; [Analysis] describes a finished search of a
// position.
//
// The package reads the store and nothing else: all that it writes can be made again in
// seconds, byte for byte. It computes no result, runs no search, and chooses no move.
package report
