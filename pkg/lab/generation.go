package lab

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

// generation is the row of generation g.
func (t *trial) generation(g int) (*Generation, error) {
	var row Generation
	return &row, t.manifest.stage(selfplayStage(g)).facts(&row)
}

// samplesUntil is the number of samples made in generations 1 to g.
func (t *trial) samplesUntil(g int) (int, error) {
	n := 0
	for i := 1; i <= g; i++ {
		row, err := t.generation(i)
		if err != nil {
			return 0, err
		}
		n += row.Samples
	}
	return n, nil
}
