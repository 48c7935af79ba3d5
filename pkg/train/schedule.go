package train

import (
	"errors"
	"fmt"
	"math"

	"alamos/pkg/config"
)

// Kinds of schedules.
const (
	Plateau  = "plateau"
	Step     = "step"
	Constant = "constant"
	Cosine   = "cosine"
	Hook     = "hook" // the function Ask sets the rate
)

// Schedule defines how the learning rate changes from epoch to epoch.
type Schedule struct {
	Kind     string       `key:"kind" default:"plateau" enum:"plateau step constant cosine hook" doc:"Schedule of the learning rate. plateau lowers it when the validation loss stops falling, step at fixed intervals, cosine along half a wave; constant never changes it; hook runs a script. A schedule continues across generations."`
	Initial  float64      `key:"initial" default:"0.05" range:">0..1000" doc:"Learning rate of the first epoch after the warm-up."`
	Warmup   int          `key:"warmup" default:"0" range:"0..100000" unit:"epochs" doc:"Number of epochs at the start in which the rate rises to initial in equal steps."`
	Factor   float64      `key:"factor" default:"0.5" range:">0..<1" when:"kind=plateau step" doc:"Factor by which the rate is multiplied at each reduction."`
	Patience int          `key:"patience" default:"3" range:"0..100000" unit:"epochs" when:"kind=plateau" doc:"Number of epochs without improvement before the rate is lowered."`
	Every    int          `key:"every" default:"3" range:"1..100000" unit:"epochs" when:"kind=step" doc:"Number of epochs between two reductions."`
	Minimum  float64      `key:"minimum" default:"1e-4" range:"0..1000" when:"kind=plateau step cosine" doc:"Lowest learning rate."`
	Period   int          `key:"period" range:"1..100000" flags:"required" unit:"epochs" when:"kind=cosine" doc:"Number of epochs, of all generations together, in which the rate falls from initial to minimum, where it stays."`
	Script   *config.File `key:"file" ext:".go" flags:"required" when:"kind=hook" doc:"Go script that returns the learning rate of each epoch."`

	// Ask returns the rate of the next epoch for kind Hook. done holds the finished epochs
	// of this generation. Warm-up scales the returned rate.
	Ask func(done []Epoch) (float64, error)
}

// plateauThreshold is the relative improvement of the validation loss below which an epoch
// counts as no better. It is the default of PyTorch's ReduceLROnPlateau, which the thesis
// used.
const plateauThreshold = 1e-4

// ScheduleState is the state of a schedule between epochs.
type ScheduleState struct {
	Rate   float64 `json:"rate"`   // learning rate of the next epoch, unless a hook sets it
	Best   float64 `json:"best"`   // plateau: lowest loss seen, 0 before the first epoch
	Bad    int     `json:"bad"`    // plateau: epochs since the last improvement
	Epochs int     `json:"epochs"` // finished epochs, over all generations
}

// Start returns the state before the first epoch, or an error that names the first invalid
// setting.
func (s Schedule) Start() (ScheduleState, error) {
	missing := func(key string) (ScheduleState, error) {
		return ScheduleState{}, fmt.Errorf("training.schedule.%s: missing", key)
	}
	if err := config.Check("training.schedule", s); err != nil {
		return ScheduleState{}, err
	}
	switch {
	case s.Kind == "":
		return missing("kind")
	case s.Initial == 0:
		return missing("initial")
	case s.Factor == 0 && (s.Kind == Plateau || s.Kind == Step):
		return missing("factor")
	case s.Every == 0 && s.Kind == Step:
		return missing("every")
	case s.Period == 0 && s.Kind == Cosine:
		return missing("period")
	case s.Ask == nil && s.Kind == Hook:
		return ScheduleState{}, errors.New("training.schedule: no script to set the rate")
	}
	return ScheduleState{Rate: s.Initial * s.warm(0)}, nil
}

// warm returns the warm-up factor of the rate after the given number of epochs. It is 1
// after the warm-up.
func (s Schedule) warm(epochs int) float64 {
	return min(1, float64(epochs+1)/float64(s.Warmup+1))
}

// rate returns the learning rate of this generation's next epoch.
func (s Schedule) rate(st ScheduleState, done []Epoch) (float64, error) {
	if s.Kind != Hook {
		return st.Rate, nil
	}
	rate, err := s.Ask(done)
	if err == nil && !(rate > 0 && !math.IsInf(rate, 0)) {
		err = fmt.Errorf("the rate is %v: want more than 0", rate)
	}
	if err != nil {
		return 0, fmt.Errorf("learning rate of epoch %d: %w", st.Epochs+1, err)
	}
	return rate * s.warm(st.Epochs), nil
}

// Next returns the state after an epoch with the given validation loss. Plateau follows
// ReduceLROnPlateau (mode min, relative threshold 1e-4, no cool-down): the rate falls after
// more than Patience epochs in a row without improvement over the best. Cosine follows
// Loshchilov and Hutter 2016, without restarts. Both start after the warm-up.
func (s Schedule) Next(st ScheduleState, loss float64) ScheduleState {
	st.Epochs++
	after := st.Epochs - s.Warmup // epochs since the warm-up
	if after <= 0 {
		st.Rate = s.Initial * s.warm(st.Epochs)
		return st
	}
	switch s.Kind {
	case Plateau:
		if after == 1 || loss < st.Best*(1-plateauThreshold) {
			st.Best, st.Bad = loss, 0
			break
		}
		if st.Bad++; st.Bad > s.Patience {
			st.Rate, st.Bad = math.Max(st.Rate*s.Factor, s.Minimum), 0
		}
	case Step:
		if after%s.Every == 0 {
			st.Rate = math.Max(st.Rate*s.Factor, s.Minimum)
		}
	case Cosine:
		wave := (1 + math.Cos(math.Pi*float64(min(after, s.Period))/float64(s.Period))) / 2
		st.Rate = s.Minimum + (s.Initial-s.Minimum)*wave
	}
	return st
}
