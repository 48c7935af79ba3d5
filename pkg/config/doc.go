// Package config reads settings from YAML into tagged structs. A setting has one home: the
// struct field beside the code that uses it. Its tags say everything about it:
//
//	Rate float64 `key:"rate" default:"0.1" range:">0..1" unit:"a step" doc:"What a step does."`
//
//	key      its name in files
//	default  its default, in YAML; none: the key stays absent
//	range    bounds: "0..1"; ">0..<1" without the bounds themselves; "1.." for a count
//	words    words instead of a number, with what they are in Go: "max=inf"
//	zero     what a written 0 is in Go, where 0 means that nothing was set
//	enum     the words it may be; of a bool, those for false and true
//	pattern  a regular expression that a text matches; want says it in words
//	ext      the endings of the name of a [File]; of a text, of a file that need not be there,
//	         instead of what pattern says
//	min      the least number of items of a list
//	unit     its unit
//	when     the condition without which it means nothing: "kind=adam adamw",
//	         "policy!=none", "uci" (beside that key), "!data" (without it)
//	inherit  the key, or the group, whose values are its defaults; except: "noise=0" has others
//	absent   what leaving it out means, where there is no default
//	flags    required, optional (a group), single (an item without its list), pattern (of
//	         files); own, outside, aside: see [Field]
//	doc      what it means
//
// A blank field says something of its struct: short is the key that a scalar stands for,
// oneof lists keys of which exactly one must be there. A blank field with a key gives a
// key above it another meaning, under another condition.
//
// From the tags the package makes defaults ([Defaults]), checks ([Check]), strict reading
// with all faults at once as file:line:col ([Schema.Read]), canonical values
// ([Schema.Values], [JSON]), YAML, origins, differences, a JSON Schema for editors and
// the rows of a reference.
//
// The package refuses to know what any key means, and which files there are: who reads a
// language of several files merges their nodes ([Merge]).
package config
