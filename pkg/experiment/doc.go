// Package experiment is the YAML language of alamos: it turns a file into the
// trials that a lab can run.
//
// A file passes through five steps, one source file each:
//
//	parse    bytes -> tree, strictly: no aliases, tags, duplicate keys (tree.go)
//	check    every file by itself against the schema (types.go, group.go, schema.go)
//	merge    the files it extends, itself, and --set, later over earlier (load.go)
//	resolve  defaults, conditions between keys -> Settings (group.go, rules.go)
//	sweep    one Settings a combination and seed, each with its ID (axes.go, draw.go,
//	         sweep.go, trials.go, budget.go, halving.go)
//
// The schema (schema*.go) is the one place that says which keys exist, what they
// may hold, what they default to and what they mean; the reader, the reference
// ([Keys]), the editor schema ([JSONSchema]), [Experiment.Explain], [Diff] and
// [Settings.YAML] all walk it.
//
// What is worth knowing about the language beyond its keys:
//
//   - Of the files that one extends, mappings merge key by key, lists and scalars
//     replace, null resets to the default. name, about and extends are a file's
//     own and are not handed on.
//   - Numbers are decimal. 1e3 and 4.0 are whole numbers, because nobody can mean
//     anything else by them; 4.5, 0x10, 010, 1_000, "8" and .nan are refused where
//     a number is wanted.
//   - Aliases, anchors, merge keys and tags are refused: extends does their work
//     in a way that explain and diff can follow.
//   - A key that means nothing beside the others (patience of a constant
//     schedule) is refused where it is written, and silently dropped when it only
//     comes from a file beneath the one that made it meaningless.
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
