package data

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// Set is a sequence of samples: those of one file, or of a replay window's generations in order.
// It is immutable, so all methods are safe for concurrent use.
type Set struct {
	parts  []*part
	starts []int // starts[i] is the index of the first sample of parts[i]; a last element holds Len
}

// part is the samples of one file. A sample takes 16 bytes of places, and the rest is in blocks,
// which may be in a file: see [ReadInto].
type part struct {
	meta   Meta
	shape  shape
	places []place
	blocks [][]byte
	used   int // bytes of the last block
	mapped *disk.Mapped
}

// place is what is asked of all samples, and where the rest of a sample is.
type place struct {
	game, ply   int32
	block, from uint32
}

// record is the beginning of a sample in a block. The planes, the later board, the policy's
// indices and its targets follow.
type record struct {
	value, draw, movesLeft float32
	reply                  int32
	moves                  int64
}

const recordBytes = int(unsafe.Sizeof(record{}))

// Sizes of blocks.
const (
	firstBlock  = 1 << 16
	largeBlock  = 1 << 22
	mappedBlock = 1 << 24
)

// room returns a number of bytes of a block.
func (p *part) room(size int) ([]byte, error) {
	next := firstBlock
	if last := len(p.blocks) - 1; last >= 0 {
		if p.used+size <= len(p.blocks[last]) {
			p.used += size
			return p.blocks[last][p.used-size : p.used], nil
		}
		next = min(largeBlock, 2*len(p.blocks[last]))
	}
	var block []byte
	var err error
	if p.mapped != nil {
		block, err = p.mapped.Block((size + mappedBlock - 1) / mappedBlock * mappedBlock)
	} else {
		block = make([]byte, max(size, next))
	}
	if err != nil {
		return nil, err
	}
	p.blocks, p.used = append(p.blocks, block), size
	return block[:size:size], nil
}

// add appends the sample of a row of a file.
func (p *part) add(r *row) error {
	moves := len(r.Indices) / 4
	if len(r.Planes) != 8*p.shape.planes || len(r.Future) != 8*p.shape.future || len(r.Indices) != 4*moves || len(r.Policy) != 4*moves {
		s, err := r.sample()
		return cmp.Or(err, p.shape.check(&s), errors.New("an array has a wrong length"))
	}
	size := recordBytes + len(r.Planes) + len(r.Future) + len(r.Indices) + len(r.Policy)
	b, err := p.room(size)
	if err != nil {
		return err
	}
	*(*record)(unsafe.Pointer(&b[0])) = record{r.Value, r.Draw, r.MovesLeft, r.Reply, int64(moves)}
	rest := b[recordBytes:]
	for _, array := range [][]byte{r.Planes, r.Future, r.Indices, r.Policy} {
		rest = rest[copy(rest, array):]
	}
	at := place{r.Game, r.Ply, uint32(len(p.blocks) - 1), uint32(p.used - size)}
	if err := p.shape.check(p.sample(at)); err != nil {
		return err
	}
	p.places = append(p.places, at)
	return nil
}

// sample returns the sample of a place, whose arrays are in the block.
func (p *part) sample(at place) *encode.Sample {
	b := p.blocks[at.block][at.from:]
	r := (*record)(unsafe.Pointer(&b[0]))
	rest := b[recordBytes:]
	return &encode.Sample{
		Game: at.game, Ply: at.ply, Value: r.value, Draw: r.draw, MovesLeft: r.movesLeft, Reply: r.reply,
		Planes: array[uint64](&rest, p.shape.planes), Future: array[uint64](&rest, p.shape.future),
		Indices: array[int32](&rest, int(r.moves)), Policy: array[float32](&rest, int(r.moves)),
	}
}

// array returns the next n numbers of a block as they are there, in the order of bytes of this
// machine, which is that of sample files.
func array[T uint64 | int32 | float32](b *[]byte, n int) []T {
	if n == 0 {
		return nil
	}
	numbers := unsafe.Slice((*T)(unsafe.Pointer(&(*b)[0])), n)
	*b = (*b)[n*int(unsafe.Sizeof(numbers[0])):]
	return numbers
}

func newSet(parts ...*part) *Set {
	s := &Set{parts: parts, starts: []int{0}}
	for i, p := range parts {
		s.starts = append(s.starts, s.starts[i]+len(p.places))
	}
	return s
}

// ReplayWindow joins sets in the order of the generations without copying samples. It
// returns an error if encodings or variants differ, or if a generation occurs twice.
func ReplayWindow(sets ...*Set) (*Set, error) {
	var parts []*part
	for _, s := range sets {
		parts = append(parts, s.parts...)
	}
	if len(parts) == 0 {
		return nil, errors.New("a replay window without samples: give it at least one generation")
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.meta.Generation, b.meta.Generation) })
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

// Meta returns the description of the samples. Its Generation is the last one in the set.
func (s *Set) Meta() Meta { return s.parts[len(s.parts)-1].meta }

// Sample returns sample i, 0 <= i < Len(). The caller must not change it.
func (s *Set) Sample(i int) *encode.Sample {
	p, k := s.find(i)
	return p.sample(p.places[k])
}

// find returns the file of sample i, and its number there.
func (s *Set) find(i int) (p *part, k int) {
	n := 0
	for i >= s.starts[n+1] { // linear search, because a window has few parts
		n++
	}
	return s.parts[n], i - s.starts[n]
}

// Expect prepares for the use of samples that are in a file, see [ReadInto].
func (s *Set) Expect(indices []int32) {
	if !slices.ContainsFunc(s.parts, func(p *part) bool { return p.mapped != nil }) {
		return
	}
	for _, i := range indices {
		if p, k := s.find(int(i)); p.mapped != nil {
			at := p.places[k]
			block := p.blocks[at.block]
			from := int(at.from)
			disk.Expect(block, from, min(len(block), from+int(SampleBytes(p.shape.planes+p.shape.future, usualMoves))))
		}
	}
}

// usualMoves is the number of moves that most positions have at most.
const usualMoves = 50

// Next returns the sample of the position after that of sample i, or nil. It is found where the
// samples of a game follow each other in the order of the game, as those of self-play do.
func (s *Set) Next(i int) *encode.Sample {
	p, first := s.find(i)
	for k := first; k < len(p.places); k++ {
		switch after := p.places[k].ply - p.places[first].ply; {
		case p.places[k].game != p.places[first].game || after > 1:
			return nil
		case after == 1:
			return p.sample(p.places[k])
		}
	}
	return nil
}

// Split divides the samples of a set into a training part and a validation part, and
// returns the indices of each in order. The share, 0 to 1, is a share of games: all
// positions of a game are in the same part. If single is set, each position is split like a
// game of its own.
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
func Split(set *Set, seed uint64, share float64, single bool) (learn, held []int32) {
	out := set.heldOut(seed, share, single)
	for p := range set.parts {
		for i := range set.parts[p].places {
			place := int32(set.starts[p] + i)
			if out[set.parts[p].game(i, single)] {
				held = append(held, place)
			} else {
				learn = append(learn, place)
			}
		}
	}
	return learn, held
}

// gameKey identifies a game in a set, or a position.
type gameKey struct {
	generation int // recurring: the game is the same in all generations
	number     int32
	ply        int32 // of a position; 0 for a game
}

const recurring = -1

// game returns the key of sample i's game, or if single is set of its position.
func (p *part) game(i int, single bool) gameKey {
	k := gameKey{generation: p.meta.Generation, number: p.places[i].game}
	if p.meta.Recurring {
		k.generation = recurring
	}
	if single {
		k.ply = p.places[i].ply
	}
	return k
}

// rank returns a game's random rank, 0 to 1. The games with the lowest ranks are held out.
func (k gameKey) rank(seed uint64) float64 {
	place := uint64(k.number)
	if k.generation != recurring {
		place |= uint64(k.generation) << 32
	}
	if k.ply > 0 {
		seed = stats.Nth(seed, uint64(k.ply))
	}
	return float64(rand.NewPCG(seed, place).Uint64()) / math.Exp2(64)
}

// heldOut returns the games to hold out, see [Split].
func (s *Set) heldOut(seed uint64, share float64, single bool) map[gameKey]bool {
	held := map[gameKey]bool{}
	if share <= 0 {
		return held
	}
	games := map[int][]gameKey{} // games that are split together, by the generation of their keys
	seen := map[gameKey]bool{}
	for p := range s.parts {
		for i := range s.parts[p].places {
			if k := s.parts[p].game(i, single); !seen[k] {
				seen[k] = true
				games[k.generation] = append(games[k.generation], k)
			}
		}
	}
	byRank := func(a, b gameKey) int {
		return cmp.Or(cmp.Compare(a.rank(seed), b.rank(seed)), cmp.Compare(a.number, b.number), cmp.Compare(a.ply, b.ply))
	}
	for generation, group := range games {
		slices.SortFunc(group, byRank)
		n := int(math.Round(share * float64(len(group))))
		if generation == recurring {
			n, _ = slices.BinarySearchFunc(group, share, func(k gameKey, share float64) int { return cmp.Compare(k.rank(seed), share) })
		}
		for _, k := range group[:min(max(n, 1), len(group)-1)] {
			held[k] = true
		}
	}
	if len(held) == 0 && len(seen) > 1 { // every group has one game
		held[slices.MinFunc(slices.Collect(maps.Keys(seen)), byRank)] = true
	}
	return held
}

// Shuffle shuffles the indices. The new order depends only on seed and the previous order.
func Shuffle(indices []int32, seed uint64) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(indices), func(i, j int) {
		indices[i], indices[j] = indices[j], indices[i]
	})
}
