package data

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"alamos/pkg/encode"
)

// Set is a sequence of samples in memory: those of one file, or of a replay window's
// generations in order. It is immutable, so all methods are safe for concurrent use.
type Set struct {
	parts  []part
	starts []int // starts[i] is the index of the first sample of parts[i]; a last element holds Len
}

// part is the samples of one file.
type part struct {
	meta    Meta
	games   int
	samples []encode.Sample
}

func newSet(parts ...part) *Set {
	s := &Set{parts: parts, starts: []int{0}}
	for i, p := range parts {
		s.starts = append(s.starts, s.starts[i]+len(p.samples))
	}
	return s
}

// ReplayWindow joins sets in the order of the generations without copying samples. It
// returns an error if encodings or variants differ, or if a generation occurs twice.
func ReplayWindow(sets ...*Set) (*Set, error) {
	var parts []part
	for _, s := range sets {
		parts = append(parts, s.parts...)
	}
	if len(parts) == 0 {
		return nil, errors.New("a replay window without samples: give it at least one generation")
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.meta.Generation, b.meta.Generation) })
	for i, p := range parts[1:] {
		before := parts[i].meta
		switch {
		case p.meta.Generation == before.Generation:
			return nil, fmt.Errorf("generation %d is in the replay window twice", before.Generation)
		case !p.meta.SameKind(before):
			return nil, fmt.Errorf("generations %d and %d have samples of different kinds: %s, %s, %s and %s, %s, %s",
				before.Generation, p.meta.Generation,
				before.Variant, before.Encoder, before.Policy,
				p.meta.Variant, p.meta.Encoder, p.meta.Policy)
		}
	}
	return newSet(parts...), nil
}

// Len returns the number of samples.
func (s *Set) Len() int { return s.starts[len(s.parts)] }

// Games returns the number of games of all generations. A recurring game counts in each
// generation.
func (s *Set) Games() int {
	n := 0
	for _, p := range s.parts {
		n += p.games
	}
	return n
}

// Meta returns the description of the samples. Its Generation is the last one in the set.
func (s *Set) Meta() Meta { return s.parts[len(s.parts)-1].meta }

// Sample returns sample i, 0 <= i < Len(). The caller must not change it.
func (s *Set) Sample(i int) *encode.Sample {
	p := 0
	for i >= s.starts[p+1] { // linear search, because a window has few parts
		p++
	}
	return &s.parts[p].samples[i-s.starts[p]]
}

// Split divides the samples of a set into a training part and a validation part, and
// returns the indices of each in order. The share, 0 to 1, is a share of games: all
// positions of a game are in the same part.
//
// Each generation is split separately, and its split depends only on seed, share and the
// numbers of its games. With the same seed, a game held out in one window is therefore held
// out in every other, and no game changes parts as the window slides. Of n games of a
// generation, the nearest integer to share*n is held out, but at least one and not all if 0
// < share and n > 1.
//
// Generations with recurring games ([Meta.Recurring]) are split together: each game is held
// out with probability share, by seed and number alone, in all of them. Again, at least one
// game of the window is held out, and not all. In a window of few games, this rule may put
// a game into the other part than in another window.
//
// If every generation has only one game and there are at least two, one game is held out.
func Split(set *Set, seed uint64, share float64) (learn, held []int32) {
	out := make([]map[int32]bool, len(set.parts))
	if share > 0 {
		groups, games, some := set.groups(), 0, false
		for _, g := range groups {
			chosen := g.heldOut(seed, share)
			g.mark(out, chosen)
			games += len(g.numbers)
			some = some || len(chosen) > 0
		}
		if !some && games > 1 {
			g := firstGroup(groups, seed)
			g.mark(out, g.numbers)
		}
	}
	for p, c := range set.parts {
		for i := range c.samples {
			place := int32(set.starts[p] + i)
			if out[p][c.samples[i].Game] {
				held = append(held, place)
			} else {
				learn = append(learn, place)
			}
		}
	}
	return learn, held
}

// group is a set of generations that are split together: a single one, or all with
// recurring games.
type group struct {
	parts      []int   // indices of the set's parts
	numbers    []int32 // sorted game numbers
	recurring  bool
	generation int // the generation, if there is only one
}

// groups returns the groups that have samples, in the order of their first parts.
func (s *Set) groups() []*group {
	var all []*group
	var recurring *group
	for p, c := range s.parts {
		if len(c.samples) == 0 {
			continue
		}
		g := recurring
		if g == nil || !c.meta.Recurring {
			g = &group{recurring: c.meta.Recurring, generation: c.meta.Generation}
			all = append(all, g)
		}
		if c.meta.Recurring {
			recurring = g
		}
		numbers := make([]int32, len(c.samples))
		for i := range numbers {
			numbers[i] = c.samples[i].Game
		}
		slices.Sort(numbers)
		g.parts = append(g.parts, p)
		g.numbers = append(g.numbers, slices.Compact(numbers)...)
	}
	if recurring != nil {
		slices.Sort(recurring.numbers)
		recurring.numbers = slices.Compact(recurring.numbers)
	}
	return all
}

// mark marks games of the group in each of its parts.
func (g *group) mark(out []map[int32]bool, games []int32) {
	marked := make(map[int32]bool, len(games))
	for _, game := range games {
		marked[game] = true
	}
	for _, p := range g.parts {
		out[p] = marked
	}
}

// heldOut returns the numbers of the games to hold out. A group's only game is not held
// out.
func (g *group) heldOut(seed uint64, share float64) []int32 {
	n := len(g.numbers)
	if n < 2 {
		return nil
	}
	numbers := slices.Clone(g.numbers)
	slices.SortStableFunc(numbers, func(a, b int32) int { return cmp.Compare(g.rank(seed, a), g.rank(seed, b)) })
	count := int(math.Round(share * float64(n)))
	if g.recurring {
		below := func(game int32) bool { return float64(g.rank(seed, game)) < share*math.Exp2(64) }
		if count = slices.IndexFunc(numbers, func(game int32) bool { return !below(game) }); count < 0 {
			count = n
		}
	}
	return numbers[:min(max(count, 1), n-1)]
}

// firstGroup returns the group whose game has the lowest rank. All groups must have one
// game.
func firstGroup(groups []*group, seed uint64) (first *group) {
	lowest := uint64(math.MaxUint64)
	for _, g := range groups {
		if r := g.rank(seed, g.numbers[0]); r <= lowest {
			first, lowest = g, r
		}
	}
	return first
}

// rank returns a game's random rank. The games with the lowest ranks are held out.
func (g *group) rank(seed uint64, game int32) uint64 {
	place := uint64(game)
	if !g.recurring {
		place |= uint64(g.generation) << 32
	}
	return rand.NewPCG(seed, place).Uint64()
}

// Shuffle shuffles the indices. The new order depends only on seed and the previous order.
func Shuffle(indices []int32, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(indices), func(i, j int) {
		indices[i], indices[j] = indices[j], indices[i]
	})
}
