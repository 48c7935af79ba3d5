package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Left is a combination that the budget of a sweep leaves out.
type Left struct {
	Label string `json:"label"` // of its trials, without the seed
	Why   string `json:"why"`   // the key that leaves it out, "sweep.budget.games"
}

// expansion is a sweep on its way to trials.
type expansion struct {
	*loader
	base    *tree // the merged tree
	sweep   *tree // its sweep
	seed    uint64
	bundles []bundle
	repeats int
	budget  budget
	halving *Halving
	extra   []string // paths that only sweep.include varies
	before  int      // faults that were known before
}

// combo is one combination, whose trials differ in their seeds only.
type combo struct {
	set      []setting // what the sweep says of it
	at       Position  // of the last line that says it
	included bool      // not of the product
	settings Settings
	values   map[string]any // the settings in canonical form
	id       string         // of the settings
}

// setting is a key with the value that a sweep gives it.
type setting struct {
	path string
	text string
	tree *tree
	at   Position // of the key
}

func (c *combo) label() string {
	parts := make([]string, len(c.set))
	for i, s := range c.set {
		parts[i] = s.path + "=" + s.text
	}
	return strings.Join(parts, " ")
}

// axes returns the axes of a merged tree.
func (x *expansion) axes() []axis {
	var all []axis
	for _, b := range x.bundles {
		all = append(all, b.axes...)
	}
	return all
}

// expansion reads the sweep of a merged tree.
func (l *loader) expansion(t *tree) *expansion {
	x := &expansion{loader: l, base: t, sweep: t.get("sweep"), repeats: 1, before: len(l.errs)}
	if x.sweep == nil {
		x.sweep = &tree{kind: mapping, at: t.at}
	}
	if f, s := lookup("seed"), t.get("seed"); s != nil {
		v, _ := f.typ.read(&checker{bad: map[string]bool{}}, "", s)
		n, _ := v.(int64)
		x.seed = uint64(n)
	} else {
		n, _ := f.def.(int64)
		x.seed = uint64(n)
	}
	x.bundles = l.bundles(x.sweep, x.seed)
	if n, ok := x.number("seeds"); ok {
		x.repeats = int(n)
	}
	x.budget = x.readBudget()
	return x
}

// number returns a whole number of the sweep, if it is there.
func (x *expansion) number(path string) (int64, bool) {
	e := x.sweep.find(path)
	if e == nil || e.value.bad {
		return 0, false
	}
	v, _ := lookup("sweep."+path).typ.read(&checker{bad: map[string]bool{}}, "", e.value)
	n, ok := v.(int64)
	return n, ok
}

// at returns where a key of the sweep stands.
func (x *expansion) at(path string) Position {
	if e := x.sweep.find(path); e != nil {
		return e.at
	}
	return x.sweep.at
}

// list returns the items of a list of the sweep.
func (x *expansion) list(key string) []*tree {
	if t := x.sweep.get(key); t != nil {
		return t.items
	}
	return nil
}

// maxTrials keeps a slip of the keyboard from asking for years of work.
const maxTrials = 10_000

// trials returns the trials, the combination of each and what the budget leaves
// out, and reports what is wrong with any.
func (x *expansion) trials() ([]Trial, []combo, []Left) {
	before := x.before
	if !x.sound() || len(x.errs) > before {
		// No combination can be made: what is wrong without the sweep is all that
		// can still be said.
		values, check, ok := x.whole(x.base)
		x.settings(x.base, values, check, ok)
		return nil, nil, nil
	}
	combos := x.resolved(x.combos())
	if !x.different(combos) || len(x.errs) > before {
		return nil, nil, nil
	}
	if len(combos) == 0 {
		x.errs = append(x.errs, x.at("exclude").errorf("sweep.exclude", "leaves no combination"))
		return nil, nil, nil
	}
	if x.halving = x.readHalving(combos); len(x.errs) > before {
		return nil, nil, nil
	}
	combos, left := x.affordable(combos)
	var trials []Trial
	var of []combo
	for i := range combos {
		trials = append(trials, x.repeated(&combos[i])...)
		for range x.repeats {
			of = append(of, combo{set: combos[i].set})
		}
	}
	return trials, of, left
}

// sound checks the lines of the sweep against each other, before there are any
// combinations.
func (x *expansion) sound() bool {
	before := len(x.errs)
	var taken []string // paths of the product
	count := x.repeats
	for _, b := range x.bundles {
		for _, a := range b.axes {
			at := a.at
			for _, other := range taken {
				if overlap(a.path, other) {
					x.errs = append(x.errs, at.errorf(join(b.key, a.path), "overlaps with %s", other))
				}
			}
			taken = append(taken, a.path)
		}
		if count *= len(b.points); count > maxTrials {
			x.errs = append(x.errs, b.axes[0].at.errorf("sweep", "want at most %d trials", maxTrials))
			return false
		}
	}
	included := x.list("include")
	if len(x.bundles) == 0 && len(included) > 0 {
		count = 0
	}
	if count += x.repeats * len(included); count > maxTrials {
		x.errs = append(x.errs, x.at("include").errorf("sweep", "want at most %d trials", maxTrials))
		return false
	}
	for i, item := range included {
		for j, e := range item.entries {
			here := fmt.Sprintf("sweep.include[%d]", i)
			for _, before := range item.entries[:j] {
				if overlap(e.key, before.key) {
					x.errs = append(x.errs, e.at.errorf(join(here, e.key), "overlaps with %s", before.key))
				}
			}
			for _, other := range taken {
				if e.key != other && overlap(e.key, other) {
					x.errs = append(x.errs, e.at.errorf(join(here, e.key), "overlaps with %s", other))
				}
			}
			if !slices.Contains(taken, e.key) && !slices.Contains(x.extra, e.key) {
				x.extra = append(x.extra, e.key)
			}
		}
	}
	if x.repeats > 1 && (slices.Contains(taken, "seed") || slices.Contains(x.extra, "seed")) {
		x.errs = append(x.errs, x.at("seeds").errorf("sweep.seeds", "the sweep varies seed already: want only one of them"))
	}
	return len(x.errs) == before
}

// overlap says whether two key paths are the same or one holds the other.
func overlap(a, b string) bool {
	return strings.HasPrefix(a+".", b+".") || strings.HasPrefix(b+".", a+".")
}

// combos returns the product of the bundles, the last one fastest, and after it
// what is included. A sweep that only includes has no product.
func (x *expansion) combos() []combo {
	all := []combo{{at: x.base.at}}
	for _, b := range x.bundles {
		var next []combo
		for _, c := range all {
			for _, point := range b.points {
				n := combo{set: slices.Clone(c.set)}
				for i, a := range b.axes {
					n.set = append(n.set, setting{a.path, axisText(a.field, point[i]), point[i], a.at})
					n.at = a.at
				}
				next = append(next, n)
			}
		}
		all = next
	}
	included := x.list("include")
	if len(x.bundles) == 0 && len(included) > 0 {
		all = nil
	}
	for _, item := range included {
		n := combo{at: item.at, included: true}
		for _, e := range item.entries {
			n.set = append(n.set, setting{e.key, axisText(lookup(e.key), e.value), e.value, e.at})
		}
		all = append(all, n)
	}
	return all
}

// resolved gives the combinations their settings and leaves out those that
// sweep.exclude names, whether they are sound or not.
//
// A key of the product that means nothing beside another one, the patience of a
// schedule beside a constant rate, is no part of that combination, and combinations
// that differ in nothing else are one.
func (x *expansion) resolved(combos []combo) []combo {
	excluded := x.list("exclude")
	used := make([]bool, len(excluded))
	idle := map[string]Position{} // keys that have meant nothing so far
	busy := map[string]bool{}
	taken := map[string]bool{} // labels of combinations that have lost a key
	kept := combos[:0]
	for _, c := range combos {
		over := x.base
		for i, s := range c.set {
			layer := len(x.layers) + i
			if !c.included && lookup(s.path).when == nil {
				layer += len(c.set) // what decides whether others mean something is above them
			}
			item := s.tree.stamped(layer)
			over = merge(over, nest(strings.Split(s.path, "."), item.at, item))
		}
		over.at = x.base.at
		values, check, ok := x.whole(over)
		if c.values = values; !c.included && x.excludes(&c, excluded, used) {
			continue
		}
		if c.settings, ok = x.settings(over, values, check, ok); !ok {
			continue
		}
		all := len(c.set)
		c.set = slices.DeleteFunc(slices.Clone(c.set), func(s setting) bool {
			if lookup(s.path).when == nil {
				return false
			}
			_, there := valueAt(values, s.path)
			idle[s.path] = s.at
			busy[s.path] = busy[s.path] || there
			return !there
		})
		if label := c.label(); len(c.set) < all {
			if taken[label] {
				continue
			}
			taken[label] = true
		}
		kept = append(kept, c)
	}
	for _, path := range slices.Sorted(maps.Keys(idle)) {
		if !busy[path] {
			x.errs = append(x.errs, idle[path].errorf(path, "means nothing in any combination: has a meaning only %s", lookup(path).when))
		}
	}
	for i, item := range excluded {
		if !used[i] {
			x.errs = append(x.errs, item.at.errorf(fmt.Sprintf("sweep.exclude[%d]", i), "no combination has these values"))
		}
	}
	return kept
}

// settings makes the settings of one combination of what it resolves to. Where
// some of that is faulty, the rules about the rest are checked all the same.
func (l *loader) settings(t *tree, values map[string]any, c *checker, ok bool) (Settings, bool) {
	l.errs = append(l.errs, c.errs...)
	s, err := settingsOf(values)
	if err != nil {
		if ok {
			l.errs = append(l.errs, t.at.errorf("", "%s", err))
		}
		return s, false
	}
	s = l.identified(&s)
	broken := brokenRules(&s, t, c.bad)
	l.errs = append(l.errs, broken...)
	return s, ok && len(broken) == 0
}

// excludes says whether a combination has all values of an item of sweep.exclude,
// and which items are used.
func (x *expansion) excludes(c *combo, excluded []*tree, used []bool) bool {
	any := false
	for i, item := range excluded {
		has := !slices.ContainsFunc(item.entries, func(e entry) bool {
			f := lookup(e.key)
			text := axisText(f, e.value)
			if slices.ContainsFunc(c.set, func(s setting) bool { return s.path == e.key && s.text == text }) {
				return false
			}
			v, there := valueAt(c.values, e.key)
			return !there || show(f.typ, v) != text
		})
		used[i] = used[i] || has
		any = any || has
	}
	return any
}

// different reports the first two combinations with equal settings.
func (x *expansion) different(combos []combo) bool {
	labels := map[string]string{} // by ID
	for i := range combos {
		c := &combos[i]
		c.id = c.settings.ID()
		if other, taken := labels[c.id]; taken {
			x.errs = append(x.errs, c.at.errorf("sweep", "the trials %s and %s have equal settings", quoted(other), quoted(c.label())))
			return false
		}
		labels[c.id] = c.label()
	}
	return true
}
