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

// Units of a schedule.
const (
	UnitSamples = "samples"
	UnitEpochs  = "epochs"
)

// Schedule defines how the learning rate changes from step to step.
type Schedule struct {
	Kind     string       `key:"kind" default:"plateau" enum:"plateau step constant cosine hook" doc:"Schedule of the learning rate. plateau lowers it when the validation loss stops falling, step at fixed intervals, cosine along half a wave; constant never changes it; hook runs a script. A schedule continues across generations."`
	Initial  float64      `key:"initial" default:"0.05" range:">0..1000" doc:"Learning rate after the warm-up."`
	Unit     string       `key:"unit" default:"samples" enum:"samples epochs" doc:"Unit of warmup, every and period. samples are positions that were trained on, each epoch's again; they do not depend on the size of the replay window, which grows in the first generations. epochs count these, in fractions."`
	Warmup   int          `key:"warmup" default:"0" range:"0.." unit:"samples or epochs" doc:"Time at the start in which the rate rises to initial, with every step."`
	Factor   float64      `key:"factor" default:"0.5" range:">0..<1" when:"kind=plateau step" doc:"Factor by which the rate is multiplied at each reduction."`
	Patience int          `key:"patience" default:"3" range:"0..100000" unit:"epochs" when:"kind=plateau" doc:"Number of epochs without improvement after which one more lowers the rate, as in PyTorch."`
	Every    int          `key:"every" default:"200000" range:"1.." unit:"samples or epochs" when:"kind=step" doc:"Time between two reductions."`
	Minimum  float64      `key:"minimum" default:"1e-4" range:"0..1000" when:"kind=plateau step cosine" doc:"Lowest learning rate."`
	Period   int          `key:"period" range:"1.." flags:"required" unit:"samples or epochs" when:"kind=cosine" doc:"Time, in all generations together, in which the rate falls with every step from initial to minimum, where it stays."`
	Script   *config.File `key:"file" ext:".go" flags:"required" when:"kind=hook" doc:"Go script that returns the learning rate of each epoch."`

	// Ask returns the rate of the next epoch for kind Hook. done holds the finished epochs
	// of this generation. Warm-up multiplies the returned rate.
	Ask func(done []Epoch) (float64, error)
}

// plateauThreshold is the relative improvement of the validation loss below which an epoch
// counts as no better. It is the default of PyTorch's ReduceLROnPlateau, which the thesis
// used.
const plateauThreshold = 1e-4

// ScheduleState is the state of a schedule between epochs.
type ScheduleState struct {
	Rate    float64 `json:"rate"`    // plateau: learning rate of the next epoch, after the warm-up
	Best    float64 `json:"best"`    // plateau: lowest loss seen, 0 before the first epoch after the warm-up
	Bad     int     `json:"bad"`     // plateau: epochs since the last improvement
	Epochs  int     `json:"epochs"`  // finished epochs, over all generations
	Samples int     `json:"samples"` // of the finished epochs
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
	return ScheduleState{Rate: s.Initial}, nil
}

// base returns the learning rate of this generation's next epoch for kind Hook, and the
// state's for the others.
func (s Schedule) base(st ScheduleState, done []Epoch) (float64, error) {
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
	return rate, nil
}

// time returns the time since the start, in the schedule's unit, after the given number of
// an epoch's samples.
func (s Schedule) time(st ScheduleState, done, samples int) float64 {
	if s.Unit == UnitEpochs {
		return float64(st.Epochs) + float64(done)/float64(samples)
	}
	return float64(st.Samples + done)
}

// rate returns the learning rate of the step from sample `from` to sample `to` of an epoch.
// base is the epoch's rate. Cosine follows Loshchilov and Hutter 2016, without restarts.
func (s Schedule) rate(base float64, st ScheduleState, from, to, samples int) float64 {
	warmup := float64(s.Warmup)
	time := s.time(st, from, samples) - warmup
	if time < 0 {
		return base * math.Min(1, s.time(st, to, samples)/warmup)
	}
	switch s.Kind {
	case Step:
		return math.Max(base*math.Pow(s.Factor, math.Floor(time/float64(s.Every))), s.Minimum)
	case Cosine:
		wave := (1 + math.Cos(math.Pi*math.Min(time/float64(s.Period), 1))) / 2
		return s.Minimum + (base-s.Minimum)*wave
	}
	return base
}

// Next returns the state after an epoch of that many samples with the given validation
// loss. Plateau follows ReduceLROnPlateau (mode min, relative threshold 1e-4, no
// cool-down): the rate falls after more than Patience epochs in a row without improvement
// over the best.
func (s Schedule) Next(st ScheduleState, loss float64, samples int) ScheduleState {
	st.Epochs++
	st.Samples += samples
	if s.Kind != Plateau || s.time(st, 0, samples) <= float64(s.Warmup) {
		return st
	}
	if st.Best == 0 || loss < st.Best*(1-plateauThreshold) {
		st.Best, st.Bad = loss, 0
	} else if st.Bad++; st.Bad > s.Patience {
		st.Rate, st.Bad = math.Max(st.Rate*s.Factor, s.Minimum), 0
	}
	return st
}
