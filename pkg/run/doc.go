// Package run runs experiments: it takes each trial through its stages, runs those
// whose inputs have changed, and leaves plain files that other programs can read.
//
// A [Stage] is a function of named inputs that writes files. The manifest of a trial
// (package store) keeps the inputs of each stage that has run and the checksums of its
// files. One loop over the stages of a trial executes them, another plans them, with
// placeholders for the checksums of files that do not exist yet ([Plan]); both explain
// why a stage runs. Equal inputs give equal bytes, so a stage that any trial below the
// folder of results has run is reused. A long stage keeps a journal of what it has
// finished, so that a process killed at any instant loses only the work in progress.
//
// The stages of a trial, in order:
//
//	untrained network  before the first game                       (training.go)
//	self-play g        games and samples of generation g           (selfplay.go)
//	data g             instead of self-play: chunk g of other data (data.go)
//	hooks g            metrics of scripts over those games         (scripts.go)
//	value target g     values of those positions by a script       (target.go)
//	training g         the checkpoint after generation g           (training.go)
//	checkpoint hooks g, stop g                                     (scripts.go)
//	puzzles g, accuracy g                                          (evaluation.go)
//	tournament         games between checkpoints and other players (match.go)
//	position q         what a figure shows of a network            (evaluation.go)
//
// Trials run side by side (jobs.go), or with successive halving rung by rung
// (halving.go).
//
// run decides no science: every number that can change a result comes from the
// experiment. It prints nothing: progress goes to a [Reporter].
package run
