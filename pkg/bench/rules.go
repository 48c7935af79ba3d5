package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// warmup is how many sequences are counted before anything is timed in earnest:
// enough to know the pace by, a few hundredths of a second.
const warmup = 1_000_000

// Rules measures pkg/chess: perft in one thread. Like the engines it does not
// make the moves of the last ply and remembers no positions; unlike Stockfish's
// descendants, which list the moves of the last ply, it only counts them. So the
// ratio is one of perfts, not of move generation in a search.
type Rules struct {
	Positions []Position
	Time      time.Duration // for which each side is measured in each position, about

	// Peer starts the engine to be measured beside; nil for none. It is called
	// once for every run of positions of one variant. Where there is none, or
	// none that knows the variant, alamos is measured alone.
	Peer func(context.Context, chess.Variant) (*Peer, error)

	// What follows is told to the caller as it happens; nil for not.
	Begin  func(done int, next Position) // a position is measured next
	Result func(RulesResult)             // a position was measured
	Alone  func(v chess.Variant, why error)
}

// RulesResult is what came out for a position.
type RulesResult struct {
	Position    Position
	Depth       int
	Speed       float64 // nodes/s; 0 if the count was wrong
	Engine      string  // name and version; "" without one
	EngineSpeed float64 // nodes/s; 0 without an engine or if it failed
	Fault       error   // a *CountError, or why the engine gave no count
}

// Nodes is how many sequences were counted in each perft.
func (r *RulesResult) Nodes() uint64 { return r.Position.Counts[r.Depth-1] }

// Ratio is our speed in units of the engine's; 0 without both.
func (r *RulesResult) Ratio() float64 {
	if r.EngineSpeed == 0 {
		return 0
	}
	return r.Speed / r.EngineSpeed
}

// CountError is a count that is not the known one.
type CountError struct {
	Who        string // "alamos" or an engine's name
	Position   Position
	Depth      int
	Have, Want uint64
}

func (e *CountError) Error() string {
	return fmt.Sprintf("%s %s: %s counts %d at depth %d instead of %d: %s",
		e.Position.Variant, e.Position.Name, e.Who, e.Have, e.Depth, e.Want, e.Position.FEN)
}

// Run measures the positions in their order. Wrong counts and failing engines
// are told with the results and joined in the error, but don't end the run; the
// end of ctx does.
func (r *Rules) Run(ctx context.Context) error {
	var peer *Peer
	defer func() {
		if peer != nil {
			peer.Close()
		}
	}()
	var faults []error
	for i, s := range r.Positions {
		if i == 0 || s.Variant != r.Positions[i-1].Variant {
			if peer != nil {
				peer.Close()
			}
			var err error
			if peer, err = r.start(ctx, s.Variant); err != nil {
				return err
			}
		}
		if r.Begin != nil {
			r.Begin(i, s)
		}
		res, err := measureRules(ctx, s, peer, r.Time)
		if err != nil {
			return err
		}
		if res.Fault != nil {
			faults = append(faults, res.Fault)
		}
		if r.Result != nil {
			r.Result(res)
		}
	}
	return errors.Join(faults...)
}

// start starts the engine for a variant; nil when there is none for it.
func (r *Rules) start(ctx context.Context, v chess.Variant) (*Peer, error) {
	if r.Peer == nil {
		return nil, context.Cause(ctx)
	}
	peer, err := r.Peer(ctx, v)
	if cause := context.Cause(ctx); cause != nil {
		if err == nil {
			peer.Close()
		}
		return nil, cause
	}
	if errors.Is(err, uci.ErrNotInstalled) || errors.Is(err, uci.ErrVariant) {
		if r.Alone != nil {
			r.Alone(v, err)
		}
		return nil, nil
	}
	return peer, err
}

// measureRules measures one position, beside a peer unless that is nil. When the
// peer fails or counts wrongly we are measured alone. The error is that of ctx or
// of a faulty position.
func measureRules(ctx context.Context, s Position, peer *Peer, target time.Duration) (RulesResult, error) {
	r := RulesResult{Position: s}
	p, err := s.parse()
	if err != nil {
		return r, err
	}
	ours := s.counting("alamos", func(ctx context.Context, depth int) (uint64, time.Duration, error) {
		began := time.Now()
		n, err := perft(ctx, &p, depth)
		return n, time.Since(began), err
	})
	sides := []perftSide{ours}
	if peer != nil {
		r.Engine = peer.Name()
		sides = append(sides, s.counting(peer.Name(), func(ctx context.Context, depth int) (uint64, time.Duration, error) {
			return peer.Perft(ctx, &p, depth)
		}))
	}
	for {
		var best []float64
		r.Depth, best, err = s.measure(ctx, target, sides)
		if cause := context.Cause(ctx); cause != nil {
			return r, cause
		}
		if err == nil {
			r.Speed = best[0]
			if len(best) > 1 {
				r.EngineSpeed = best[1]
			}
			return r, nil
		}
		r.Fault = err
		var wrong *CountError
		if len(sides) == 1 || errors.As(err, &wrong) && wrong.Who == "alamos" {
			return r, nil // no speed of ours, so nothing to compare with
		}
		sides = sides[:1]
	}
}

// perftSide counts at a depth and says how long it took.
type perftSide func(ctx context.Context, depth int) (time.Duration, error)

// counting makes a side that fails with a [CountError] when its count is not the
// known one.
func (s *Position) counting(who string, count func(context.Context, int) (uint64, time.Duration, error)) perftSide {
	return func(ctx context.Context, depth int) (time.Duration, error) {
		n, took, err := count(ctx, depth)
		if want := s.Counts[depth-1]; err == nil && n != want {
			err = &CountError{Who: who, Position: *s, Depth: depth, Have: n, Want: want}
		}
		return took, err
	}
}

// measure chooses a depth and measures the sides at it. The depth is the deepest
// of the known ones at which a perft of the slower side fits the target, as far
// as its pace in a smaller one tells.
func (s *Position) measure(ctx context.Context, target time.Duration, sides []perftSide) (depth int, best []float64, err error) {
	depth = s.at(warmup)
	slowest := time.Duration(0)
	for _, do := range sides {
		took, err := do(ctx, depth)
		if err != nil {
			return depth, nil, err
		}
		slowest = max(slowest, took)
	}
	pace := slowest.Seconds() / float64(s.Counts[depth-1])
	for depth < len(s.Counts) && float64(s.Counts[depth])*pace <= target.Seconds() {
		depth++
	}
	units := make([]side, len(sides))
	for i, do := range sides {
		units[i] = func(ctx context.Context) (int, time.Duration, error) {
			took, err := do(ctx, depth)
			return int(s.Counts[depth-1]), took, err
		}
	}
	best, err = alternate(ctx, target, units...)
	return depth, best, err
}

// perft is [chess.Perft], but it ends between two moves of the root when ctx does.
func perft(ctx context.Context, p *chess.Position, depth int) (nodes uint64, err error) {
	if depth <= 1 {
		return chess.Perft(p, depth), context.Cause(ctx)
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		q := *p
		q.Play(m)
		nodes += chess.Perft(&q, depth-1)
	}
	return nodes, nil
}

// MarshalJSON writes one flat object; what there is not is null.
func (r RulesResult) MarshalJSON() ([]byte, error) {
	out := struct {
		Variant     string   `json:"variant"`
		Position    string   `json:"position"`
		FEN         string   `json:"fen"`
		Depth       int      `json:"depth"`
		Nodes       uint64   `json:"nodes"`
		Speed       *float64 `json:"nodes_per_second"`
		Engine      *string  `json:"engine"`
		EngineSpeed *float64 `json:"engine_nodes_per_second"`
		Ratio       *float64 `json:"ratio"`
		Error       string   `json:"error,omitempty"`
	}{
		Variant: r.Position.Variant.String(), Position: r.Position.Name, FEN: r.Position.FEN,
		Depth: r.Depth, Nodes: r.Nodes(),
		Speed: rounded(r.Speed, 0), EngineSpeed: rounded(r.EngineSpeed, 0), Ratio: rounded(r.Ratio(), 3),
	}
	if r.Engine != "" {
		out.Engine = &r.Engine
	}
	if r.Fault != nil {
		out.Error = r.Fault.Error()
	}
	return json.Marshal(out)
}
