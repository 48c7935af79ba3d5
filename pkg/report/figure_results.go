package report

import "alamos/plots"

func init() {
	register("results", kind{over: eachTrial, reads: always(fromTraining), draw: drawResults})
}

// drawResults shows how the games of self-play of a trial ended.
func drawResults(q *request) (*drawing, error) {
	if q.fromData() {
		return nil, nothing(noGames)
	}
	c, t := plots.Results{Frame: q.frame}, q.only()
	for g := 1; g <= t.Done(); g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, err
		}
		c.White = append(c.White, float64(row.WhiteWins))
		c.Draws = append(c.Draws, float64(row.Draws))
		c.Black = append(c.Black, float64(row.BlackWins))
	}
	if len(c.White) == 0 {
		return nil, nothing("no generation is trained yet")
	}
	return &drawing{c, "Results of the games of self-play of each generation: shares of White's wins, of draws and of Black's wins."}, nil
}
