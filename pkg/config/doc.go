// Package config reads settings from YAML into tagged structs, as the example shows. A
// setting has one home: the struct field beside the code that uses it. Its tags describe it
// completely:
//
//	Rate float64 `key:"rate" default:"0.1" range:">0..1" doc:"Size of a step."`
//
//	key      its name in files
//	default  its default, in YAML; without one the key stays absent
//	range    bounds: "0..1"; ">0..<1" without the bounds themselves; "1.." for a count
//	words    words instead of a number, with their Go values: "max=inf"
//	zero     the Go value of a written 0, if 0 in Go means that nothing was set
//	enum     the allowed words; for a bool, those for false and true
//	pattern  a regular expression that a text must match; want describes it in words
//	ext      the endings of the name of a [File]; for a text, those that make it the path of
//	         a file that need not exist, "*" for any path or pattern of files
//	min      the minimum number of items of a list
//	unit     its unit
//	when     the condition under which it applies: "kind=adam adamw",
//	         "policy!=none", "uci" (with that key), "!data" (without that key);
//	         "network.moves_left=true" for a key of another group;
//	         "policy!=none, trunk!=sparse" for both
//	mistake  a wrong value that people write, and advice: "chess960: write ..."
//	inherit  the key or group that supplies its defaults; except: "noise=0" overrides some
//	absent   the meaning of leaving it out, if it has no default
//	keys     of a struct: only these of its keys; oneof: exactly one of these must be present
//	flags    required, optional (a group), single (an item without its list), ramps (the number,
//	         or those of the group, may be a [Ramp]); own, outside, aside: see [Field]
//	doc      its meaning
//
// A blank field describes its struct: short is the key that a scalar stands for, oneof as
// above. A blank field with a key gives a key above it another meaning, under another
// condition. A time.Duration is a number of milliseconds.
//
// From the tags the package derives defaults ([Defaults]), checks ([Check]), strict reading
// that reports all faults at once as file:line:col ([Schema.Read]), canonical values
// ([Schema.Values], [JSON]), YAML, origins, differences, a JSON Schema for editors and the
// rows of a reference.
//
// The package knows neither the meaning of a key nor the files of a language. A language of
// several files merges their nodes itself ([Merge]).
package config
