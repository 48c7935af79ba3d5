package diff

import (
	"fmt"
	"slices"

	"alamos/pkg/store"
)

// Report is the comparison of two sides. Its JSON is stable: a version may gain keys, but
// no key changes its meaning.
type Report struct {
	Version  int       `json:"alamos_diff"` // 1
	A        Head      `json:"a"`
	B        Head      `json:"b"`
	Sections []Section `json:"sections"` // settings that differ; [] if none do
	Groups   []Group   `json:"groups"`   // trials with compared results
	OnlyA    []string  `json:"only_a"`   // labels of trials without a counterpart
	OnlyB    []string  `json:"only_b"`
	Notes    []string  `json:"notes"` // limits of the comparison
}

// Head describes a side.
type Head struct {
	Name    string `json:"name"`
	Folder  string `json:"folder,omitempty"` // of its results
	Trials  int    `json:"trials"`
	Results int    `json:"results"` // number of trials with results
}

// Group compares the trials of each side that differ only in their seeds.
type Group struct {
	A       Trials   `json:"a"`
	B       Trials   `json:"b"`
	Metrics []Metric `json:"metrics"`
	Notes   []string `json:"notes"`

	a, b []*measured
}

// Trials are the trials of one side of a group.
type Trials struct {
	Label   string   `json:"label"` // what distinguishes them on their side; "" for a single group
	Seeds   []uint64 `json:"seeds"`
	Folders []string `json:"folders"`
}

// Title names a group by what distinguishes its trials.
func (g *Group) Title() string {
	switch a, b := g.A.Label, g.B.Label; {
	case a == b || b == "":
		return a
	case a == "":
		return b
	default:
		return a + " and " + b
	}
}

// Equal reports whether no setting differs.
func (r *Report) Equal() bool { return len(r.Sections) == 0 }

func Compare(a, b *Side, o Options) (*Report, error) {
	r := &Report{
		Version: 1, A: a.head(), B: b.head(), Sections: settings(a, b), Groups: []Group{},
		OnlyA: []string{}, OnlyB: []string{}, Notes: []string{},
	}
	if r.Sections == nil {
		r.Sections = []Section{}
	}
	r.note(append(slices.Clone(a.notes), b.notes...)...)
	if o.SettingsOnly {
		return r, nil
	}
	couples, onlyA, onlyB := paired(a, b)
	for _, c := range couples {
		g, err := r.compareGroups(c, o)
		if err != nil {
			return nil, err
		}
		if g != nil {
			r.Groups = append(r.Groups, *g)
		}
	}
	for _, g := range onlyA {
		r.OnlyA = append(r.OnlyA, g.label)
	}
	for _, g := range onlyB {
		r.OnlyB = append(r.OnlyB, g.label)
	}
	return r, nil
}

func (s *Side) head() Head {
	h := Head{Name: s.Name, Folder: s.Folder, Trials: len(s.trials)}
	for _, t := range s.trials {
		if t.Manifest.Stage(store.TrainStage(1)) != nil {
			h.Results++
		}
	}
	return h
}

func (r *Report) note(notes ...string) {
	for _, n := range notes {
		if n != "" && !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}

// compareGroups compares two groups. It returns nil if a side has no results yet.
func (r *Report) compareGroups(c couple, o Options) (*Group, error) {
	g := &Group{A: c.a.trialsOf(), B: c.b.trialsOf(), Notes: []string{}}
	for _, side := range []struct {
		group *group
		into  *[]*measured
	}{{c.a, &g.a}, {c.b, &g.b}} {
		for _, t := range side.group.trials {
			m, note, err := measure(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Dir, err)
			}
			r.note(note)
			if m != nil {
				*side.into = append(*side.into, m)
			}
		}
	}
	if len(g.a) == 0 || len(g.b) == 0 {
		return nil, nil
	}
	g.Metrics = []Metric{}
	if g.sameRun() {
		g.Notes = append(g.Notes, "both have one and the same training: the settings that differ do not affect it")
		return g, nil
	}
	g.Metrics = compareMetrics(g.a, g.b, o)
	g.caveats(o)
	return g, nil
}

func (g *group) trialsOf() Trials {
	t := Trials{Label: g.label}
	for _, x := range g.trials {
		t.Seeds = append(t.Seeds, x.Declared.Settings.Seed)
		t.Folders = append(t.Folders, x.Dir)
	}
	return t
}

// sameRun reports whether both sides are the same networks.
func (g *Group) sameRun() bool {
	return slices.EqualFunc(g.a, g.b, func(x, y *measured) bool {
		return x.trial.Dir == y.trial.Dir && x.generations == y.generations
	})
}

// caveats adds notes on the limits of the numbers of a group.
func (g *Group) caveats(o Options) {
	all := slices.Concat(g.a, g.b)
	say := func(format string, args ...any) { g.Notes = append(g.Notes, fmt.Sprintf(format, args...)) }
	for _, m := range all {
		if want := m.trial.Last(); m.generations < want {
			say("%s: %d of %d generations are done; there is no tournament yet", m.trial.Dir, m.generations, want)
		}
	}
	switch {
	case len(g.a) == 1 && len(g.b) == 1:
		say("one seed a side: intervals show the chance of games, not that of another training; see sweep.seeds")
	case len(g.a) == 1 || len(g.b) == 1:
		say("n is seeds: one on a side is too few for a test")
	case o.MannWhitney:
		say("n is seeds, compared by the test of Mann and Whitney; intervals of a and b are Student's")
	default:
		say("n is seeds, compared by Welch's t-test")
	}
	say("losses are of the newest generation on positions of its own games: each side has other positions")
	machines := map[string]bool{}
	for _, m := range all {
		x := m.trial.Manifest.Machine
		machines[x.Hardware()+", "+x.Precision] = true
	}
	if len(machines) > 1 {
		say("times were measured on different machines")
	}
}
