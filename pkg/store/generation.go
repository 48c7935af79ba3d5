package store

// Generation is a row of generations.csv. The columns behind Reasons depend on
// the machine; all others are a function of the experiment.
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
}

// MeanPlies is the mean length of a game.
func (g *Generation) MeanPlies() float64 {
	n := 0
	for _, l := range g.Lengths {
		n += l
	}
	return float64(n) / float64(max(1, len(g.Lengths)))
}
