// Package report presents the results of experiments: the notebook page as HTML or
// Markdown, figures, tables as CSV, and lists for a terminal. A caller writes
//
//	r, err := report.Open(x, "results/lab") // x is a *store.Experiment
//	paths, err := r.Redraw(report.Options{Out: "figures"})
//	err = r.WritePage()
//
// and r.Only(trial) before that for one trial of a sweep.
//
// A [Page] is a document of seven kinds of blocks. Its main form is Markdown. goldmark
// makes the HTML from it, with tags of our own only for folds, columns and pictures. The
// same blocks are the text of `alamos show`, `diff`, `network`, `analyze` and `ls`. The
// HTML is one self-contained file with styles, pictures and a few lines of script. Names
// and captions are escaped, HTML in the author's Markdown is shown as text, and a policy
// forbids the browser to load anything or to run another script.
//
// A dataset is a table of values: a CSV file, and a table of the page. A kind of figure is
// a function from the store's rows to a chart of package plots, listed in kinds. Every
// picture has a stamp of three hashes, and is stale if one differs:
//
//	experiment  the figure's cell and those settings of its trials that can change it
//	code        the version of the drawing code, see codeVersion
//	data        the numbers and words in the chart
//
// The data are hashed as shown, without the seconds that the store keeps, so a repeated
// experiment has the same stamps.
//
// [Network] lists a network layer by layer. [Analysis] describes a finished search of a
// position.
//
// The package reads only the store, so all of its output can be reproduced in seconds, byte
// for byte. It computes no result, runs no search, and chooses no move.
package report
