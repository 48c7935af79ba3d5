// Package lab runs experiments: it turns the trials of an experiment into
// stages, runs those whose inputs have changed, and leaves plain files that
// other programs can read (DESIGN: "What a run leaves").
//
// A stage is a function of its inputs. The manifest of a trial (package store)
// keeps, for each stage that has run, what it read and the checksums of what it
// wrote; a stage whose inputs are the same and whose files are whole is not run
// again, and the reason for running another is printed. One that another trial has
// run, of this experiment or of any other below the folder of results, is taken from
// there (share.go), and so is every game of a tournament (match.go). Long stages keep a
// journal (journal.go) of what is finished, and a training one of its last epoch
// (progress.go), so that a process killed at any instant loses only games that
// were still being played, and at most an epoch.
//
// Stages of a trial, in order:
//
//	untrained        the network before its first game          (trial.go)
//	selfplay g       games and samples of generation g          (selfplay.go)
//	hooks g          metrics of scripts over those games        (hooks.go)
//	train g          the checkpoint after generation g          (training.go)
//	tournament       games between checkpoints and others       (tournament.go)
//
// Trials run side by side (jobs.go), or with successive halving from rung to rung
// (halving.go). A plan (plan.go) follows the same stages and runs none.
//
// Figures and the notebook page (package report) are drawn from what stands in
// the store, at the end; that takes a second and is always done.
//
// lab decides no science: every number that can change a result comes from the
// experiment. It prints nothing either: progress goes to a [Reporter].
package lab
