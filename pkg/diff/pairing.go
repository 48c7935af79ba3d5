package diff

import (
	"maps"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// group is the trials of a side that differ in nothing but their seeds.
type group struct {
	label  string // what sets it apart from the side's other groups: "network.depth=2"
	values map[string]string
	trials []*store.Trial
}

// groups sorts the trials of a side into groups, in the order of their first
// trials. varied are the paths that set them apart.
func (s *Side) groups() (all []*group, varied []string) {
	for _, t := range s.trials {
		v := t.Settings.Values()
		for _, own := range []string{"seed", "name", "about", "hooks", "notebook"} { // no part of a result, but for the seed
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

// leaders are the paths without those that only follow another of them: by default the
// search of the tournament is that of self-play.
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

// at writes the values of some keys.
func (g *group) at(paths []string, between string) string {
	var parts []string
	for _, path := range paths {
		if v, ok := g.values[path]; ok {
			parts = append(parts, path+"="+v)
		}
	}
	return strings.Join(parts, between)
}

// couple is two groups that are compared.
type couple struct{ a, b *group }

// paired finds the groups to compare: groups that agree in every setting that
// either side varies; if there are none, those that agree in the settings that
// both vary, where it is clear which; and if one side varies nothing, it with each
// of the other. The rest is returned as it is.
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
