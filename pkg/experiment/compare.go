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
	sources := e.Settings.bySource().values()
	meanings := map[string]string{}
	for _, r := range leaves(schema, "", sources) {
		meanings[r.Path] = r.Value
	}
	var rows []Row
	for _, x := range e.rows() {
		if x.Path == "name" || x.Path == "about" || x.Path == "extends" {
			continue
		}
		r := Row{Explained: x, Meaning: x.Value}
		if m, ok := meanings[x.Path]; ok && !x.Swept {
			r.Meaning = m
		}
		r.Items, r.List = e.items(x, sources)
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
	c := named.withScripts(func(_ string, x Script) Script { return Script{File: sumPrefix + x.SHA256} })
	return &c
}

// items returns the entries of a row that is a list. sources are the values of
// the settings by source.
func (e *Experiment) items(x Explained, sources map[string]any) (items []Item, list bool) {
	if x.Swept {
		path := strings.TrimPrefix(x.Path, "sweep.grid.")
		i := slices.IndexFunc(e.Axes, func(a Axis) bool { return a.Path == path })
		if i < 0 || x.Value != "["+strings.Join(e.Axes[i].Values, ", ")+"]" { // drawn at random
			return nil, false
		}
		for _, v := range e.Axes[i].Values {
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
	values, _ := valueAt(e.values, x.Path)
	meanings, _ := valueAt(sources, x.Path)
	shown, _ := values.([]any)
	meant, _ := meanings.([]any)
	for i, v := range shown {
		item := Item{Value: show(t.elem, v), Origin: x.Origin}
		if item.Meaning = item.Value; len(meant) == len(shown) {
			item.Meaning = show(t.elem, meant[i])
		}
		if at := e.tree.find(x.Path); at != nil && i < len(at.value.items) {
			item.Origin = Origin{Position: at.value.items[i].at}
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
