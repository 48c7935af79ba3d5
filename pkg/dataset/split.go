package dataset

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Split divides the samples of a set into those to learn from and those to
// validate on, and returns the places of each, in order. The share, 0 to 1, is
// one of games: all positions of a game are on one side.
//
// Which games are held out is decided in each generation by itself, from seed,
// share and the numbers of its games alone. So with the same seed a game that
// was held out in one window is held out in every other, and a game never moves
// between the sides as the window slides. Of n games of a generation, the
// nearest whole number to share*n is held out, but at least one and not all
// when 0 < share and n > 1. Only a set whose generations all have a single game
// holds out one of those, if it has two.
//
// Where the same games come again in other generations ([Meta.Recurring]), each is
// held out with the probability share, by seed and its number alone, so that it is on
// one side in all of them; but again at least one of a generation, and not all.
func Split(set *Set, seed uint64, share float64) (learn, held []int32) {
	out := make([]map[int32]bool, len(set.parts))
	if share > 0 {
		some := false
		for p, c := range set.parts {
			out[p] = c.heldOut(seed, share)
			some = some || len(out[p]) > 0
		}
		if !some && set.Games() > 1 {
			p := set.firstGame(seed)
			out[p] = map[int32]bool{set.parts[p].game[0]: true}
		}
	}
	for p, c := range set.parts {
		for i, game := range c.game {
			place := int32(set.starts[p] + i)
			if out[p][game] {
				held = append(held, place)
			} else {
				learn = append(learn, place)
			}
		}
	}
	return learn, held
}

// heldOut returns the numbers of the games to hold out.
func (c *columns) heldOut(seed uint64, share float64) map[int32]bool {
	numbers := slices.Clone(c.game)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	n := len(numbers)
	if n < 2 {
		return nil
	}
	slices.SortStableFunc(numbers, func(a, b int32) int { return cmp.Compare(c.rank(seed, a), c.rank(seed, b)) })
	count := int(math.Round(share * float64(n)))
	if c.meta.Recurring {
		below := func(game int32) bool { return float64(c.rank(seed, game)) < share*math.Exp2(64) }
		if count = slices.IndexFunc(numbers, func(game int32) bool { return !below(game) }); count < 0 {
			count = n
		}
	}
	count = min(max(count, 1), n-1)
	out := make(map[int32]bool, count)
	for _, game := range numbers[:count] {
		out[game] = true
	}
	return out
}

// firstGame returns the part, of those with samples, whose first game has the
// lowest rank.
func (s *Set) firstGame(seed uint64) int {
	first, lowest := 0, uint64(math.MaxUint64)
	for p, c := range s.parts {
		if c.len() == 0 {
			continue
		}
		if r := c.rank(seed, c.game[0]); r <= lowest {
			first, lowest = p, r
		}
	}
	return first
}

// rank is a random number that belongs to a game: those with the lowest are
// held out.
func (c *columns) rank(seed uint64, game int32) uint64 {
	place := uint64(game)
	if !c.meta.Recurring {
		place |= uint64(c.meta.Generation) << 32
	}
	return rand.NewPCG(seed, place).Uint64()
}

// Shuffle puts the indices in a random order that depends on seed and their
// order before, and on nothing else.
func Shuffle(indices []int32, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(indices), func(i, j int) {
		indices[i], indices[j] = indices[j], indices[i]
	})
}
