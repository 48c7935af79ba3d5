package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// warmup is the number of sequences counted before the measurement. It is enough to
// estimate the speed, and takes a few hundredths of a second.
const warmup = 1_000_000

// Rules measures pkg/chess with perft in one thread. Like the engines it does not make the
// moves of the last ply, and it does not cache positions. Unlike Stockfish's descendants,
// which list the moves of the last ply, it only counts them. The ratio therefore compares
// perfts, not the move generation of a search.
type Rules struct {
	Positions []Position
	Time      time.Duration // approximate time for each side in each position

	// Peer starts the engine to compare with, or is nil. It is called once for each run of
	// positions of one variant. If no engine knows the variant, alamos is measured alone.
	Peer func(context.Context, chess.Variant) (*Peer, error)

	Reporter[RulesResult]
}

// RulesResult is the result for a position.
type RulesResult struct {
	Variant     string  `json:"variant" table:"variant"`
	Position    string  `json:"position" table:"position"`
	FEN         string  `json:"fen"`
	Depth       int     `json:"depth" table:"depth"`
	Nodes       uint64  `json:"nodes" table:"nodes" format:"thousands"`                     // sequences in each perft
	Speed       float64 `json:"nodes_per_second" table:"Mnodes/s" unit:"1e6" format:"%.1f"` // 0 if the count was wrong
	EngineSpeed float64 `json:"engine_nodes_per_second" table:"engine's" unit:"1e6" format:"%.1f"`
	Ratio       float64 `json:"ratio" decimals:"3" table:"ratio" format:"%.2f"` // our speed divided by the engine's
	Engine      string  `json:"engine" table:"engine"`                          // name and version
	Fault       error   `json:"error,omitempty"`                                // a *CountError, or why the engine gave no count
}

func (r RulesResult) How() string {
	return fmt.Sprintf("One thread; the best of %d turns of each side; ratio: our speed in units of the engine's.", turns)
}

// CountError reports a count that differs from the known one.
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

// Run measures the positions in order. Wrong counts and failing engines are reported with
// the results and joined in the error, but do not stop the run. The end of ctx does.
func (r *Rules) Run(ctx context.Context) error {
	var peer *Peer
	defer func() { peer.Close() }()
	var faults []error
	started := false
	var variant chess.Variant
	err := each(&r.Reporter, r.Positions, func(p Position) (RulesResult, error) {
		if !started || p.Variant != variant {
			peer.Close()
			var err error
			if peer, err = r.start(ctx, p.Variant); err != nil {
				return RulesResult{}, err
			}
			started, variant = true, p.Variant
		}
		result, err := measureRules(ctx, p, peer, r.Time)
		if result.Fault != nil {
			faults = append(faults, result.Fault)
		}
		return result, err
	})
	if err != nil {
		return err
	}
	return errors.Join(faults...)
}

// start starts the engine for a variant. It returns nil if there is none.
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
		if r.Note != nil {
			r.Note(fmt.Sprintf("%s is measured alone: %v", v, err))
		}
		return nil, nil
	}
	return peer, err
}

// measureRules measures one position, beside a peer unless that is nil. If the peer fails
// or counts wrongly, it measures alamos alone. The error is that of ctx or of an invalid
// position.
func measureRules(ctx context.Context, s Position, peer *Peer, target time.Duration) (RulesResult, error) {
	r := RulesResult{Variant: s.Variant.String(), Position: s.Name, FEN: s.FEN}
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
		r.Nodes = s.Counts[r.Depth-1]
		if cause := context.Cause(ctx); cause != nil {
			return r, cause
		}
		if err == nil {
			r.Speed = best[0]
			if len(best) > 1 {
				r.EngineSpeed, r.Ratio = best[1], best[0]/best[1]
			}
			return r, nil
		}
		r.Fault = err
		var wrong *CountError
		if len(sides) == 1 || errors.As(err, &wrong) && wrong.Who == "alamos" {
			return r, nil // without our speed there is nothing to compare
		}
		sides = sides[:1]
	}
}

// perftSide counts at a depth and returns the time it took.
type perftSide func(ctx context.Context, depth int) (time.Duration, error)

// counting makes a side that fails with a [CountError] if its count differs from the known
// one.
func (s *Position) counting(who string, count func(context.Context, int) (uint64, time.Duration, error)) perftSide {
	return func(ctx context.Context, depth int) (time.Duration, error) {
		n, took, err := count(ctx, depth)
		if want := s.Counts[depth-1]; err == nil && n != want {
			err = &CountError{Who: who, Position: *s, Depth: depth, Have: n, Want: want}
		}
		return took, err
	}
}

// measure chooses a depth and measures the sides at it. The depth is the deepest known one
// at which a perft of the slower side fits the target, estimated from its speed at a
// smaller depth.
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

// perft is [chess.Perft], but stops between two moves of the root when ctx ends.
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

// Peer is a UCI engine that counts move sequences of one variant. One goroutine at a time
// may use it. After an error the engine is closed.
type Peer struct {
	id     string
	engine *uci.Client
}

// FindPeer starts the usual reference engine of a variant: Stockfish for chess, otherwise
// Fairy-Stockfish. If it is missing, the error is [uci.ErrNotInstalled] and names what to
// install.
func FindPeer(ctx context.Context, v chess.Variant) (*Peer, error) {
	name := uci.FairyStockfish
	if v == chess.Standard {
		name = uci.Stockfish
	}
	c, err := uci.Find(ctx, name, v)
	if err != nil {
		return nil, err
	}
	return startPeer(ctx, c, v)
}

// StartPeer starts the engine at a path, or of that name on the PATH. It fails with
// [uci.ErrVariant] if the engine does not prove that it knows the variant.
func StartPeer(ctx context.Context, path string, v chess.Variant) (*Peer, error) {
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("bench: no engine: %w", err)
	}
	return startPeer(ctx, uci.Command{Name: filepath.Base(path), Path: path}, v)
}

func startPeer(ctx context.Context, c uci.Command, v chess.Variant) (*Peer, error) {
	e, err := uci.Start(ctx, c, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	if err := e.Prove(ctx, v); err != nil {
		e.Close()
		return nil, err
	}
	id := strings.Join(strings.Fields(e.ID()), " ")
	if id == "" {
		id = e.Name()
	}
	return &Peer{id, e}, nil
}

// Name returns the engine's own name, with its version.
func (p *Peer) Name() string { return p.id }

// Perft makes the engine count the sequences of depth legal moves. It returns the time,
// which includes setting the position (microseconds).
func (p *Peer) Perft(ctx context.Context, pos *chess.Position, depth int) (nodes uint64, took time.Duration, err error) {
	began := time.Now()
	nodes, err = p.engine.Perft(ctx, pos, depth)
	return nodes, time.Since(began), err
}

// Close stops the engine, first with quit, and returns after the process has ended. It does
// nothing on a nil Peer.
func (p *Peer) Close() {
	if p != nil {
		p.engine.Close()
	}
}
