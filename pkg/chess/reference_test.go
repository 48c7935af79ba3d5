package chess

import (
	"cmp"
	"slices"
)

// This file is chess for the second time: the rules of the package comment on a
// board of 64 squares, without bitboards, tables or pins. A piece goes where it
// attacks, and a move is legal if what it leads to is allowed. It takes from the
// package only names and types, knows nothing of how Position works, and is meant
// to be read, not to be fast: hostile_test.go holds the package against it.

// referencePosition is a position. Positions are equal (==) when all that decides
// the rest of the game is, and the clocks are.
type referencePosition struct {
	variant    Variant
	board      [64]referencePiece
	turn       Color
	enPassant  Square // set only where a pawn stands to capture there, else NoSquare
	pocket     [2][King + 1]int
	checksLeft [2]int
	rule50     int
	fullMove   int
}

// referencePiece is what stands on a square; the zero value is nothing.
type referencePiece struct {
	kind     PieceType
	color    Color
	promoted bool // it was a pawn (crazyhouse only)
	castles  bool // it is a rook, and neither it nor its king has moved
}

// referenceMove is a move. For castling, to is the square of the rook.
type referenceMove struct {
	from, to            Square
	promotion, dropped  PieceType
	castling, enPassant bool
}

func readReference(p *Position) referencePosition {
	q := referencePosition{
		variant: p.Variant(), turn: p.Turn(), enPassant: p.EnPassant(),
		rule50: p.Rule50(), fullMove: p.FullMove(),
	}
	for s := range NoSquare {
		if kind, color := p.PieceAt(s); kind != NoPieceType {
			q.board[s] = referencePiece{kind, color, p.Promoted().Has(s), p.CastlingRooks(color).Has(s)}
		}
	}
	for c := White; c <= Black; c++ {
		for kind := Pawn; kind <= King; kind++ {
			q.pocket[c][kind] = p.Pocket(c, kind)
		}
		q.checksLeft[c] = p.ChecksLeft(c)
	}
	return q
}

func readReferenceMove(m Move) referenceMove {
	return referenceMove{m.From(), m.To(), m.Promotion(), m.Dropped(), m.IsCastle(), m.IsEnPassant()}
}

// String returns the move and its kind.
func (m referenceMove) String() string {
	text := m.from.String() + m.to.String()
	switch {
	case m.castling:
		text += " castling"
	case m.enPassant:
		text += " en passant"
	case m.promotion != NoPieceType:
		text += " promotion to " + m.promotion.String()
	case m.dropped != NoPieceType:
		text += " drop of " + m.dropped.String()
	}
	return text
}

func (p *referencePosition) empty(s Square) bool { return p.board[s].kind == NoPieceType }

func (p *referencePosition) has(s Square, c Color) bool { return !p.empty(s) && p.board[s].color == c }

// count is the number of pieces of a side.
func (p *referencePosition) count(c Color) (n int) {
	for s := range NoSquare {
		if p.has(s, c) {
			n++
		}
	}
	return n
}

// king is the square of a side's king, NoSquare if it has none.
func (p *referencePosition) king(c Color) Square {
	for s, piece := range p.board {
		if piece.kind == King && piece.color == c {
			return Square(s)
		}
	}
	return NoSquare
}

// pawnStep is the number of ranks by which a side's pawns advance.
func pawnStep(c Color) int {
	if c == White {
		return 1
	}
	return -1
}

// touching reports whether two squares are neighbors, or the same.
func touching(a, b Square) bool {
	files, ranks := a.File()-b.File(), a.Rank()-b.Rank()
	return -1 <= files && files <= 1 && -1 <= ranks && ranks <= 1
}

// attacks reports whether the piece on a square attacks another, whatever stands
// there.
func (p *referencePosition) attacks(from, to Square) bool {
	if from == to {
		return false
	}
	files, ranks := to.File()-from.File(), to.Rank()-from.Rank()
	straight := files == 0 || ranks == 0
	diagonal := files == ranks || files == -ranks
	switch piece := p.board[from]; piece.kind {
	case Pawn:
		return ranks == pawnStep(piece.color) && (files == 1 || files == -1)
	case Knight:
		return files*ranks == 2 || files*ranks == -2
	case Bishop:
		return diagonal && p.open(from, to)
	case Rook:
		return straight && p.open(from, to)
	case Queen:
		return (straight || diagonal) && p.open(from, to)
	case King:
		return touching(from, to)
	}
	return false
}

// open reports whether all squares between two on one line are empty.
func (p *referencePosition) open(from, to Square) bool {
	fileStep, rankStep := cmp.Compare(to.File(), from.File()), cmp.Compare(to.Rank(), from.Rank())
	file, rank := from.File()+fileStep, from.Rank()+rankStep
	for NewSquare(file, rank) != to {
		if !p.empty(NewSquare(file, rank)) {
			return false
		}
		file, rank = file+fileStep, rank+rankStep
	}
	return true
}

// inCheck reports whether a side's king is attacked, where that means anything.
func (p *referencePosition) inCheck(c Color) bool {
	king, enemyKing := p.king(c), p.king(c.Other())
	if king == NoSquare || p.variant == Antichess {
		return false
	}
	if p.variant == Atomic && (enemyKing == NoSquare || touching(king, enemyKing)) {
		return false
	}
	for s := range NoSquare {
		if p.has(s, c.Other()) && p.attacks(s, king) {
			return true
		}
	}
	return false
}

// legalMoves gives the legal moves, none if the game has been decided.
func (p *referencePosition) legalMoves() (legal []referenceMove) {
	if p.decided() {
		return nil
	}
	for _, m := range slices.Concat(p.boardMoves(), p.castlingMoves(), p.drops()) {
		if p.permits(m) {
			legal = append(legal, m)
		}
	}
	if p.variant == Antichess && slices.ContainsFunc(legal, p.captures) {
		legal = slices.DeleteFunc(legal, func(m referenceMove) bool { return !p.captures(m) })
	}
	if p.variant == RacingKings && p.raceOver(legal) {
		return nil
	}
	return legal
}

// decided reports whether the enemy's last move has won by the variant's own rule,
// where that does not depend on the answers to it (see raceOver).
func (p *referencePosition) decided() bool {
	us, them := p.turn, p.turn.Other()
	switch p.variant {
	case Atomic:
		return p.king(us) == NoSquare
	case KingOfTheHill:
		return slices.Contains([]string{"d4", "e4", "d5", "e5"}, p.king(them).String())
	case ThreeCheck:
		return p.checksLeft[them] == 0
	}
	return false
}

// raceOver reports whether racing kings is over: a king is there, and it is not so
// that White's alone has just come and Black's can follow.
func (p *referencePosition) raceOver(legal []referenceMove) bool {
	if !p.arrived(White) && !p.arrived(Black) {
		return false
	}
	follows := func(m referenceMove) bool { return p.board[m.from].kind == King && m.to.Rank() == 7 }
	return p.turn == White || p.arrived(Black) || !slices.ContainsFunc(legal, follows)
}

// arrived reports whether a side's king has finished the race.
func (p *referencePosition) arrived(c Color) bool { return p.king(c).Rank() == 7 }

// captures reports whether a move takes a piece.
func (p *referencePosition) captures(m referenceMove) bool {
	return m.enPassant || p.has(m.to, p.turn.Other())
}

// boardMoves gives the ways in which pieces go, allowed or not.
func (p *referencePosition) boardMoves() (moves []referenceMove) {
	for from := range NoSquare {
		switch {
		case !p.has(from, p.turn):
		case p.board[from].kind == Pawn:
			moves = append(moves, p.pawnMoves(from)...)
		default:
			for to := range NoSquare {
				if p.attacks(from, to) && !p.has(to, p.turn) {
					moves = append(moves, referenceMove{from: from, to: to})
				}
			}
		}
	}
	return moves
}

func (p *referencePosition) pawnMoves(from Square) (moves []referenceMove) {
	step := pawnStep(p.turn)
	home := from.Rank() == 1 || p.variant == Horde && from.Rank() == 0
	if p.turn == Black {
		home = from.Rank() == 6
	}
	if ahead := NewSquare(from.File(), from.Rank()+step); p.empty(ahead) {
		moves = append(moves, referenceMove{from: from, to: ahead})
		if home {
			if ahead := NewSquare(from.File(), from.Rank()+2*step); p.empty(ahead) {
				moves = append(moves, referenceMove{from: from, to: ahead})
			}
		}
	}
	for to := range NoSquare {
		if p.attacks(from, to) && (p.has(to, p.turn.Other()) || to == p.enPassant) {
			moves = append(moves, referenceMove{from: from, to: to, enPassant: to == p.enPassant})
		}
	}
	if last := from.Rank() + step; last != 0 && last != 7 {
		return moves
	}
	kinds := []PieceType{Knight, Bishop, Rook, Queen}
	if p.variant == Antichess {
		kinds = append(kinds, King)
	}
	var promotions []referenceMove
	for _, m := range moves {
		for _, kind := range kinds {
			m.promotion = kind
			promotions = append(promotions, m)
		}
	}
	return promotions
}

// drops gives the ways to place what is in the pocket.
func (p *referencePosition) drops() (moves []referenceMove) {
	for kind := Pawn; kind <= Queen; kind++ {
		for to := range NoSquare {
			endRank := to.Rank() == 0 || to.Rank() == 7
			if p.pocket[p.turn][kind] > 0 && p.empty(to) && !(kind == Pawn && endRank) {
				moves = append(moves, referenceMove{from: to, to: to, dropped: kind})
			}
		}
	}
	return moves
}

// castlingMoves gives the castling moves in which nothing stands in the way and
// the king neither is in check nor passes through one; where it ends is for
// permits to see.
func (p *referencePosition) castlingMoves() (moves []referenceMove) {
	king := p.king(p.turn)
	for rook := range NoSquare {
		if p.has(rook, p.turn) && p.board[rook].castles && p.castlingIsOpen(king, rook) && p.castlingIsSafe(king, rook) {
			moves = append(moves, referenceMove{from: king, to: rook, castling: true})
		}
	}
	return moves
}

// castlingEnds gives the squares on which king and rook end: c and d, or g and f.
func castlingEnds(king, rook Square) (kingTo, rookTo Square) {
	if rook < king {
		return NewSquare(2, king.Rank()), NewSquare(3, king.Rank())
	}
	return NewSquare(6, king.Rank()), NewSquare(5, king.Rank())
}

// castlingIsOpen reports whether the ways of king and rook, ends included, are
// empty but for the two.
func (p *referencePosition) castlingIsOpen(king, rook Square) bool {
	kingTo, rookTo := castlingEnds(king, rook)
	for s := range NoSquare {
		inTheWay := isWithin(s, king, kingTo) || isWithin(s, rook, rookTo)
		if inTheWay && s != king && s != rook && !p.empty(s) {
			return false
		}
	}
	return true
}

// castlingIsSafe reports whether the king is attacked neither where it stands nor
// on its way, the rook being still in its place. On its last square it is alone
// with the rook's new place, so that square does not count here.
func (p *referencePosition) castlingIsSafe(king, rook Square) bool {
	if p.inCheck(p.turn) {
		return false
	}
	kingTo, _ := castlingEnds(king, rook)
	for s := range NoSquare {
		if s != kingTo && isWithin(s, king, kingTo) {
			onTheWay := *p
			onTheWay.board[king] = referencePiece{}
			onTheWay.board[s] = p.board[king]
			if onTheWay.inCheck(p.turn) {
				return false
			}
		}
	}
	return true
}

// isWithin reports whether s is a or b, or between them on their rank.
func isWithin(s, a, b Square) bool { return min(a, b) <= s && s <= max(a, b) }

// permits reports whether a move leads to what the rules allow: one's own king
// neither exploded nor in check, and in racing kings not the other one either.
func (p *referencePosition) permits(m referenceMove) bool {
	us, them := p.turn, p.turn.Other()
	next := p.play(m)
	if p.variant == Atomic && next.king(us) == NoSquare {
		return false
	}
	if p.variant == Atomic && next.king(them) == NoSquare {
		return true // won, whatever attacks our king
	}
	return !next.inCheck(us) && !(p.variant == RacingKings && next.inCheck(them))
}

// play gives the position after a move.
func (p *referencePosition) play(m referenceMove) referencePosition {
	us, them := p.turn, p.turn.Other()
	next := *p
	next.turn, next.enPassant = them, NoSquare
	next.rule50++
	if us == Black {
		next.fullMove++
	}
	switch {
	case m.dropped != NoPieceType:
		next.pocket[us][m.dropped]--
		next.board[m.to] = referencePiece{kind: m.dropped, color: us}
		if m.dropped == Pawn {
			next.rule50 = 0
		}
	case m.castling:
		kingTo, rookTo := castlingEnds(m.from, m.to)
		next.board[m.from], next.board[m.to] = referencePiece{}, referencePiece{}
		next.board[kingTo] = referencePiece{kind: King, color: us}
		next.board[rookTo] = referencePiece{kind: Rook, color: us}
		next.endCastling(us)
	default:
		next.move(us, m)
	}
	if p.variant == ThreeCheck && next.inCheck(them) {
		next.checksLeft[us]--
	}
	return next
}

// move moves a piece of side us, with all that comes of it.
func (p *referencePosition) move(us Color, m referenceMove) {
	piece := p.board[m.from]
	captured := m.to
	if m.enPassant {
		captured = NewSquare(m.to.File(), m.from.Rank())
	}
	victim := p.board[captured]
	if piece.kind == Pawn || victim.kind != NoPieceType {
		p.rule50 = 0
	}
	if piece.kind == King {
		p.endCastling(us)
	}
	if ranks := m.to.Rank() - m.from.Rank(); piece.kind == Pawn && (ranks == 2 || ranks == -2) {
		p.passed(us.Other(), m)
	}
	if m.promotion != NoPieceType {
		piece.kind, piece.promoted = m.promotion, p.variant == Crazyhouse
	}
	piece.castles = false
	p.board[m.from], p.board[captured] = referencePiece{}, referencePiece{}
	p.board[m.to] = piece
	switch {
	case victim.kind == NoPieceType:
	case p.variant == Atomic:
		p.explode(m.to)
	case p.variant == Crazyhouse && victim.promoted:
		p.pocket[us][Pawn]++
	case p.variant == Crazyhouse:
		p.pocket[us][victim.kind]++
	}
}

// passed sets the en passant square behind a pawn that advances two squares, if
// a pawn of side by stands to capture there: not after an advance from the first
// rank, which only the horde makes.
func (p *referencePosition) passed(by Color, m referenceMove) {
	middle := NewSquare(m.from.File(), (m.from.Rank()+m.to.Rank())/2)
	if middle.Rank() == 1 {
		return
	}
	for s := range NoSquare {
		if p.has(s, by) && p.board[s].kind == Pawn && p.attacks(s, middle) {
			p.enPassant = middle
		}
	}
}

// explode takes away what stands on a square, and around it all but pawns.
func (p *referencePosition) explode(center Square) {
	for s := range NoSquare {
		if s == center || touching(s, center) && p.board[s].kind != Pawn {
			p.board[s] = referencePiece{}
		}
	}
	for c := White; c <= Black; c++ {
		if p.king(c) == NoSquare {
			p.endCastling(c)
		}
	}
}

// endCastling takes away a side's rights to castle.
func (p *referencePosition) endCastling(c Color) {
	for s := range NoSquare {
		if p.has(s, c) {
			p.board[s].castles = false
		}
	}
}

// ended says whether and how the position itself ends the game.
func (p *referencePosition) ended(legal []referenceMove) Outcome {
	us, them := p.turn, p.turn.Other()
	switch {
	case len(legal) > 0:
		return Outcome{Unfinished, NoReason}
	case p.variant == Atomic && p.king(us) == NoSquare:
		return Outcome{Win(them), KingExploded}
	case p.variant == KingOfTheHill && p.decided():
		return Outcome{Win(them), KingInCenter}
	case p.variant == ThreeCheck && p.decided():
		return Outcome{Win(them), ThreeChecks}
	case p.variant == RacingKings && p.arrived(White) && p.arrived(Black):
		return Outcome{Draw, RaceFinished}
	case p.variant == RacingKings && p.arrived(White):
		return Outcome{WhiteWins, RaceFinished}
	case p.variant == RacingKings && p.arrived(Black):
		return Outcome{BlackWins, RaceFinished}
	case p.variant == Antichess && p.count(us) == 0:
		return Outcome{Win(us), PiecesLost}
	case p.variant == Antichess:
		return Outcome{Win(us), Stalemate}
	case p.variant == Horde && p.count(us) == 0:
		return Outcome{Win(them), HordeDestroyed}
	case p.inCheck(us):
		return Outcome{Win(them), Checkmate}
	}
	return Outcome{Draw, Stalemate}
}

// referenceGame is the positions of a game, the current one last.
type referenceGame []referencePosition

// outcome says whether and how the game is over. What material suffices is a list
// of definitions (see [Position.InsufficientMaterial]), which a second list would
// only repeat: it is given.
func (g referenceGame) outcome(legal []referenceMove, insufficient bool) Outcome {
	p := &g[len(g)-1]
	switch ended := p.ended(legal); {
	case ended.Over():
		return ended
	case insufficient:
		return Outcome{Draw, InsufficientMaterial}
	case p.rule50 >= 100 && p.variant != Crazyhouse:
		return Outcome{Draw, FiftyMoves}
	case g.occurrences() >= 3:
		return Outcome{Draw, Threefold}
	}
	return Outcome{Unfinished, NoReason}
}

// occurrences counts the current position in the game.
func (g referenceGame) occurrences() (n int) {
	current := g[len(g)-1].repeatable()
	for i := range g {
		if g[i].repeatable() == current {
			n++
		}
	}
	return n
}

// repeatable is the position without what does not tell it from another: the
// clocks, and an en passant square where no capture is legal.
func (p *referencePosition) repeatable() referencePosition {
	q := *p
	q.rule50, q.fullMove = 0, 0
	isEnPassant := func(m referenceMove) bool { return m.enPassant && p.permits(m) }
	if !slices.ContainsFunc(p.boardMoves(), isEnPassant) {
		q.enPassant = NoSquare
	}
	return q
}
