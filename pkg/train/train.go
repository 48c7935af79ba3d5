package train

import (
	"context"
	"fmt"
	"math"

	"alamos/pkg/dataset"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// How the epoch to keep is chosen.
const (
	SelectLowest = "lowest-validation-loss" // the thesis' rule, see Run
	SelectLast   = "last"
)

// Config holds the settings of a generation's training.
type Config struct {
	Epochs     int
	Batch      int     // samples a step; a shorter rest of an epoch is a step of its own
	Validation float64 // share of the games held out, in [0, 1)
	Select     string
	Schedule   Schedule
}

// State is what one generation's training hands to the next.
type State struct {
	Schedule ScheduleState `json:"schedule"`
	// LastLoss is the validation loss of the epoch that the generation before
	// kept; 0 before the first generation.
	LastLoss float64 `json:"last_loss"`
}

// Epoch is a row of epochs.csv. Without held-out games the validation losses
// are NaN and the training loss takes their place in schedule and selection.
type Epoch struct {
	Number     int // over all generations, from 1
	Rate       float64
	Train      nn.Loss // mean over the epoch's steps, as the network was at each
	Validation nn.Loss // after the epoch, batch norm in evaluation mode
	Selected   bool
}

// Loss is what schedule and selection look at.
func (e *Epoch) Loss() float64 {
	if math.IsNaN(e.Validation.Total) {
		return e.Train.Total
	}
	return e.Validation.Total
}

// Snapshot is a network with its optimizer, as they were at one instant.
type Snapshot struct{ Network, Optimizer nn.Tensors }

// Seeds decide which games are held out, and the order of the others.
type Seeds struct{ Split, Shuffle uint64 }

// Hooks let a caller watch; either may be nil.
type Hooks struct {
	Step  func(done, total int) // after each step of the generation
	Epoch func(Epoch)
}

func (c *Config) check() error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("training.epochs: want at least 1, have %d", c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("training.batch: want at least 1 sample, have %d", c.Batch)
	case c.Select != SelectLowest && c.Select != SelectLast:
		return fmt.Errorf("training.select: unknown rule %q (want %s or %s)", c.Select, SelectLowest, SelectLast)
	}
	return nil
}

// Run trains net on the window's samples for cfg.Epochs epochs and leaves it,
// and the optimizer, as they were at the end of the selected epoch: the one
// with the lowest validation loss, or the last where even that is no better
// than what the generation before kept (the thesis, section 4.5.3). The split of
// the games is a function of seeds.Split, so that with one value for a whole
// trial a game held out once is never learned from; the order of samples is one
// of seeds.Shuffle. On an error or a canceled context st is unchanged and net is
// in between: load it anew.
func Run(ctx context.Context, cfg Config, net *nn.Network, tr *nn.Trainer, window *dataset.Set, seeds Seeds, st *State, watch Hooks) ([]Epoch, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	learn, held := dataset.Split(window, seeds.Split, cfg.Validation)
	if len(learn) == 0 {
		return nil, fmt.Errorf("nothing to train on: %d samples, all held out", window.Len())
	}
	next := *st
	var epochs []Epoch
	var kept *Snapshot
	best := -1
	steps := (len(learn) + cfg.Batch - 1) / cfg.Batch
	for i := range cfg.Epochs {
		dataset.Shuffle(learn, seeds.Shuffle+uint64(i))
		e := Epoch{Number: next.Schedule.Epochs + 1, Rate: next.Schedule.Rate}
		var err error
		e.Train, err = pass(ctx, window, learn, cfg.Batch, func(b *nn.Batch) (nn.Loss, error) { return tr.Step(b, e.Rate) },
			func(done int) {
				if watch.Step != nil {
					watch.Step(i*steps+done, cfg.Epochs*steps)
				}
			})
		if err != nil {
			return nil, fmt.Errorf("epoch %d, learning rate %v: %w", e.Number, e.Rate, err)
		}
		nan := math.NaN()
		e.Validation = nn.Loss{Total: nan, Policy: nan, Value: nan}
		if len(held) > 0 {
			if e.Validation, err = pass(ctx, window, held, cfg.Batch, tr.Loss, func(int) {}); err != nil {
				return nil, fmt.Errorf("validation after epoch %d: %w", e.Number, err)
			}
		}
		next.Schedule = cfg.Schedule.Next(next.Schedule, e.Loss())
		epochs = append(epochs, e)
		if cfg.Select == SelectLowest && (best < 0 || e.Loss() < epochs[best].Loss()) {
			best = i
			if i < cfg.Epochs-1 { // the last epoch is in the network already
				if kept, err = snapshot(net, tr); err != nil {
					return nil, err
				}
			}
		}
		if watch.Epoch != nil {
			watch.Epoch(e)
		}
	}
	last := cfg.Epochs - 1
	if best < 0 || (st.LastLoss > 0 && epochs[best].Loss() >= st.LastLoss) {
		best = last
	}
	if best != last {
		if err := kept.Restore(net, tr); err != nil {
			return nil, err
		}
	}
	epochs[best].Selected = true
	next.LastLoss = epochs[best].Loss()
	*st = next
	return epochs, nil
}

// pass feeds the samples named by indices to f, batch after batch, and returns
// the mean of the losses, weighted by samples.
func pass(ctx context.Context, set *dataset.Set, indices []int32, size int, f func(*nn.Batch) (nn.Loss, error), done func(steps int)) (nn.Loss, error) {
	var b nn.Batch
	var s encode.Sample
	var sum nn.Loss
	for from, step := 0, 1; from < len(indices); from, step = from+size, step+1 {
		if err := ctx.Err(); err != nil {
			return nn.Loss{}, err
		}
		b.Reset()
		for _, i := range indices[from:min(from+size, len(indices))] {
			set.Sample(int(i), &s)
			b.Add(&s)
		}
		l, err := f(&b)
		if err != nil {
			return nn.Loss{}, err
		}
		w := float64(b.N) / float64(len(indices))
		sum.Total += w * l.Total
		sum.Policy += w * l.Policy
		sum.Value += w * l.Value
		done(step)
	}
	return sum, nil
}

func snapshot(net *nn.Network, tr *nn.Trainer) (*Snapshot, error) {
	n, err := net.State()
	if err != nil {
		return nil, err
	}
	o, err := tr.State()
	if err != nil {
		return nil, err
	}
	return &Snapshot{Network: n, Optimizer: o}, nil
}

// Restore puts the network and the optimizer back to the snapshot.
func (s *Snapshot) Restore(net *nn.Network, tr *nn.Trainer) error {
	if err := net.Load(s.Network); err != nil {
		return err
	}
	return tr.Load(s.Optimizer)
}
