package chess

import (
	"fmt"
	"slices"
)

// The notations and the ends of games of defined rules.

// checkMaterial is [Position.checkMaterial] for defined rules.
func (b *rulebook) checkMaterial(p *Position) error {
	pieces, pawns := p.Occupied().Count(), p.Pieces(White, Pawn)|p.Pieces(Black, Pawn)
	for c := White; c <= Black; c++ {
		if bad := p.Pieces(c, Pawn) & b.zone[c]; bad != 0 && !b.MayPromote {
			return fmt.Errorf("a pawn on %v, where it would have promoted", bad.First())
		}
		for _, k := range b.kinds {
			pieces += p.Pocket(c, k.t)
		}
	}
	if b.Hand == "captures" && pieces > pocketMost {
		return fmt.Errorf("%d pieces, all of which could come into one hand: at most %d are possible", pieces, pocketMost)
	}
	if bad := pawns &^ b.squares; bad != 0 {
		return fmt.Errorf("a pawn on %v, which is not on the board", bad.First())
	}
	for c := White; c <= Black; c++ {
		n := p.color[c].Count()
		for _, k := range b.kinds {
			n += p.Pocket(c, k.t)
		}
		if b.Hand == "captures" {
			n = pieces
		}
		if most := b.mostMoves(n); most > len(MoveList{}.moves) {
			return fmt.Errorf("%v can have %d pieces and so up to %d moves: at most %d are possible", c, n, most, len(MoveList{}.moves))
		}
	}
	return nil
}

// mostMoves is a bound on the moves of a side with n pieces on the board and in hand. With k
// pieces on the board there are at most k*b.most moves, and at most len(b.ways) ways to reach
// each square.
func (b *rulebook) mostMoves(n int) (most int) {
	squares, drops := b.squares.Count(), 0
	if b.hand {
		drops = len(b.variant.Drops())
	}
	promotions := 3 * (b.zone[White] | b.zone[Black]).Count() * b.promotions()
	for k := range min(n, squares) + 1 {
		targets := squares - k
		if b.SelfCapture {
			targets = squares
		}
		moves := min(k*b.most, len(b.ways)*targets+promotions) + 2
		if k < n {
			moves += drops * (squares - k)
		}
		most = max(most, moves)
	}
	return most
}

// checkRoyals is [Position.checkKings] for defined rules.
func (b *rulebook) checkRoyals(p *Position) error {
	for c := White; c <= Black; c++ {
		if b.bound[c] && b.pieces(p, c, b.royals) == 0 && (b.Explosion == 0 || c != p.turn) {
			return fmt.Errorf("%v has no royal piece (%s)", c, b.Royal)
		}
	}
	switch {
	case b.Explosion > 0 && b.bound[p.turn] && b.pieces(p, p.turn, b.royals) == 0: // the game is over
	case b.attacked(p, p.turn.Other()):
		return fmt.Errorf("it is %v's turn, but %v is in check", p.turn, p.turn.Other())
	case !b.GiveCheck && b.attacked(p, p.turn):
		return fmt.Errorf("%v is in check, and the rules allow no checks", p.turn)
	}
	return nil
}

// parseEnPassant is [Position.parseEnPassant] for defined rules. The square of a capture is
// followed by that of the pawn, if it is not the first of [rulebook.passers].
func (b *rulebook) parseEnPassant(p *Position, text string) error {
	us, them := p.turn, p.turn.Other()
	target, err := ParseSquare(text[:min(2, len(text))])
	if err != nil {
		return err
	}
	victims := b.passers(p, target)
	if len(victims) == 0 {
		return fmt.Errorf("%s: no %v pawn can just have made a double step over it", target, them)
	}
	victim := victims[0]
	if rest := text[2:]; rest != "" {
		if victim, err = ParseSquare(rest); err != nil {
			return err
		}
		if !slices.Contains(victims, victim) {
			return fmt.Errorf("%s: the pawn on %s cannot just have made a double step over %s", text, victim, target)
		}
	}
	if b.pawnReaches(p, us, target, p.Occupied()) {
		p.enPassant, p.victim = target, victim
	}
	return nil
}

// pawnReaches reports whether a pawn of side us captures on a square, which may be empty.
func (b *rulebook) pawnReaches(p *Position, us Color, target Square, occupied Bitboard) bool {
	pawn := b.of[Pawn]
	return pawn.capture[us].region.Has(target) && b.reach(&pawn.back[us], target, occupied|^b.squares)&p.Pieces(us, Pawn) != 0
}

// passers returns the squares of the pawns that can just have made a double step over a square.
func (b *rulebook) passers(p *Position, middle Square) (squares []Square) {
	pawn, them := b.of[Pawn], p.turn.Other()
	if pawn == nil {
		return nil
	}
	for _, d := range pawn.twice[them] {
		from, to := middle-Square(d), middle+Square(d)
		if from > 63 || to > 63 || !b.leaps[them].Has(from) || !b.answered[them].Has(from) || !pawn.quiet[them].leaps[from].Has(middle) ||
			!pawn.quiet[them].leaps[middle].Has(to) || !p.Pieces(them, Pawn).Has(to) || p.Occupied()&(middle.bit()|from.bit()) != 0 {
			continue
		}
		squares = append(squares, to)
	}
	return squares
}

// chess960 is start position n of chess960 by these rules.
func (b *rulebook) chess960(n int) (Position, error) {
	p, err := Chess960(Standard, n)
	if err != nil {
		return p, err
	}
	p.variant, p.checks = b.variant, b.start.checks
	if !b.Castling {
		p.castle = 0
	}
	p.key = p.computeKey()
	return p, nil
}

// drawn returns the outcome if material, the number of quiet plies or repetition ends the
// game, which mate and stalemate do not.
func (b *rulebook) drawn(g *Game) Outcome {
	p := g.Position()
	switch {
	case p.InsufficientMaterial():
		return Outcome{Draw, InsufficientMaterial}
	case b.QuietPlies > 0 && int(p.rule50) >= b.QuietPlies:
		return Outcome{valueFor(p.turn, b.QuietIs), FiftyMoves}
	case b.Repetition > 0 && g.Repetitions() >= b.Repetition-1:
		return Outcome{valueFor(p.turn, b.RepetitionIs), Threefold}
	}
	return Outcome{Unfinished, NoReason}
}
