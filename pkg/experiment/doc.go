// Package experiment is the YAML language of alamos: it turns a file into the
// trials that a lab can run.
//
// A file passes through five steps, one source file each:
//
//	parse    bytes -> tree, strictly: no aliases, tags, duplicate keys (tree.go)
//	check    every file by itself against the schema (types.go, group.go, schema.go)
//	merge    the files it extends, itself, and --set, later over earlier (load.go)
//	resolve  defaults, conditions between keys -> Settings (group.go, rules.go)
//	sweep    one Settings a grid point and seed, each with its ID (sweep.go)
//
// The schema (schema.go) is the one place that says which keys exist, what they
// may hold, what they default to and what they mean; the reader, the reference
// ([Keys]), the editor schema ([JSONSchema]), [Experiment.Explain], [Diff] and
// [Settings.YAML] all walk it.
//
// Every fault is an [Error] that prints as one line with file, line and column,
// and [Load] reports all of them together, so that nobody mends a file one
// message at a time.
//
// The package refuses to know anything that does not decide a result: devices,
// threads, batch sizes of an evaluator and directories for results are not part
// of the language. It does not know the rules of chess either: a FEN is only
// text here, and the lab that reads it can ask [Experiment.Origin] where it was
// written to report what is wrong with it.
package experiment
