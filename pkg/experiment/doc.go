// Package experiment is the YAML language of alamos: it turns a file into the
// trials that a lab can run.
//
// A file passes through five steps:
//
//	parse    bytes -> nodes, strictly: no aliases, tags, duplicate keys (package config)
//	check    every file by itself against the schema (package config)
//	merge    the files it extends, itself, and --set, later over earlier (load.go)
//	resolve  defaults, conditions between keys -> Settings (package config, rules.go)
//	sweep    one Settings a combination and seed, each with its ID (axes.go, draw.go,
//	         sweep.go, trials.go)
//
// The language is the tags of [Settings] and of the structs of the packages that do the
// work, such as search.Config: to add a setting is to add a tagged field beside the code
// that uses it. The reader, the reference ([Keys]), the editor schema ([JSONSchema]),
// [Experiment.Explain], [DiffSettings] and [Settings.YAML] come from the tags. [Setup]
// gives these structs what is no setting: variant, encoders, seeds.
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
// Every fault is a [config.Error] that prints as one line with file, line and column, and
// [Load] reports all of them together.
//
// The package refuses to know anything that does not decide a result: devices, threads,
// batch sizes of an evaluator and directories for results are not part of the language.
// [Load] does not know the rules of chess: a FEN is only text. [LoadChecked] checks that
// positions are positions and that encoders can express the variant.
package experiment
