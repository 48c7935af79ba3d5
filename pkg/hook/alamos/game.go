package alamos

import (
	"fmt"

	"alamos/pkg/chess"
)

// Generation is the games that one generation's self-play produced.
type Generation struct {
	Number  int // from 1
	Variant string
	Games   []Game
}

// Game is a game: a finished one for Measure, one that goes on for Adjudicate.
type Game struct {
	Number  int      // from 0, in its generation
	Variant string   // as experiment files name it: "chess", "atomic", "3check", ...
	Start   string   // FEN of the position it began with
	Moves   []string // in UCI notation; drops as "N@f3"
	Result  string   // "1-0", "0-1" or "1/2-1/2"; "" of a game that goes on
	Reason  string   // how it ended: "checkmate", "stalemate", "king_exploded", "three_checks", ...; "" of a game that goes on

	// Scores has, for Adjudicate, an element a move: the result that the player
	// who made it expects after its search, from -1 (Black wins) to 1 (White
	// wins), whoever it is. NaN where a player tells none, and for the random
	// moves of an opening. Measure gets no scores.
	Scores []float64
}

// Plies is the number of moves of both sides.
func (g Game) Plies() int { return len(g.Moves) }

// Winner is "white", "black", or "" after a draw and while the game goes on.
func (g Game) Winner() string {
	switch g.Result {
	case "1-0":
		return "white"
	case "0-1":
		return "black"
	}
	return ""
}

// Positions plays the game and returns all its positions: the first is the
// start, number i the one after i moves, the last the one that ended it. It
// panics when a move is not legal, which ends the hook with an error.
func (g Game) Positions() []Position {
	p := g.start()
	all := make([]Position, 0, len(g.Moves)+1)
	all = append(all, Position{p})
	for i, s := range g.Moves {
		g.play(&p, i, s)
		all = append(all, Position{p})
	}
	return all
}

// Position is the position after the last move.
func (g Game) Position() Position {
	p := g.start()
	for i, s := range g.Moves {
		g.play(&p, i, s)
	}
	return Position{p}
}

func (g Game) start() chess.Position {
	v, err := chess.ParseVariant(g.Variant)
	if err != nil {
		panic(fmt.Sprintf("game %d: %v", g.Number, err))
	}
	p, err := chess.ParseFEN(v, g.Start)
	if err != nil {
		panic(fmt.Sprintf("game %d: %v", g.Number, err))
	}
	return p
}

// play plays move i of the game.
func (g Game) play(p *chess.Position, i int, move string) {
	m, err := p.ParseUCI(move)
	if err != nil {
		panic(fmt.Sprintf("game %d, ply %d: %v", g.Number, i, err))
	}
	p.Play(m)
}
