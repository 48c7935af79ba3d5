package experiment

import (
	"slices"
	"strings"

	"alamos/pkg/config"
)

// view is a merged tree with its resolved values.
type view struct {
	tree    *config.Node
	values  map[string]any
	bundles []bundle // what its sweep varies
}

// Explain returns every resolved value in schema order. A key that the sweep varies shows
// all its values, or its distribution. If it has no line of its own (a group, or a key that
// does not apply to the file's own values), it appears under the key of the sweep that
// varies it.
func (e *Experiment) Explain() []config.Explained { return e.rows() }

// ExplainTrial is Explain for one of e.Trials, by its index: its own values, with the
// position in the sweep or the file that sets each.
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

// Origin returns the source of a key's value.
func (e *Experiment) Origin(path string) config.Origin { return e.origin(path) }

// Fault makes a fault of a key at the place that sets the key. If nothing sets it, the
// fault is at the file, because the value of another key causes it.
func (e *Experiment) Fault(key, hint, msg string) *config.Error {
	at := e.origin(key)
	if at.Default() {
		at.Position = config.Position{File: e.File, Line: 1, Col: 1}
	}
	f := at.Errorf(key, "%s", msg).WithHint(hint)
	return config.Errors{f}.Of(e.set)[0]
}

// BaseDiff returns the differences between the files that the experiment extends (A) and
// the experiment. It is nil if the experiment extends none.
func (e *Experiment) BaseDiff() []config.Difference {
	if e.below == nil {
		return nil
	}
	return differences(e.below.rows(), e.rows())
}

// DiffSettings returns the differences between the resolved settings of two trials, in
// schema order and without origins. Name, about and extends are not settings.
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

// sweepRows returns the settings of the sweep other than the values of its axes.
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
			continue // its keys have their own rows
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

// inOrder sorts rows by their paths in schema order.
func inOrder[T any](rows []T, path func(T) string) {
	config.Sort(schema(), rows, func(row T) string {
		if under, _, ok := cutSwept(path(row)); ok {
			return under
		}
		return path(row)
	})
}

// differences returns the differences between two experiments, without name, about and
// extends, which are not settings.
func differences(a, b []config.Explained) []config.Difference {
	diffs := slices.DeleteFunc(config.Differences(a, b), func(d config.Difference) bool { return noSetting(d.Path) })
	inOrder(diffs, func(d config.Difference) string { return d.Path })
	return diffs
}

func noSetting(path string) bool { return path == "name" || path == "about" || path == "extends" }

// Row is a resolved value for comparison with another experiment.
type Row struct {
	config.Explained
	// Meaning is equal for values that mean the same: a script is identified by its source,
	// not by its path.
	Meaning string
	// List reports whether the value is a list with Items. The values of a swept key are a
	// list.
	List  bool
	Items []Item
}

// Item is an entry of a list.
type Item struct {
	Value   string // one line of YAML
	Meaning string // see Row
	Origin  config.Origin
}

// Rows returns the result of [Experiment.Explain] for a comparison, without name, about and
// extends, which are not settings.
func (e *Experiment) Rows() []Row {
	rows := compareRows(e.rows(), e.Axes, &e.Settings, e.values)
	for i := range rows {
		at := e.tree.Find(rows[i].Path)
		if at == nil || rows[i].Swept || len(at.Value.Items) != len(rows[i].Items) {
			continue
		}
		for k := range rows[i].Items {
			rows[i].Items[k].Origin = config.Origin{Position: at.Value.Items[k].At}
		}
	}
	return rows
}

// KeptRows is [Experiment.Rows] for a stored result of Explain, with the axes and the
// settings of a trial.
func KeptRows(explained []config.Explained, axes []Axis, trial *Settings) []Row {
	return compareRows(explained, axes, trial, trial.values(config.Form{}))
}

// compareRows makes rows for a comparison. values are the shown forms of lists.
func compareRows(explained []config.Explained, axes []Axis, s *Settings, values map[string]any) []Row {
	sources := s.bySource()
	meanings := s.Values()
	scripts := s.Scripts()
	var rows []Row
	for _, x := range explained {
		if noSetting(x.Path) {
			continue
		}
		r := Row{Explained: x, Meaning: x.Value}
		names := slices.ContainsFunc(scripts, func(n NamedScript) bool {
			return n.Key == x.Path || strings.HasPrefix(n.Key, x.Path+".") || strings.HasPrefix(n.Key, x.Path+"[")
		})
		if names && !x.Swept {
			r.Meaning = meanings[x.Path]
		}
		r.Items, r.List = items(x, axes, values, sources)
		rows = append(rows, r)
	}
	return rows
}

// items returns the entries of a value that is a list, as shown and as identified by
// source.
func items(x config.Explained, axes []Axis, values, sources map[string]any) (items []Item, list bool) {
	if x.Swept {
		path := strings.TrimPrefix(x.Path, "sweep.grid.")
		i := slices.IndexFunc(axes, func(a Axis) bool { return a.Path == path })
		if i < 0 || x.Value != "["+strings.Join(axes[i].Values, ", ")+"]" { // drawn at random
			return nil, false
		}
		for _, v := range axes[i].Values {
			items = append(items, Item{v, v, x.Origin})
		}
		return items, true
	}
	f := schema().Lookup(x.Path)
	if f == nil {
		return nil, false
	}
	t, ok := f.Type.(config.Sequence)
	if !ok {
		return nil, false
	}
	shown, _ := config.ValueAt(values, x.Path)
	meant, _ := config.ValueAt(sources, x.Path)
	all, _ := shown.([]any)
	by, _ := meant.([]any)
	for i, v := range all {
		item := Item{config.Show(t.Elem, v), config.Show(t.Elem, v), x.Origin}
		if len(by) == len(all) {
			item.Meaning = config.Show(t.Elem, by[i])
		}
		items = append(items, item)
	}
	return items, true
}
