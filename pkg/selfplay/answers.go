package selfplay

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/stats"
)

const (
	answersOf    = 256 // positions
	answersDepth = 80  // plies of a random game that gives positions
)

// Answers returns a hash of the bits of a network's evaluations of 256 fixed positions, which
// are those of random games. Two machines with equal answers are taken to play the same games:
// no list of processors can tell, because it depends on the network too.
func Answers(codec encode.Codec, v chess.Variant, net search.Net) (string, error) {
	leaves := make([]*encode.Leaf, answersOf)
	rng, start := stats.NewRand(answersOf), chess.StartPosition(v)
	game := chess.NewGame(start)
	var moves chess.MoveList
	for i := range leaves {
		game.Position().LegalMoves(&moves)
		if game.Outcome(&moves).Over() || game.Ply() == answersDepth {
			game.Reset(start)
			game.Position().LegalMoves(&moves)
		}
		leaves[i] = new(encode.Leaf)
		codec.Prepare(leaves[i], game, moves.Slice())
		game.Play(moves.At(rng.IntN(moves.Len())))
	}
	if err := net.Evaluate(leaves); err != nil {
		return "", err
	}
	h := sha256.New()
	for _, l := range leaves {
		for _, x := range []any{l.Priors, l.Value, l.WDL, l.MovesLeft} {
			_ = binary.Write(h, binary.LittleEndian, x) // writing to a hash never fails
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
