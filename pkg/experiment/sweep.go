package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// Trial is one combination of a sweep, or the only one where nothing is swept.
type Trial struct {
	ID       string      // of the settings; names the trial's folder
	Label    string      // what sets it apart: "network.depth=2 seed=1"; empty for an only trial
	Group    string      // Label without the seed: trials of one group differ in their seeds only
	Axis     []AxisValue // the same, an entry for each of Experiment.Axes
	Settings Settings
}

// AxisValue is one setting of a trial that the sweep varies.
type AxisValue struct{ Path, Value string }

// Axis is a key that a sweep varies, with its values in order.
type Axis struct {
	Path   string
	Values []string
}

// grid is the type of sweep.grid: key paths with lists of values.
type grid struct{}

func (grid) want() string { return "a group of key paths, each with a list of values" }

func (g grid) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != mapping {
		return c.refuse(t, path, g, "")
	}
	ok := true
	for i := range t.entries {
		e := &t.entries[i]
		if e.value.bad || e.value.kind == null {
			continue
		}
		if !g.axis(c, path, e) {
			e.value.bad, ok = true, false
		}
	}
	return map[string]any{}, ok
}

// axis checks one line of the grid.
func (g grid) axis(c *checker, path string, e *entry) bool {
	here := join(path, e.key)
	fail := func(hint, format string, args ...any) bool {
		c.errs = append(c.errs, e.at.errorf(here, format, args...).hint(hint))
		return false
	}
	f := lookup(e.key)
	if f == nil {
		return fail(suggestPath(e.key), "no key has this path")
	}
	if !canBeSwept(e.key, f) {
		return fail("", "this key cannot be swept: it decides no result")
	}
	if e.value.kind != list {
		hint := fmt.Sprintf("write %s: [...]", e.key)
		if e.value.kind == mapping && len(e.value.entries) > 0 {
			hint = fmt.Sprintf("write %s: [...]", join(e.key, e.value.entries[0].key))
		}
		_, ok := c.fail(e.value, here, hint, "want a list of values, have %s", e.value.have())
		return ok
	}
	if len(e.value.items) == 0 {
		_, ok := c.fail(e.value, here, "", "want at least one value, have an empty list")
		return ok
	}
	ok := true
	seen := map[string]bool{}
	for i, item := range e.value.items {
		text, good := readAxisValue(c, fmt.Sprintf("%s[%d]", here, i), f, item)
		if good && seen[text] {
			_, good = c.fail(item, here, "", "the value %s stands twice", printable(text))
		}
		seen[text] = true
		ok = ok && good
	}
	return ok
}

// canBeSwept says whether a key decides results.
func canBeSwept(path string, f *field) bool {
	return !f.own && !f.offPath && !f.aside && !strings.HasPrefix(path, "sweep.")
}

// sweepable returns the paths of the keys that can be swept.
func sweepable() []string {
	var paths []string
	eachKey(func(path string, f *field) {
		if canBeSwept(path, f) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	})
	return paths
}

// readAxisValue checks a value of an axis and returns it as text. null stands
// for the default.
func readAxisValue(c *checker, path string, f *field, t *tree) (string, bool) {
	if t.kind == null {
		return "null", true
	}
	v, ok := f.typ.read(c, path, t)
	return show(f.typ, v), ok
}

// axis is an Axis before it is printed.
type axis struct {
	path  string
	field *field
	at    Position
	items []*tree
	texts []string
}

// axes returns the axes of a merged tree; what is wrong with them by themselves
// has been reported.
func (l *loader) axes(t *tree) []axis {
	var axes []axis
	sweep := t.get("sweep")
	if sweep == nil {
		return nil
	}
	if g := sweep.get("grid"); g != nil {
		for _, e := range g.entries {
			f := lookup(e.key)
			if f == nil || e.value.kind != list {
				continue
			}
			a := axis{path: e.key, field: f, at: e.at, items: e.value.items}
			for _, item := range a.items {
				text, _ := readAxisValue(&checker{bad: map[string]bool{}}, "", f, item)
				a.texts = append(a.texts, text)
			}
			axes = append(axes, a)
		}
	}
	return axes
}

// seeds returns how often each grid point is repeated, and where that is said.
func seeds(t *tree) (n int, at Position) {
	if sweep := t.get("sweep"); sweep != nil {
		if s := sweep.get("seeds"); s != nil {
			v, _ := sweepKeys.typeOf("seeds").read(&checker{bad: map[string]bool{}}, "", s)
			if n, ok := v.(int64); ok {
				return int(n), s.at
			}
		}
	}
	return 1, t.at
}

// maxTrials keeps a slip of the keyboard from asking for years of work.
const maxTrials = 10_000

// sweep returns the trials of a merged tree and reports what is wrong in any.
func (l *loader) sweep(t *tree, axes []axis) ([]Trial, []Axis) {
	repeats, at := seeds(t)
	if !l.sound(axes, repeats, at) {
		return nil, nil
	}
	var trials []Trial
	labels := map[string]string{} // by ID
	for point := range points(axes) {
		over := t
		var where []AxisValue
		for i, a := range axes {
			item := a.items[point[i]].stamped(len(l.layers) + i)
			over = merge(over, nest(strings.Split(a.path, "."), item.at, item))
			where = append(where, AxisValue{a.path, a.texts[point[i]]})
		}
		over.at = t.at
		s, ok := l.resolve(over)
		if !ok {
			continue
		}
		for range repeats {
			trial := Trial{Settings: s, ID: s.ID(), Axis: slices.Clone(where)}
			if repeats > 1 {
				trial.Axis = append(trial.Axis, AxisValue{"seed", fmt.Sprint(s.Seed)})
			}
			trial.Label, trial.Group = label(trial.Axis), label(withoutSeed(trial.Axis))
			if other, taken := labels[trial.ID]; taken {
				l.errs = append(l.errs, axes[len(axes)-1].at.errorf("sweep.grid", "the trials %s and %s have equal settings", quoted(other), quoted(trial.Label)))
				return nil, nil
			}
			labels[trial.ID] = trial.Label
			trials = append(trials, trial)
			s.Seed++
		}
	}
	return trials, shownAxes(axes, trials, repeats)
}

// sound checks the axes against each other.
func (l *loader) sound(axes []axis, repeats int, at Position) bool {
	count, before := repeats, len(l.errs)
	for i, a := range axes {
		if count *= len(a.items); count > maxTrials {
			l.errs = append(l.errs, a.at.errorf("sweep", "want at most %d trials", maxTrials))
			return false
		}
		if a.path == "seed" && repeats > 1 {
			l.errs = append(l.errs, at.errorf("sweep.seeds", "the grid sweeps seed already: want only one of them"))
		}
		for _, b := range axes[:i] {
			if strings.HasPrefix(a.path+".", b.path+".") || strings.HasPrefix(b.path+".", a.path+".") {
				l.errs = append(l.errs, a.at.errorf(join("sweep.grid", a.path), "overlaps with %s", b.path))
			}
		}
	}
	return len(l.errs) == before
}

// points yields the indices of every combination, the last axis fastest.
func points(axes []axis) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		point := make([]int, len(axes))
		for {
			if !yield(point) {
				return
			}
			i := len(axes) - 1
			for ; i >= 0; i-- {
				if point[i]++; point[i] < len(axes[i].items) {
					break
				}
				point[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// resolve makes the settings of one grid point.
func (l *loader) resolve(t *tree) (Settings, bool) {
	values, c, ok := l.whole(t)
	l.errs = append(l.errs, c.errs...)
	if !ok {
		return Settings{}, false
	}
	s, err := settingsOf(values)
	if err != nil {
		l.errs = append(l.errs, t.at.errorf("", "%s", err))
		return s, false
	}
	s = l.hashScripts(&s)
	broken := brokenRules(&s, t, c.bad)
	l.errs = append(l.errs, broken...)
	return s, len(broken) == 0
}

func withoutSeed(axis []AxisValue) []AxisValue {
	return slices.DeleteFunc(slices.Clone(axis), func(a AxisValue) bool { return a.Path == "seed" })
}

func label(axis []AxisValue) string {
	var parts []string
	for _, a := range axis {
		parts = append(parts, a.Path+"="+a.Value)
	}
	return strings.Join(parts, " ")
}

func shownAxes(axes []axis, trials []Trial, repeats int) []Axis {
	var shown []Axis
	for _, a := range axes {
		shown = append(shown, Axis{a.path, a.texts})
	}
	if repeats == 1 || len(trials) < repeats {
		return shown
	}
	s := Axis{Path: "seed"}
	for _, trial := range trials[:repeats] {
		s.Values = append(s.Values, fmt.Sprint(trial.Settings.Seed))
	}
	return append(shown, s)
}
