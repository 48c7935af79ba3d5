package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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
	Peer func(context.Context, chess.Variant) (*uci.Client, error)

	Reporter[RulesResult]
}

// RulesResult is the result for a position.
type RulesResult struct {
	Variant     string `json:"variant" table:"variant"`
	Position    string `json:"position" table:"position"`
	FEN         string `json:"fen"`
	Depth       int    `json:"depth" table:"depth"`
	Nodes       int64  `json:"nodes" table:"nodes"`                                        // sequences in each perft
	Speed       Figure `json:"nodes_per_second" table:"Mnodes/s" unit:"1e6" format:"%.1f"` // missing if the count was wrong
	EngineSpeed Figure `json:"engine_nodes_per_second" table:"engine's" unit:"1e6" format:"%.1f"`
	Ratio       Figure `json:"ratio" table:"ratio" format:"%.2f"` // our speed divided by the engine's
	Engine      string `json:"engine,omitempty" table:"engine"`   // name and version
	Fault       string `json:"error,omitempty"`                   // of our count, or why the engine gave no count
}

func (r RulesResult) How() string {
	return "One thread; both sides in turns; ratio: our speed in units of the engine's."
}

// CountError reports a count that differs from the known one.
type CountError struct {
	Who        string // "alamos" or an engine's name
	Position   Position
	Depth      int
	Have, Want uint64
}

func (e *CountError) Error() string {
	return fmt.Sprintf("%s: %s counts %d at depth %d instead of %d: %s", e.Position, e.Who, e.Have, e.Depth, e.Want, e.Position.FEN)
}

// Run measures the positions in order. Wrong counts and failing engines are reported with
// the results and joined in the error, but do not stop the run. The end of ctx does.
func (r *Rules) Run(ctx context.Context) error {
	var faults []error
	var peer *uci.Client
	stop := func() {
		if peer != nil {
			peer.Close()
		}
	}
	defer func() { stop() }()
	var variant *chess.Variant // of the peer
	err := each(&r.Reporter, r.Positions, func(p Position) (RulesResult, error) {
		if variant == nil || p.Variant != *variant {
			stop()
			var err error
			if peer, err = r.start(ctx, p.Variant); err != nil {
				return RulesResult{}, err
			}
			variant = &p.Variant
		}
		result, fault, err := measureRules(ctx, p, peer, r.Time)
		if fault != nil {
			result.Fault = fault.Error()
			faults = append(faults, fault)
		}
		return result, err
	})
	return errors.Join(append([]error{err}, faults...)...)
}

// start starts the engine for a variant. It returns nil if there is none.
func (r *Rules) start(ctx context.Context, v chess.Variant) (*uci.Client, error) {
	if r.Peer == nil {
		return nil, context.Cause(ctx)
	}
	peer, err := r.Peer(ctx, v)
	switch cause := context.Cause(ctx); {
	case cause != nil && err == nil:
		peer.Close()
		return nil, cause
	case cause != nil:
		return nil, cause
	case errors.Is(err, uci.ErrNotInstalled) || errors.Is(err, uci.ErrVariant):
		if r.Note != nil {
			r.Note(fmt.Sprintf("%s is measured alone: %v", v, err))
		}
		return nil, nil
	}
	return peer, err
}

// measureRules measures one position, beside a peer unless that is nil. If the peer fails
// or counts wrongly, it measures alamos alone and returns the fault. The error is that of
// ctx or of an invalid position.
func measureRules(ctx context.Context, s Position, peer *uci.Client, target time.Duration) (r RulesResult, fault, err error) {
	r = RulesResult{Variant: s.Variant.String(), Position: s.Name, FEN: s.FEN}
	p, err := s.parse()
	if err != nil {
		return r, nil, err
	}
	sides := []counter{{"alamos", func(ctx context.Context, depth int) (uint64, error) { return chess.PerftUntil(ctx, &p, depth) }}}
	if peer != nil {
		if r.Engine = strings.Join(strings.Fields(peer.ID()), " "); r.Engine == "" {
			r.Engine = peer.Name()
		}
		// The time includes setting the position, microseconds.
		sides = append(sides, counter{r.Engine, func(ctx context.Context, depth int) (uint64, error) { return peer.Perft(ctx, &p, depth) }})
	}
	for {
		depth, speeds, err := s.measure(ctx, target, sides)
		r.Depth, r.Nodes = depth, int64(s.Counts[depth-1])
		if cause := context.Cause(ctx); cause != nil {
			return r, nil, cause
		}
		if err == nil {
			if r.Speed = Figure(speeds[0]); len(speeds) > 1 {
				r.EngineSpeed, r.Ratio = Figure(speeds[1]), Figure(speeds[0])/Figure(speeds[1])
			}
			return r, fault, nil
		}
		fault = err
		var wrong *CountError
		if len(sides) == 1 || errors.As(err, &wrong) && wrong.Who == "alamos" {
			return r, fault, nil // without our speed there is nothing to compare
		}
		sides = sides[:1]
	}
}

// counter is a side that counts the sequences of a position.
type counter struct {
	name  string
	count func(ctx context.Context, depth int) (uint64, error)
}

// time returns the time that a counter takes. It fails with a [CountError] if the count
// differs from the known one.
func (s *Position) time(ctx context.Context, c counter, depth int) (time.Duration, error) {
	began := time.Now()
	n, err := c.count(ctx, depth)
	took := time.Since(began)
	if want := s.Counts[depth-1]; err == nil && n != want {
		err = &CountError{Who: c.name, Position: *s, Depth: depth, Have: n, Want: want}
	}
	return took, err
}

// measure chooses a depth and measures the sides at it. The depth is the deepest known one
// at which the perfts of the slower side fit the target, estimated from its speed at a
// smaller depth.
func (s *Position) measure(ctx context.Context, target time.Duration, counters []counter) (depth int, speeds []float64, err error) {
	depth = s.at(warmup)
	slowest := time.Duration(0)
	for _, c := range counters {
		took, err := s.time(ctx, c, depth)
		if err != nil {
			return depth, nil, err
		}
		slowest = max(slowest, took)
	}
	pace := minRounds * slowest.Seconds() / float64(s.Counts[depth-1])
	for depth < len(s.Counts) && float64(s.Counts[depth])*pace <= target.Seconds() {
		depth++
	}
	var sides []side
	for _, c := range counters {
		sides = append(sides, func(ctx context.Context) (int, time.Duration, error) {
			took, err := s.time(ctx, c, depth)
			return int(s.Counts[depth-1]), took, err
		})
	}
	speeds, err = interleave(ctx, target, sides...)
	return depth, speeds, err
}

// FindPeer starts the usual reference engine of a variant: Stockfish for chess, otherwise
// Fairy-Stockfish. If it is missing, the error is [uci.ErrNotInstalled] and names what to
// install.
func FindPeer(ctx context.Context, v chess.Variant) (*uci.Client, error) {
	c, err := uci.Find(ctx, uci.Usual(v), v)
	if err != nil {
		return nil, err
	}
	return (&uci.Player{Command: c, Variant: v}).Start(ctx)
}

// StartPeer starts the engine at a path, or of that name on the PATH. It fails with
// [uci.ErrVariant] if the engine does not prove that it knows the variant.
func StartPeer(ctx context.Context, path string, v chess.Variant) (*uci.Client, error) {
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("bench: no engine: %w", err)
	}
	return (&uci.Player{Command: uci.Command{Path: path}, Variant: v}).Start(ctx)
}
