// Package store is what a run leaves, as the rest of alamos reads and writes it: the
// folder of a trial, the manifest in it, and the rows that stages keep there.
//
// A manifest names every stage that has run, with what it read and what it wrote. It
// decides whether a stage's results are still valid ([Manifest.Fresh]). It has the rows
// of the tables, too, so that manifests alone are enough to make tables and figures.
//
// An experiment has a file of its own ([Experiment]). With it results can be listed and
// shown ([List], [Resolve]) during a run, and after the experiment's files have changed.
// [Resolve], [FindTrial] and [FindModel] read the names that people give to trials and
// models.
//
// The package does not know how results are made (package run) or shown (package
// report).
package store
