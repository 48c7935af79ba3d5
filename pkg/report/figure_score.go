package report

import (
	"slices"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("score", kind{over: allTrials, reads: always(fromTournament), name: named("score", "samples"), draw: drawScore})
}

// drawScore shows how strong the checkpoints of a trial are in its tournament.
func drawScore(q *request) (*drawing, error) {
	c := plots.Lines{Frame: q.frame, X: axis(q.X), Y: plots.Axis{Label: "tournament score", Most: 1}}
	caption := "Score in the tournament against samples trained on; the untrained network is at 0."
	if q.X == "generation" {
		caption = "Score in the tournament against generations; the untrained network is at 0."
	}
	var err error
	if c.Series, err = q.lines(shares, func(t *store.Trial) ([]point, error) { return strengthPoints(t, q.X) }); err != nil {
		return nil, err
	}
	c.Series = slices.DeleteFunc(c.Series, func(s plots.Series) bool { return len(s.Points) == 0 })
	if len(c.Series) == 0 {
		return nil, nothing("no tournament has been played")
	}
	if len(q.groups) == 1 { // random moves do as well against each trial in another way
		if c.References, err = randomScore(q.groups[0]); err != nil {
			return nil, err
		}
	}
	if seeds := q.seeds(); seeds != "" {
		return &drawing{c, caption + seeds}, nil
	}
	return &drawing{c, caption + " Bars are 95 % intervals, each game a coin that is tossed."}, nil
}

// strengthPoints are the scores of a trial's checkpoints.
func strengthPoints(t *store.Trial, x string) ([]point, error) {
	res, err := t.Tournament()
	if err != nil || res == nil {
		return nil, err
	}
	var ps []point
	for _, p := range res.Players {
		if p.Generation < 0 { // no network of this trial
			continue
		}
		at := float64(p.Generation)
		if x == "samples" {
			at = float64(p.Samples)
		}
		ps = append(ps, point{p.Generation, at, stats.Share(p.Score(), p.Games())})
	}
	return ps, nil
}

// randomScore is the score of random moves in the tournaments of a group.
func randomScore(g store.Group) ([]plots.Reference, error) {
	var scores []float64
	for _, t := range g.Trials {
		res, err := t.Tournament()
		if err != nil {
			return nil, err
		}
		if res == nil {
			continue
		}
		if i := res.Find(store.RandomName); i >= 0 {
			scores = append(scores, store.Share(res.Players[i].Standing))
		}
	}
	if len(scores) == 0 {
		return nil, nil
	}
	return []plots.Reference{{Name: store.RandomName, Y: stats.Mean(scores).Value}}, nil
}
