package encode

import "alamos/pkg/chess"

// uci1968 numbers moves by their UCI strings, as the OppenheimerZero thesis
// does (section 4.2.2, idx_to_move and move_to_idx): every move that a queen
// or a knight could make on an empty board, which covers every move of every
// piece, and every promotion.
//
// The thesis does not give the order of its list. Ours is:
//
//	0..1791     queen and knight moves, by origin (a1, b1, .. h8), then by
//	            destination in the same order: a1b1, a1c1, .. h8g8
//	1792..1879  white's promotions by origin, then destination, then piece
//	            n, b, r, q: a7a8n, a7a8b, .. h7h8q
//	1880..1967  black's promotions likewise: a2a1n, .. h2h1q
//
// Castling is the king's move of two squares, e1g1; where king or rook began
// elsewhere than in chess, it is the king taking his rook, as in UCI.
type uci1968 struct{}

const (
	uciPlain = 1792
	uciSize  = 1968
)

// uciTable is the list and its inverse, made once.
var uciTable = newUCITable()

type uciLookup struct {
	moves  []string
	plain  [64][64]int16 // index of from, to without promotion; -1: none
	knight [64][64]int16 // index of from, to with promotion to a knight
}

func newUCITable() *uciLookup {
	t := &uciLookup{moves: make([]string, 0, uciSize)}
	square := func(s int) string { return string([]byte{'a' + byte(s%8), '1' + byte(s/8)}) }
	for from := range 64 {
		for to := range 64 {
			t.plain[from][to], t.knight[from][to] = -1, -1
			if queenMove(from, to) || knightMove(from, to) {
				t.plain[from][to] = int16(len(t.moves))
				t.moves = append(t.moves, square(from)+square(to))
			}
		}
	}
	for _, ranks := range [2][2]int{{6, 7}, {1, 0}} {
		for file := range 8 {
			for target := max(file-1, 0); target <= min(file+1, 7); target++ {
				from, to := ranks[0]*8+file, ranks[1]*8+target
				t.knight[from][to] = int16(len(t.moves))
				for _, piece := range "nbrq" {
					t.moves = append(t.moves, square(from)+square(to)+string(piece))
				}
			}
		}
	}
	return t
}

// deltas are the distances in files and ranks between two squares.
func deltas(from, to int) (files, ranks int) {
	abs := func(x int) int { return max(x, -x) }
	return abs(from%8 - to%8), abs(from/8 - to/8)
}

func queenMove(from, to int) bool {
	files, ranks := deltas(from, to)
	return from != to && (files == 0 || ranks == 0 || files == ranks)
}

func knightMove(from, to int) bool {
	files, ranks := deltas(from, to)
	return files*ranks == 2
}

// UCI1968Moves is the list of the uci1968 policy: the UCI string of each
// index. The caller may keep and change it.
func UCI1968Moves() []string { return append([]string(nil), uciTable.moves...) }

func (uci1968) Name() string { return "uci1968" }
func (uci1968) Size() int    { return uciSize }

func (e uci1968) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (uci1968) Index(_ *chess.Position, m chess.Move) int { return uciIndex(m, asItIs) }

// uci1968Mover is uci1968 as the side to move sees the board: black's moves
// are numbered as white's moves on the board turned upside down (in racing
// kings with left and right changed), so that both learn from each other's
// games. Half of the promotions are never used. It goes with mover15.
type uci1968Mover struct{}

func (uci1968Mover) Name() string { return "uci1968-mover" }
func (uci1968Mover) Size() int    { return uciSize }

func (e uci1968Mover) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (uci1968Mover) Index(p *chess.Position, m chess.Move) int { return uciIndex(m, view(p)) }

// uciIndex is the index of a move as it is seen in a view, -1 of promotions to
// a king and of drops.
func uciIndex(m chess.Move, view chess.Square) int {
	from, to := squares(m, view)
	if piece := m.Promotion(); piece != chess.NoPieceType {
		if base := uciTable.knight[from][to]; base >= 0 && piece >= chess.Knight && piece <= chess.Queen {
			return int(base) + int(piece-chess.Knight)
		}
		return -1
	}
	return int(uciTable.plain[from][to])
}
