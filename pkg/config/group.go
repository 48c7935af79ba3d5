package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Field is one key of the language, made from the tags of a struct field.
type Field struct {
	Key     string
	Type    Type
	Default any    // in canonical form; nil means that the key stays absent
	Inherit string // path of the key that supplies the default; Default applies if that has no value
	Unit    string // "games", "epochs"; empty means none
	Absent  string // the meaning of leaving it out, if it has neither Default nor Inherit
	Doc     string // its meaning, in one or two sentences
	Mistake string // a wrong value that people write, and advice: "chess960: write ..."
	When    *Condition
	// Required means that the key has no default and must be present. Optional means that a
	// group stays absent unless it is written.
	Required, Optional bool
	Own                bool // describes the file, not its experiment, and is not inherited
	Outside            bool // not part of the result's settings, such as a sweep
	Aside              bool // a value that does not affect results
	Decides            bool // neither the key nor a group around it is own, outside or aside
	// Fitted computes the default from the values of the preceding keys. If it is nil, the
	// default is Default.
	Fitted func(values map[string]any) any

	index []int // index of the Go field
	again bool  // another meaning of an earlier field with the same key
}

// Condition restricts a key to certain values of another key, or to its absence. The other
// key precedes it, in the same group or by its whole path.
type Condition struct {
	Key    string
	Values []string   // one of these values; empty means any value
	Absent bool       // the key must be absent
	Not    bool       // any value except these
	And    *Condition // also; nil: no more
}

// parseCondition reads "kind=adam adamw", "policy!=none", "uci" (with that key), "!data"
// (without that key), and several of these with commas between.
func parseCondition(s string) *Condition {
	if s == "" {
		return nil
	}
	s, rest, _ := strings.Cut(s, ", ")
	key, values, _ := strings.Cut(s, "=")
	w := &Condition{Values: strings.Fields(values), And: parseCondition(rest)}
	w.Key, w.Not = strings.CutSuffix(key, "!")
	w.Key, w.Absent = strings.CutPrefix(w.Key, "!")
	return w
}

// Holds reports whether the condition is met by the keys of a group read so far. root holds
// the keys of the whole file; without them, a condition on another group holds.
func (w *Condition) Holds(m, root map[string]any) bool {
	return w.broken(m, root) == nil
}

// broken returns the first part of the condition that does not hold, or nil.
func (w *Condition) broken(m, root map[string]any) *Condition {
	for ; w != nil; w = w.And {
		if !w.holdsAlone(m, root) {
			return w
		}
	}
	return nil
}

func (w *Condition) holdsAlone(m, root map[string]any) bool {
	v, present := m[w.Key]
	if strings.Contains(w.Key, ".") {
		if v, present = ValueAt(root, w.Key); !present {
			return true
		}
	}
	if w.Absent {
		return !present
	}
	among := slices.Contains(w.Values, fmt.Sprint(v))
	return w.Not && !among || !w.Not && present && (len(w.Values) == 0 || among)
}

// on reports whether the condition depends on a key of its own group.
func (w *Condition) on(key string) bool {
	return w != nil && (w.Key == key || w.And.on(key))
}

func (w *Condition) String() string {
	if w.And != nil {
		return w.alone() + " and " + w.And.String()
	}
	return w.alone()
}

func (w *Condition) alone() string {
	switch list := strings.Join(w.Values, " or "); {
	case w.Absent:
		return "without " + w.Key
	case len(w.Values) == 0:
		return "with " + w.Key
	case w.Not:
		return fmt.Sprintf("with %s other than %s", w.Key, list)
	default:
		return fmt.Sprintf("with %s: %s", w.Key, list)
	}
}

// Group is a set of keys in display order.
type Group struct {
	Fields []*Field
	OneOf  []string // exactly one of these keys must be present
	Short  string   // a scalar stands for the group with only this key

	ramps []int // index of the Go field of type Ramps; nil if there is none
}

func (g *Group) Want() string {
	switch {
	case len(g.OneOf) > 0 && slices.ContainsFunc(g.Fields, func(f *Field) bool { return f.Required && f.When == nil }):
		return "a group of keys, with " + Enum(g.OneOf).Want()
	case len(g.OneOf) > 0:
		return "one of the keys " + Enum(g.OneOf).Want()
	case g.Short != "":
		return g.TypeOf(g.Short).Want() + ", or a group of keys"
	}
	return "a group of keys"
}

// Keys returns the names of the keys without duplicates.
func (g *Group) Keys() []string {
	var names []string
	for _, f := range g.Fields {
		if !f.again {
			names = append(names, f.Key)
		}
	}
	return names
}

// meanings returns the fields of a key.
func (g *Group) meanings(key string) (all []*Field) {
	for _, f := range g.Fields {
		if f.Key == key {
			all = append(all, f)
		}
	}
	return all
}

// field returns the first field of a key, or nil.
func (g *Group) field(key string) *Field {
	if all := g.meanings(key); len(all) > 0 {
		return all[0]
	}
	return nil
}

// TypeOf returns the type of a key. If the key has several meanings, it returns the first
// type.
func (g *Group) TypeOf(key string) Type { return g.field(key).Type }

// Read reads a node as the group at a path; the empty path is the whole schema.
func (s *Schema) Read(r *Reader, path string, t *Node) (map[string]any, bool) {
	r.schema = s
	g := s.Group
	if path != "" {
		g = s.Lookup(path).Type.(*Group)
	}
	v, ok := g.Read(r, path, t)
	m, _ := v.(map[string]any)
	return m, ok
}

// Merge is [Merge] of trees of the schema, where keys of a group add to a scalar that is short for
// the group.
func (s *Schema) Merge(under, over *Node) *Node { return Merge(s.lengthen(under, over), over) }

// lengthen returns under with its short groups in full where over has keys of them.
func (g *Group) lengthen(under, over *Node) *Node {
	if over.Kind != Mapping {
		return under
	}
	c := *g.long(under)
	c.Entries = slices.Clone(c.Entries)
	for i, e := range c.Entries {
		o := over.Entry(e.Key)
		for _, f := range g.meanings(e.Key) {
			if group, ok := f.Type.(*Group); ok && o != nil {
				c.Entries[i].Value = group.lengthen(e.Value, o.Value)
				break
			}
		}
	}
	return &c
}

// long returns a scalar that is short for the group as the group.
func (g *Group) long(t *Node) *Node {
	if t.Kind != Scalar || g.Short == "" {
		return t
	}
	return &Node{Kind: Mapping, At: t.At, Layer: t.Layer, Entries: []Entry{{g.Short, t.At, t}}}
}

func (g *Group) Read(r *Reader, path string, t *Node) (any, bool) {
	if t = g.long(t); t.Kind != Mapping {
		return r.Refuse(t, path, g, "")
	}
	in := groupReading{Reader: r, Group: g, path: path, node: t, values: map[string]any{}, ok: true}
	if path == "" && r.Whole {
		r.root, r.tree = in.values, t
	}
	in.unknownKeys()
	for _, f := range g.Fields {
		in.field(f)
	}
	if r.Whole {
		in.exactlyOne()
	}
	return in.values, in.ok
}

// groupReading is one reading of a group.
type groupReading struct {
	*Reader
	*Group
	path   string
	node   *Node
	values map[string]any
	ok     bool
}

// fail reports a fault of one key of the group.
func (r *groupReading) fail(e *Entry, hint, format string, args ...any) {
	r.ok = r.FailKey(e, Join(r.path, e.Key), hint, format, args...)
}

// mostHints is the number of faults after which unknown keys have no hints, which take time.
const mostHints = 100

func (r *groupReading) unknownKeys() {
	keys := r.Keys()
	for i := range r.node.Entries {
		e := &r.node.Entries[i]
		if e.Value.Bad { // The fault is reported. In a list it invalidates the item; elsewhere the key counts as absent.
			r.Bad[Join(r.path, e.Key)] = true
			r.ok = r.ok && !r.Whole
			continue
		}
		if slices.Contains(keys, e.Key) {
			continue
		}
		hint := ""
		if len(r.Errs) < mostHints {
			hint = r.hint(r.node.Entries[:i], e)
		}
		r.fail(e, hint, "unknown key")
	}
}

// hint returns advice on an unknown key after the other keys of its group.
func (r *groupReading) hint(before []Entry, e *Entry) string {
	if len(before) > 0 && e.Value.Kind == Null {
		last := before[len(before)-1]
		if f := r.Group.field(last.Key); f != nil && commaNumber.MatchString(last.Value.Text+","+e.Key) {
			if n, isNumber := f.Type.(Number); isNumber {
				return n.withoutComma(last.Value.Text+","+e.Key) + ": a comma ends a value"
			}
		}
	}
	for _, b := range slices.Backward(before) {
		f := r.Group.field(b.Key)
		if f == nil || b.Value.Kind != Null {
			continue
		}
		if inner, isGroup := f.Type.(*Group); isGroup && inner.field(e.Key) != nil {
			return fmt.Sprintf("indent it by two more spaces: it is a key of %s", b.Key)
		}
	}
	for _, f := range r.Fields {
		if inner, isGroup := f.Type.(*Group); isGroup && inner.field(e.Key) != nil {
			return fmt.Sprintf("did you mean %q?", Join(r.path, Join(f.Key, e.Key)))
		}
	}
	if keys := strings.Split(e.Key, "."); len(keys) > 1 && r.schema != nil && r.schema.Lookup(Join(r.path, e.Key)) != nil {
		return "write " + strings.Join(keys, ": {") + ": ..." + strings.Repeat("}", len(keys)-1)
	}
	if hint := DidYouMean(e.Key, r.Keys()); hint != "" || r.schema == nil {
		return hint
	}
	for around := r.path; around != ""; {
		around = Parent(around)
		if f := r.schema.Lookup(Join(around, e.Key)); f != nil {
			return fmt.Sprintf("it is a key of %s, not of %s: check the indentation", cmp.Or(around, "the whole file"), r.path)
		}
	}
	return r.schema.SuggestPath(Join(r.path, e.Key))
}

// field reads one key, or applies its default if it is not written.
func (r *groupReading) field(f *Field) {
	here := Join(r.path, f.Key)
	switch {
	case r.Whole && f.Outside:
		return
	case r.Whole && !f.When.Holds(r.values, r.root):
		r.inapplicable(f)
		return
	}
	if written := r.node.Get(f.Key); written != nil {
		if !r.Whole && r.fitsElsewhere(f, here, written) {
			return
		}
		v, good := f.Type.Read(r.Reader, here, written)
		if word, advice, _ := strings.Cut(f.Mistake, ": "); !good && advice != "" && written.Text == word {
			r.Errs[len(r.Errs)-1].Hint = advice
		}
		r.ok = r.ok && good
		if _, isGroup := v.(map[string]any); good || isGroup { // A group with faults keeps its valid part.
			r.values[f.Key] = v
		}
		return
	}
	if !r.Whole || slices.Contains(r.OneOf, f.Key) {
		return
	}
	inherited, inherits := ValueAt(r.root, f.Inherit)
	switch inner, isGroup := f.Type.(*Group); {
	case isGroup && f.Optional:
	case isGroup:
		v, _ := inner.Read(r.Reader, here, &Node{Kind: Mapping, At: r.node.At, Layer: -1})
		r.values[f.Key] = v
	case inherits:
		if n, isNumber := f.Type.(Number); isNumber {
			inherited = n.end(inherited)
		}
		r.values[f.Key] = inherited
	case f.Fitted != nil:
		r.values[f.Key] = f.Fitted(r.root)
	case f.Default != nil:
		r.values[f.Key] = f.Default
	case f.Required && r.Bad[here]: // which is reported
		r.ok = false
	case f.Required:
		r.ok, r.Bad[here] = false, true
		r.Errs = append(r.Errs, r.node.At.Errorf(here, "missing: want %s", f.Type.Want()))
	}
}

// fitsElsewhere reports whether a value fits another meaning of its key but not f. A layer alone
// does not say which meaning applies.
func (r *groupReading) fitsElsewhere(f *Field, here string, written *Node) bool {
	for _, other := range r.meanings(f.Key) {
		if other != f && r.schema.fits(other, here, written) {
			return !r.schema.fits(f, here, written)
		}
	}
	return false
}

// inapplicable handles a key whose condition does not hold. It drops a key from a lower
// layer than the key that makes it inapplicable, so that changing the kind of a schedule
// does not require resetting the details of the old kind. A key of the same or a higher
// layer is a fault.
func (r *groupReading) inapplicable(f *Field) {
	e := r.node.Entry(f.Key)
	if e == nil || e.Value.Kind == Null || e.Value.Bad {
		return
	}
	var needs []string
	for _, other := range r.meanings(f.Key) {
		broken := other.When.broken(r.values, r.root)
		if broken == nil {
			return // the key has another meaning here
		}
		if path, _ := r.deciding(broken); r.Bad[path] {
			return // or may have
		}
		var unmet []string
		for ; broken != nil; broken = broken.And.broken(r.values, r.root) {
			unmet = append(unmet, broken.alone())
		}
		needs = append(needs, strings.Join(unmet, " and "))
	}
	for w := f.When.broken(r.values, r.root); w != nil; {
		path, reason := r.deciding(w)
		if r.Bad[path] || reason != nil && e.Value.Layer < reason.Value.Layer {
			return
		}
		decider := r.Group.field(w.Key)
		if decider == nil { // in another group
			break
		}
		w = decider.When.broken(r.values, r.root) // its own condition may not hold either
	}
	r.fail(e, "", "applies only %s", strings.Join(needs, ", or "))
}

// deciding returns the key of a condition: its path, and its entry if it is written.
func (r *groupReading) deciding(w *Condition) (string, *Entry) {
	if strings.Contains(w.Key, ".") {
		return w.Key, r.tree.written(w.Key)
	}
	return Join(r.path, w.Key), r.node.Entry(w.Key)
}

func (r *groupReading) exactlyOne() {
	if len(r.OneOf) == 0 || !r.ok {
		return
	}
	var found []*Entry
	for _, key := range r.OneOf {
		if e := r.node.Entry(key); e != nil && e.Value.Kind != Null {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0:
		_, r.ok = r.Fail(r.node, r.path, "", "want one of the keys %s", Enum(r.OneOf).Want())
	case len(found) > 1:
		r.fail(found[1], "", "want only one of %s", Enum(r.OneOf).Want())
	}
}

// ValueAt returns the canonical value at a dotted path.
func ValueAt(m map[string]any, path string) (any, bool) {
	key, rest, more := strings.Cut(path, ".")
	v, ok := m[key]
	if !ok || !more {
		return v, ok
	}
	inner, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	return ValueAt(inner, rest)
}
