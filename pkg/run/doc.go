// Package run runs experiments. It executes those stages of each trial that have new inputs,
// and writes plain files that other programs can read; see the example.
//
//	err := run.Run(ctx, experiment, run.Options{Results: "results"})
//	plans, err := run.MakePlans(ctx, experiments, run.PlanOptions{Probe: true})
//
// A [Stage] is a function of named inputs that writes files. The manifest of a trial
// (package store) records the inputs of each stage that has run and the checksums of its
// files. A run executes the stages of a trial in order. A plan walks through the same
// stages with placeholders for the checksums of files that do not exist yet ([Plan]). Both
// explain why a stage runs. Equal inputs give equal bytes, so a stage is reused if any
// trial below the folder of results has run it. Games, labels of engines and
// training keep a journal of finished work, so that a process killed at any instant loses only the
// work in progress; the other stages, such as puzzles, begin again.
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
// Trials run in parallel, batch by batch if earlier ones decide the later ones (jobs.go), or
// rung by rung with successive halving (halving.go).
//
// The package makes no scientific choices: every number that can change a result comes from
// the experiment. It prints nothing: progress goes to a [Reporter].
package run
