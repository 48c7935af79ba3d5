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
	Grid       lists         `key:"grid" doc:"Key paths, each with a list of values: network.depth: [2, 5, 10]. Every combination is a trial; the last key varies fastest."`
	Zip        []lists       `key:"zip" flags:"single" doc:"Key paths with lists of equal length that vary together: {selfplay.games: [100, 200], generations: [40, 20]}; or a list of such groups. Zips are crossed with the grid."`
	Random     *random       `key:"random" flags:"optional" doc:"Random values, crossed with grid and zip. The values of a key depend only on seed and the key, so a larger sweep continues a smaller one."`
	Include    []included    `key:"include" doc:"Additional combinations: {network.depth: 20, network.width: 256}. Other keys have the values of the file without its sweep. With a name, as in {name: large, network.depth: 20}, tables and figures show the name; {name: base} alone has the settings of the file."`
	Exclude    []combination `key:"exclude" doc:"Combinations to leave out: those with all values of an item."`
	Seeds      int           `key:"seeds" default:"1" range:"1..10000" doc:"Number of repetitions of every combination, with seed, seed + 1, and so on."`
	Budget     *budget       `key:"budget" flags:"optional" doc:"Limits of the sweep's cost. alamos reports the combinations that exceed them."`
	Halving    *Halving      `key:"halving" flags:"optional" doc:"Successive halving: all trials train for a few generations, and only those of the best settings continue. The others play no tournament. All trials reach a rung before any of them continues (unlike in ASHA), so that the selection does not depend on timing. Trials that differ only in their seeds are judged by the mean over them."`
	CloseCalls *CloseCalls   `key:"close_calls" flags:"optional" doc:"More seeds for close calls: after the trials with sweep.seeds, the settings that may be the best get more seeds, until one of them is the best or they have the greatest number. It cannot be combined with halving, random.tpe or budget."`
	Final      *Final        `key:"final" flags:"optional" doc:"A tournament between the networks of all trials and fixed anchors, after the last trial has ended. It has the rules of the file's tournament section; each network searches with the tournament.search of its trial. The trials' score and Elo are then those of this tournament, so that they can be compared. Trials that halving dropped do not play."`
}

// random is the random section of a sweep.
type random struct {
	Trials int   `key:"trials" range:"1..10000" flags:"required" unit:"trials" doc:"Number of different combinations."`
	Draw   draws `key:"draw" flags:"required" doc:"Key paths, each with a distribution: {uniform: [0.5, 4]}, {log_uniform: [1e-3, 1e-1]}, {int: [2, 20]} (both bounds included) or {choice: [zero, 0.2]}. If the key wants a whole number, log_uniform draws whole numbers."`
	PBT    *PBT  `key:"pbt" flags:"optional" doc:"Population-based training (Jaderberg et al. 2017): the trials are a population that trains in rounds, and between rounds the worst are replaced by copies of the best with other settings. Each round of a member is a trial that begins with the network of its parent; its replay window and optimizer begin again. It cannot be combined with other keys of a sweep, or with draws of the network."`
	TPE    *TPE  `key:"tpe" flags:"optional" doc:"Search by a model: after some random trials, a tree-structured Parzen estimator (Bergstra et al. 2011) proposes the others from their results, batch by batch. It varies all keys by itself: it cannot be combined with grid, zip, include, exclude, budget or halving. A failed trial counts as the worst."`
}

// budget limits a sweep. 0 means no limit.
type budget struct {
	Trials int `key:"trials" range:"1.." absent:"all" unit:"trials" doc:"Maximum number of trials, including all seeds. If there are more, combinations are dropped at random, depending on seed; included combinations are the last to be dropped."`
	Games  int `key:"games" range:"1.." absent:"all" unit:"games" doc:"Maximum number of self-play games in all trials together. Trials are taken in order while they fit."`
}

// Left is a combination that exceeds the budget of a sweep.
type Left struct {
	Label string `json:"label"` // of its trials, without the seed
	Why   string `json:"why"`   // the limiting key, such as "sweep.budget.games"
}

// expansion is the state of expanding a sweep to trials.
type expansion struct {
	*loader
	sweep
	base     *config.Node   // the merged tree
	values   map[string]any // of the section sweep, in canonical form
	seed     uint64
	bundles  [][]axis // each varies together: a key of the grid, a zip, or all random draws; the product of a sweep is theirs
	extra    []string // paths that only sweep.include varies
	drawn    []axis   // all random draws, of which TPE uses the first ones
	accepted []combo  // valid combinations within the budget
}

// combo is one combination. Its trials differ only in their seeds.
type combo struct {
	combination
	name     string // of an included combination, may be empty
	included bool   // from sweep.include instead of the product
	settings Settings
	values   map[string]any // the settings in canonical form
	id       string         // of the settings
}

// expand reads the sweep of a merged tree. It reports faults that concern the sweep as a
// whole, such as lists of a zip with different lengths.
func (l *loader) expand(t *config.Node) *expansion {
	x := &expansion{loader: l, base: t}
	section := t.Get("sweep")
	if section == nil {
		section = &config.Node{Kind: config.Mapping, At: t.At}
	}
	r := &config.Reader{Bad: maps.Clone(l.bad), Whole: true}
	var ok bool
	x.values, ok = schema().Read(r, "sweep", section)
	l.errs = append(l.errs, r.Errs...)
	config.Of[sweep]().Fill(&x.sweep, x.values)
	if s, ok := l.resolveSilently(t)["seed"].(int64); ok {
		x.seed = uint64(s)
	}
	for _, a := range x.Grid {
		x.bundles = append(x.bundles, []axis{a})
	}
	for _, z := range x.Zip {
		for _, a := range z {
			if want, have := len(z[0].values), len(a.values); have != want {
				l.fault(a.at, config.Join("sweep.zip", a.path), "want as many values as %s at %s has, %d: have %d", z[0].path, z[0].at.Place(), want, have).
					WithHint("the lists of a zip vary together")
			}
		}
		if len(z) > 0 {
			x.bundles = append(x.bundles, z)
		}
	}
	if n := x.Random; n != nil && ok {
		axes := n.Draw.axes(n.Trials, x.seed)
		switch {
		case len(axes) == 0 && len(l.errs) == 0: // with faults, there may be keys that are not axes
			l.fault(x.at("sweep.random.draw"), "sweep.random.draw", "nothing to draw: want at least one key path with a distribution")
		case len(axes) > 0 && len(axes[0].values) < n.Trials:
			l.fault(x.at("sweep.random.trials"), "sweep.random.trials", "want %d different trials, but only %d can be drawn", n.Trials, len(axes[0].values))
		case len(axes) > 0:
			x.drawn = axes
			if axes = x.checkTPE(axes); len(axes) > 0 {
				x.bundles = append(x.bundles, axes)
			}
		}
	}
	return x
}

// checkTPE checks the section sweep.random.tpe, and returns the draws of the trials that
// begin the search. Without the section it returns all draws, and for too many trials none.
func (x *expansion) checkTPE(axes []axis) []axis {
	t := x.Random.TPE
	if t == nil {
		return axes
	}
	const path = "sweep.random.tpe"
	x.excludeKeys(path, "tpe proposes the values of all keys", "grid", "zip", "include", "exclude", "budget", "halving")
	if x.Random.Trials*x.Seeds > maxTrials {
		x.faultAt("sweep.random.trials", "want at most %d trials with all seeds", maxTrials)
		return nil
	}
	if t.Startup >= x.Random.Trials {
		x.faultAt(path+".startup", "want fewer than the %d trials of the search, have %d", x.Random.Trials, t.Startup)
		return axes
	}
	axes = slices.Clone(axes)
	for i := range axes {
		axes[i].values = axes[i].values[:t.Startup]
	}
	return axes
}

// fault reports a fault.
func (l *loader) fault(at config.Position, path, format string, args ...any) *config.Error {
	e := at.Errorf(path, format, args...)
	l.errs = append(l.errs, e)
	return e
}

// faultAt reports a fault of a key of the sweep.
func (x *expansion) faultAt(key, format string, args ...any) *config.Error {
	return x.fault(x.at(key), key, format, args...)
}

// at returns the position of a key, or of the nearest group around it.
func (x *expansion) at(path string) config.Position {
	for ; path != ""; path = config.Parent(path) {
		if e := x.base.Find(path); e != nil {
			return e.At
		}
	}
	return x.base.At
}

// maxTrials protects against typing errors that would request years of work.
const maxTrials = 10_000

// trials returns the trials and the combinations that exceed the budget. It reports all
// faults. before is the number of faults outside of the sweep.
func (x *expansion) trials(before int) ([]Trial, []Left) {
	if x.checkPaths(); len(x.errs) > before {
		// Without combinations, only the faults outside the sweep can be reported.
		values, r, ok := x.resolve(x.base)
		x.settings(x.base, values, r, ok)
		return nil, nil
	}
	combos := x.resolved(x.combos())
	if x.checkCombos(combos); len(x.errs) > before {
		return nil, nil
	}
	var left []Left
	x.accepted, left = x.affordable(combos)
	var trials []Trial
	for i := range x.accepted {
		trials = append(trials, x.repeated(&x.accepted[i], 0, x.Seeds)...)
	}
	return trials, left
}

// checkPaths checks the keys of the sweep against each other, and the number of trials.
func (x *expansion) checkPaths() {
	var taken []string // paths of the product
	overlaps := func(at config.Position, key, path string, others []string) {
		for _, other := range others {
			if overlap(path, other) {
				x.fault(at, config.Join(key, path), "overlaps with %s", other)
			}
		}
	}
	count := max(x.Seeds, 1)
	for _, b := range x.bundles {
		for _, a := range b {
			overlaps(a.at, a.key, a.path, taken)
			taken = append(taken, a.path)
		}
		if count *= len(b[0].values); count > maxTrials {
			x.fault(b[0].at, "sweep", "want at most %d trials", maxTrials)
			return
		}
	}
	if count+x.Seeds*len(x.Include) > maxTrials {
		x.fault(x.at("sweep.include"), "sweep", "want at most %d trials", maxTrials)
		return
	}
	for i, c := range x.Include {
		var own []string
		if n := slices.IndexFunc(x.Include, func(other included) bool { return other.name == c.name }); c.name != "" && n < i {
			x.fault(c.at, fmt.Sprintf("sweep.include[%d].name", i), "sweep.include[%d] also has the name %s", n, config.Quoted(c.name))
		}
		for _, s := range c.combination {
			others := slices.DeleteFunc(slices.Clone(taken), func(other string) bool { return other == s.path })
			overlaps(s.at, fmt.Sprintf("sweep.include[%d]", i), s.path, append(own, others...))
			own = append(own, s.path)
			if !slices.Contains(taken, s.path) && !slices.Contains(x.extra, s.path) {
				x.extra = append(x.extra, s.path)
			}
		}
	}
	if x.Seeds > 1 && (slices.Contains(taken, "seed") || slices.Contains(x.extra, "seed")) {
		x.faultAt("sweep.seeds", "the sweep varies seed already: want only one of them")
	}
}

// overlap reports whether two key paths are equal or one contains the other.
func overlap(a, b string) bool {
	return strings.HasPrefix(a+".", b+".") || strings.HasPrefix(b+".", a+".")
}

// combos returns the product of the bundles, the last one fastest, and then the included
// combinations. A sweep that only includes has no product.
func (x *expansion) combos() []combo {
	all := []combo{{}}
	for _, b := range x.bundles {
		var next []combo
		for _, c := range all {
			for i := range b[0].values {
				n := combo{combination: slices.Clone(c.combination)}
				for _, a := range b {
					n.combination = append(n.combination, a.values[i])
				}
				next = append(next, n)
			}
		}
		all = next
	}
	if len(x.bundles) == 0 && len(x.Include) > 0 {
		all = nil
	}
	for _, c := range x.Include {
		all = append(all, combo{combination: c.combination, name: c.name, included: true})
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
	used := make([]bool, len(x.Exclude))
	idle := map[string]config.Position{} // keys that have not applied so far
	busy := map[string]bool{}
	taken := map[string]bool{} // values of combinations that lost a key
	kept := combos[:0]
	for _, c := range combos {
		over := x.base
		for i, s := range c.combination {
			layer := len(x.layers) + i
			if !c.included { // keys that decide whether others apply are above these
				layer += len(c.combination) * (mostDeciding - deciding(s.path))
			}
			over = s.over(over, layer)
		}
		over.At = x.base.At
		values, r, ok := x.resolve(over)
		if c.values = values; !c.included && x.excludes(&c, used) {
			continue
		}
		if c.settings, ok = x.settings(over, values, r, ok); !ok {
			continue
		}
		all := len(c.combination)
		c.combination = slices.DeleteFunc(slices.Clone(c.combination), func(s setting) bool {
			if deciding(s.path) == 0 {
				return false
			}
			_, there := config.ValueAt(values, s.path)
			there = there || s.text == "null" && applies(values, s.path)
			idle[s.path] = s.at
			busy[s.path] = busy[s.path] || there
			return !there
		})
		if values := c.combination.values(); len(c.combination) < all {
			if taken[values] {
				continue
			}
			taken[values] = true
		}
		kept = append(kept, c)
	}
	for _, path := range slices.Sorted(maps.Keys(idle)) {
		if !busy[path] && !x.proposes(path) {
			x.fault(idle[path], path, "applies in no combination, only %s", whenOf(path))
		}
	}
	for i, c := range x.Exclude {
		if !used[i] {
			x.fault(c[0].at, fmt.Sprintf("sweep.exclude[%d]", i), "no combination has these values")
		}
	}
	return kept
}

// applies reports whether a key applies, which can have no value then.
func applies(values map[string]any, path string) bool {
	group := values
	if around := config.Parent(path); around != "" {
		v, _ := config.ValueAt(values, around)
		if group, _ = v.(map[string]any); group == nil {
			return false
		}
	}
	f := schema().Lookup(path)
	return f != nil && (f.When == nil || f.When.Holds(group, values))
}

// proposes reports whether the sweep will propose more values of a key than those of the first trials.
func (x *expansion) proposes(path string) bool {
	return x.Random != nil && x.Random.TPE != nil && slices.ContainsFunc(x.drawn, func(a axis) bool { return a.path == path })
}

// mostDeciding is more than deciding returns.
const mostDeciding = 8

// deciding returns the length of the longest chain of keys of which each decides whether the next
// one applies, or the group around it, and the last one whether the key does; 0 if it always
// applies.
func deciding(path string) (longest int) {
	for around := path; around != ""; around = config.Parent(around) {
		f := schema().Lookup(around)
		if f == nil {
			continue
		}
		for w := f.When; w != nil; w = w.And {
			decider := w.Key
			if !strings.Contains(decider, ".") {
				decider = config.Join(config.Parent(around), decider)
			}
			longest = max(longest, min(mostDeciding-1, 1+deciding(decider)))
		}
	}
	return longest
}

// whenOf returns the condition of a key, or of the nearest group around it that has one.
func whenOf(path string) *config.Condition {
	for ; path != ""; path = config.Parent(path) {
		if f := schema().Lookup(path); f != nil && f.When != nil {
			return f.When
		}
	}
	return nil
}

// over returns a tree with the setting merged over it.
func (s *setting) over(under *config.Node, layer int) *config.Node {
	node := s.node.Stamped(layer)
	return schema().Merge(under, config.Nest(strings.Split(s.path, "."), node.At, node))
}

// settings makes the settings of one combination from its resolved values. If some values
// are invalid, it still checks the rules between the others.
func (l *loader) settings(t *config.Node, values map[string]any, r *config.Reader, ok bool) (Settings, bool) {
	l.errs = append(l.errs, r.Errs...)
	s := l.settingsOf(values)
	broken := brokenRules(&s, t, r.Bad)
	l.errs = append(l.errs, broken...)
	return s, ok && len(broken) == 0
}

// excludes reports whether a combination has all values of an item of sweep.exclude, and
// marks the items that apply.
func (x *expansion) excludes(c *combo, used []bool) bool {
	excluded := false
	other := func(s setting) bool {
		text := c.text(s.path)
		if v, there := config.ValueAt(c.values, s.path); text == "null" && s.text != text && there { // the default
			text = config.Show(schema().Lookup(s.path).Type, v)
		}
		return text != s.text
	}
	for i, item := range x.Exclude {
		if !slices.ContainsFunc(item, other) {
			used[i], excluded = true, true
		}
	}
	return excluded
}

// checkIdle checks that each key that the sweep varies has an effect in some combination.
func (x *expansion) checkIdle(combos []combo) {
	for _, path := range x.paths() {
		var at *setting // that sets the key
		why := ""
		for i := range combos {
			if at == nil {
				at = combos[i].find(path)
			}
			if why = combos[i].settings.idle(path); why == "" {
				break
			}
		}
		if why != "" && at != nil && !x.proposes(path) {
			x.fault(at.at, path, "has no effect in any trial: %s", why)
		}
	}
}

// checkCombos checks that there are combinations, that their settings differ, and that
// successive halving can compare them.
func (x *expansion) checkCombos(combos []combo) {
	for i := range combos {
		combos[i].id = combos[i].settings.ID()
	}
	place := func(c *combo) config.Position {
		if n := len(c.combination); n > 0 {
			return c.combination[n-1].at
		}
		return x.base.At
	}
	if first, second, equal := sameKey(combos, func(c combo) string { return c.id }); equal {
		a, b := &combos[first], &combos[second]
		x.fault(place(b), "sweep", "the trials %s and %s have equal settings", config.Quoted(a.label()), config.Quoted(b.label()))
		return
	}
	if first, second, equal := sameKey(combos, func(c combo) string { return c.label() }); equal {
		a, b := &combos[first], &combos[second]
		x.fault(place(b), "sweep", "two trials would be called %s: that of %s and that of %s", config.Quoted(b.label()), a.combination.values(), b.combination.values()).
			WithHint("rename a file, or name the trials under sweep.include")
		return
	}
	if len(combos) == 0 {
		if len(x.errs) == 0 {
			x.faultAt("sweep.exclude", "leaves no combination")
		}
		return
	}
	x.checkIdle(combos)
	seeds := x.Seeds
	if x.CloseCalls != nil {
		seeds = max(seeds, x.CloseCalls.Seeds)
	}
	most := uint64(schema().Lookup("seed").Type.(config.Number).Max)
	for i := range combos {
		if last := combos[i].settings.Seed + uint64(seeds-1); last > most {
			x.faultAt("sweep.seeds", "the last seed would be %d: at most %d is possible", last, most)
			break
		}
	}
	if r := x.Random; r != nil && r.TPE != nil {
		x.checkObjective("sweep.random.tpe", &r.TPE.Objective, combos)
	}
	if r := x.Random; r != nil && r.PBT != nil {
		x.checkPBT(combos)
	}
	h := x.Halving
	if x.CloseCalls != nil {
		x.checkCloseCalls(combos)
	}
	x.checkFinal(combos)
	if h == nil {
		return
	}
	first := &combos[0].settings
	other := slices.IndexFunc(combos, func(c combo) bool { return c.settings.Generations != first.Generations })
	switch {
	case len(combos) < 2:
		x.faultAt("sweep.halving", "nothing to select from: want at least 2 settings")
	case other >= 0:
		x.faultAt("sweep.halving", "compares trials after equal numbers of generations, but %s has %d and %s has %d",
			config.Quoted(combos[0].label()), first.Generations, config.Quoted(combos[other].label()), combos[other].settings.Generations)
	case h.First >= first.Generations:
		x.faultAt("sweep.halving.first", "want fewer than the %d generations of a trial, have %d", first.Generations, h.First)
	case h.Metric == ByLoss && slices.ContainsFunc(combos, func(c combo) bool { return c.settings.Training.Validation == 0 }):
		x.faultAt("sweep.halving.metric", "the validation loss needs a training.validation above 0").WithHint("choose metric: elo")
	}
}
