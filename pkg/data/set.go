package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/encode"
)

// Set is a sequence of samples in memory: those of one file, or of several
// generations in order. It never changes: all methods are safe for use by many
// goroutines at once.
type Set struct {
	parts  []*columns
	starts []int // starts[i] is the place of the first sample of parts[i]; one more at the end: Len
}

func newSet(parts ...*columns) *Set {
	s := &Set{parts: parts, starts: []int{0}}
	for i, c := range parts {
		s.starts = append(s.starts, s.starts[i]+c.len())
	}
	return s
}

// Window joins sets, without copying their samples, to one that has the
// samples of all, by generation whatever the order of the arguments. It is an
// error to join samples of different encodings or variants, or a generation
// with itself.
func Window(sets ...*Set) (*Set, error) {
	var parts []*columns
	for _, s := range sets {
		parts = append(parts, s.parts...)
	}
	if len(parts) == 0 {
		return nil, errors.New("a window of no samples: give it at least one generation")
	}
	slices.SortStableFunc(parts, func(a, b *columns) int { return cmp.Compare(a.meta.Generation, b.meta.Generation) })
	for i, c := range parts[1:] {
		before := parts[i].meta
		switch {
		case c.meta.Generation == before.Generation:
			return nil, fmt.Errorf("generation %d is in the window twice", before.Generation)
		case !c.meta.SameKind(before):
			return nil, fmt.Errorf("generations %d and %d have samples of different kinds: %s, %s, %s and %s, %s, %s",
				before.Generation, c.meta.Generation,
				before.Variant, before.Encoder, before.Policy,
				c.meta.Variant, c.meta.Encoder, c.meta.Policy)
		}
	}
	return newSet(parts...), nil
}

// Len is the number of samples.
func (s *Set) Len() int { return s.starts[len(s.parts)] }

// Games is the number of games of all generations: one that comes again counts in each.
func (s *Set) Games() int {
	n := 0
	for _, c := range s.parts {
		n += c.numbers
	}
	return n
}

// Meta says what the samples are; its Generation is the last one in the set.
func (s *Set) Meta() Meta { return s.parts[len(s.parts)-1].meta }

// Sample copies sample i, 0 <= i < Len(), to dst, whose slices are used again
// and grow when they must: nothing is allocated once they are long enough.
func (s *Set) Sample(i int, dst *encode.Sample) {
	p := 0
	for i >= s.starts[p+1] { // a window has few parts
		p++
	}
	s.parts[p].sample(i-s.starts[p], dst)
}

// Place tells the game of sample i, 0 <= i < Len(), and its ply.
func (s *Set) Place(i int) (game, ply int32) {
	p := 0
	for i >= s.starts[p+1] {
		p++
	}
	c, i := s.parts[p], i-s.starts[p]
	return c.game[i], c.ply[i]
}
