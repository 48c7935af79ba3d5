package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/floats"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Report is the comparison of two sides. Its JSON is stable: a version may gain keys, but
// no key changes its meaning.
type Report struct {
	Version  int       `json:"alamos_diff"` // 2
	A        Head      `json:"a"`
	B        Head      `json:"b"`
	Settings []Setting `json:"settings"` // that differ, in the order of the language
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
func (r *Report) Equal() bool { return len(r.Settings) == 0 }

// Compare compares the settings of two sides, and their results.
func Compare(a, b *Side, o Options) *Report {
	r := &Report{
		Version: 2, A: a.head(), B: b.head(), Settings: settings(a, b), Groups: []Group{},
		OnlyA: []string{}, OnlyB: []string{}, Notes: []string{},
	}
	if a.Name == b.Name { // of two folders of results
		r.A.Name, r.B.Name = a.written, b.written
	}
	r.note(append(slices.Clone(a.notes), b.notes...)...)
	if o.SettingsOnly {
		return r
	}
	pairs, onlyA, onlyB := paired(a, b)
	for _, p := range pairs {
		if g := r.compareGroups(p[0], p[1], o); g != nil {
			r.Groups = append(r.Groups, *g)
		}
	}
	r.OnlyA, r.OnlyB = append(r.OnlyA, onlyA...), append(r.OnlyB, onlyB...)
	return r
}

func (s *Side) head() Head {
	h := Head{Name: s.Name, Folder: store.Shown(s.Folder), Trials: len(s.trials)}
	for _, t := range s.trials {
		if t.Manifest.Stage(store.TrainStage(1)) != nil {
			h.Results++
		}
	}
	return h
}

// String describes a side with its trials.
func (h Head) String() string {
	s := h.Name + ": " + english.Plural(h.Trials, "trial", "")
	switch {
	case h.Trials == 0:
		return h.Name + ": not there"
	case h.Results == 0:
		return s + ", no results"
	case h.Results < h.Trials:
		s += fmt.Sprintf(", %d with results", h.Results)
	}
	return s + " in " + h.Folder
}

func (r *Report) note(notes ...string) {
	for _, n := range notes {
		if n != "" && !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}

// paired finds the groups to compare: groups that agree in every setting that either side
// varies. If there are none, it pairs groups that agree in the settings that both sides
// vary, if the match is unique. If one side varies nothing, it pairs that side with each
// group of the other. The labels of the remaining groups are returned separately.
func paired(a, b *Side) (pairs [][2]store.Group, onlyA, onlyB []string) {
	groups := [2][]store.Group{store.Groups(a.trials), store.Groups(b.trials)}
	var values [2][]map[string]string // of the settings of each group
	for side := range groups {
		for _, g := range groups[side] {
			values[side] = append(values[side], g.Trials[0].Declared.Settings.Values())
		}
	}
	agreeing := func(paths []string) (found [][2]int) { // indices of groups
		for i := range groups[0] {
			for j := range groups[1] {
				if !slices.ContainsFunc(paths, func(p string) bool { return !sameAt(p, values[0][i], values[1][j]) }) {
					found = append(found, [2]int{i, j})
				}
			}
		}
		return found
	}
	matched := agreeing(slices.Concat(a.axes, b.axes))
	matches := func(side, i int) (n int) {
		for _, m := range matched {
			if m[side] == i {
				n++
			}
		}
		return n
	}
	if len(matched) == 0 {
		matched = agreeing(slices.DeleteFunc(slices.Clone(a.axes), func(path string) bool { return !slices.Contains(b.axes, path) }))
		matched = slices.DeleteFunc(slices.Clone(matched), func(m [2]int) bool { return matches(0, m[0]) > 1 && matches(1, m[1]) > 1 })
	}
	for _, m := range matched {
		pairs = append(pairs, [2]store.Group{groups[0][m[0]], groups[1][m[1]]})
	}
	rest := func(side int) (labels []string) {
		for i, g := range groups[side] {
			if matches(side, i) == 0 {
				labels = append(labels, g.Trials[0].Declared.Group)
			}
		}
		return labels
	}
	return pairs, rest(0), rest(1)
}

// sameAt reports whether two trials have equal values of a key, or of all keys of a group.
func sameAt(path string, a, b map[string]string) bool {
	under := func(all map[string]string) map[string]string {
		found := maps.Clone(all)
		maps.DeleteFunc(found, func(p, _ string) bool { return !strings.HasPrefix(p+".", path+".") })
		return found
	}
	return maps.Equal(under(a), under(b))
}

// compareGroups compares two groups. It returns nil if a side has no results yet.
func (r *Report) compareGroups(a, b store.Group, o Options) *Group {
	g := &Group{Metrics: []Metric{}, Notes: []string{}}
	read := func(of store.Group) (t Trials, all []*measured) {
		t.Label = of.Trials[0].Declared.Group
		for _, x := range of.Trials {
			t.Seeds, t.Folders = append(t.Seeds, x.Declared.Settings.Seed), append(t.Folders, store.Shown(x.Dir))
			m, note := measure(x)
			r.note(note)
			if m != nil {
				all = append(all, m)
			}
		}
		return t, all
	}
	g.A, g.a = read(a)
	g.B, g.b = read(b)
	if len(g.a) == 0 || len(g.b) == 0 {
		return nil
	}
	if slices.EqualFunc(g.a, g.b, func(x, y *measured) bool { return x.trial.Dir == y.trial.Dir && x.trial.Done() == y.trial.Done() }) {
		g.Notes = append(g.Notes, "both have one and the same training: the settings that differ do not affect it")
		return g
	}
	g.Metrics = compareMetrics(g.a, g.b, o)
	g.caveats(o)
	return g
}

// caveats adds notes on the limits of the numbers of a group.
func (g *Group) caveats(o Options) {
	say := func(format string, args ...any) { g.Notes = append(g.Notes, fmt.Sprintf(format, args...)) }
	machines := map[string]bool{}
	for _, m := range slices.Concat(g.a, g.b) {
		if done, want := m.trial.Done(), m.trial.Last(); done < want {
			say("%s: %d of %d generations are done; there is no tournament yet", nameOf(m.trial), done, want)
		}
		x := m.trial.Manifest.Machine
		machines[x.Hardware()+", "+x.Precision] = true
	}
	switch {
	case len(g.a) == 1 && len(g.b) == 1:
		say("one seed a side: the verdicts are about these two networks, not about their settings; see sweep.seeds")
	case len(g.a) == 1 || len(g.b) == 1:
		say("n is seeds: one on a side is too few for a test")
	case o.MannWhitney:
		say("n is seeds, compared by the test of Mann and Whitney; intervals of a and b are Student's")
		low, high := floats.Span(make([]float64, len(g.a)), 0, 1), floats.Span(make([]float64, len(g.b)), 2, 3)
		if least := stats.MannWhitney(low, high); least >= stats.Alpha {
			say("%d and %d seeds cannot show a difference: of all results, the clearest has p=%.2g", len(g.a), len(g.b), least)
		}
	default:
		say("n is seeds, compared by Welch's t-test")
	}
	say("verdicts are by p-values corrected for the number of metrics (Holm); costs and losses on own games have none of better or worse")
	if len(machines) > 1 {
		say("times were measured on different machines: %s", strings.Join(slices.Sorted(maps.Keys(machines)), "; "))
	}
}
