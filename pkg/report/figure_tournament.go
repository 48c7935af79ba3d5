package report

import (
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("crosstable", kind{over: eachTrial, reads: always(fromTournament), draw: drawCrosstable})
	register("elo", kind{over: eachTrial, reads: always(fromTournament), draw: drawElo})
}

// drawCrosstable shows each player of a tournament against each other.
func drawCrosstable(q *request) (*drawing, error) {
	res, err := tournament(q.only())
	if err != nil {
		return nil, err
	}
	c := plots.Crosstable{Frame: q.frame}
	c.Width = 0 // its cells need their room wherever it stands
	order := res.Ranking()
	for _, i := range order {
		c.Players = append(c.Players, res.Players[i].Name)
		row := make([]plots.Record, len(order))
		for k, j := range order {
			row[k] = plots.Record(res.Cross[i][j])
		}
		c.Cells = append(c.Cells, row)
	}
	return &drawing{c, "Score of each player against each other, as a share of the points, with wins, draws and losses."}, nil
}

// drawElo shows the ratings of a tournament.
func drawElo(q *request) (*drawing, error) {
	res, err := tournament(q.only())
	if err != nil {
		return nil, err
	}
	c := plots.Ladder{Frame: q.frame}
	for _, i := range res.Ranking() {
		p := res.Players[i]
		c.Players = append(c.Players, plots.Rating{Name: p.Name, Elo: p.Elo})
	}
	return &drawing{c, "Ratings by maximum likelihood over all games, with 95 % intervals."}, nil
}

// tournament is the trial's tournament, or nothing.
func tournament(t *store.Trial) (*store.Tournament, error) {
	res, err := t.Tournament()
	if err == nil && res == nil {
		err = nothing("no tournament has been played")
	}
	return res, err
}
