package train

import (
	"fmt"
	"math"
)

// Schedule says how the learning rate moves from epoch to epoch.
type Schedule struct {
	Kind     string  // "plateau", "step" or "constant"
	Initial  float64 // learning rate of the first epoch
	Factor   float64 // plateau, step: what the rate is multiplied by, in (0, 1)
	Patience int     // plateau: epochs without improvement that are borne
	Every    int     // step: epochs between two cuts
	Minimum  float64 // plateau, step: the rate never falls below this
}

// plateauThreshold is the relative improvement of the validation loss below
// which an epoch counts as no better: the default of PyTorch's
// ReduceLROnPlateau, which the thesis used.
const plateauThreshold = 1e-4

// ScheduleState is what a schedule remembers between epochs.
type ScheduleState struct {
	Rate   float64 `json:"rate"`   // learning rate of the next epoch
	Best   float64 `json:"best"`   // plateau: lowest loss seen, 0 before the first epoch
	Bad    int     `json:"bad"`    // plateau: epochs since the last improvement
	Epochs int     `json:"epochs"` // epochs finished, over all generations
}

// Start returns the state before the first epoch, or an error that names the
// setting which makes no sense.
func (s Schedule) Start() (ScheduleState, error) {
	switch {
	case s.Kind != "plateau" && s.Kind != "step" && s.Kind != "constant":
		return ScheduleState{}, fmt.Errorf("training.schedule.kind: unknown schedule %q (want plateau, step or constant)", s.Kind)
	case !(s.Initial > 0) || math.IsInf(s.Initial, 0):
		return ScheduleState{}, fmt.Errorf("training.schedule.initial: want a rate above 0, have %v", s.Initial)
	case s.Kind != "constant" && !(s.Factor > 0 && s.Factor < 1):
		return ScheduleState{}, fmt.Errorf("training.schedule.factor: want a factor between 0 and 1, have %v", s.Factor)
	case s.Kind == "step" && s.Every < 1:
		return ScheduleState{}, fmt.Errorf("training.schedule.every: want at least 1 epoch, have %d", s.Every)
	}
	return ScheduleState{Rate: s.Initial}, nil
}

// Next returns the state after an epoch that ended with the given validation
// loss. Plateau follows ReduceLROnPlateau (mode min, relative threshold 1e-4,
// no cool-down): the rate falls when more than Patience epochs in a row were no
// better than the best.
func (s Schedule) Next(st ScheduleState, loss float64) ScheduleState {
	st.Epochs++
	switch s.Kind {
	case "plateau":
		if st.Epochs == 1 || loss < st.Best*(1-plateauThreshold) {
			st.Best, st.Bad = loss, 0
			break
		}
		if st.Bad++; st.Bad > s.Patience {
			st.Rate, st.Bad = math.Max(st.Rate*s.Factor, s.Minimum), 0
		}
	case "step":
		if st.Epochs%s.Every == 0 {
			st.Rate = math.Max(st.Rate*s.Factor, s.Minimum)
		}
	}
	return st
}
