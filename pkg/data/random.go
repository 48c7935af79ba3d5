package data

import (
	"math/rand/v2"
	"slices"
)

// What seeds are for: the first number of those that stats.Derive takes.
const (
	forOrder = iota
	forGame
	forShuffle
)

// reservoir draws up to most of the things that it is offered, all with the same
// chance, without knowing how many there will be (algorithm R, Vitter 1985). most
// 0: all of them.
type reservoir struct {
	rng  *rand.Rand
	most int
	seen int
}

// offer returns the place, 0 to most-1, where the next thing replaces what was there;
// drawn is false when it was not drawn.
func (r *reservoir) offer() (place int, drawn bool) {
	r.seen++
	if r.most == 0 || r.seen <= r.most {
		return r.seen - 1, true
	}
	place = r.rng.IntN(r.seen)
	return place, place < r.most
}

// draw returns up to most of the numbers from first to last-1, in order; all of them
// when most is 0.
func draw(rng *rand.Rand, first, last, most int) []int {
	r := reservoir{rng: rng, most: most}
	var drawn []int
	for i := first; i < last; i++ {
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

// shuffler is a shuffle buffer: when it is full, each thing that comes replaces a random
// one of those it holds.
type shuffler[T any] struct {
	rng  *rand.Rand
	size int
	held []T
}

// add takes a thing and returns the one that it replaces, if the buffer was full.
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

// rest returns what is left, in a random order.
func (s *shuffler[T]) rest() []T {
	s.rng.Shuffle(len(s.held), func(i, j int) { s.held[i], s.held[j] = s.held[j], s.held[i] })
	return s.held
}
