package match

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"alamos/pkg/chess"
)

// derive makes a seed that is a function of a seed, some texts and a number, and
// different for different ones.
func derive(seed uint64, number int, texts ...string) uint64 {
	buf := binary.LittleEndian.AppendUint64(nil, seed)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(number))
	for _, s := range texts {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	sum := sha256.Sum256(buf)
	return binary.LittleEndian.Uint64(sum[:])
}

// newRand is a source of random numbers for one decision.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// randomMove is a legal move of the position, 0 when there is none.
func randomMove(p *chess.Position, rng *rand.Rand) chess.Move {
	var l chess.MoveList
	p.LegalMoves(&l)
	if l.Len() == 0 {
		return 0
	}
	return l.At(rng.IntN(l.Len()))
}
