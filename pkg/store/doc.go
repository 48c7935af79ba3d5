// Package store reads and writes the results of a run: the folder of each trial, its
// manifest, and the rows that stages store in the manifest; see the example.
//
//	run, trial, err := store.Resolve("results", "lab/3")        // by the name that a user typed
//	file, err := store.FindModel("results", "lab/3@last")       // a checkpoint
//	score := trial.Measure("elo")                               // a metric with its interval
//	ok, why, err := trial.Manifest.Fresh(dir, stage, inputs, false) // whether a stage must run
//
// The manifest lists every stage that has run, with its inputs and outputs. It decides
// whether the results of a stage are still valid ([Manifest.Fresh]). It also contains the
// rows of the tables, so tables and figures need only the manifests.
//
// Each experiment has a file of its own ([Experiment]), so that results can be listed and
// shown ([List], [Resolve]) during a run, and after the experiment's files have changed.
// [Resolve], [FindTrial] and [FindModel] parse the names of trials and models that users
// type.
//
// The package neither computes results (package run) nor shows them (package report).
package store
