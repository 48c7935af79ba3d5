// Package experiment is the YAML language of alamos: [Load] turns a file into the trials that a
// run executes, as the example shows.
//
// A file passes through five steps:
//
//	parse    bytes -> nodes, strictly: no aliases, tags, duplicate keys (package config)
//	check    every file by itself against the schema (package config)
//	merge    the files it extends, itself, and --set, later over earlier (load.go)
//	resolve  defaults, conditions between keys -> Settings (package config, rules.go)
//	sweep    one Settings per combination and seed, each with its ID (axes.go, draw.go,
//	         sweep.go, trials.go); TPE, population-based training and close calls propose
//	         the later ones (tpe.go, pbt.go, grow.go)
//
// The tags of [Settings] and of the structs of other packages, such as search.Config,
// define the language. To add a setting, add a tagged field beside the code that uses it.
// The reader, the reference ([Keys]), the editor schema ([JSONSchema]),
// [Experiment.Explain], [Experiment.BaseDiff] and [Settings.YAML] are derived from the tags.
// [Setup] adds to these structs what is not a setting: variant, encoders, seeds.
//
// General rules of the language:
//
//   - Files merge as follows: mappings merge key by key, lists and scalars replace,
//     and null resets to the default. name, about and extends belong to one file and
//     are not inherited.
//   - Numbers are decimal. 1e3 and 4.0 are whole numbers, because their meaning is
//     unambiguous. 4.5, 0x10, 010, 1_000, "8" and .nan are refused where a number is
//     wanted.
//   - Aliases, anchors, merge keys and tags are refused: extends does their work
//     in a way that explain and diff can follow.
//   - A key whose condition does not hold (patience of a constant schedule) is refused
//     in the file that is at fault. It is dropped silently if it comes from a file
//     below the one that made it inapplicable.
//
// Every fault is a [config.Error] that prints as one line with file, line and column, and
// [Load] reports all of them together.
//
// The language contains only what decides a result. Devices, threads, batch sizes of an
// evaluator and result folders are not part of it. [Load] does not know the rules of chess:
// a FEN is only text. [LoadChecked] checks that positions are valid and that encoders
// support the variant.
package experiment
