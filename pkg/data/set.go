package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/encode"
)

// Set is a sequence of samples in memory: those of one file, or of the generations of
// a replay window in order. It never changes: all methods are safe for use by many
// goroutines at once.
type Set struct {
	parts  []part
	starts []int // starts[i] is the place of the first sample of parts[i]; one more at the end: Len
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

// ReplayWindow joins sets, without copying their samples, to one set in the order of
// the generations. It is an error to join samples of different encodings or variants,
// or a generation with itself.
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

// Len is the number of samples.
func (s *Set) Len() int { return s.starts[len(s.parts)] }

// Games is the number of games of all generations: one that recurs counts in each.
func (s *Set) Games() int {
	n := 0
	for _, p := range s.parts {
		n += p.games
	}
	return n
}

// Meta says what the samples are; its Generation is the last one in the set.
func (s *Set) Meta() Meta { return s.parts[len(s.parts)-1].meta }

// Sample returns sample i, 0 <= i < Len(), which the caller must not change.
func (s *Set) Sample(i int) *encode.Sample {
	p := 0
	for i >= s.starts[p+1] { // a window has few parts
		p++
	}
	return &s.parts[p].samples[i-s.starts[p]]
}
