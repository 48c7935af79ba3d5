package experiment

import (
	"slices"
	"strings"

	"alamos/pkg/config"
)

// view is a merged tree with what it resolves to.
type view struct {
	tree    *config.Node
	values  map[string]any
	bundles []bundle // what its sweep varies
}

// Explain returns every resolved value in schema order. A key that the sweep
// varies shows all its values, or how they are drawn; where it has no line of its
// own (a group, or a key that means nothing beside the file's own values) it
// stands under the key of the sweep that varies it.
func (e *Experiment) Explain() []config.Explained { return e.rows() }

// ExplainTrial is Explain for one of e.Trials, by its place in the list: its own
// values, each where the sweep or the file sets it.
func (e *Experiment) ExplainTrial(i int) []config.Explained {
	over := e.tree
	for j, s := range e.combos[i].set {
		item := s.tree.Stamped(e.layers + j)
		over = config.Merge(over, config.Nest(strings.Split(s.path, "."), s.at, item))
	}
	l := &loader{bad: map[string]bool{}}
	v := view{tree: over, values: l.quietly(over)}
	v.values["seed"] = int64(e.Trials[i].Settings.Seed)
	rows := slices.DeleteFunc(v.rows(), func(r config.Explained) bool { return strings.HasPrefix(r.Path, "sweep.") })
	for j := range rows {
		r := &rows[j]
		for _, s := range e.combos[i].set {
			r.Swept = r.Swept || overlap(r.Path, s.path)
		}
		if at := e.tree.Find("sweep.seeds"); r.Path == "seed" && at != nil && len(e.Trials) > 1 {
			r.Swept, r.Origin = true, config.Origin{Position: at.At}
		}
	}
	return rows
}

// Origin returns where the value of a key comes from.
func (e *Experiment) Origin(path string) config.Origin { return e.origin(path) }

// Fault is a fault of a key that the language does not know, at the place that sets the
// key; where none does, what is wrong is what another key says, and the place is the file.
func (e *Experiment) Fault(key, hint, msg string) *config.Error {
	at := e.origin(key)
	if at.Default() {
		at.Position = config.Position{File: e.File, Line: 1, Col: 1}
	}
	f := at.Errorf(key, "%s", msg).WithHint(hint)
	return config.Errors{f}.Of(e.set)[0]
}

// BaseDiff returns how the experiment differs from the files it extends, which
// are A; nil when it extends none.
func (e *Experiment) BaseDiff() []config.Difference {
	if e.below == nil {
		return nil
	}
	return differences(e.below.rows(), e.rows())
}

// DiffSettings returns how the settings of two trials differ after resolution, in
// schema order. Name, about and extends are not compared: they are no settings. It
// knows no origins.
func DiffSettings(a, b *Settings) []config.Difference {
	return differences(schema().Explain("", a.values(config.Form{})), schema().Explain("", b.values(config.Form{})))
}

func (v *view) origin(path string) config.Origin {
	for _, b := range v.bundles {
		for _, a := range b.axes {
			if a.path == path {
				return config.Origin{Position: a.at}
			}
		}
	}
	return schema().Origin(path, v.tree, v.values)
}

func (v *view) rows() []config.Explained {
	rows := schema().Explain("", v.values)
	for i := range rows {
		rows[i].Origin = v.origin(rows[i].Path)
	}
	for _, b := range v.bundles {
		for _, a := range b.axes {
			if i := slices.IndexFunc(rows, func(r config.Explained) bool { return r.Path == a.path }); i >= 0 {
				rows[i].Value, rows[i].Items, rows[i].Swept = a.shown, nil, true
				continue
			}
			rows = append(rows, config.Explained{Path: config.Join(b.key, a.path), Value: a.shown, Origin: config.Origin{Position: a.at}, Swept: true})
		}
	}
	rows = append(rows, v.sweepRows()...)
	if e := v.tree.Find("extends"); e != nil {
		var names []any
		for _, item := range e.Value.OneOrMore() {
			names = append(names, item.Text)
		}
		rows = append(rows, config.Explained{Path: "extends", Value: config.Show(config.Sequence{Elem: config.Text{}}, names), Origin: config.Origin{Position: e.At}})
	}
	inOrder(rows, func(r config.Explained) string { return r.Path })
	return rows
}

// sweepRows returns what the file says of its sweep beside the values of axes.
func (v *view) sweepRows() []config.Explained {
	sweep := v.tree.Get("sweep")
	if sweep == nil {
		return nil
	}
	var rows []config.Explained
	values, _ := readSection(&config.Reader{Bad: map[string]bool{}, Whole: true}, "sweep", sweep)
	for _, r := range schema().Lookup("sweep").Type.(*config.Group).Explain("sweep", values) {
		r.Origin = v.origin(r.Path)
		switch r.Path {
		case "sweep.grid", "sweep.random.draw":
			continue // a row for each of its keys
		case "sweep.zip":
			r.Value = v.movesTogether()
		case "sweep.include", "sweep.exclude":
			r.Value = showCombinations(sweep.Get(strings.TrimPrefix(r.Path, "sweep.")))
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

func showCombinations(t *config.Node) string {
	var items []string
	for _, item := range t.Items {
		var parts []string
		for _, e := range item.Entries {
			parts = append(parts, e.Key+": "+axisText(schema().Lookup(e.Key), e.Value))
		}
		items = append(items, "{"+strings.Join(parts, ", ")+"}")
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// inOrder sorts rows by their paths in the order of the schema.
func inOrder[T any](rows []T, path func(T) string) {
	config.Sort(schema(), rows, func(row T) string {
		if under, _, ok := cutSwept(path(row)); ok {
			return under
		}
		return path(row)
	})
}

// differences returns how two experiments differ. Name, about and extends are no settings.
func differences(a, b []config.Explained) []config.Difference {
	diffs := slices.DeleteFunc(config.Differences(a, b), func(d config.Difference) bool { return noSetting(d.Path) })
	inOrder(diffs, func(d config.Difference) string { return d.Path })
	return diffs
}

func noSetting(path string) bool { return path == "name" || path == "about" || path == "extends" }
