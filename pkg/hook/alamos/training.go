package alamos

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Progress is the state of a trial's training.
type Progress struct {
	Variant     string
	Generation  int       // the one in training for Rate, the one that has just ended for Stop; from 1
	Generations int       // of the experiment
	EpochsEach  int       // epochs of each generation: training.epochs
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
	Validation Loss    // on the validation games; NaN if there are none
	Selected   bool    // its network is the one that its generation kept; false while that is open
}

// Loss returns the total validation loss, or the training loss if there are no
// validation games. Plateau schedules use it.
func (e Epoch) Loss() float64 {
	if math.IsNaN(e.Validation.Total) {
		return e.Train.Total
	}
	return e.Validation.Total
}

// Loss is a loss and its parts.
type Loss struct{ Total, Policy, Value float64 }

// Summary is the result of a generation.
type Summary struct {
	Generation                  int // from 1
	Games, Samples              int
	WhiteWins, Draws, BlackWins int
	MeanPlies                   float64
	Loss                        float64 // of the selected epoch, as Epoch.Loss; NaN before training

	// Metrics are those of the experiment's hooks, by the names of hook and metric,
	// "explosions.king_exploded". A hook that failed has none. Only Stop gets them:
	// metrics cannot change the learning rate.
	Metrics map[string]float64
}

// Checkpoint is a network after a generation. Its two functions evaluate positions;
// one call with many positions costs much less than many calls. The network sees each
// position without the moves before it.
type Checkpoint struct {
	Generation int // from 1; 0 is the untrained network
	Variant    string
	Samples    int // positions of self-play made so far

	// Evaluate uses the network alone, without a search.
	Evaluate func(positions []Position) []Evaluation

	// Search searches each position with the given number of visits and the settings
	// of the experiment's search section, without noise. A solved position may get
	// fewer visits.
	Search func(positions []Position, visits int) []SearchResult
}

// Evaluation is the network's evaluation of a position. If the position ends the game,
// its value is the result and the policy is empty.
type Evaluation struct {
	Value  float64            // expected result of the side to move, -1 to 1
	Policy map[string]float64 // share of each legal move in UCI notation; the sum is 1
}

// Moves lists the moves of the policy, the likeliest first. Sum over moves in this
// order: the order of a map differs each time, and with it the last digit of a sum.
func (e Evaluation) Moves() []string {
	moves := slices.Sorted(maps.Keys(e.Policy))
	slices.SortStableFunc(moves, func(a, b string) int { return cmp.Compare(e.Policy[b], e.Policy[a]) })
	return moves
}

// SearchResult is the result of a search of a position.
type SearchResult struct {
	Value float64      // expected result of the side to move, -1 to 1
	Moves []SearchMove // all legal moves, the most visited first; none if the game is over
	PV    []string     // principal variation in UCI notation: the best move, then the most visited ones
}

// SearchMove is the result of a search for a move.
type SearchMove struct {
	Move   string // in UCI notation
	Visits int
	Prior  float64 // of the network, 0 to 1
	Value  float64 // mean result after it, from the view of the side to move, -1 to 1; 0 without visits
}

// Metrics are numbers by name: lowercase letters, digits and underscores,
// beginning with a letter. Each becomes a column of the hook's CSV file. NaN
// stands for a missing metric, such as a mean over no games; its cell stays empty.
type Metrics map[string]float64

// Series are curves by name, under the rules of [Metrics]: something over plies, moves,
// values or any other numbers. A figure of kind series shows one. X is finite and rises from
// point to point, a Y of NaN leaves a gap, and a call returns at most 1000 points in all.
type Series map[string][]Point

// Point is a point of a curve.
type Point struct{ X, Y float64 }

// Labels say how figures and tables show metrics and series, by name. A script that measures
// may state them in a variable:
//
//	var Labels = alamos.Labels{
//		"mean_plies": {Text: "mean length of a game", Unit: "plies"},
//		"material":   {Text: "material on the board", Unit: "pawns", X: "ply"},
//	}
type Labels map[string]Label

// Label is the label of an axis or a column.
type Label struct {
	Text string // if it is empty, the name of the metric
	Unit string // such as "plies" or "%"; may be empty
	X    string // of a series, the label of the horizontal axis with its unit; may be empty
}
