package uci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// proof is a position and a depth at which the number of lines of a variant
// differs from that of chess. It is reached by moves from the start, which no
// engine can misunderstand, whatever it plays.
type proof struct {
	moves string
	depth int
}

func proofOf(v chess.Variant) proof {
	switch v {
	case chess.KingOfTheHill: // the king can reach d4
		return proof{"e2e4 a7a6 e1e2 a6a5 e2e3 a5a4", 2}
	case chess.ThreeCheck: // two checks given, and a third to give
		return proof{"e2e4 f7f6 d1h5 g7g6 h5h4 d7d6 f1b5 c7c6", 2}
	case chess.Crazyhouse: // a pawn in hand
		return proof{"e2e4 d7d5 e4d5 a7a6", 2}
	}
	return proof{"", 4} // the first depth at which atomic chess differs from chess
}

// game is the game that leads to the position; nil where the rules forbid it.
func (p proof) game(v chess.Variant) *chess.Game {
	g := chess.NewGame(chess.StartPosition(v))
	for _, s := range strings.Fields(p.moves) {
		m, err := g.Position().ParseUCI(s)
		if err != nil {
			return nil
		}
		g.Play(m)
	}
	return g
}

// Prove sets the engine to a variant and makes sure that it plays it, or fails
// with [ErrVariant]. To be called before the first game.
//
// The engine must offer the option UCI_Variant, and either list the variant
// among its values or count the right number of lines from a position that tells
// the variant (197326 of four plies from the start in atomic chess, 197281 in
// chess). An engine without the option can only play chess, and is believed for
// chess. Asking is not enough: Debian's fairy-stockfish 11.1 has the option,
// ignores "atomic" in silence and goes on with chess.
func (e *Client) Prove(ctx context.Context, v chess.Variant) error {
	o := e.Option("UCI_Variant")
	if o == nil {
		if v == chess.Standard {
			return nil
		}
		return e.fault(ErrVariant, fmt.Sprintf("%s: it has no option UCI_Variant and plays chess only", v), nil)
	}
	if slices.Contains(o.Vars, v.String()) {
		if err := e.SetOption(o.Name, v.String()); err != nil {
			return err
		}
		return e.Ready(ctx)
	}
	// Not listed. It may know the variant under rules that it does not list.
	if err := e.send(o.command(v.String())); err != nil {
		return err
	}
	proof := proofOf(v)
	g := proof.game(v)
	if g == nil {
		return fmt.Errorf("uci: %s cannot be proved: %q cannot be played", v, proof.moves)
	}
	want := chess.Perft(g.Position(), proof.depth)
	have, err := e.perft(ctx, g, proof.depth, e.wait.Ready)
	if err != nil {
		if errors.Is(err, ErrStall) || errors.Is(err, ErrProtocol) {
			return e.fault(ErrVariant, fmt.Sprintf("%s: it is not among the %d variants it lists, and it counts no positions", v, len(o.Vars)), err)
		}
		return err
	}
	if have == want {
		return nil
	}
	where := "the start"
	if proof.moves != "" {
		where = proof.moves
	}
	detail := fmt.Sprintf("%s: it is not among the %d variants it lists, and %d plies from %s it counts %d positions instead of %d", v, len(o.Vars), proof.depth, where, have, want)
	if g := proof.game(chess.Standard); g != nil && have == chess.Perft(g.Position(), proof.depth) {
		detail += ": it plays ordinary chess"
	}
	return e.fault(ErrVariant, detail, nil)
}
