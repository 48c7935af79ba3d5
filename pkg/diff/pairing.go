package diff

import (
	"maps"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// group is the set of a side's trials that differ only in their seeds.
type group struct {
	label  string // what distinguishes it from the side's other groups: "network.depth=2"
	values map[string]string
	trials []*store.Trial
}

// groups sorts the trials of a side into groups, in the order of their first trials. varied
// lists the paths that distinguish them.
func (s *Side) groups() (all []*group, varied []string) {
	for _, t := range s.trials {
		v := t.Declared.Settings.Values()
		for _, own := range []string{"seed", "name", "about", "hooks", "notebook"} { // these decide no result, except for the seed
			delete(v, own)
		}
		i := slices.IndexFunc(all, func(g *group) bool { return maps.Equal(g.values, v) })
		if i < 0 {
			i = len(all)
			all = append(all, &group{values: v})
		}
		all[i].trials = append(all[i].trials, t)
	}
	for _, r := range s.rows { // in the order of the language
		if slices.ContainsFunc(all, func(g *group) bool { return g.values[r.Path] != all[0].values[r.Path] }) {
			varied = append(varied, r.Path)
		}
	}
	for _, g := range all { // and keys that only some of them have
		for _, path := range slices.Sorted(maps.Keys(g.values)) {
			if !slices.Contains(varied, path) && slices.ContainsFunc(all, func(o *group) bool { return o.values[path] != g.values[path] }) {
				varied = append(varied, path)
			}
		}
	}
	for _, g := range all {
		g.label = g.at(leaders(all, varied), " ")
	}
	return all, varied
}

// leaders returns the paths without those that only follow another path: the tournament's
// search follows that of self-play by default.
func leaders(all []*group, varied []string) (kept []string) {
	as := map[string]string{}
	for _, k := range experiment.Keys() {
		if of, ok := strings.CutPrefix(k.Default, "as "); ok {
			as[k.Path] = of
		}
	}
	for _, path := range varied {
		of := as[path]
		if !slices.Contains(varied, of) || slices.ContainsFunc(all, func(g *group) bool { return g.values[path] != g.values[of] }) {
			kept = append(kept, path)
		}
	}
	return kept
}

// at formats the values of some keys.
func (g *group) at(paths []string, between string) string {
	var parts []string
	for _, path := range paths {
		if v, ok := g.values[path]; ok {
			parts = append(parts, path+"="+v)
		}
	}
	return strings.Join(parts, between)
}

// couple is a pair of groups to compare.
type couple struct{ a, b *group }

// paired finds the groups to compare: groups that agree in every setting that either side
// varies. If there are none, it pairs groups that agree in the settings that both sides
// vary, if the match is unique. If one side varies nothing, it pairs that side with each
// group of the other. The remaining groups are returned separately.
func paired(a, b *Side) (couples []couple, onlyA, onlyB []*group) {
	ga, variedA := a.groups()
	gb, variedB := b.groups()
	either := append(slices.Clone(variedA), variedB...)
	var both []string
	for _, path := range variedA {
		if slices.Contains(variedB, path) {
			both = append(both, path)
		}
	}
	by := func(paths []string) {
		for _, x := range ga {
			for _, y := range gb {
				if x.at(paths, "\n") == y.at(paths, "\n") {
					couples = append(couples, couple{x, y})
				}
			}
		}
	}
	if by(either); len(couples) == 0 {
		by(both)
		count := func(of func(couple) *group, g *group) (n int) {
			for _, c := range couples {
				if of(c) == g {
					n++
				}
			}
			return n
		}
		couples = slices.DeleteFunc(slices.Clone(couples), func(c couple) bool {
			return count(func(c couple) *group { return c.a }, c.a) > 1 && count(func(c couple) *group { return c.b }, c.b) > 1
		})
	}
	for _, x := range ga {
		if !slices.ContainsFunc(couples, func(c couple) bool { return c.a == x }) {
			onlyA = append(onlyA, x)
		}
	}
	for _, y := range gb {
		if !slices.ContainsFunc(couples, func(c couple) bool { return c.b == y }) {
			onlyB = append(onlyB, y)
		}
	}
	return couples, onlyA, onlyB
}
