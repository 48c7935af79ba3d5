package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// field is one key of the language.
type field struct {
	key     string
	typ     typ
	def     any    // the default, in canonical form; nil: none, the key stays absent
	as      string // path of the key whose value, where it has one, is the default instead
	unit    string // "games", "epochs"; empty: none
	absent  string // what leaving it out means, where there is neither def nor as
	doc     string // what it means, one or two sentences
	when    *when  // nil: always
	must    bool   // the key has no default and cannot be left out
	own     bool   // says something of its file, not of the experiment: not inherited
	offPath bool   // not a setting of a trial: extends, sweep
	// fitted makes the default to fit the values of the file, those of the keys that
	// stand before it; nil: the default is def, which else is that of a file without any.
	fitted func(values map[string]any) any
	// optional says of a group that it is absent unless it is written.
	optional bool
	aside    bool // cannot change a result of training or tournament: not part of a trial's ID
}

// when says that a key has a meaning only beside a certain value of another key
// of the same group that stands before it in the schema, or only without that key.
type when struct {
	key    string
	values []any // one of these; empty: any value
	absent bool  // no value at all
	not    bool  // any value but these
}

func only(key string, values ...any) *when { return &when{key: key, values: values} }

func without(key string) *when { return &when{key: key, absent: true} }

func unless(key string, values ...any) *when { return &when{key: key, values: values, not: true} }

// holds says whether the condition is met in a group as far as it is read.
func (w *when) holds(m map[string]any) bool {
	if w == nil {
		return true
	}
	v, present := m[w.key]
	if w.absent {
		return !present
	}
	return present && (len(w.values) == 0 || slices.Contains(w.values, v) != w.not)
}

func (w *when) String() string {
	switch {
	case w.absent:
		return "without " + w.key
	case len(w.values) == 0:
		return "beside " + w.key
	}
	words := make([]string, len(w.values))
	for i, v := range w.values {
		words[i] = fmt.Sprint(v)
	}
	list := strings.Join(words, " or ")
	if w.not {
		return fmt.Sprintf("with %s other than %s", w.key, list)
	}
	return fmt.Sprintf("with %s: %s", w.key, list)
}

// group is a set of keys, in the order in which they are shown.
type group struct {
	fields []field
	oneOf  []string // exactly one of these keys must be there
	short  string   // a scalar stands for the group with this one key
}

func (g *group) want() string {
	switch {
	case len(g.oneOf) > 0 && slices.ContainsFunc(g.fields, func(f field) bool { return f.must && f.when == nil }):
		return "a group of keys, with " + enum(g.oneOf).want()
	case len(g.oneOf) > 0:
		return "one of the keys " + enum(g.oneOf).want()
	case g.short != "":
		return g.typeOf(g.short).want() + ", or a group of keys"
	}
	return "a group of keys"
}

// keys returns the names of the keys, each once.
func (g *group) keys() []string {
	var names []string
	for _, f := range g.fields {
		if !slices.Contains(names, f.key) {
			names = append(names, f.key)
		}
	}
	return names
}

func (g *group) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind == scalar && g.short != "" {
		t = &tree{kind: mapping, at: t.at, layer: t.layer, entries: []entry{{g.short, t.at, t}}}
	}
	if t.kind != mapping {
		return c.refuse(t, path, g, "")
	}
	r := groupReading{checker: c, group: g, path: path, tree: t, values: map[string]any{}, ok: true}
	if path == "" && c.whole {
		c.root = r.values
	}
	r.unknownKeys()
	for i := range g.fields {
		r.field(&g.fields[i])
	}
	if c.whole {
		r.exactlyOne()
	}
	return r.values, r.ok
}

// groupReading is one reading of a group.
type groupReading struct {
	*checker
	*group
	path   string
	tree   *tree
	values map[string]any
	ok     bool
}

// failAt reports a fault of one key.
func (r *groupReading) failAt(e *entry, hint, format string, args ...any) {
	r.ok = false
	e.value.bad = true
	here := join(r.path, e.key)
	r.bad[here] = true
	r.errs = append(r.errs, e.at.errorf(here, format, args...).hint(hint))
}

func (r *groupReading) unknownKeys() {
	keys := r.keys()
	for i := range r.tree.entries {
		e := &r.tree.entries[i]
		if e.value.bad { // reported; in a list it spoils the item, elsewhere the key counts as absent
			r.bad[join(r.path, e.key)] = true
			r.ok = r.ok && !r.whole
			continue
		}
		if slices.Contains(keys, e.key) {
			continue
		}
		hint := didYouMean(e.key, keys)
		if hint == "" {
			hint = suggestPath(join(r.path, e.key))
		}
		r.failAt(e, hint, "unknown key")
	}
}

// field reads one key, or finds out what it is when it is not written.
func (r *groupReading) field(f *field) {
	here := join(r.path, f.key)
	switch {
	case r.whole && f.offPath:
		return
	case r.whole && !f.when.holds(r.values):
		r.inapplicable(f)
		return
	}
	written := r.tree.get(f.key)
	if written != nil {
		v, good := f.typ.read(r.checker, here, written)
		r.ok = r.ok && good
		if _, isGroup := v.(map[string]any); good || isGroup { // of a group with faults, the sound part
			r.values[f.key] = v
		}
		return
	}
	if !r.whole || slices.Contains(r.oneOf, f.key) {
		return
	}
	as, inherits := valueAt(r.root, f.as)
	switch inner, isGroup := f.typ.(*group); {
	case isGroup && f.optional:
	case isGroup:
		v, _ := inner.read(r.checker, here, &tree{kind: mapping, at: r.tree.at, layer: -1})
		r.values[f.key] = v
	case inherits:
		r.values[f.key] = as
	case f.fitted != nil:
		r.values[f.key] = f.fitted(r.root)
	case f.def != nil:
		r.values[f.key] = f.def
	case f.must && !r.bad[here]:
		r.ok, r.bad[here] = false, true
		r.errs = append(r.errs, r.tree.at.errorf(here, "missing: want %s", f.typ.want()))
	}
}

// inapplicable deals with a key that means nothing beside the other keys. One
// that comes from further down than the key that makes it meaningless is
// dropped: whoever changes the kind of a schedule need not undo the details of
// the old kind. Written beside or above it, it is a mistake.
func (r *groupReading) inapplicable(f *field) {
	e := r.tree.entry(f.key)
	if e == nil || e.value.kind == null || e.value.bad {
		return
	}
	causes := r.causes(f.when)
	for _, w := range causes {
		if r.bad[join(r.path, w.key)] {
			return
		}
	}
	for i := range r.fields {
		other := &r.fields[i]
		if other.key == f.key && (other.when.holds(r.values) || r.bad[join(r.path, other.when.key)]) {
			return // the key has another meaning here, or may have
		}
	}
	for _, w := range causes {
		if reason := r.tree.entry(w.key); reason != nil && e.value.layer < reason.value.layer {
			return
		}
	}
	var needs []string
	for i := range r.fields {
		if r.fields[i].key == f.key {
			needs = append(needs, r.fields[i].when.String())
		}
	}
	text := strings.Join(needs, ", or ")
	for i, w := range causes[1:] {
		text += fmt.Sprintf(", and %s only %s", causes[i].key, w)
	}
	r.failAt(e, "", "has a meaning only %s", text)
}

// causes is a condition that does not hold, and where that is so because its own key has
// no meaning, the condition of that, and so on to the key that is to blame.
func (r *groupReading) causes(w *when) []*when {
	all := []*when{w}
	for i := range r.fields {
		if f := &r.fields[i]; f.key == w.key && !f.when.holds(r.values) {
			return append(all, r.causes(f.when)...)
		}
	}
	return all
}

func (r *groupReading) exactlyOne() {
	if len(r.oneOf) == 0 || !r.ok {
		return
	}
	var found []*entry
	for _, key := range r.oneOf {
		if e := r.tree.entry(key); e != nil && e.value.kind != null {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0:
		_, r.ok = r.fail(r.tree, r.path, "", "want one of the keys %s", enum(r.oneOf).want())
	case len(found) > 1:
		r.failAt(found[1], "", "want only one of %s", enum(r.oneOf).want())
	}
}

// valueAt looks a dotted path up in canonical values.
func valueAt(m map[string]any, path string) (any, bool) {
	key, rest, more := strings.Cut(path, ".")
	v, ok := m[key]
	if !ok || !more {
		return v, ok
	}
	inner, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	return valueAt(inner, rest)
}
