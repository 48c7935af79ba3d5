package experiment

import (
	"slices"
	"strings"
)

// Row is a resolved value as it is compared with that of another experiment.
type Row struct {
	Explained
	// Meaning is equal where two values mean the same: a script is told by its
	// source, not by where it lies.
	Meaning string
	// List says that the value is a list, with its Items; the values of a key that
	// the sweep varies are one.
	List  bool
	Items []Item
}

// Item is an entry of a list.
type Item struct {
	Value   string // one line of YAML
	Meaning string // see Row
	Origin  Origin
}

// Rows returns what [Experiment.Explain] does, for a comparison: without name,
// about and extends, which are no settings.
func (e *Experiment) Rows() []Row {
	rows := compareRows(e.rows(), e.Axes, &e.Settings, e.values)
	for i := range rows {
		at := e.tree.find(rows[i].Path)
		if at == nil || rows[i].Swept || len(at.value.items) != len(rows[i].Items) {
			continue
		}
		for k := range rows[i].Items {
			rows[i].Items[k].Origin = Origin{Position: at.value.items[k].at}
		}
	}
	return rows
}

// KeptRows is [Experiment.Rows] for an experiment of which what Explain returned
// has been kept, with its axes and the settings of a trial.
func KeptRows(explained []Explained, axes []Axis, trial *Settings) []Row {
	return compareRows(explained, axes, trial, trial.values())
}

// compareRows makes rows for a comparison; values are those of lists as they are
// shown.
func compareRows(explained []Explained, axes []Axis, s *Settings, values map[string]any) []Row {
	sources := s.bySource().values()
	meanings := s.Values()
	scripts := s.Scripts()
	var rows []Row
	for _, x := range explained {
		if x.Path == "name" || x.Path == "about" || x.Path == "extends" {
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

// bySource returns the settings with the hash of every script in the place of its
// path. A hook's metrics are called after its file, so it keeps that name.
func (s *Settings) bySource() *Settings {
	named := *s
	named.Hooks = slices.Clone(s.Hooks)
	for i := range named.Hooks {
		named.Hooks[i].Metric = named.Hooks[i].Name()
	}
	c := named.withFiles(func(_ string, x Script) Script { return Script{Path: sumPrefix + x.SHA256} })
	return &c
}

// items returns the entries of a value that is a list: as it is shown, and as it
// stands in the settings by source.
func items(x Explained, axes []Axis, values, sources map[string]any) (items []Item, list bool) {
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
	f := lookup(x.Path)
	if f == nil {
		return nil, false
	}
	t, ok := f.typ.(sequence)
	if !ok {
		return nil, false
	}
	shown, _ := valueAt(values, x.Path)
	meant, _ := valueAt(sources, x.Path)
	all, _ := shown.([]any)
	by, _ := meant.([]any)
	for i, v := range all {
		item := Item{show(t.elem, v), show(t.elem, v), x.Origin}
		if len(by) == len(all) {
			item.Meaning = show(t.elem, by[i])
		}
		items = append(items, item)
	}
	return items, true
}

// Values returns what every key that applies means, by its path: equal where two
// settings mean the same.
func (s *Settings) Values() map[string]string {
	values := map[string]string{}
	for _, r := range leaves(schema, "", s.bySource().values()) {
		values[r.Path] = r.Value
	}
	return values
}
