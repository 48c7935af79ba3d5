package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

// Train measures pkg/train and the trainer of pkg/nn: the positions per second that a
// network learns from, from a replay window in memory to the optimizer's step. It compares
// with a bare pass: forward and backward passes of the same network on a batch of the same
// positions that is already in libtorch's memory, with the same precision and number of
// threads. The bare pass omits assembling and unpacking batches, the losses and the
// optimizer, and its weights have the precision of the maps from the beginning.
//
// There are two bare passes. One uses only libtorch's own operations, channels-last in
// memory. The other uses the operations of training, which fuse batch norm, addition and
// ReLU. Libtorch's is measured twice, with the batch divided among the threads and with
// every operation divided, and the faster result counts.
type Train struct {
	Options
	Batch   int
	Threads int // 0 means one per core
	Micro   int // micro-batches of a batch

	Reporter[TrainResult]
}

// TrainResult is the result for a network.
type TrainResult struct {
	Measured
	Threads    int    `json:"threads"`
	Speed      Figure `json:"positions_per_second" table:"positions/s"`
	Bare       Figure `json:"bare_positions_per_second" table:"bare/s"` // with libtorch's operations
	Ratio      Figure `json:"ratio" table:"ratio" format:"%.3f"`
	Fused      Figure `json:"fused_bare_positions_per_second" table:"fused/s"` // with our operations; equal to bare on a CUDA device
	FusedRatio Figure `json:"fused_ratio" table:"ratio" format:"%.3f"`
	Waited     Figure `json:"preparation_share" table:"waited" unit:"0.01" format:"%.2f %%"` // fraction of the time that training waited for a batch
}

func (r TrainResult) How() string {
	return fmt.Sprintf(`Training, from samples to the optimizer's step; batches of %d, %s, %d threads.
bare: forward and backward with libtorch's operations, the batch in place; fused: with ours.
waited: the share of the time in which training waited for its next batch.`, r.Batch, r.Device, r.Threads)
}

// Run measures the networks in order.
func (t *Train) Run(ctx context.Context) error {
	return each(&t.Reporter, t.Networks, func(shape Shape) (TrainResult, error) {
		codec, err := codecFor(chess.Atomic, shape)
		if err != nil {
			return TrainResult{}, err
		}
		window, err := sampleWindow(codec, t.Batch)
		if err != nil {
			return TrainResult{}, fmt.Errorf("bench: samples to learn from: %w", err)
		}
		return t.measure(ctx, shape, t.spec(codec, shape), newEpochs(window, t.Batch))
	})
}

// The optimizer's settings of the thesis, for all but sparse networks, with a learning rate that
// does not diverge on random moves.
const (
	momentum    = 0.9
	weightDecay = 1e-4
	rate        = 1e-3
)

func (t *Train) measure(ctx context.Context, shape Shape, spec nn.Spec, l *epochs) (r TrainResult, err error) {
	options := nn.TrainerOptions{Threads: t.Threads, Device: t.Device, Precision: t.Precision}
	network, err := nn.New(spec, 1)
	if err != nil {
		return r, err
	}
	optimizer := nn.Optimizer{Momentum: momentum, WeightDecay: weightDecay, MicroBatches: t.Micro}
	if shape.sparse() { // as in sparse-best.yaml
		optimizer = nn.Optimizer{Kind: nn.Adam, GradientClip: 2, MicroBatches: t.Micro}
	}
	trainer, err := nn.NewTrainer(network, optimizer, options)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, trainer.Close()) }()

	turn := t.turn()
	sides := []side{func(ctx context.Context) (int, time.Duration, error) {
		return l.learn(ctx, turn, func(b *nn.Batch) error {
			_, err := trainer.Step(b, rate)
			return err
		})
	}}
	passes := []nn.BarePassOptions{{}, {Whole: true}, {Fused: true}}
	switch {
	case shape.sparse(): // its operations are ours alone
		passes = nil
	case trainer.Devices()[0] != nn.CPU: // on devices there is only one graph, of libtorch's operations
		passes = passes[1:2]
	}
	for _, o := range passes {
		o.TrainerOptions = options
		bare, newErr := nn.NewBarePass(spec, l.batch(), o)
		if newErr != nil {
			return r, newErr
		}
		defer func() { err = errors.Join(err, bare.Close()) }()
		sides = append(sides, sideBySide(turn, []func() (int, error){func() (int, error) { return t.Batch, bare.Run() }}))
	}
	for _, warm := range sides { // the first step of each allocates memory
		if _, _, err := warm(ctx); err != nil {
			return r, err
		}
	}
	l.waited, l.spent = 0, 0
	speeds, err := interleave(ctx, t.Time, sides...)
	if err != nil {
		return r, err
	}
	r = TrainResult{
		Measured: Measured{shape.String(), t.head(shape), trainer.Precision(), strings.Join(trainer.Devices(), ","), t.Batch},
		Threads:  trainer.Threads(),
		Speed:    Figure(speeds[0]), Waited: Figure(l.waited.Seconds() / l.spent.Seconds()),
	}
	switch len(passes) {
	case 0:
		return r, nil
	case 1:
		r.Bare, r.Fused = Figure(speeds[1]), Figure(speeds[1])
	default:
		r.Bare, r.Fused = Figure(max(speeds[1], speeds[2])), Figure(speeds[3])
	}
	r.Ratio, r.FusedRatio = r.Speed/r.Bare, r.Speed/r.Fused
	return r, nil
}

// windowSamples is the approximate number of samples in the window, which has fewestBatches or more:
// the first of an epoch is not prepared while the one before is trained.
const (
	windowSamples = 8192
	fewestBatches = 16
)

// sampleWindow returns a replay window of a whole number of batches. It is written and read
// like generations of self-play, so its memory layout is that of training. The positions
// are those of samplePositions. Policies and results are random.
func sampleWindow(codec encode.Codec, batch int) (*data.Set, error) {
	const perGame = 64
	n := max(fewestBatches, windowSamples/batch) * batch
	rng := rand.New(rand.NewPCG(1, 256))
	var samples []encode.Sample
	for _, leaves := range samplePositions(codec, 1, n/4+1) {
		for _, l := range leaves {
			s := encode.Sample{Game: int32(len(samples) / perGame), Ply: int32(len(samples) % perGame), Planes: l.Planes, Value: float32(rng.IntN(3) - 1), Draw: -1}
			sum := float32(0)
			for _, index := range l.Indices {
				if index >= 0 {
					s.Indices = append(s.Indices, index)
					s.Policy = append(s.Policy, float32(rng.ExpFloat64()))
					sum += s.Policy[len(s.Policy)-1]
				}
			}
			for i := range s.Policy {
				s.Policy[i] /= sum
			}
			samples = append(samples, s)
		}
	}
	dir, err := os.MkdirTemp("", "alamos-bench-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "samples.parquet")
	var set *data.Set
	err = data.Write(path, data.Meta{Encoder: codec.Planes.Name(), Policy: codec.Policy.Name(), Variant: chess.Atomic.String()}, samples[:n])
	if err == nil {
		set, err = data.Read(path)
	}
	return set, errors.Join(err, os.RemoveAll(dir))
}

// epochs passes through a replay window as training does, and measures its time.
type epochs struct {
	window        *data.Set
	size          int // samples per batch
	order         []int32
	number        uint64 // number of the next epoch
	waited, spent time.Duration
}

func newEpochs(window *data.Set, batch int) *epochs {
	l := &epochs{window: window, size: batch, order: make([]int32, window.Len())}
	for i := range l.order {
		l.order[i] = int32(i)
	}
	return l
}

// batch returns a batch of the window.
func (l *epochs) batch() *nn.Batch {
	b := new(nn.Batch)
	for _, i := range l.order[:l.size] {
		b.Add(l.window.Sample(int(i)))
	}
	return b
}

// learn runs epochs until the turn is over. The time includes everything from the beginning
// of an epoch, without any batch, to the last step.
func (l *epochs) learn(ctx context.Context, turn time.Duration, step func(*nn.Batch) error) (work int, took time.Duration, err error) {
	for work == 0 || took < turn {
		data.Shuffle(l.order, l.number)
		l.number++
		before, began := took, time.Now()
		asked := began
		for b := range train.Batches(l.window, l.order, l.size) {
			l.waited += time.Since(asked)
			if err := errors.Join(context.Cause(ctx), step(b)); err != nil {
				return 0, 0, err
			}
			work += b.N
			asked = time.Now()
			if took = before + asked.Sub(began); took >= turn {
				break
			}
		}
		l.spent += took - before
	}
	return work, took, nil
}
