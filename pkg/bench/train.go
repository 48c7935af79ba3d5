package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/chess"
	"alamos/pkg/nn"
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

	// What follows is told to the caller as it happens; nil for not.
	Begin  func(done int, next Shape)
	Result func(TrainResult)
}

// TrainResult is what came out for a network.
type TrainResult struct {
	Network    Shape
	PolicyHead string
	Precision  string // FP32 or BF16
	Device     string
	Batch      int
	Threads    int
	Speed      float64 // positions/s
	Bare       float64 // positions/s of bare passes with libtorch's operations
	Fused      float64 // positions/s of bare passes with ours; on a CUDA device they are the same
	Waited     float64 // share of the time in which training waited for a batch
}

// Ratio is the share of the speed of libtorch's bare passes that training reaches.
func (r *TrainResult) Ratio() float64 { return r.Speed / r.Bare }

// FusedRatio is the share of the speed of our bare passes that training reaches.
func (r *TrainResult) FusedRatio() float64 { return r.Speed / r.Fused }

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
	for i, shape := range t.Networks {
		if t.Begin != nil {
			t.Begin(i, shape)
		}
		r, err := t.measure(ctx, shape.spec(codec, t.PolicyHead), newLessons(window, t.Batch))
		if err != nil {
			return fmt.Errorf("bench: %s: %w", shape, err)
		}
		r.Network = shape
		if t.Result != nil {
			t.Result(r)
		}
	}
	return nil
}

// The optimizer's settings of the thesis, and a rate at which nothing diverges:
// there is nothing to learn from moves at random.
const (
	momentum    = 0.9
	weightDecay = 1e-4
	rate        = 1e-3
)

func (t *Train) measure(ctx context.Context, spec nn.Spec, l *lessons) (r TrainResult, err error) {
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
	return r, nil
}

// repeat does something, so much work each time, until the turn is over.
func repeat(ctx context.Context, turn time.Duration, each int, do func() error) (work int, took time.Duration, err error) {
	for began := time.Now(); work == 0 || took < turn; took = time.Since(began) {
		if err := errors.Join(context.Cause(ctx), do()); err != nil {
			return 0, 0, err
		}
		work += each
	}
	return work, took, nil
}

// MarshalJSON writes one flat object.
func (r TrainResult) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Network     string   `json:"network"`
		PolicyHead  string   `json:"policy_head"`
		Precision   string   `json:"precision"`
		Device      string   `json:"device"`
		Batch       int      `json:"batch"`
		Threads     int      `json:"threads"`
		Speed       *float64 `json:"positions_per_second"`
		Bare        *float64 `json:"bare_positions_per_second"`
		Ratio       *float64 `json:"ratio"`
		Fused       *float64 `json:"fused_bare_positions_per_second"`
		FusedRatio  *float64 `json:"fused_ratio"`
		Preparation *float64 `json:"preparation_share"`
	}{
		r.Network.String(), r.PolicyHead, r.Precision, r.Device, r.Batch, r.Threads,
		rounded(r.Speed, 0), rounded(r.Bare, 0), rounded(r.Ratio(), 3), rounded(r.Fused, 0), rounded(r.FusedRatio(), 3), rounded(r.Waited, 4),
	})
}

// TrainTable writes results for people: a line a network, and below it how the
// figures were made.
func TrainTable(w io.Writer, results []TrainResult) error {
	t := table{
		head: []string{"network", "head", "precision", "positions/s", "bare/s", "ratio", "fused/s", "ratio", "waited"},
		text: []bool{true, true, true, false, false, false, false, false, false},
	}
	for _, r := range results {
		t.rows = append(t.rows, []string{
			r.Network.String(), r.PolicyHead, r.Precision, humanize.Comma(int64(r.Speed)),
			humanize.Comma(int64(r.Bare)), fmt.Sprintf("%.3f", r.Ratio()),
			humanize.Comma(int64(r.Fused)), fmt.Sprintf("%.3f", r.FusedRatio()), fmt.Sprintf("%.2f %%", 100*r.Waited),
		})
	}
	if err := t.write(w); err != nil || len(results) == 0 {
		return err
	}
	r := results[0]
	_, err := fmt.Fprintf(w, `
Training, from samples to the optimizer's step; batches of %d, %s, %d threads.
bare: forward and backward with libtorch's operations, the batch in place; fused: with ours.
waited: the share of the time in which training waited for its next batch.
`, r.Batch, r.Device, r.Threads)
	return err
}
