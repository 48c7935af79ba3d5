// Package store is what a run leaves, as the rest of alamos reads and writes it:
// the folder of a trial, the manifest in it, and the rows that stages keep there.
//
// A manifest names every stage that has run with what it read and what it wrote,
// so that it can be told whether a stage's results still stand ([Manifest.Fresh])
// and where they come from. The rows of the tables are in it too: a table or a
// figure can be made from manifests alone.
//
// Beside the folders of its trials, an experiment has a file of its own
// ([Experiment]): what is needed to list and show its results ([List], [Resolve])
// while it runs, and when the files that it was written in have moved on.
//
// It knows nothing of how results are made (package lab) or shown (package
// report).
package store
