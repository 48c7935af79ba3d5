package data

import (
	"fmt"
	"math/bits"
	"strings"

	"alamos/pkg/chess"
)

// lc0Position is the position of a record of lc0's, with what the record tells of
// the seven plies before it.
type lc0Position struct {
	boards [8][lc0Step - 1]uint64 // newest first, as the side to move at the newest sees them
	rights [4]bool                // to castle: own long, own short, the other's long, short
	black  bool                   // to move at the newest
	rule50 int
}

func lc0PositionOf(r *LC0Record) lc0Position {
	p := lc0Position{black: r.BlackToMove, rule50: r.Rule50}
	for i := range p.boards {
		copy(p.boards[i][:], r.Planes[i*lc0Step:])
	}
	for i := range p.rights {
		p.rights[i] = r.Planes[len(p.boards)*lc0Step+i] != 0
	}
	return p
}

// set sets up the game that leads to the position: as many of the plies before it as
// the record tells and moves can explain. lc0 keeps the moves of its opening book so.
//
// A record does not tell the number of the move, with which rooks one castles
// where there is a choice (the outermost are taken), or whether a position had occurred
// before the plies that it tells.
func (p *lc0Position) set(g *chess.Game) error {
	known := 0
	for known+1 < len(p.boards) && p.boards[known+1] != ([lc0Step - 1]uint64{}) {
		known++
	}
	var err error
	for ; known >= 0; known-- {
		if err = p.from(g, known); err == nil {
			return nil
		}
	}
	return err
}

// from sets up the game from the position that many plies ago.
func (p *lc0Position) from(g *chess.Game, back int) error {
	first := p.white(back)
	rights := p.home(&first)
	if back == 0 {
		rights = p.whiteRights()
	}
	for range 2 {
		start, err := p.position(&first, rights, back)
		if err != nil {
			return err
		}
		g.Reset(start)
		for i := back - 1; i >= 0; i-- {
			m := moveTo(g.Position(), p.white(i))
			if m == 0 {
				return fmt.Errorf("no move leads from %s to the position %d plies before the first record", g.Position().FEN(), i)
			}
			g.Play(m)
		}
		// Rights that are there now and should not be were not there at the start.
		extra := rightsOf(g.Position())
		want := p.whiteRights()
		wrong := false
		for i := range extra {
			if extra[i] && !want[i] {
				rights[i], wrong = false, true
			}
		}
		if !wrong {
			break
		}
	}
	if now := g.Position(); now.Rule50() != p.rule50 || rightsOf(now) != p.whiteRights() {
		return fmt.Errorf("its clock %d and rights to castle contradict its position %s", p.rule50, now.FEN())
	}
	return nil
}

// whiteBoards are the boards of a position as white sees them: white's pawns to king,
// then black's.
type whiteBoards [lc0Step - 1]uint64

// white gives the boards that many plies ago.
func (p *lc0Position) white(back int) (b whiteBoards) {
	b = p.boards[back]
	if p.black {
		for i := range b {
			b[i] = bits.ReverseBytes64(b[i])
		}
		for i := range b[:6] {
			b[i], b[i+6] = b[i+6], b[i]
		}
	}
	return b
}

// The places of rights to castle in arrays of four.
const (
	whiteLong = iota
	whiteShort
	blackLong
	blackShort
)

// whiteRights are the rights to castle: white's long, short, black's long, short.
func (p *lc0Position) whiteRights() [4]bool {
	r := p.rights
	if p.black {
		r[0], r[1], r[2], r[3] = r[2], r[3], r[0], r[1]
	}
	return r
}

// home are the rights that the places of kings and rooks would allow in chess.
func (p *lc0Position) home(b *whiteBoards) (r [4]bool) {
	has := func(board uint64, square int) bool { return board>>square&1 == 1 }
	const rook, king = 3, 5
	for side, rank := range [2]int{0, 56} {
		rooks, kings := b[6*side+rook], b[6*side+king]
		r[2*side+whiteLong] = has(kings, rank+4) && has(rooks, rank)
		r[2*side+whiteShort] = has(kings, rank+4) && has(rooks, rank+7)
	}
	return r
}

// rightsOf are the rights to castle of a position.
func rightsOf(p *chess.Position) (r [4]bool) {
	for c := chess.White; c <= chess.Black; c++ {
		left := chess.Bitboard(1)<<(p.King(c)&63) - 1
		rooks := p.CastlingRooks(c)
		r[2*c+whiteLong] = rooks&left != 0
		r[2*c+whiteShort] = rooks&^left != 0
	}
	return r
}

// position makes a position of boards, that many plies before the record.
func (p *lc0Position) position(b *whiteBoards, rights [4]bool, back int) (chess.Position, error) {
	var fen strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := range 8 {
			piece := byte(0)
			for i, letter := range []byte("PNBRQKpnbrqk") {
				if b[i]>>(8*rank+file)&1 == 1 {
					if piece != 0 {
						return chess.Position{}, fmt.Errorf("two pieces on %s", chess.NewSquare(file, rank))
					}
					piece = letter
				}
			}
			if piece == 0 {
				empty++
				continue
			}
			if empty > 0 {
				fen.WriteByte('0' + byte(empty))
				empty = 0
			}
			fen.WriteByte(piece)
		}
		if empty > 0 {
			fen.WriteByte('0' + byte(empty))
		}
		if rank > 0 {
			fen.WriteByte('/')
		}
	}
	turn := "w"
	if p.black != (back%2 == 1) {
		turn = "b"
	}
	castling := ""
	for _, r := range []struct {
		right  int
		letter string
	}{{whiteShort, "K"}, {whiteLong, "Q"}, {blackShort, "k"}, {blackLong, "q"}} {
		if rights[r.right] {
			castling += r.letter
		}
	}
	if castling == "" {
		castling = "-"
	}
	fmt.Fprintf(&fen, " %s %s - %d 1", turn, castling, max(0, p.rule50-back))
	return chess.ParseFEN(chess.Standard, fen.String())
}

// moveTo is the legal move after which the pieces stand as on the boards; 0 when
// there is none.
func moveTo(p *chess.Position, b whiteBoards) chess.Move {
	var list chess.MoveList
	p.LegalMoves(&list)
	for _, m := range list.Slice() {
		q := *p
		q.Play(m)
		if boardsOf(&q) == b {
			return m
		}
	}
	return 0
}

func boardsOf(p *chess.Position) (b whiteBoards) {
	for t := chess.Pawn; t <= chess.King; t++ {
		b[t-chess.Pawn] = uint64(p.Pieces(chess.White, t))
		b[t-chess.Pawn+6] = uint64(p.Pieces(chess.Black, t))
	}
	return b
}
