package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// kinds are the kinds of schedules.
var kinds = []string{"plateau", "step", "cosine", "constant", "asked"}

// Schedule says how the learning rate moves from epoch to epoch.
type Schedule struct {
	Kind     string  // "plateau", "step", "cosine", "constant" or "asked"
	Initial  float64 // learning rate of the first epoch after the warm-up
	Warmup   int     // epochs before that, in which the rate climbs in equal steps
	Factor   float64 // plateau, step: what the rate is multiplied by, in (0, 1)
	Patience int     // plateau: epochs without improvement that are borne
	Every    int     // step: epochs between two cuts
	Period   int     // cosine: epochs from Initial to Minimum along half a wave; then it stays there
	Minimum  float64 // plateau, step, cosine: the rate never falls below this

	// Ask, of kind asked, returns the rate of the next epoch; done are the epochs of
	// this generation that have ended. The warm-up takes its share of it.
	Ask func(done []Epoch) (float64, error)
}

// plateauThreshold is the relative improvement of the validation loss below
// which an epoch counts as no better: the default of PyTorch's
// ReduceLROnPlateau, which the thesis used.
const plateauThreshold = 1e-4

// ScheduleState is what a schedule remembers between epochs.
type ScheduleState struct {
	Rate   float64 `json:"rate"`   // learning rate of the next epoch; unless it is asked for
	Best   float64 `json:"best"`   // plateau: lowest loss seen, 0 before the first epoch
	Bad    int     `json:"bad"`    // plateau: epochs since the last improvement
	Epochs int     `json:"epochs"` // epochs finished, over all generations
}

// Start returns the state before the first epoch, or an error that names the
// setting which makes no sense.
func (s Schedule) Start() (ScheduleState, error) {
	switch {
	case !slices.Contains(kinds, s.Kind):
		return ScheduleState{}, fmt.Errorf("training.schedule.kind: unknown schedule %q (want %s)", s.Kind, strings.Join(kinds, ", "))
	case !(s.Initial > 0) || math.IsInf(s.Initial, 0):
		return ScheduleState{}, fmt.Errorf("training.schedule.initial: want a rate above 0, have %v", s.Initial)
	case s.Warmup < 0:
		return ScheduleState{}, fmt.Errorf("training.schedule.warmup: want 0 or more epochs, have %d", s.Warmup)
	case (s.Kind == "plateau" || s.Kind == "step") && !(s.Factor > 0 && s.Factor < 1):
		return ScheduleState{}, fmt.Errorf("training.schedule.factor: want a factor between 0 and 1, have %v", s.Factor)
	case s.Kind == "step" && s.Every < 1:
		return ScheduleState{}, fmt.Errorf("training.schedule.every: want at least 1 epoch, have %d", s.Every)
	case s.Kind == "cosine" && s.Period < 1:
		return ScheduleState{}, fmt.Errorf("training.schedule.period: want at least 1 epoch, have %d", s.Period)
	case s.Kind == "asked" && s.Ask == nil:
		return ScheduleState{}, errors.New("training.schedule: nobody to ask for the rate")
	}
	return ScheduleState{Rate: s.Initial * s.warm(0)}, nil
}

// warm is the share of the rate in the epoch after so many: 1 after the warm-up.
func (s Schedule) warm(epochs int) float64 {
	return min(1, float64(epochs+1)/float64(s.Warmup+1))
}

// rate is the learning rate of the epoch after those of this generation.
func (s Schedule) rate(st ScheduleState, done []Epoch) (float64, error) {
	if s.Kind != "asked" {
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

// Next returns the state after an epoch that ended with the given validation
// loss. Plateau follows ReduceLROnPlateau (mode min, relative threshold 1e-4,
// no cool-down): the rate falls when more than Patience epochs in a row were no
// better than the best. Cosine is that of Loshchilov and Hutter 2016 without its
// restarts. All of them begin when the warm-up has ended.
func (s Schedule) Next(st ScheduleState, loss float64) ScheduleState {
	st.Epochs++
	after := st.Epochs - s.Warmup // epochs since the warm-up
	if after <= 0 {
		st.Rate = s.Initial * s.warm(st.Epochs)
		return st
	}
	switch s.Kind {
	case "plateau":
		if after == 1 || loss < st.Best*(1-plateauThreshold) {
			st.Best, st.Bad = loss, 0
			break
		}
		if st.Bad++; st.Bad > s.Patience {
			st.Rate, st.Bad = math.Max(st.Rate*s.Factor, s.Minimum), 0
		}
	case "step":
		if after%s.Every == 0 {
			st.Rate = math.Max(st.Rate*s.Factor, s.Minimum)
		}
	case "cosine":
		wave := (1 + math.Cos(math.Pi*float64(min(after, s.Period))/float64(s.Period))) / 2
		st.Rate = s.Minimum + (s.Initial-s.Minimum)*wave
	}
	return st
}
