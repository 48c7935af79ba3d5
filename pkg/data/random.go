package data

import (
	"math/rand/v2"
	"slices"
)

// Purposes of seeds: the first number passed to stats.Derive.
const (
	forOrder = iota
	forGame
	forShuffle
)

// reservoir draws up to most of the offered items uniformly, without knowing their number
// in advance (algorithm R, Vitter 1985). most 0: all of them.
type reservoir struct {
	rng  *rand.Rand
	most int
	seen int
}

// offer returns the place, 0 to most-1, that the next item takes. drawn is false if the
// item was not drawn.
func (r *reservoir) offer() (place int, drawn bool) {
	r.seen++
	if r.most == 0 || r.seen <= r.most {
		return r.seen - 1, true
	}
	place = r.rng.IntN(r.seen)
	return place, place < r.most
}

// draw returns up to most of the numbers below n, in order. most 0: all of them.
func draw(rng *rand.Rand, n, most int) []int {
	r := reservoir{rng: rng, most: most}
	var drawn []int
	for i := range n {
		switch place, ok := r.offer(); {
		case ok && place == len(drawn):
			drawn = append(drawn, i)
		case ok:
			drawn[place] = i
		}
	}
	slices.Sort(drawn)
	return drawn
}

// shuffler is a shuffle buffer. When it is full, each new item replaces a random one.
type shuffler[T any] struct {
	rng  *rand.Rand
	size int
	held []T
}

// add adds an item and returns the replaced one if the buffer was full.
func (s *shuffler[T]) add(x T) (out T, full bool) {
	if s.size < 2 {
		return x, true
	}
	if len(s.held) < s.size {
		s.held = append(s.held, x)
		return out, false
	}
	i := s.rng.IntN(s.size)
	out, s.held[i] = s.held[i], x
	return out, true
}

// rest returns the remaining items in random order.
func (s *shuffler[T]) rest() []T {
	s.rng.Shuffle(len(s.held), func(i, j int) { s.held[i], s.held[j] = s.held[j], s.held[i] })
	return s.held
}
