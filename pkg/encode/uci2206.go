package encode

import "alamos/pkg/chess"

// uci2206Mover numbers the moves of every variant, as the side to move sees the
// board (see [view]):
//
//	0..1879     the queen and knight moves and white's promotions of uci1968
//	1880..1901  promotions to a king (antichess), by origin, then destination:
//	            a7a8k, a7b8k, b7a8k, .. h7h8k
//	1902..1949  pawns dropped (crazyhouse), a2 to h7: P@a2, P@b2, .. P@h7
//	1950..2205  knights, bishops, rooks and queens dropped, each a1 to h8:
//	            N@a1, N@b1, .. Q@h8
//
// It goes with variants31.
type uci2206Mover struct{}

const (
	allUCI      = uciPlain + 88 // one side's promotions of uci1968 are kept
	allKings    = allUCI
	allPawns    = allKings + 22
	allPieces   = allPawns + 48
	allSize     = allPieces + 4*64
	firstPawnSq = 8 // a2
)

// kingTable gives the index of promotions to a king by from, to.
var kingTable = newKingTable()

func newKingTable() *[64][64]int16 {
	t := new([64][64]int16)
	next := int16(allKings)
	for from := range 64 {
		for to := range 64 {
			// A promotion of white's is listed in uci1968 before black's.
			if i := uciTable.knight[from][to]; i >= 0 && i < allUCI {
				t[from][to] = next
				next++
			}
		}
	}
	return t
}

// UCI2206Moves is the list of the uci2206-mover policy: the UCI string of each
// index as white sees it. The caller may keep and change it.
func UCI2206Moves() []string {
	moves := append([]string(nil), uciTable.moves[:allUCI]...)
	for i := uciPlain; i < allUCI; i += 4 { // one of four: the squares are the same
		moves = append(moves, uciTable.moves[i][:4]+"k")
	}
	square := func(s int) string { return string([]byte{'a' + byte(s%8), '1' + byte(s/8)}) }
	for s := range 48 {
		moves = append(moves, "P@"+square(firstPawnSq+s))
	}
	for _, piece := range "NBRQ" {
		for s := range 64 {
			moves = append(moves, string(piece)+"@"+square(s))
		}
	}
	return moves
}

func (uci2206Mover) Name() string { return "uci2206-mover" }
func (uci2206Mover) Size() int    { return allSize }

func (e uci2206Mover) Supports(v chess.Variant) error { return lacks(nil).support(e.Name(), v) }

func (uci2206Mover) Index(p *chess.Position, m chess.Move) int {
	v := view(p)
	to := int(m.To() ^ v)
	switch piece := m.Dropped(); {
	case piece == chess.Pawn:
		return allPawns + to - firstPawnSq
	case piece != chess.NoPieceType:
		return allPieces + 64*int(piece-chess.Knight) + to
	case m.Promotion() == chess.King:
		return int(kingTable[m.From()^v][to])
	}
	return uciIndex(m, v)
}
