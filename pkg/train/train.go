package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/nn"
)

// How the epoch to keep is chosen.
const (
	SelectLowest = "lowest-validation-loss" // the thesis' rule, see Run
	SelectLast   = "last"
)

// What a generation continues with.
const (
	CarryAll     = "all"
	CarryWeights = "weights"
)

// Config holds the settings of training. The tags are what experiment files may say, see
// package config. [Run] does not use Window, Optimizer, Loss, Carry and ValueTarget: its
// caller makes the window, the trainer and Values from them.
type Config struct {
	Epochs      int          `key:"epochs" default:"10" range:"1..100000" unit:"epochs" doc:"Epochs of a generation."`
	Batch       int          `key:"batch" default:"256" range:"1..1000000" unit:"positions" doc:"Positions of a training step; a shorter rest of an epoch is a step of its own."`
	Window      int          `key:"window" default:"1" range:"1.." unit:"generations" doc:"Generations of games to learn from, the newest included."`
	Validation  float64      `key:"validation" default:"0.2" range:"0..<1" doc:"Share of the games kept apart to measure the loss on."`
	Select      string       `key:"select" default:"lowest-validation-loss" enum:"lowest-validation-loss last" doc:"Which epoch's network is kept. lowest-validation-loss: the best of the generation, or the last one when none beats the generation before."`
	Optimizer   nn.Optimizer `key:"optimizer" doc:"How weights are changed."`
	Schedule    Schedule     `key:"schedule" doc:"How the learning rate changes."`
	Loss        nn.Weights   `key:"loss" doc:"Weights of the parts of the loss."`
	Patience    int          `key:"patience" default:"0" range:"0..100000" unit:"epochs" doc:"Early stopping: the training of a generation ends after that many epochs in a row without a validation loss below its lowest; 0: never."`
	Carry       string       `key:"carry" default:"all" enum:"all weights" doc:"What a generation continues with: all that the one before left, or the weights alone, so that optimizer and schedule start again."`
	ValueTarget *ValueTarget `key:"value_target" flags:"optional" doc:"What the value learns from beside the results of games; absent: the results alone."`

	// Values, when not nil, are what the network learns to predict in place of the
	// results: one for each sample of the window, held-out ones included, from the
	// view and in the range of [encode.Sample.Value].
	Values []float32
}

// ValueTarget mixes a script's evaluation of positions into what the value learns.
type ValueTarget struct {
	Script config.File `key:"file" ext:".go" flags:"required" doc:"Go script that evaluates positions, from -1 to 1 for the side to move."`
	Weight float64     `key:"weight" default:"0.5" range:"0..1" doc:"Share of the script's evaluation in the target; the rest is the result of the game."`
}

// State is what one generation's training hands to the next.
type State struct {
	Schedule ScheduleState `json:"schedule"`
	// LastLoss is the validation loss of the epoch that the generation before
	// kept; 0 before the first generation.
	LastLoss float64 `json:"last_loss"`
	// Before is the number of epochs before the schedule last began, see Restarted:
	// epochs are numbered over all generations.
	Before int `json:"before,omitempty"`
}

// Restarted returns the state of a generation that takes only the weights from the one
// before: its schedule begins as in the first generation. Its trainer has no optimizer's
// state.
func (s State) Restarted(schedule Schedule) (State, error) {
	start, err := schedule.Start()
	return State{Schedule: start, Before: s.Before + s.Schedule.Epochs}, err
}

// Epoch is a row of epochs.csv. Without held-out games the validation losses
// are NaN and the training loss takes their place in schedule and selection.
type Epoch struct {
	Number     int // over all generations, from 1
	Rate       float64
	Train      nn.Loss // mean over the epoch's steps, as the network was at each
	Validation nn.Loss // after the epoch, batch norm in evaluation mode
	// Top1 and Top5 are the shares of the held-out positions whose best move, the
	// one played or visited most, is the policy's first, or among its first five;
	// see [nn.Accuracy]. NaN where there is nothing to measure.
	Top1, Top5 float64
	Selected   bool
}

// unmeasured is the validation loss without held-out games.
func unmeasured() nn.Loss {
	nan := math.NaN()
	return nn.Loss{Total: nan, Policy: nan, Value: nan, MovesLeft: nan}
}

// Loss is the loss that schedule and selection use.
func (e *Epoch) Loss() float64 {
	if math.IsNaN(e.Validation.Total) {
		return e.Train.Total
	}
	return e.Validation.Total
}

// Seeds decide which games are held out, and the order of the others.
type Seeds struct{ Split, Shuffle uint64 }

// Hooks let a caller watch; each may be nil.
type Hooks struct {
	Step  func(done, total int) // after each step of the generation
	Epoch func(Epoch)
	// Progress receives what [Run] needs to continue after each epoch, the last one
	// included. It is for reading only. An error ends the training.
	Progress func(*Progress) error
}

// Validate returns an error that names the first setting that makes no sense; the
// schedule is left to [Schedule.Start].
func (c *Config) Validate() error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("training.epochs: want at least 1, have %d", c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("training.batch: want at least 1 sample, have %d", c.Batch)
	case c.Select == "":
		return errors.New("training.select: want a rule, have none")
	}
	return config.Check("training", c)
}

// Run trains net on the window's samples for cfg.Epochs epochs, or fewer where
// cfg.Patience ends, and leaves it, and the optimizer, as they were at the end of
// the selected epoch: the one with the lowest validation loss, or the last where
// even that is no better than what the generation before kept (the thesis,
// section 4.5.3). The split of the games is a function of seeds.Split, so that
// with one value for a whole trial a game held out once is never learned from. For
// recurring games this holds within a window, and from window to window if those have
// many games, see [data.Split]. seeds.Shuffle decides the order of samples. After an
// error or a canceled context st is unchanged and net is in between: load it again.
//
// from is what Hooks.Progress received last, or nil to begin. The epochs up to there are
// not trained again, and the results, including the rows of those epochs, equal those of
// an undisturbed Run to the bit. All other arguments must be those of that Run; only net
// and tr may hold anything.
func Run(ctx context.Context, cfg Config, net *nn.Network, tr *nn.Trainer, window *data.Set, seeds Seeds, st *State, from *Progress, watch Hooks) ([]Epoch, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Values != nil && len(cfg.Values) != window.Len() {
		return nil, fmt.Errorf("training: %d values for %d samples", len(cfg.Values), window.Len())
	}
	learn, held := data.Split(window, seeds.Split, cfg.Validation)
	if len(learn) == 0 {
		return nil, fmt.Errorf("nothing to train on: %d samples, all held out", window.Len())
	}
	r := &generation{cfg: cfg, net: net, tr: tr, window: window, learn: learn, held: held, watch: watch, schedule: st.Schedule, before: st.Before}
	if from != nil {
		if err := r.restore(from); err != nil {
			return nil, fmt.Errorf("resuming the training: %w", err)
		}
	}
	for i := range cfg.Epochs {
		data.Shuffle(learn, seeds.Shuffle+uint64(i)) // shuffles the order of the epoch before, hence also for epochs that are done
		if i < len(r.epochs) {
			continue
		}
		if r.ended() {
			break
		}
		if err := r.epoch(ctx); err != nil {
			return nil, err
		}
	}
	loss, err := r.choose(st.LastLoss)
	if err != nil {
		return nil, err
	}
	*st = State{Schedule: r.schedule, LastLoss: loss, Before: st.Before}
	return r.epochs, nil
}
