package experiment

import (
	"slices"
	"strings"

	"alamos/pkg/config"
)

// Row is a resolved value as it is compared with that of another experiment.
type Row struct {
	config.Explained
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
	Origin  config.Origin
}

// Rows returns what [Experiment.Explain] does, for a comparison: without name,
// about and extends, which are no settings.
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

// KeptRows is [Experiment.Rows] for an experiment of which what Explain returned
// has been kept, with its axes and the settings of a trial.
func KeptRows(explained []config.Explained, axes []Axis, trial *Settings) []Row {
	return compareRows(explained, axes, trial, trial.values(config.Form{}))
}

// compareRows makes rows for a comparison; values are those of lists as they are
// shown.
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

// items returns the entries of a value that is a list: as it is shown, and as it
// stands in the settings by source.
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
