package alamos

import "math"

// Progress is how far the training of a trial has come.
type Progress struct {
	Variant     string
	Generation  int       // for Rate the one being trained, for Stop the one that has just ended; from 1
	Generations int       // as many as the experiment asks for
	EpochsEach  int       // epochs of a generation: training.epochs
	Initial     float64   // training.schedule.initial
	Epochs      []Epoch   // those that have ended, of all generations in order
	Past        []Summary // the generations that have ended, in order
}

// Epoch is an epoch of training that has ended.
type Epoch struct {
	Generation int
	Number     int     // over all generations, from 1
	Rate       float64 // learning rate
	Train      Loss    // mean over the steps
	Validation Loss    // on the games kept apart; NaN where there are none
	Selected   bool    // whether its network is the one that its generation kept; false while that is open
}

// Loss returns the total validation loss, and the training loss where no games
// are kept apart: the number that plateau schedules look at.
func (e Epoch) Loss() float64 {
	if math.IsNaN(e.Validation.Total) {
		return e.Train.Total
	}
	return e.Validation.Total
}

// Loss is a loss and its parts.
type Loss struct{ Total, Policy, Value float64 }

// Summary is what came of a generation.
type Summary struct {
	Generation                  int // from 1
	Games, Samples              int
	WhiteWins, Draws, BlackWins int
	MeanPlies                   float64
	Loss                        float64 // of the epoch that was kept, as Epoch.Loss; NaN before training

	// Metrics are, for Stop, those of the experiment's hooks: by name of the hook and
	// of its metric, "explosions.king_exploded". A hook that failed has none. Rate
	// gets none: what is measured beside training cannot change it.
	Metrics map[string]float64
}
