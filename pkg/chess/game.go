package chess

import (
	"math/rand/v2"
	"slices"
)

// Game is a position with its history. Playing and undoing moves allocates
// nothing once the game has been as long before.
type Game struct {
	positions []Position // positions[0] is the start; one more than moves
	moves     []Move
}

// NewGame begins a game at p.
func NewGame(p Position) *Game {
	g := &Game{}
	g.Reset(p)
	return g
}

// Reset begins a new game at p and keeps the memory.
func (g *Game) Reset(p Position) {
	g.positions = append(g.positions[:0], p)
	g.moves = g.moves[:0]
}

// Position is the current position, to be read only. It is valid until the
// game changes.
func (g *Game) Position() *Position { return &g.positions[len(g.positions)-1] }

// Start is the position the game began with, to be read only.
func (g *Game) Start() *Position { return &g.positions[0] }

// Ply is the number of moves played since the start of the game.
func (g *Game) Ply() int { return len(g.moves) }

// Moves shows the moves played, to be read only. It is valid until the game
// changes.
func (g *Game) Moves() []Move { return g.moves }

// Back is the position i plies ago (0 is the current one), to be read only;
// nil where the game had not begun.
func (g *Game) Back(i int) *Position {
	if i < 0 || i >= len(g.positions) {
		return nil
	}
	return &g.positions[len(g.positions)-1-i]
}

// Play plays a legal move.
func (g *Game) Play(m Move) {
	g.positions = append(g.positions, g.positions[len(g.positions)-1])
	g.positions[len(g.positions)-1].Play(m)
	g.moves = append(g.moves, m)
}

// RandomPlies plays n random legal moves and reports whether the game continues after them.
func (g *Game) RandomPlies(n int, rng *rand.Rand) bool {
	var l MoveList
	for ; ; n-- {
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			return false
		}
		if n == 0 {
			return true
		}
		g.Play(l.At(rng.IntN(l.Len())))
	}
}

// Undo takes the last move back; at the start it does nothing.
func (g *Game) Undo() {
	if n := len(g.moves); n > 0 {
		g.positions = g.positions[:n]
		g.moves = g.moves[:n-1]
	}
}

// Clone is an independent copy.
func (g *Game) Clone() *Game {
	c := &Game{}
	c.CopyFrom(g)
	return c
}

// CopyFrom makes g an independent copy of other and keeps g's memory.
func (g *Game) CopyFrom(other *Game) {
	g.positions = append(g.positions[:0], other.positions...)
	g.moves = append(g.moves[:0], other.moves...)
}

// Repetitions is the number of times the current position occurred earlier in
// this game. An en passant square makes two positions different if a capture on it
// is legal.
func (g *Game) Repetitions() int {
	current := len(g.positions) - 1
	p := &g.positions[current]
	first := 0
	if p.progresses() {
		first = max(0, current-int(p.rule50))
	}
	n, key := 0, p.repetitionKey()
	for i := current - 4; i >= first; i -= 2 {
		if q := &g.positions[i]; q.key == key || q.enPassant != NoSquare && q.repetitionKey() == key {
			n++
		}
	}
	return n
}

// progresses reports whether no position before the last capture or pawn move can come back.
func (p *Position) progresses() bool {
	if b := p.variant.book(); b != nil {
		return !b.hand && (b.pawnsIrreversible || b.PawnsCount)
	}
	return p.variant != Crazyhouse // where what was captured comes back
}

// repetitionKey is the key without an en passant square on which no capture is
// legal.
func (p *Position) repetitionKey() uint64 {
	if p.enPassant == NoSquare {
		return p.key
	}
	to := p.enPassant
	if b := p.variant.book(); b != nil {
		var l MoveList
		p.LegalMoves(&l)
		if slices.ContainsFunc(l.Slice(), Move.IsEnPassant) {
			return p.key
		}
		return p.key ^ passedKey(to, p.victim)
	}
	for from := pawnAttacks[p.turn.Other()][to&63] & p.Pieces(p.turn, Pawn); from != 0; from &= from - 1 {
		if p.safe(from.First(), to, (to ^ 8).bit()) {
			return p.key
		}
	}
	return p.key ^ keys.enPassant[to&7]
}

// Outcome says whether the game is over, and how. The caller passes the legal
// moves of the current position, which it needs anyway if the game continues.
//
// What ends a game by force ([Position.Ended]) comes first, then the draws:
// material, fifty moves, threefold repetition. Crazyhouse knows no fifty moves.
func (g *Game) Outcome(l *MoveList) Outcome {
	p := g.Position()
	if o := p.Ended(l); o.Over() {
		return o
	}
	if b := p.variant.book(); b != nil {
		return b.drawn(g)
	}
	switch {
	case p.InsufficientMaterial():
		return Outcome{Draw, InsufficientMaterial}
	case p.rule50 >= 100 && p.variant != Crazyhouse:
		return Outcome{Draw, FiftyMoves}
	case (p.rule50 >= 8 || p.variant == Crazyhouse) && g.Repetitions() >= 2:
		return Outcome{Draw, Threefold}
	}
	return Outcome{Unfinished, NoReason}
}
