// Package lab runs experiments: it takes the trials of an experiment through their
// stages, runs those whose inputs have changed, and leaves plain files that other
// programs can read (README: "An experiment").
//
// Stages of a trial, in order:
//
//	untrained        the network before its first game          (trial.go)
//	self-play g      games and samples of generation g          (selfplay.go)
//	data g           in its place: chunk g of others' positions (data.go)
//	hooks g          metrics of scripts over those games        (package script)
//	value target g   what a script says of those positions      (package script)
//	training g       the checkpoint after generation g          (training.go)
//	checkpoint hooks g, stop g                                  (package script)
//	puzzles g, accuracy g   what the checkpoint is asked        (package evaluation)
//	tournament       games between checkpoints and others       (tournament.go)
//	position q       what a figure asks of a network            (positions.go)
//
// Trials run side by side (jobs.go), or with successive halving from rung to rung
// (halving.go). A plan (plan.go) follows the same stages and runs none.
//
// The packages below it know one thing each: setup what settings come to, stage how
// a stage is run once, estimate how long that takes, script what scripts have a say
// in, evaluation what checkpoints are asked, tournament how matches are played.
// Figures and the notebook page (package report) are drawn from what stands in the
// store, at the end; that takes a second and is always done.
//
// lab decides no science: every number that can change a result comes from the
// experiment. It prints nothing either: progress goes to a [Reporter].
package run
