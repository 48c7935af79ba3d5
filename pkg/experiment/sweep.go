package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"alamos/pkg/config"
)

// sweep is the sweep section of a file.
type sweep struct {
	Grid    grid          `key:"grid" doc:"Key paths, each with a list of values: network.depth: [2, 5, 10]. Every combination is a trial; the last key varies fastest."`
	Zip     zips          `key:"zip" doc:"Key paths with lists of equal length that vary together: {selfplay.games: [100, 200], generations: [40, 20]}; or a list of such groups. Zips are crossed with the grid."`
	Random  *random       `key:"random" flags:"optional" doc:"Random values, crossed with grid and zip. The values of a key depend only on seed and the key, so a larger sweep continues a smaller one."`
	Include []combination `key:"include" doc:"Additional combinations: {network.depth: 20, network.width: 256}. Other keys have the values of the file without its sweep."`
	Exclude []combination `key:"exclude" doc:"Combinations to leave out: those with all values of an item."`
	Seeds   int           `key:"seeds" default:"1" range:"1..10000" doc:"Number of repetitions of every combination, with seed, seed + 1, and so on."`
	Budget  *budget       `key:"budget" flags:"optional" doc:"Limits of the sweep's cost. alamos reports the combinations that exceed them."`
	Halving *Halving      `key:"halving" flags:"optional" doc:"Successive halving: all trials train for a few generations, and only the best ones continue. All trials reach a rung before any of them continues (unlike in ASHA), so that the selection does not depend on timing. Trials that differ in their seeds are judged separately."`
}

// random is the random section of a sweep.
type random struct {
	Trials int   `key:"trials" range:"1..10000" flags:"required" unit:"trials" doc:"Number of different combinations."`
	Draw   draws `key:"draw" flags:"required" doc:"Key paths, each with a distribution: {uniform: [0.5, 4]}, {log_uniform: [1e-3, 1e-1]}, {int: [2, 20]} (both bounds included) or {choice: [zero, 0.2]}. If the key wants a whole number, log_uniform draws whole numbers."`
}

// readSection reads a group of the sweep.
func readSection(r *config.Reader, path string, t *config.Node) (map[string]any, bool) {
	return schema().ReadGroup(r, schema().Lookup(path).Type.(*config.Group), path, t)
}

// Left is a combination that exceeds the budget of a sweep.
type Left struct {
	Label string `json:"label"` // of its trials, without the seed
	Why   string `json:"why"`   // the limiting key, such as "sweep.budget.games"
}

// expansion is the state of expanding a sweep to trials.
type expansion struct {
	*loader
	base    *config.Node // the merged tree
	sweep   *config.Node // its sweep
	seed    uint64
	bundles []bundle
	repeats int
	budget  budget
	halving *Halving
	extra   []string // paths that only sweep.include varies
	before  int      // number of earlier faults
}

// combo is one combination. Its trials differ only in their seeds.
type combo struct {
	set      []setting       // keys that the sweep sets
	at       config.Position // of the last line that sets one
	included bool            // from sweep.include instead of the product
	settings Settings
	values   map[string]any // the settings in canonical form
	id       string         // of the settings
}

// setting is a key with the value that a sweep gives it.
type setting struct {
	path string
	text string
	tree *config.Node
	at   config.Position // of the key
}

func (c *combo) label() string {
	parts := make([]string, len(c.set))
	for i, s := range c.set {
		parts[i] = s.path + "=" + s.text
	}
	return strings.Join(parts, " ")
}

// axes returns the axes of all bundles.
func (x *expansion) axes() []axis {
	var all []axis
	for _, b := range x.bundles {
		all = append(all, b.axes...)
	}
	return all
}

// expansion reads the sweep of a merged tree.
func (l *loader) expansion(t *config.Node) *expansion {
	x := &expansion{loader: l, base: t, sweep: t.Get("sweep"), repeats: 1, before: len(l.errs)}
	if x.sweep == nil {
		x.sweep = &config.Node{Kind: config.Mapping, At: t.At}
	}
	if f, s := schema().Lookup("seed"), t.Get("seed"); s != nil {
		v, _ := f.Type.Read(&config.Reader{Bad: map[string]bool{}}, "", s)
		n, _ := v.(int64)
		x.seed = uint64(n)
	} else {
		n, _ := f.Default.(int64)
		x.seed = uint64(n)
	}
	x.bundles = l.bundles(x.sweep, x.seed)
	if n, ok := x.number("seeds"); ok {
		x.repeats = int(n)
	}
	x.budget = x.readBudget()
	return x
}

// number returns a whole number of the sweep, if present.
func (x *expansion) number(path string) (int64, bool) {
	e := x.sweep.Find(path)
	if e == nil || e.Value.Bad {
		return 0, false
	}
	v, _ := schema().Lookup("sweep."+path).Type.Read(&config.Reader{Bad: map[string]bool{}}, "", e.Value)
	n, ok := v.(int64)
	return n, ok
}

// at returns the position of a key of the sweep.
func (x *expansion) at(path string) config.Position {
	if e := x.sweep.Find(path); e != nil {
		return e.At
	}
	return x.sweep.At
}

// list returns the items of a list of the sweep.
func (x *expansion) list(key string) []*config.Node {
	if t := x.sweep.Get(key); t != nil {
		return t.Items
	}
	return nil
}

// maxTrials protects against typing errors that would request years of work.
const maxTrials = 10_000

// trials returns the trials, the combination of each, and the combinations that exceed the
// budget. It reports all faults.
func (x *expansion) trials() ([]Trial, []combo, []Left) {
	before := x.before
	if !x.sound() || len(x.errs) > before {
		// Without combinations, only the faults outside the sweep can be reported.
		values, check, ok := x.whole(x.base)
		x.settings(x.base, values, check, ok)
		return nil, nil, nil
	}
	combos := x.resolved(x.combos())
	if !x.different(combos) || len(x.errs) > before {
		return nil, nil, nil
	}
	if len(combos) == 0 {
		x.errs = append(x.errs, x.at("exclude").Errorf("sweep.exclude", "leaves no combination"))
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

// sound checks the lines of the sweep against each other before combinations are made.
func (x *expansion) sound() bool {
	before := len(x.errs)
	var taken []string // paths of the product
	count := x.repeats
	for _, b := range x.bundles {
		for _, a := range b.axes {
			at := a.at
			for _, other := range taken {
				if overlap(a.path, other) {
					x.errs = append(x.errs, at.Errorf(config.Join(b.key, a.path), "overlaps with %s", other))
				}
			}
			taken = append(taken, a.path)
		}
		if count *= len(b.points); count > maxTrials {
			x.errs = append(x.errs, b.axes[0].at.Errorf("sweep", "want at most %d trials", maxTrials))
			return false
		}
	}
	included := x.list("include")
	if len(x.bundles) == 0 && len(included) > 0 {
		count = 0
	}
	if count += x.repeats * len(included); count > maxTrials {
		x.errs = append(x.errs, x.at("include").Errorf("sweep", "want at most %d trials", maxTrials))
		return false
	}
	for i, item := range included {
		for j, e := range item.Entries {
			here := fmt.Sprintf("sweep.include[%d]", i)
			for _, before := range item.Entries[:j] {
				if overlap(e.Key, before.Key) {
					x.errs = append(x.errs, e.At.Errorf(config.Join(here, e.Key), "overlaps with %s", before.Key))
				}
			}
			for _, other := range taken {
				if e.Key != other && overlap(e.Key, other) {
					x.errs = append(x.errs, e.At.Errorf(config.Join(here, e.Key), "overlaps with %s", other))
				}
			}
			if !slices.Contains(taken, e.Key) && !slices.Contains(x.extra, e.Key) {
				x.extra = append(x.extra, e.Key)
			}
		}
	}
	if x.repeats > 1 && (slices.Contains(taken, "seed") || slices.Contains(x.extra, "seed")) {
		x.errs = append(x.errs, x.at("seeds").Errorf("sweep.seeds", "the sweep varies seed already: want only one of them"))
	}
	return len(x.errs) == before
}

// overlap reports whether two key paths are equal or one contains the other.
func overlap(a, b string) bool {
	return strings.HasPrefix(a+".", b+".") || strings.HasPrefix(b+".", a+".")
}

// combos returns the product of the bundles, the last one fastest, and then the included
// combinations. A sweep that only includes has no product.
func (x *expansion) combos() []combo {
	all := []combo{{at: x.base.At}}
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
		n := combo{at: item.At, included: true}
		for _, e := range item.Entries {
			n.set = append(n.set, setting{e.Key, axisText(schema().Lookup(e.Key), e.Value), e.Value, e.At})
		}
		all = append(all, n)
	}
	return all
}

// resolved computes the settings of the combinations, and removes those that sweep.exclude
// names, whether they are valid or not.
//
// A key of the product may not apply beside another one, such as the patience of a schedule
// beside a constant rate. It is then removed from that combination, and combinations that
// become equal are merged.
func (x *expansion) resolved(combos []combo) []combo {
	excluded := x.list("exclude")
	used := make([]bool, len(excluded))
	idle := map[string]config.Position{} // keys that have not applied so far
	busy := map[string]bool{}
	taken := map[string]bool{} // labels of combinations that lost a key
	kept := combos[:0]
	for _, c := range combos {
		over := x.base
		for i, s := range c.set {
			layer := len(x.layers) + i
			if !c.included && schema().Lookup(s.path).When == nil {
				layer += len(c.set) // includes the keys that decide whether others apply
			}
			item := s.tree.Stamped(layer)
			over = config.Merge(over, config.Nest(strings.Split(s.path, "."), item.At, item))
		}
		over.At = x.base.At
		values, check, ok := x.whole(over)
		if c.values = values; !c.included && x.excludes(&c, excluded, used) {
			continue
		}
		if c.settings, ok = x.settings(over, values, check, ok); !ok {
			continue
		}
		all := len(c.set)
		c.set = slices.DeleteFunc(slices.Clone(c.set), func(s setting) bool {
			if schema().Lookup(s.path).When == nil {
				return false
			}
			_, there := config.ValueAt(values, s.path)
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
			x.errs = append(x.errs, idle[path].Errorf(path, "means nothing in any combination: has a meaning only %s", schema().Lookup(path).When))
		}
	}
	for i, item := range excluded {
		if !used[i] {
			x.errs = append(x.errs, item.At.Errorf(fmt.Sprintf("sweep.exclude[%d]", i), "no combination has these values"))
		}
	}
	return kept
}

// settings makes the settings of one combination from its resolved values. If some values
// are invalid, it still checks the rules between the others.
func (l *loader) settings(t *config.Node, values map[string]any, c *config.Reader, ok bool) (Settings, bool) {
	l.errs = append(l.errs, c.Errs...)
	s := l.settingsOf(values)
	broken := brokenRules(&s, t, c.Bad)
	l.errs = append(l.errs, broken...)
	return s, ok && len(broken) == 0
}

// excludes reports whether a combination has all values of an item of sweep.exclude, and
// marks the items that apply.
func (x *expansion) excludes(c *combo, excluded []*config.Node, used []bool) bool {
	any := false
	for i, item := range excluded {
		has := !slices.ContainsFunc(item.Entries, func(e config.Entry) bool {
			f := schema().Lookup(e.Key)
			text := axisText(f, e.Value)
			if slices.ContainsFunc(c.set, func(s setting) bool { return s.path == e.Key && s.text == text }) {
				return false
			}
			v, there := config.ValueAt(c.values, e.Key)
			return !there || config.Show(f.Type, v) != text
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
			x.errs = append(x.errs, c.at.Errorf("sweep", "the trials %s and %s have equal settings", config.Quoted(other), config.Quoted(c.label())))
			return false
		}
		labels[c.id] = c.label()
	}
	return true
}
