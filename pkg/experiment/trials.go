package experiment

import (
	"cmp"
	"slices"
	"strconv"

	"alamos/pkg/config"
)

// Trial is one combination of a sweep, or the only one where nothing is swept.
type Trial struct {
	Number   int         // in Experiment.Trials, from 1
	ID       string      // of the settings; names the trial's folder
	Label    string      // what sets it apart: "network.depth=2 seed=1"; empty for an only trial
	Group    string      // Label without the seed: trials of one group differ in their seeds only
	Axis     []AxisValue // an entry for each of Experiment.Axes, also for those that Label need not name
	Settings Settings
}

// AxisValue is one setting of a trial that the sweep varies. The value is empty
// where the key means nothing beside the trial's others.
type AxisValue struct{ Path, Value string }

// Axis is a key that a sweep varies, with the values that trials have, in the
// order in which the file names them; drawn numbers rise.
type Axis struct {
	Path   string
	Values []string
}

// repeated returns the trials of a combination, one for each seed.
func (x *expansion) repeated(c *combo) []Trial {
	var trials []Trial
	group := slices.DeleteFunc(slices.Clone(c.set), func(s setting) bool { return s.path == "seed" })
	s, id := c.settings, c.id
	for i := range x.repeats {
		if i > 0 {
			s.Seed++
			id = s.ID()
		}
		seed := setting{path: "seed", text: strconv.FormatUint(s.Seed, 10)}
		one := *c
		one.set = slices.Clone(c.set)
		if x.repeats > 1 {
			one.set = append(one.set, seed)
		}
		trial := Trial{Settings: s, ID: id, Label: one.label(), Group: (&combo{set: group}).label()}
		for _, path := range x.paths() {
			trial.Axis = append(trial.Axis, AxisValue{path, one.text(path)})
		}
		trials = append(trials, trial)
	}
	return trials
}

// paths returns the paths of all axes in the order in which they are shown.
func (x *expansion) paths() []string {
	var paths []string
	for _, a := range x.axes() {
		paths = append(paths, a.path)
	}
	paths = append(paths, x.extra...)
	if x.repeats > 1 {
		paths = append(paths, "seed")
	}
	return paths
}

// text returns the value of a key in a combination.
func (c *combo) text(path string) string {
	if i := slices.IndexFunc(c.set, func(s setting) bool { return s.path == path }); i >= 0 {
		return c.set[i].text
	}
	v, ok := config.ValueAt(c.values, path)
	if !ok {
		return ""
	}
	return config.Show(schema().Lookup(path).Type, v)
}

// shown returns the axes with the values that the trials have.
func (x *expansion) shown(trials []Trial) []Axis {
	var shown []Axis
	for i, path := range x.paths() {
		a := Axis{Path: path}
		for _, t := range trials {
			if v := t.Axis[i].Value; v != "" && !slices.Contains(a.Values, v) {
				a.Values = append(a.Values, v)
			}
		}
		if x.drawn(path) {
			slices.SortStableFunc(a.Values, func(v, w string) int {
				p, errP := strconv.ParseFloat(v, 64)
				q, errQ := strconv.ParseFloat(w, 64)
				if errP != nil || errQ != nil {
					return 0
				}
				return cmp.Compare(p, q)
			})
		}
		shown = append(shown, a)
	}
	return shown
}

func (x *expansion) drawn(path string) bool {
	return slices.ContainsFunc(x.bundles, func(b bundle) bool {
		return b.key == "sweep.random.draw" && slices.ContainsFunc(b.axes, func(a axis) bool { return a.path == path })
	})
}
