package experiment

import (
	"slices"
	"strings"
)

// Origin says where a value comes from.
type Origin struct {
	Position        // of the key that sets it; zero for a default
	As       string // of a default: the key whose value it takes, if any
}

// Default says that no file sets the value.
func (o Origin) Default() bool { return o.File == "" }

// String returns "file:line", "--set", "default" or "default (as search.visits)".
func (o Origin) String() string {
	switch {
	case o.File == setFile:
		return setFile
	case !o.Default():
		return o.line()
	case o.As != "":
		return "default (as " + o.As + ")"
	}
	return "default"
}

// Explained is one resolved value with its origin.
type Explained struct {
	Path   string
	Value  string // one line of YAML; the list of values where the sweep varies it
	Origin Origin
	Swept  bool
}

// Difference is a key whose values differ. A value is empty where the key is
// absent, because it means nothing beside the others.
type Difference struct {
	Path             string
	A, B             string
	OriginA, OriginB Origin
}

// view is a merged tree with what it resolves to.
type view struct {
	tree    *tree
	values  map[string]any
	bundles []bundle // what its sweep varies
}

// Explain returns every resolved value in schema order. A key that the sweep
// varies shows all its values, or how they are drawn; where it has no line of its
// own (a group, or a key that means nothing beside the file's own values) it
// stands under the key of the sweep that varies it.
func (e *Experiment) Explain() []Explained { return e.rows() }

// Origin returns where the value of a key comes from.
func (e *Experiment) Origin(path string) Origin { return e.origin(path) }

// BaseDiff returns how the experiment differs from the files it extends, which
// are A; nil when it extends none.
func (e *Experiment) BaseDiff() []Difference {
	if e.below == nil {
		return nil
	}
	return differences(e.below.rows(), e.rows())
}

// Diff returns how two experiments differ after resolution, in schema order.
// Name, about and extends are not compared: they are no settings.
func Diff(a, b *Experiment) []Difference { return differences(a.rows(), b.rows()) }

// DiffSettings is Diff for two trials; it knows no origins.
func DiffSettings(a, b *Settings) []Difference {
	return differences(leaves(schema, "", a.values()), leaves(schema, "", b.values()))
}

// find returns the entry at a key path, or nil when no value is set there.
func (t *tree) find(path string) *entry {
	key, rest, more := strings.Cut(path, ".")
	e := t.entry(key)
	switch {
	case e == nil || e.value.kind == null:
		return nil
	case more:
		return e.value.find(rest)
	}
	return e
}

func (v *view) origin(path string) Origin {
	for _, b := range v.bundles {
		for _, a := range b.axes {
			if a.path == path {
				return Origin{Position: a.at}
			}
		}
	}
	if e := v.tree.find(path); e != nil {
		return Origin{Position: e.at}
	}
	if f := lookup(path); f != nil {
		return Origin{As: f.as}
	}
	return Origin{}
}

func (v *view) rows() []Explained {
	rows := leaves(schema, "", v.values)
	for i := range rows {
		rows[i].Origin = v.origin(rows[i].Path)
	}
	for _, b := range v.bundles {
		for _, a := range b.axes {
			if i := slices.IndexFunc(rows, func(r Explained) bool { return r.Path == a.path }); i >= 0 {
				rows[i].Value, rows[i].Swept = a.shown, true
				continue
			}
			rows = append(rows, Explained{join(b.key, a.path), a.shown, Origin{Position: a.at}, true})
		}
	}
	rows = append(rows, v.sweepRows()...)
	if e := v.tree.find("extends"); e != nil {
		var names []any
		for _, item := range e.value.oneOrMore() {
			names = append(names, item.text)
		}
		rows = append(rows, Explained{"extends", show(sequence{elem: text{}}, names), Origin{Position: e.at}, false})
	}
	inSchemaOrder(rows, func(r Explained) string { return r.Path })
	return rows
}

// sweepRows returns what the file says of its sweep beside the values of axes.
func (v *view) sweepRows() []Explained {
	sweep := v.tree.get("sweep")
	if sweep == nil {
		return nil
	}
	var rows []Explained
	read, _ := sweepKeys.read(&checker{bad: map[string]bool{}, whole: true}, "sweep", sweep)
	values, _ := read.(map[string]any)
	for _, r := range leaves(sweepKeys, "sweep", values) {
		r.Origin = v.origin(r.Path)
		switch r.Path {
		case "sweep.grid", "sweep.random.draw":
			continue // a row for each of its keys
		case "sweep.zip":
			r.Value = v.movesTogether()
		case "sweep.include", "sweep.exclude":
			r.Value = showCombinations(sweep.get(strings.TrimPrefix(r.Path, "sweep.")))
		case "sweep.seeds":
			if r.Origin.Default() {
				continue
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// movesTogether lists the keys of each zip.
func (v *view) movesTogether() string {
	var groups []string
	for _, b := range v.bundles {
		if b.key != "sweep.zip" {
			continue
		}
		var paths []string
		for _, a := range b.axes {
			paths = append(paths, a.path)
		}
		groups = append(groups, "["+strings.Join(paths, ", ")+"]")
	}
	return "[" + strings.Join(groups, ", ") + "]"
}

func showCombinations(t *tree) string {
	var items []string
	for _, item := range t.items {
		var parts []string
		for _, e := range item.entries {
			parts = append(parts, e.key+": "+axisText(lookup(e.key), e.value))
		}
		items = append(items, "{"+strings.Join(parts, ", ")+"}")
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// leaves returns the values that are no groups, in schema order.
func leaves(g *group, path string, m map[string]any) []Explained {
	var rows []Explained
	for _, key := range g.keys() {
		v, ok := m[key]
		if !ok {
			continue
		}
		here, t := join(path, key), g.typeOf(key)
		if inner, isGroup := t.(*group); isGroup {
			members, _ := v.(map[string]any)
			rows = append(rows, leaves(inner, here, members)...)
			continue
		}
		rows = append(rows, Explained{Path: here, Value: show(t, v)})
	}
	return rows
}

func inSchemaOrder[T any](rows []T, path func(T) string) {
	order := map[string]int{}
	for i, p := range allPaths() {
		order[p] = i
	}
	rank := func(row T) int {
		p := path(row)
		if under, _, ok := cutSwept(p); ok {
			p = under
		}
		return order[p]
	}
	slices.SortStableFunc(rows, func(a, b T) int { return rank(a) - rank(b) })
}

func differences(a, b []Explained) []Difference {
	var diffs []Difference
	for _, x := range a {
		d := Difference{Path: x.Path, A: x.Value, OriginA: x.Origin}
		if i := slices.IndexFunc(b, func(r Explained) bool { return r.Path == x.Path }); i >= 0 {
			d.B, d.OriginB = b[i].Value, b[i].Origin
		}
		diffs = append(diffs, d)
	}
	for _, y := range b {
		if !slices.ContainsFunc(a, func(r Explained) bool { return r.Path == y.Path }) {
			diffs = append(diffs, Difference{Path: y.Path, B: y.Value, OriginB: y.Origin})
		}
	}
	diffs = slices.DeleteFunc(diffs, func(d Difference) bool {
		return d.A == d.B || d.Path == "name" || d.Path == "about" || d.Path == "extends"
	})
	inSchemaOrder(diffs, func(d Difference) string { return d.Path })
	return diffs
}
