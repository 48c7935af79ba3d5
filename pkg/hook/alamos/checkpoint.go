package alamos

import (
	"cmp"
	"maps"
	"slices"
)

// Checkpoint is a network after a generation. Its two functions ask it about
// positions; many positions in one call cost much less than many calls. The
// network sees each position without the moves before it.
type Checkpoint struct {
	Generation int // from 1; 0 is the untrained network
	Variant    string
	Samples    int // positions of self-play made so far

	// Evaluate asks the network alone, without a search.
	Evaluate func(positions []Position) []Evaluation

	// Search looks for the best moves with so many visits, as the experiment's
	// search section says, without noise. A solved position may have fewer.
	Search func(positions []Position, visits int) []SearchResult
}

// Evaluation is the network's answer to a position. Where the position has
// ended the game, its value is the result and there is no policy.
type Evaluation struct {
	Value  float64            // expected result of the side to move, -1 to 1
	Policy map[string]float64 // share of each legal move in UCI notation; the sum is 1
}

// Moves lists the moves of the policy, the likeliest first. Sums over moves should
// follow it: the order of a map is another one each time, and with it the last
// digit of a sum.
func (e Evaluation) Moves() []string {
	moves := slices.Sorted(maps.Keys(e.Policy))
	slices.SortStableFunc(moves, func(a, b string) int { return cmp.Compare(e.Policy[b], e.Policy[a]) })
	return moves
}

// SearchResult is what a search found out about a position.
type SearchResult struct {
	Value float64      // expected result of the side to move, -1 to 1
	Moves []SearchMove // all legal moves, the most visited first; none where the game is over
	PV    []string     // principal variation: the line of most visited moves, in UCI notation
}

// SearchMove is what a search found out about a move.
type SearchMove struct {
	Move   string // in UCI notation
	Visits int
	Prior  float64 // the network's share
	Value  float64 // mean result after it, from the view of the side that moves, -1 to 1; 0 without visits
}
