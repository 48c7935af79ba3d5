package encode_test

import (
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// turned is the FEN with colors changed and the board upside down.
func turned(fen string) string {
	swap := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}
	f := strings.Fields(fen)
	ranks := strings.Split(f[0], "/")
	slices.Reverse(ranks)
	f[0] = strings.Map(swap, strings.Join(ranks, "/"))
	f[1] = map[string]string{"w": "b", "b": "w"}[f[1]]
	f[2] = strings.Map(swap, f[2])
	f[3] = strings.NewReplacer("3", "6", "6", "3").Replace(f[3])
	return strings.Join(f, " ")
}

// A position and the same one with colors changed are the same to mover15 and
// uci1968-mover, move by move; with white to move they agree with atomic16 and
// uci1968.
func TestMover(t *testing.T) {
	mover, err := encode.NewCodec("mover15", "uci1968-mover", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r3k2r/p1pp1pb1/bn2pnp1/3P4/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQk - 0 1",
		"4k3/1P5P/8/3pP3/8/8/p7/4K2R w K d6 0 1",
	} {
		var white, black, reference encode.Leaf
		p, q := position(t, chess.Atomic, fen), position(t, chess.Atomic, turned(fen))
		var l chess.MoveList
		p.LegalMoves(&l)
		mover.Prepare(&white, chess.NewGame(p), l.Slice())
		plain.Prepare(&reference, chess.NewGame(p), l.Slice())
		if !slices.Equal(white.Planes[:14], reference.Planes[:14]) || !slices.Equal(white.Indices, reference.Indices) {
			t.Errorf("%s: with white to move mover15 is not atomic16", fen)
		}
		q.LegalMoves(&l)
		mover.Prepare(&black, chess.NewGame(q), l.Slice())
		slices.Sort(white.Indices)
		slices.Sort(black.Indices)
		if !slices.Equal(white.Planes, black.Planes) || !slices.Equal(white.Indices, black.Indices) {
			t.Errorf("%s: black does not see what white sees:\n%x\n%x\n%v\n%v", fen, white.Planes, black.Planes, white.Indices, black.Indices)
		}
		if white.Sign != 1 || black.Sign != 1 {
			t.Errorf("%s: signs %v and %v, want the side to move's view", fen, white.Sign, black.Sign)
		}
	}
}
