package bench

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Network measures package nn: the positions per second of whole networks, from packed
// planes to the priors of the legal moves and the value, in turns with their bare
// convolutions. The networks are untrained, which does not change their speed. The
// positions are from random games of atomic chess, with 30 to 40 legal moves.
type Network struct {
	Options
	Batches []int // nil means the best for the device
	Workers int   // 0 means the best for the device

	// Together makes the workers share each batch, as in a search for a single game.
	// Otherwise each has its own batches, as in self-play.
	Together bool

	Reporter[NetworkResult]
}

// NetworkResult is the result for a network and a batch.
type NetworkResult struct {
	Measured
	Workers  int    `json:"workers"`
	Together bool   `json:"together"`
	Speed    Figure `json:"positions_per_second" table:"positions/s"`
	Bare     Figure `json:"bare_positions_per_second" table:"bare/s"` // of the convolutions alone
	Ratio    Figure `json:"ratio" table:"ratio" format:"%.3f"`
	// TFLOPs is the speed of the network's convolutions in 10^12 operations per second. A
	// multiply-add is two operations.
	TFLOPs Figure `json:"teraflops" table:"TFLOP/s" format:"%.3g"`
	// Peak is the speed of products of large matrices on a CUDA device, the upper bound of
	// convolutions. It is missing on the processor.
	Peak Figure `json:"matrix_teraflops,omitempty"`
}

func (r NetworkResult) How() string {
	how := "each with batches of its own"
	if r.Together {
		how = "sharing each batch"
	}
	how = fmt.Sprintf("Planes in, priors of legal moves and value out; bare: the 3x3 convolutions alone,\nwhose operations are counted too. Device: %s. Workers: %d, %s.", r.Device, r.Workers, how)
	if r.Peak > 0 {
		how += fmt.Sprintf("\nProducts of large matrices: %.0f TFLOP/s.", r.Peak)
	}
	return how
}

// networkCase is a network with a batch.
type networkCase struct {
	shape Shape
	batch int
}

func (c networkCase) String() string { return fmt.Sprintf("%s, batch %d", c.shape, c.batch) }

// Run measures the networks in order, each with all batches.
func (b *Network) Run(ctx context.Context) error {
	workers, batch, err := nn.Throughput(b.Device)
	if err != nil {
		return err
	}
	b.Workers = cmp.Or(b.Workers, workers)
	if len(b.Batches) == 0 {
		b.Batches = []int{batch}
	}
	var cases []networkCase
	for _, shape := range b.Networks {
		for _, batch := range b.Batches {
			cases = append(cases, networkCase{shape, batch})
		}
	}
	return each(&b.Reporter, cases, func(c networkCase) (NetworkResult, error) { return b.measure(ctx, c) })
}

// evaluator is a session or a group.
type evaluator interface {
	Evaluate([]*encode.Leaf) error
	Close()
}

func (b *Network) measure(ctx context.Context, c networkCase) (r NetworkResult, err error) {
	codec, err := codecFor(chess.Atomic, c.shape)
	if err != nil {
		return r, err
	}
	batch, each, callers := c.batch, c.batch, b.Workers
	if b.Together {
		each, callers = (batch+b.Workers-1)/b.Workers, 1
	}
	model, err := b.model(codec, c.shape, each)
	if err != nil {
		return r, err
	}
	defer model.Close()
	r = NetworkResult{Measured: b.measured(c.shape, model, batch), Workers: b.Workers, Together: b.Together}
	evaluate := make([]func() (int, error), callers)
	for i := range evaluate {
		var e evaluator
		if b.Together {
			e, err = model.NewGroup(b.Workers)
		} else {
			e, err = model.NewSession()
		}
		if err != nil {
			return r, err
		}
		defer e.Close()
		next, batches := 0, samplePositions(codec, uint64(i), batch)
		evaluate[i] = func() (int, error) {
			next = (next + 1) % len(batches)
			return batch, e.Evaluate(batches[next])
		}
	}
	if c.shape.sparse() || c.shape.Transformer {
		speeds, err := interleave(ctx, b.Time, sideBySide(b.turn(), evaluate))
		if err != nil {
			return r, err
		}
		r.Speed = Figure(speeds[0])
		return r, nil
	}
	spec := b.spec(codec, c.shape)
	convolve := make([]func() (int, error), b.Workers)
	for i := range convolve {
		device := model.Devices()[i%len(model.Devices())] // the same distribution as that of the sessions
		tower, err := nn.NewTower(spec, nn.InferenceOptions{Batch: each, Device: device, Precision: b.Precision})
		if err != nil {
			return r, err
		}
		defer tower.Close()
		convolve[i] = func() (int, error) { return each, tower.Run() }
	}
	speeds, err := interleave(ctx, b.Time, sideBySide(b.turn(), evaluate), sideBySide(b.turn(), convolve))
	if err != nil {
		return r, err
	}
	r.Speed, r.Bare, r.Ratio = Figure(speeds[0]), Figure(speeds[1]), Figure(speeds[0]/speeds[1])
	r.TFLOPs = r.Speed * Figure(spec.FLOPs()/1e12)
	if device := model.Devices()[0]; device != nn.CPU {
		peak, err := nn.MatrixSpeed(device, r.Precision, b.Time)
		r.Peak = Figure(peak / 1e12)
		return r, err
	}
	return r, nil
}

// samplePositions returns batches of positions from random games of atomic chess, with 30
// to 40 legal moves. The mean in human games is 35.
func samplePositions(codec encode.Codec, seed uint64, batch int) [][]*encode.Leaf {
	const batches = 4
	rng := rand.New(rand.NewPCG(seed, 35))
	var leaves []*encode.Leaf
	g := chess.NewGame(chess.StartPosition(chess.Atomic))
	for len(leaves) < batches*batch {
		var l chess.MoveList
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			g.Reset(chess.StartPosition(chess.Atomic))
			continue
		}
		moves := l.Slice()
		// It takes one position in four, because neighbors in a game are similar.
		if len(moves) >= 30 && len(moves) <= 40 && rng.IntN(4) == 0 {
			leaf := new(encode.Leaf)
			codec.Prepare(leaf, g, moves)
			leaves = append(leaves, leaf)
		}
		g.Play(moves[rng.IntN(len(moves))])
	}
	return slices.Collect(slices.Chunk(leaves, batch))
}
