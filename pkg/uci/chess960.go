package uci

import (
	"fmt"

	"alamos/pkg/chess"
)

// chess960Option is the option by which castling is written as the king taking
// its own rook, for any placement of the two.
const chess960Option = "UCI_Chess960"

// Chess960 reports whether games from p need the option UCI_Chess960: a side may
// castle with a king or a rook that does not stand where it does in chess.
func Chess960(p *chess.Position) bool {
	for c := chess.White; c <= chess.Black; c++ {
		for rook := range p.CastlingRooks(c).Squares {
			if p.King(c).File() != 4 || rook.File() != 0 && rook.File() != 7 {
				return true
			}
		}
	}
	return false
}

// ProveChess960 makes sure that the engine can play from start positions of
// chess960, or fails with [ErrVariant].
func (e *Client) ProveChess960() error {
	if e.Option(chess960Option) == nil {
		return e.fault(ErrVariant, fmt.Sprintf("chess960: it has no option %s", chess960Option), nil)
	}
	return nil
}

// setChess960 tells the engine how castling is written in the game to come. An
// engine is only told what differs from what it was told before.
func (e *Client) setChess960(on bool) error {
	if e.chess960 == on {
		return nil
	}
	if err := e.SetOption(chess960Option, fmt.Sprint(on)); err != nil {
		return err
	}
	e.chess960 = on
	return nil
}
