package uci

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// proofDepth is the depth of the perft that tells variants apart: the first at
// which atomic chess differs from chess.
const proofDepth = 4

// Prove sets the engine to a variant and makes sure that it plays it, or fails
// with [ErrVariant]. To be called before the first game.
//
// The engine must offer the option UCI_Variant, and either list the variant
// among its values or count the right number of positions four plies from the
// start (197326 in atomic chess, 197281 in chess). An engine without the option
// can only play chess, and is believed for chess. Asking is not enough: Debian's
// fairy-stockfish 11.1 has the option, ignores "atomic" in silence and goes on
// with chess.
func (e *Engine) Prove(ctx context.Context, v chess.Variant) error {
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
	start := chess.StartPosition(v)
	want := chess.Perft(&start, proofDepth)
	have, err := e.perft(ctx, proofDepth)
	if err != nil {
		if errors.Is(err, ErrStall) || errors.Is(err, ErrProtocol) {
			return e.fault(ErrVariant, fmt.Sprintf("%s: it is not among the %d variants it lists, and it counts no positions", v, len(o.Vars)), err)
		}
		return err
	}
	if have == want {
		return nil
	}
	detail := fmt.Sprintf("%s: it is not among the %d variants it lists, and four plies from the start it counts %d positions instead of %d", v, len(o.Vars), have, want)
	standard := chess.StartPosition(chess.Standard)
	if have == chess.Perft(&standard, proofDepth) {
		detail += ": it plays ordinary chess"
	}
	return e.fault(ErrVariant, detail, nil)
}

// perft lets the engine count positions from the start.
func (e *Engine) perft(ctx context.Context, depth int) (nodes uint64, err error) {
	for _, line := range []string{"position startpos", fmt.Sprintf("go perft %d", depth)} {
		if err := e.send(line); err != nil {
			return 0, err
		}
	}
	err = e.until(ctx, "the result of a perft", e.wait.Ready, func(line string) (bool, bool) {
		n, ok := parsePerft(line)
		if ok {
			nodes = n
			return true, true
		}
		move, _, found := strings.Cut(line, ":")
		return found && isMove(move) || strings.HasPrefix(line, "info"), false
	})
	return nodes, err
}
