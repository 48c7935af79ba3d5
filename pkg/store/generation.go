package store

// Generation is a row of generations.csv. The columns behind Reasons depend on
// the machine; all others are a function of the experiment. Of a chunk of data there
// are no evaluations, and how long games were and why they ended is not known.
type Generation struct {
	Number      int            `json:"number"`
	Games       int            `json:"games"`
	Thrown      int            `json:"thrown"` // games over max_moves, played again
	Samples     int            `json:"samples"`
	WhiteWins   int            `json:"white_wins"`
	Draws       int            `json:"draws"`
	BlackWins   int            `json:"black_wins"`
	Lengths     []int          `json:"lengths"` // plies of each game
	Evaluations int            `json:"evaluations"`
	Reasons     map[string]int `json:"reasons"` // how games ended
	Seconds     float64        `json:"seconds"` // of playing
	PerSecond   float64        `json:"evaluations_per_second"`
	Data        *Chunk         `json:"data,omitempty"` // nil: self-play
}

// Chunk is what is known of a chunk of data beside the numbers of its games and
// samples.
type Chunk struct {
	Pass        int  `json:"pass"`                  // through the data, from 1
	Broken      int  `json:"broken,omitempty"`      // games that could not be read and were passed over
	Finished    int  `json:"finished,omitempty"`    // games that an engine played out
	NoResult    int  `json:"no_result,omitempty"`   // games left out, without a result
	NoMoves     int  `json:"no_moves,omitempty"`    // games left out, without moves
	Unexpressed int  `json:"unexpressed,omitempty"` // positions left out whose moves the policy has no index for
	Last        bool `json:"last,omitempty"`        // of its pass
}

// MeanPlies is the mean length of a game, NaN where no lengths are known.
func (g *Generation) MeanPlies() float64 {
	n := 0
	for _, l := range g.Lengths {
		n += l
	}
	return float64(n) / float64(len(g.Lengths)) // 0/0 is NaN
}
