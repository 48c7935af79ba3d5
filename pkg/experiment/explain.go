package experiment

import (
	"slices"
	"strings"

	"alamos/pkg/config"
)

// view is a merged tree with its resolved values.
type view struct {
	tree             *config.Node
	placed           *config.Node   // the tree with the rules of the variant, for origins
	values, meanings map[string]any // canonical; meanings has files by their contents
	sweep            *expansion     // nil means none
}

// view resolves a merged tree. It reports no faults: the combinations decide whether an
// experiment is valid, and a base may be incomplete.
func (l *loader) view(t *config.Node, sweep *expansion) view {
	values := l.resolveSilently(t)
	s := l.settingsOf(values)
	return view{tree: t, placed: l.gameRules(&config.Reader{Bad: map[string]bool{}}, t), values: values, meanings: s.bySource(), sweep: sweep}
}

// ExplainTrial is Explain for one of e.Trials, by its index: its own values, with the
// position in the sweep or the file that sets each.
func (e *Experiment) ExplainTrial(i int) []config.Explained {
	trial, over := &e.Trials[i], e.tree
	for j, s := range trial.combination {
		over = s.over(over, e.layers+j)
	}
	l := &loader{bad: map[string]bool{}, files: &config.Files{}}
	v := view{tree: over, placed: l.gameRules(&config.Reader{Bad: map[string]bool{}}, over), values: l.resolveSilently(over)}
	v.values["seed"] = int64(trial.Settings.Seed)
	rows := v.Explain()
	for j := range rows {
		r := &rows[j]
		r.Swept = slices.ContainsFunc(trial.combination, func(s setting) bool { return overlap(r.Path, s.path) })
		if at := e.tree.Find("sweep.seeds"); r.Path == "seed" && at != nil && e.sweep.Seeds > 1 {
			r.Swept, r.Origin = true, config.Origin{Position: at.At}
		}
	}
	return rows
}

// Fault makes a fault of a key at the place that sets the key, or else the key or the item
// that contains it. If nothing sets it, the fault is at the file, because the value of
// another key causes it.
func (e *Experiment) Fault(key, hint, msg string) *config.Error {
	return e.faultIn(nil, key, hint, msg)
}

// faultIn is Fault of a value that a trial has. A combination that sets the key, such as an item of
// sweep.include, is its place.
func (e *Experiment) faultIn(trial *Trial, key, hint, msg string) *config.Error {
	if trial != nil {
		for _, s := range trial.combination {
			if overlap(s.path, key) || s.path == "game.variant" && overlap("game.rules", key) {
				return s.at.Errorf(key, "%s", msg).WithHint(hint)
			}
		}
	}
	at := e.Origin(key)
	for path := key; path != ""; path = path[:max(0, strings.LastIndexAny(path, ".["))] {
		swept := slices.ContainsFunc(e.axes(), func(a axis) bool { return a.path == path })
		if swept || at.Default() && at.As == "" {
			at = e.Origin(path)
		}
	}
	if at.Default() {
		at.Position = config.Position{File: e.File, Line: 1, Col: 1}
	}
	return at.Errorf(key, "%s", msg).WithHint(hint)
}

// Difference is a key with different values in two experiments. A value is empty if the key
// is absent because its condition does not hold.
type Difference struct{ Path, A, B string }

// BaseDiff returns the differences between the files that the experiment extends (A) and
// the experiment (B), in schema order. It is nil if the experiment extends none.
func (e *Experiment) BaseDiff() []Difference {
	if e.below == nil {
		return nil
	}
	return differences(e.below.Explain(), e.Explain())
}

func differences(a, b []config.Explained) []Difference {
	var all []Difference
	for _, x := range Compared(a) {
		all = append(all, Difference{Path: x.Path, A: x.Value})
	}
	for _, y := range Compared(b) {
		i := slices.IndexFunc(all, func(d Difference) bool { return d.Path == y.Path })
		if i < 0 {
			i = len(all)
			all = append(all, Difference{Path: y.Path})
		}
		all[i].B = y.Value
	}
	all = slices.DeleteFunc(all, func(d Difference) bool { return d.A == d.B })
	slices.SortStableFunc(all, func(a, b Difference) int { return schema().Order(a.Path) - schema().Order(b.Path) })
	return all
}

// Compared returns the rows that comparisons of experiments consider: all but name, about
// and extends, which are not settings.
func Compared(rows []config.Explained) []config.Explained {
	return slices.DeleteFunc(slices.Clone(rows), func(r config.Explained) bool {
		return r.Path == "name" || r.Path == "about" || r.Path == "extends"
	})
}

// Origin returns the source of a key's value.
func (v *view) Origin(path string) config.Origin {
	for _, a := range v.axes() {
		if a.path == path {
			return config.Origin{Position: a.at}
		}
	}
	return schema().Origin(path, v.placed, v.values)
}

// axes returns the axes of the sweep.
func (v *view) axes() []axis {
	if v.sweep == nil {
		return nil
	}
	return slices.Concat(v.sweep.bundles...)
}

// Explain returns every resolved value in schema order. A key that the sweep varies shows
// all its values, or its distribution; for a group, each of its keys that varies does. If it
// has no line of its own (a key that does not apply to the file's own values), it appears
// under the key of the sweep that varies it.
func (v *view) Explain() []config.Explained {
	rows := schema().Explain("", v.values, v.meanings)
	if v.sweep != nil {
		rows = append(rows, v.sweepRows()...)
	}
	for i := range rows {
		r := &rows[i]
		r.Origin = v.Origin(r.Path)
		e := v.placed.Find(r.Path)
		for k := range r.Items {
			r.Items[k].Origin = r.Origin
			if e != nil && len(e.Value.Items) == len(r.Items) {
				r.Items[k].Origin.Position = e.Value.Items[k].At
			}
		}
	}
	for _, a := range v.axes() {
		if _, isGroup := schema().Lookup(a.path).Type.(*config.Group); isGroup && len(a.values) > 0 {
			rows = slices.DeleteFunc(rows, func(r config.Explained) bool { return overlap(r.Path, a.path) })
			rows = append(rows, v.sweptGroup(a)...)
			continue
		}
		i := slices.IndexFunc(rows, func(r config.Explained) bool { return r.Path == a.path })
		if i < 0 {
			i = len(rows)
			rows = append(rows, config.Explained{Path: config.Join(a.key, a.path)})
		}
		r := &rows[i]
		own := *r
		r.Value, r.Meaning, r.Items, r.Swept, r.Origin = a.shown, a.shown, nil, true, config.Origin{Position: a.at}
		if a.key != "sweep.random.draw" {
			var meanings []string
			for _, s := range a.values {
				item := config.Item{Value: s.text, Meaning: v.meaning(a.path, s), Origin: r.Origin}
				r.Items, meanings = append(r.Items, item), append(meanings, item.Meaning)
			}
			r.Meaning = "[" + strings.Join(meanings, ", ") + "]"
		} else if namesFiles(schema().Lookup(a.path).Type) {
			for _, s := range a.values {
				if m := v.meaning(a.path, s); !strings.Contains(r.Meaning, m) {
					r.Meaning += ", " + m
				}
			}
		}
		if own.Value != "" && slices.ContainsFunc(v.sweep.Include, func(c included) bool { return c.find(a.path) == nil }) {
			const there = " in sweep.include"
			r.Value += ", " + own.Value + there
			r.Meaning += ", " + own.Meaning + there
			if r.Items != nil {
				r.Items = append(r.Items, config.Item{Value: own.Value + there, Meaning: own.Meaning + there, Origin: own.Origin})
			}
		}
	}
	if e := v.tree.Find("extends"); e != nil {
		var names []any
		for _, item := range e.Value.OneOrMore() {
			names = append(names, item.Text)
		}
		rows = append(rows, config.Explained{Path: "extends", Value: config.Show(config.Sequence{Elem: config.Text{}}, names), Origin: config.Origin{Position: e.At}})
	}
	slices.SortStableFunc(rows, func(a, b config.Explained) int { return schema().Order(a.Path) - schema().Order(b.Path) })
	return rows
}

// meaning returns what a value of the sweep means for a key: of a file, what it says.
func (v *view) meaning(path string, s setting) string {
	if !namesFiles(schema().Lookup(path).Type) {
		return s.text
	}
	one := v.sweep.view(s.over(v.tree, maxLayers), nil)
	for _, r := range schema().Explain("", one.values, one.meanings) {
		if r.Path == path {
			return r.Meaning
		}
	}
	return s.text
}

// namesFiles reports whether values of a type are paths of files, or contain some.
func namesFiles(t config.Type) bool {
	switch t := t.(type) {
	case config.Text:
		return t.File
	case config.Sequence:
		return namesFiles(t.Elem)
	case *config.Group:
		return slices.ContainsFunc(t.Fields, func(f *config.Field) bool { return namesFiles(f.Type) })
	}
	return false
}

// sweptGroup returns the rows of the keys of a group that the sweep varies as a whole. The keys
// vary together: the lists of their values have the order of the sweep.
func (v *view) sweptGroup(a axis) (rows []config.Explained) {
	var all [][]config.Explained // by value of the sweep
	for _, s := range a.values {
		one := v.sweep.view(s.over(v.tree, maxLayers), nil)
		all = append(all, slices.DeleteFunc(one.Explain(), func(r config.Explained) bool { return !strings.HasPrefix(r.Path, a.path+".") }))
	}
	for _, r := range slices.Concat(all...) {
		if slices.ContainsFunc(rows, func(known config.Explained) bool { return known.Path == r.Path }) {
			continue
		}
		var values, meanings []string
		for _, one := range all {
			value, meaning := "–", "–" // it does not apply
			if i := slices.IndexFunc(one, func(x config.Explained) bool { return x.Path == r.Path }); i >= 0 {
				value, meaning = one[i].Value, one[i].Meaning
			}
			values, meanings = append(values, value), append(meanings, meaning)
		}
		if len(slices.Compact(slices.Clone(meanings))) > 1 {
			r.Value, r.Meaning = "["+strings.Join(values, ", ")+"]", "["+strings.Join(meanings, ", ")+"]"
			r.Items, r.Swept, r.Origin = nil, true, config.Origin{Position: a.at}
		}
		rows = append(rows, r)
	}
	return rows
}

// sweepRows returns the settings of the sweep. The keys of a grid and of random draws have
// their own rows.
func (v *view) sweepRows() []config.Explained {
	rows := slices.DeleteFunc(schema().Lookup("sweep").Type.(*config.Group).Explain("sweep", v.sweep.values, nil), func(r config.Explained) bool {
		return r.Path == "sweep.grid" || r.Path == "sweep.random.draw" || r.Path == "sweep.seeds" && v.Origin(r.Path).Default()
	})
	include := slices.IndexFunc(rows, func(r config.Explained) bool { return r.Path == "sweep.include" })
	for _, c := range v.sweep.Include { // none without that row
		for _, s := range c.combination {
			if m := v.meaning(s.path, s); m != s.text {
				rows[include].Meaning += ", " + m
			}
		}
	}
	return rows
}
