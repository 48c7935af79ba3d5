package search

import (
	"math"
	"math/bits"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// key stands for a question: 128 bits, so that two questions of one search with
// the same key will not be seen.
type key [2]uint64

// keyOf is the key of a question about p: of all that an encoder says (planes,
// indices and order of the moves, sign), so of as much history as it looks at,
// and of the position for evaluators that have no planes.
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

// add goes on with a word. Each half is a bijection of the word and of what came
// before.
func (k *key) add(w uint64) {
	k[0] = (bits.RotateLeft64(k[0], 29) ^ w) * 0x9e3779b97f4a7c15
	k[1] = (bits.RotateLeft64(k[1], 37) ^ w) * 0xd1342543de82ef95
}

// cache remembers answers: a table with one place for a key, whose later answers
// replace earlier ones, and their priors in a ring, which are lost when it has
// come around.
type cache struct {
	places []place
	priors []float32 // the prior number i of all ever stored is at i % len
	next   uint64    // number of the next prior
	first  uint64    // answers from before are not valid
}

type place struct {
	key   key
	at    uint64 // number of the first prior
	value float32
	wdl   [3]float32
	count int32 // 0: empty
}

// priorsEach is how many moves a position is taken to have.
const priorsEach = 40

// mostMoves is more than any position has (see chess.MoveList).
const mostMoves = 1024

func newCache(positions int) *cache {
	return &cache{
		places: make([]place, positions),
		priors: make([]float32, max(mostMoves, positions*priorsEach)),
	}
}

// clear forgets everything.
func (c *cache) clear() { c.first = c.next }

func (c *cache) place(k key) *place {
	hi, _ := bits.Mul64(k[0], uint64(len(c.places)))
	return &c.places[hi]
}

// get writes the answer to the question k to l, if it is known.
func (c *cache) get(k key, l *encode.Leaf) bool {
	p := c.place(k)
	if p.count == 0 || p.key != k || p.at < c.first || p.at+uint64(len(c.priors)) < c.next {
		return false
	}
	at := int(p.at % uint64(len(c.priors)))
	l.Priors = append(l.Priors[:0], c.priors[at:at+int(p.count)]...)
	l.Value, l.WDL = p.value, p.wdl
	return true
}

// put remembers an answer. The priors of one lie side by side.
func (c *cache) put(k key, l *encode.Leaf) {
	size, count := uint64(len(c.priors)), uint64(len(l.Priors))
	if c.next%size+count > size {
		c.next += size - c.next%size
	}
	copy(c.priors[c.next%size:], l.Priors)
	*c.place(k) = place{k, c.next, l.Value, l.WDL, int32(count)}
	c.next += count
}
