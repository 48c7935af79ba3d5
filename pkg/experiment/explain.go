package experiment

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Origin says where a value comes from.
type Origin struct {
	Position        // of the key that sets it; zero for a default
	As       string // of a default: the key whose value it takes, if any
}

// Default says that no file sets the value.
func (o Origin) Default() bool { return o.File == "" }

// From is the origin as one names it who stands in the folder dir.
func (o Origin) From(dir string) Origin {
	if o.File != "" && o.File != setFile {
		o.File = FileFrom(dir, o.File)
	}
	return o
}

// FileFrom is what one calls a file who stands in the folder dir: the same wherever
// both are, with slashes everywhere. What has no such name keeps its own.
func FileFrom(dir, file string) string {
	if name, err := filepath.Rel(dir, file); err == nil && file != "" {
		file = name
	}
	return filepath.ToSlash(file)
}

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
	Value  string   // one line of YAML; where the sweep varies it, the list of values or a distribution
	Items  []string // of a list of groups (players, hooks, cells): its items, a line of YAML each
	Origin Origin
	Swept  bool // the sweep varies it; of a trial's values, gives it
}

// MarshalJSON writes the value as JSON, and the origin as file, line and column
// or as the word default.
func (x Explained) MarshalJSON() ([]byte, error) {
	var value any
	if err := yaml.Unmarshal([]byte(x.Value), &value); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Path, err)
	}
	row := struct {
		Path   string `json:"path"`
		Value  any    `json:"value"`
		Swept  bool   `json:"swept,omitempty"`
		Origin any    `json:"origin"`
		As     string `json:"as,omitempty"`
	}{x.Path, value, x.Swept, "default", x.Origin.As}
	if !x.Origin.Default() {
		row.Origin = map[string]any{"file": x.Origin.File, "line": x.Origin.Line, "column": x.Origin.Col}
	}
	return json.Marshal(row)
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

// ExplainTrial is Explain for one of e.Trials, by its place in the list: its own
// values, each where the sweep or the file sets it.
func (e *Experiment) ExplainTrial(i int) []Explained {
	over := e.tree
	for j, s := range e.combos[i].set {
		item := s.tree.stamped(e.layers + j)
		over = merge(over, nest(strings.Split(s.path, "."), s.at, item))
	}
	l := &loader{bad: map[string]bool{}}
	v := view{tree: over, values: l.quietly(over)}
	v.values["seed"] = int64(e.Trials[i].Settings.Seed)
	rows := slices.DeleteFunc(v.rows(), func(r Explained) bool { return strings.HasPrefix(r.Path, "sweep.") })
	for j := range rows {
		r := &rows[j]
		for _, s := range e.combos[i].set {
			r.Swept = r.Swept || overlap(r.Path, s.path)
		}
		if at := e.tree.find("sweep.seeds"); r.Path == "seed" && at != nil && len(e.Trials) > 1 {
			r.Swept, r.Origin = true, Origin{Position: at.at}
		}
	}
	return rows
}

// Origin returns where the value of a key comes from.
func (e *Experiment) Origin(path string) Origin { return e.origin(path) }

// Fault is a fault of a key that the language does not know, at the place that sets the
// key; where none does, what is wrong is what another key says, and the place is the file.
func (e *Experiment) Fault(key, hint, msg string) *Error {
	at := e.origin(key)
	if at.Default() {
		at.Position = Position{e.File, 1, 1}
	}
	f := at.errorf(key, "%s", msg).hint(hint)
	return Errors{f}.of(e.set)[0]
}

// BaseDiff returns how the experiment differs from the files it extends, which
// are A; nil when it extends none.
func (e *Experiment) BaseDiff() []Difference {
	if e.below == nil {
		return nil
	}
	return differences(e.below.rows(), e.rows())
}

// DiffSettings returns how the settings of two trials differ after resolution, in
// schema order. Name, about and extends are not compared: they are no settings. It
// knows no origins.
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
		if _, inherits := valueAt(v.values, f.as); inherits {
			return Origin{As: f.as}
		}
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
				rows[i].Value, rows[i].Items, rows[i].Swept = a.shown, nil, true
				continue
			}
			rows = append(rows, Explained{Path: join(b.key, a.path), Value: a.shown, Origin: Origin{Position: a.at}, Swept: true})
		}
	}
	rows = append(rows, v.sweepRows()...)
	if e := v.tree.find("extends"); e != nil {
		var names []any
		for _, item := range e.value.oneOrMore() {
			names = append(names, item.text)
		}
		rows = append(rows, Explained{Path: "extends", Value: show(sequence{elem: text{}}, names), Origin: Origin{Position: e.at}})
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
		rows = append(rows, Explained{Path: here, Value: show(t, v), Items: itemsOf(t, v)})
	}
	return rows
}

// itemsOf writes the items of a list of groups.
func itemsOf(t typ, v any) []string {
	s, isList := t.(sequence)
	if !isList {
		return nil
	}
	if _, ofGroups := s.elem.(*group); !ofGroups {
		return nil
	}
	var lines []string
	items, _ := v.([]any)
	for _, item := range items {
		lines = append(lines, show(s.elem, item))
	}
	return lines
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
