package chess

import (
	"fmt"
)

// checkMaterial returns an error for material that no game can have.
func (p *Position) checkMaterial() error {
	if b := p.variant.book(); b != nil {
		return b.checkMaterial(p)
	}
	pawnless := rank1 | rank8
	if p.variant == RacingKings {
		pawnless = ^Bitboard(0)
	}
	if bad := p.kind[Pawn] & pawnless; bad&^(p.color[White]&rank1) != 0 || bad != 0 && p.variant != Horde {
		if p.variant == RacingKings {
			return fmt.Errorf("a pawn on %v: there are no pawns in racing kings", bad.First())
		}
		return fmt.Errorf("a pawn on %v: pawns cannot stand on the first or last rank", bad.First())
	}
	if p.variant == Crazyhouse {
		return p.checkCrazyhouse()
	}
	for c := White; c <= Black; c++ {
		initial := [...]int{Pawn: 8, Knight: 2, Bishop: 2, Rook: 2, Queen: 1, King: 1}
		switch {
		case p.variant == RacingKings:
			initial[Pawn] = 0
		case p.variant == Horde && c == White:
			initial = [...]int{Pawn: 36, King: 0}
		}
		most := 0
		for _, n := range initial {
			most += n
		}
		if n := p.color[c].Count(); n > most {
			return fmt.Errorf("%v has %d pieces: at most %d are possible", c, n, most)
		}
		pawns := p.Pieces(c, Pawn).Count()
		if pawns > initial[Pawn] {
			return fmt.Errorf("%v has %d pawns: at most %d are possible", c, pawns, initial[Pawn])
		}
		promoted := 0
		for t := Knight; t <= King; t++ {
			if t != King || p.variant == Antichess {
				promoted += max(0, p.Pieces(c, t).Count()-initial[t])
			}
		}
		if promoted > initial[Pawn]-pawns {
			return fmt.Errorf("%v has %d pieces more than the initial ones, but only %d pawns can have been promoted", c, promoted, initial[Pawn]-pawns)
		}
	}
	return nil
}

// checkCrazyhouse counts both sides and their pockets together, because pieces change
// sides but do not vanish. Pieces beyond the initial number must have been promoted, even
// if they are not marked so.
func (p *Position) checkCrazyhouse() error {
	initial := [...]int{Pawn: 16, Knight: 4, Bishop: 4, Rook: 4, Queen: 2, King: 2}
	have := func(t PieceType) int {
		return p.kind[t].Count() + p.Pocket(White, t) + p.Pocket(Black, t)
	}
	all, promoted := 0, p.promoted.Count()
	for t := Pawn; t <= King; t++ {
		n := have(t)
		all += n
		if t != Pawn && t != King {
			promoted += max(0, n-(p.promoted&p.kind[t]).Count()-initial[t])
		}
	}
	switch pawns := have(Pawn); {
	case all > 32:
		return fmt.Errorf("%d pieces on the board and in the pockets: at most 32 are possible", all)
	case pawns > 16:
		return fmt.Errorf("%d pawns on the board and in the pockets: at most 16 are possible", pawns)
	case promoted > 16-pawns:
		return fmt.Errorf("%d promoted pieces, but only %d pawns can have been promoted", promoted, 16-pawns)
	}
	return nil
}

func (p *Position) checkKings() error {
	if b := p.variant.book(); b != nil {
		return b.checkRoyals(p)
	}
	if p.variant == Antichess {
		if p.color[p.turn.Other()] == 0 {
			return fmt.Errorf("%v has no piece: in antichess only the side to move can have lost all", p.turn.Other())
		}
		return nil
	}
	for c := White; c <= Black; c++ {
		n := p.Pieces(c, King).Count()
		if p.variant == Horde && c == White {
			switch {
			case n > 0:
				return fmt.Errorf("white has a king: in horde it has none")
			case p.color[White] == 0 && p.turn == Black:
				return fmt.Errorf("white has no piece, so that black has won, but it is black's turn")
			}
			continue
		}
		if n == 1 {
			continue
		}
		if n > 1 {
			return fmt.Errorf("%v has %d kings: want one", c, n)
		}
		if p.variant != Atomic {
			return fmt.Errorf("%v has no king", c)
		}
		if c != p.turn {
			return fmt.Errorf("%v has no king: in atomic chess only the side to move can have lost it", c)
		}
	}
	if p.variant == KingOfTheHill && p.Pieces(p.turn, King)&hill != 0 {
		return fmt.Errorf("the %v king is in the center and has won, but it is %v's turn", p.turn, p.turn)
	}
	if p.attacked(p.turn.Other()) {
		return fmt.Errorf("it is %v's turn, but %v is in check", p.turn, p.turn.Other())
	}
	if p.variant == RacingKings && p.attacked(p.turn) {
		return fmt.Errorf("%v is in check: racing kings allows no checks", p.turn)
	}
	return nil
}
