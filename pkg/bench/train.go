package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

// Train measures pkg/train and the trainer of pkg/nn: positions a second that a
// network learns from, from a window of samples in memory to the optimizer's step,
// beside a bare pass: a batch of the same positions that is in libtorch's memory
// already, forward through the same network and backward, in the same precision
// on as many threads, and nothing else. The bare pass lacks the assembling and
// unpacking of batches, the losses and the optimizer; the weights are in the
// precision of the maps from the beginning.
//
// There are two: one of libtorch's own operations alone, channels last in memory,
// and one of the operations that training uses, in which batch norm, addition and
// ReLU are one. Libtorch's is made twice, with the batch divided among the threads
// and with every operation divided, and the faster counts.
type Train struct {
	Networks   []Shape
	PolicyHead string // one of package nn's
	Precision  string // one of package nn's
	Device     string // see nn.Devices
	Batch      int
	Threads    int           // 0: one a core
	Time       time.Duration // for which each side is measured with each network, about

	Reporter[TrainResult]
}

// TrainResult is the result for a network.
type TrainResult struct {
	Network    string  `json:"network" table:"network"`
	PolicyHead string  `json:"policy_head" table:"head"`
	Precision  string  `json:"precision" table:"precision"`
	Device     string  `json:"device"`
	Batch      int     `json:"batch"`
	Threads    int     `json:"threads"`
	Speed      float64 `json:"positions_per_second" table:"positions/s" format:"thousands"`
	Bare       float64 `json:"bare_positions_per_second" table:"bare/s" format:"thousands"` // with libtorch's operations
	Ratio      float64 `json:"ratio" decimals:"3" table:"ratio" format:"%.3f"`
	Fused      float64 `json:"fused_bare_positions_per_second" table:"fused/s" format:"thousands"` // with ours; on a CUDA device they are the same
	FusedRatio float64 `json:"fused_ratio" decimals:"3" table:"ratio" format:"%.3f"`
	Waited     float64 `json:"preparation_share" decimals:"4" table:"waited" unit:"0.01" format:"%.2f %%"` // share of the time in which training waited for a batch
}

func (r TrainResult) How() string {
	return fmt.Sprintf(`Training, from samples to the optimizer's step; batches of %d, %s, %d threads.
bare: forward and backward with libtorch's operations, the batch in place; fused: with ours.
waited: the share of the time in which training waited for its next batch.`, r.Batch, r.Device, r.Threads)
}

// Run measures the networks in their order.
func (t *Train) Run(ctx context.Context) error {
	codec, err := codecFor(chess.Atomic)
	if err != nil {
		return err
	}
	window, err := sampleWindow(codec, t.Batch)
	if err != nil {
		return fmt.Errorf("bench: samples to learn from: %w", err)
	}
	return each(&t.Reporter, t.Networks, func(shape Shape) (TrainResult, error) {
		r, err := t.measure(ctx, shape.spec(codec, t.PolicyHead), newEpochs(window, t.Batch))
		r.Network = shape.String()
		return r, err
	})
}

// The optimizer's settings of the thesis, and a rate at which nothing diverges:
// there is nothing to learn from moves at random.
const (
	momentum    = 0.9
	weightDecay = 1e-4
	rate        = 1e-3
)

func (t *Train) measure(ctx context.Context, spec nn.Spec, l *epochs) (r TrainResult, err error) {
	options := nn.TrainerOptions{Threads: t.Threads, Device: t.Device, Precision: t.Precision}
	network, err := nn.New(spec, 1)
	if err != nil {
		return r, err
	}
	trainer, err := nn.NewTrainer(network, nn.Optimizer{Momentum: momentum, WeightDecay: weightDecay}, options)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, trainer.Close()) }()

	turn := min(stretch, t.Time)
	sides := []side{func(ctx context.Context) (int, time.Duration, error) {
		return l.learn(ctx, turn, func(b *nn.Batch) error {
			_, err := trainer.Step(b, rate)
			return err
		})
	}}
	passes := []nn.BarePassOptions{{}, {Whole: true}, {Fused: true}}
	if trainer.Device() != nn.CPU { // where there is one graph, of libtorch's operations
		passes = passes[1:2]
	}
	for _, o := range passes {
		o.TrainerOptions = options
		bare, err := nn.NewBarePass(spec, l.batch(), o)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, bare.Close()) }()
		sides = append(sides, func(ctx context.Context) (int, time.Duration, error) {
			return repeat(ctx, turn, t.Batch, bare.Run)
		})
	}
	for _, warm := range sides { // the memory of each grows in its first step
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
		PolicyHead: network.Spec().PolicyHead, Precision: trainer.Precision(), Device: trainer.Device(),
		Batch: t.Batch, Threads: trainer.Threads(),
		Speed: speeds[0], Bare: speeds[1], Fused: speeds[1], Waited: l.share(),
	}
	if len(passes) > 1 {
		r.Bare, r.Fused = max(speeds[1], speeds[2]), speeds[3]
	}
	r.Ratio, r.FusedRatio = r.Speed/r.Bare, r.Speed/r.Fused
	return r, nil
}

// windowSamples is how many samples there are to learn from, about.
const windowSamples = 8192

// sampleWindow is a window of a whole number of batches, in memory as training has
// it: written and read again as generations of self-play are. The positions are
// those of samplePositions, policies and results are random.
func sampleWindow(codec encode.Codec, batch int) (*data.Set, error) {
	const perGame = 64
	n := max(1, windowSamples/batch) * batch
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
	size          int // of a batch
	order         []int32
	number        uint64 // of the next epoch
	waited, spent time.Duration
}

func newEpochs(window *data.Set, batch int) *epochs {
	l := &epochs{window: window, size: batch, order: make([]int32, window.Len())}
	for i := range l.order {
		l.order[i] = int32(i)
	}
	return l
}

// batch is a batch of the window.
func (l *epochs) batch() *nn.Batch {
	b := new(nn.Batch)
	for _, i := range l.order[:l.size] {
		b.Add(l.window.Sample(int(i)))
	}
	return b
}

// learn begins an epoch, and another one when it ends, until the turn is over. The
// time is all of it: from when the epoch begins, without any batch, until the last
// step is done.
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

// share is the share of the time in which learning waited for a batch.
func (l *epochs) share() float64 { return l.waited.Seconds() / l.spent.Seconds() }
