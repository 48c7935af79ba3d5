package search

import (
	"math"
	"math/bits"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// key identifies a leaf: 128 bits, so that two leaves of one search never share one.
type key [2]uint64

// keyOf is the key of the leaf l at p: of everything that the encoder writes (planes,
// indices and order of the moves, sign), so with as much history as it encodes, and of
// the position, for evaluators without planes.
func keyOf(p *chess.Position, l *encode.Leaf) key {
	k := key{1, 2}
	k.add(p.Key())
	k.add(uint64(math.Float32bits(l.Sign)))
	for _, w := range l.Planes {
		k.add(w)
	}
	for _, i := range l.Indices {
		k.add(uint64(uint32(i)))
	}
	return k
}

// add mixes a word into the key. Each half is a bijection of the word and of its value
// before.
func (k *key) add(w uint64) {
	k[0] = (bits.RotateLeft64(k[0], 29) ^ w) * 0x9e3779b97f4a7c15
	k[1] = (bits.RotateLeft64(k[1], 37) ^ w) * 0xd1342543de82ef95
}

// cache keeps evaluations: a table with one place per key, in which later evaluations
// replace earlier ones, and a ring of their priors, which are overwritten when the ring
// wraps.
//
// Table and ring begin small and grow as they fill, so that many trees with large caches
// use only the memory that they need. The content depends only on what was put since
// clear, and not on earlier uses of the memory.
type cache struct {
	first, most int // places after clear, and at most: first times a power of two

	places []place
	taken  int       // places that are not empty
	priors []float32 // the prior number i of all since clear is at i % len
	next   uint64    // number of the next prior
}

type place struct {
	key   key
	at    uint64 // number of the first prior
	value float32
	wdl   [3]float32
	count int32 // 0: empty
}

const (
	// priorsEach is how many moves a position is taken to have.
	priorsEach = 40
	// mostMoves is more than any position has (see chess.MoveList).
	mostMoves = 1024
	// firstPlaces bounds how many places a cache begins with.
	firstPlaces = 1024
	// placesPerEntry is how many places each evaluation has before the table grows: a
	// fuller table has many collisions.
	placesPerEntry = 8
)

func newCache(positions int) *cache {
	first, most := positions, positions
	for first > firstPlaces {
		first /= 2
	}
	for n := first; n <= positions; n *= 2 {
		most = n
	}
	c := &cache{first: first, most: most}
	c.clear()
	return c
}

// clear drops all evaluations and keeps the memory.
func (c *cache) clear() {
	c.places = resized(c.places, c.first)
	clear(c.places)
	c.priors = resized(c.priors, ring(c.first))
	c.taken, c.next = 0, 0
}

// ring is the number of priors for a number of places.
func ring(places int) int { return max(mostMoves, places*priorsEach) }

// resized is s with n items; new items are undefined.
func resized[T any](s []T, n int) []T { return slices.Grow(s, max(0, n-len(s)))[:n] }

// grow doubles the places. Keys with places of their own keep them: that of place i goes
// to 2i or 2i+1, where none is still to be moved.
func (c *cache) grow() {
	n := len(c.places)
	c.places = resized(c.places, 2*n)
	for i := n - 1; i >= 0; i-- {
		p := c.places[i]
		c.places[2*i], c.places[2*i+1] = place{}, place{}
		if p.count > 0 {
			*c.place(p.key) = p
		}
	}
}

func (c *cache) place(k key) *place {
	hi, _ := bits.Mul64(k[0], uint64(len(c.places)))
	return &c.places[hi]
}

// get writes the evaluation of the leaf k to l, if it is known.
func (c *cache) get(k key, l *encode.Leaf) bool {
	p := c.place(k)
	if p.count == 0 || p.key != k || p.at+uint64(len(c.priors)) < c.next {
		return false
	}
	at := int(p.at % uint64(len(c.priors)))
	l.Priors = append(l.Priors[:0], c.priors[at:at+int(p.count)]...)
	l.Value, l.WDL = p.value, p.wdl
	return true
}

// put stores an evaluation. Its priors are contiguous.
func (c *cache) put(k key, l *encode.Leaf) {
	if placesPerEntry*c.taken >= len(c.places) && len(c.places) < c.most {
		c.grow()
	}
	count := uint64(len(l.Priors))
	if size := len(c.priors); c.next+count > uint64(size) && size < ring(c.most) {
		c.priors = resized(c.priors, min(2*size, ring(c.most))) // it has not come around yet
	}
	size := uint64(len(c.priors))
	if c.next%size+count > size {
		c.next += size - c.next%size
	}
	copy(c.priors[c.next%size:], l.Priors)
	p := c.place(k)
	if p.count == 0 {
		c.taken++
	}
	*p = place{k, c.next, l.Value, l.WDL, int32(count)}
	c.next += count
}
