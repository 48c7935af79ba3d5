package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// drawScore shows the strength of the checkpoints of each trial in its tournament.
func drawScore(p *picture) (plots.Chart, string, error) {
	c := ScoreChart(p.groups, p.X)
	if len(c.Series) == 0 {
		return nil, "", noTournament
	}
	c.Frame = p.frame
	metric := strength(p.groups)
	if len(p.groups) == 1 { // the result of random moves differs between trials
		c.References = randomScore(p.groups[0], metric)
	}
	over := "samples trained on"
	if p.X == "generation" {
		over = "generations"
	}
	caption, bars := "Score in the tournament against "+over+"; the untrained network is at 0.", barsOfPairs
	if metric == "elo" {
		caption = "Rating by maximum likelihood over all games of the tournament, against " + over + "; the untrained network is at 0. Scores do not compare networks that met different opponents: in a ladder all are near one half."
		bars = " Bars are 95 % intervals of the likelihood."
	}
	if p.repeated() {
		bars = p.seeds()
	}
	return c, caption + bars, nil
}

// strength returns the metric that compares the checkpoints of tournaments: score, or elo if
// some of them met other opponents than others, as in a ladder.
func strength(groups []store.Group) string {
	for _, g := range groups {
		for _, t := range g.Trials {
			if res := t.Tournament(); res != nil && !res.SameOpponents() {
				return "elo"
			}
		}
	}
	return "score"
}

// ScoreChart shows the strength of the checkpoints of groups of trials over x: generation or
// samples.
func ScoreChart(groups []store.Group, x string) plots.Lines {
	y, series := strengthLines(groups, x)
	return plots.Lines{X: axis(x), Y: y, Series: slices.DeleteFunc(series, func(s plots.Series) bool { return len(s.Points) == 0 })}
}

// strengthLines returns the strength of the checkpoints of each group, and its axis.
func strengthLines(groups []store.Group, x string) (y plots.Axis, series []plots.Series) {
	if strength(groups) == "elo" {
		return plots.Axis{Label: "rating", Unit: "Elo"}, lines(groups, anything, strengthPoints(x, "elo"))
	}
	return plots.Axis{Label: "tournament score", Most: 1}, lines(groups, shares, strengthPoints(x, "score"))
}

// strengthPoints returns a metric of a trial's checkpoints in its tournament.
func strengthPoints(x, metric string) func(*store.Trial) []point {
	return func(t *store.Trial) (ps []point) {
		res := t.Tournament()
		if res == nil {
			return nil
		}
		for _, p := range res.Players {
			if p.Generation < 0 { // not a network of this trial
				continue
			}
			at := p.Generation
			if x == "samples" {
				at = p.Samples
			}
			ps = append(ps, point{float64(p.Generation), float64(at), t.MeasureAt(p.Generation, metric)})
		}
		return ps
	}
}

// randomScore returns the score or the rating of random moves in the tournaments of a group.
func randomScore(g store.Group, metric string) []plots.Reference {
	var scores []float64
	for _, t := range g.Trials {
		if res := t.Tournament(); res != nil && res.Find(match.Random) >= 0 {
			random := res.Players[res.Find(match.Random)]
			if metric == "elo" {
				scores = append(scores, random.Elo.Value)
			} else {
				scores = append(scores, random.Share())
			}
		}
	}
	if len(scores) == 0 {
		return nil
	}
	return []plots.Reference{{Name: match.Random, Y: stats.Mean(scores).Value}}
}

// drawCrosstable shows the results between all players of a tournament.
func drawCrosstable(p *picture) (plots.Chart, string, error) {
	res := p.only().Tournament()
	if res == nil {
		return nil, "", noTournament
	}
	c := plots.Crosstable{Frame: p.frame}
	c.Width = 0 // its cells need their full width everywhere
	caption := "Score of each player against each other, as a share of the points, with wins, draws and losses."
	rows, columns := sides(res)
	if len(columns) < len(res.Players) {
		caption = "Score of each player of a row against each of a column, as a share of the points, with wins, draws and losses; only they met."
		for _, j := range columns {
			c.Opponents = append(c.Opponents, res.Players[j].Name)
		}
	}
	for _, i := range rows {
		c.Players = append(c.Players, res.Players[i].Name)
		row := make([]stats.Record, len(columns))
		for k, j := range columns {
			row[k] = res.Games.Against(i, j)
		}
		c.Cells = append(c.Cells, row)
	}
	return c, caption, nil
}

var ratingAxis = plots.Axis{Label: "rating", Unit: "Elo, 95 % interval"}

// drawElo shows the ratings of a tournament.
func drawElo(p *picture) (plots.Chart, string, error) {
	res := p.only().Tournament()
	if res == nil {
		return nil, "", noTournament
	}
	c := plots.Ladder{Frame: p.frame, X: ratingAxis}
	for _, i := range res.Ranking() {
		c.Rows = append(c.Rows, plots.Rung{Name: res.Players[i].Name, Value: res.Players[i].Elo})
	}
	return c, "Ratings by maximum likelihood over all games, with 95 % intervals.", nil
}

// drawFinal shows the ratings of the final tournament: those of the settings if they have
// several seeds, otherwise those of the trials, and those of the anchors.
func drawFinal(p *picture) (plots.Chart, string, error) {
	played := slices.IndexFunc(p.trials, func(t *store.Trial) bool { return t.Final != nil })
	if played < 0 {
		return nil, "", nothing("no final tournament has been played")
	}
	c := plots.Ladder{Frame: p.frame, X: ratingAxis}
	for _, g := range p.groups {
		if elo, _ := g.Measure("elo"); !elo.Missing() {
			c.Rows = append(c.Rows, plots.Rung{Name: g.Name, Value: elo})
		}
	}
	for _, x := range p.trials[played].Final.Players {
		if x.Generation < 0 {
			c.Rows = append(c.Rows, plots.Rung{Name: x.Name, Value: x.Elo})
		}
	}
	caption := "Ratings in the final tournament between all trials, by maximum likelihood over all games, with 95 % intervals."
	if p.repeated() {
		caption = "Mean ratings of the settings in the final tournament between all trials, with 95 % intervals over their seeds."
	}
	return c, caption, nil
}

// ofPosition draws a run's evaluation of a position. of names its network in the caption.
func ofPosition(draw func(p *picture, a *store.PositionResult, of string) (plots.Chart, string, error)) func(*picture) (plots.Chart, string, error) {
	return func(p *picture) (plots.Chart, string, error) {
		t := p.only()
		request, _ := t.Position(p.Figure)
		a, err := t.PositionResult(request)
		if err != nil {
			return nil, "", err
		}
		if a == nil {
			return nil, "", nothing("the run has not analyzed the position with " + store.CheckpointName(request.Generation) + " yet: alamos run does")
		}
		of := "of " + store.CheckpointName(request.Generation)
		if request.Generation == 0 {
			of = "of the untrained network"
		}
		return draw(p, a, of)
	}
}

// drawPolicy shows where a network's moves begin and end, and where those of each kind of
// piece do.
func drawPolicy(p *picture, a *store.PositionResult, of string) (plots.Chart, string, error) {
	if p.ShowsWays() {
		return drawMoves(p, a, of)
	}
	c := plots.PolicyPlanes{Frame: p.frame, Position: positionOf(a), Planes: append(planes("", a.Moves), piecePlanes(a)...)}
	return c, fmt.Sprintf("Policy %s, before any search: the probability that a move begins or ends on a square, of all moves and of those of each kind of piece. The network's value is %s for the side to move.", of, signed(float64(a.Value))), nil
}

// drawMoves shows all that a policy says or the legal moves of it, a board for each way of moving.
func drawMoves(p *picture, a *store.PositionResult, of string) (plots.Chart, string, error) {
	setup, err := experiment.NewSetup(&p.only().Declared.Settings)
	if err != nil {
		return nil, "", err
	}
	policy := setup.Codec.Policy
	layout, err := encode.MoveMaps(policy)
	if err != nil {
		return nil, "", err
	}
	names, err := encode.MapNames(policy)
	if err != nil {
		return nil, "", err
	}
	priors, err := legalPriors(a, policy)
	if err != nil {
		return nil, "", err
	}
	shown, note := "Legal moves of the policy %s", ""
	if p.Boards != experiment.LegalMoveBoards {
		if len(a.All) != len(layout.Places) {
			return nil, "", fmt.Errorf("%d moves, the policy %s has %d", len(a.All), policy.Name(), len(layout.Places))
		}
		legal := 0.0
		for i, prior := range a.All {
			if _, ok := priors[i]; ok {
				legal += float64(prior)
			}
			priors[i] = float64(prior)
		}
		shown, note = "All moves of the policy %s, before a mask", fmt.Sprintf(" The legal moves have %.1f %% of the probability.", 100*legal)
	}
	c := plots.PolicyPlanes{Frame: p.frame, Position: plots.Position{Variant: a.Variant}, Planes: make([]plots.Plane, layout.Maps), Log: true}
	if slices.Contains(names, "7 N") {
		c.Columns = 7 // a row for each direction
	}
	for m := range c.Planes {
		c.Planes[m].Title = names[m]
		for s := range c.Planes[m].Squares {
			c.Planes[m].Squares[s] = math.NaN()
		}
	}
	for i, places := range layout.Places {
		if at := places[0]; at >= 0 {
			square := &c.Planes[at/64].Squares[at%64]
			if math.IsNaN(*square) {
				*square = 0
			}
			*square += priors[i]
		}
	}
	c.Planes = slices.DeleteFunc(c.Planes, func(p plots.Plane) bool { return p.Title == "unused" })
	if slices.ContainsFunc(c.Planes, func(p plots.Plane) bool { return slices.ContainsFunc(p.Squares[:], math.IsNaN) }) {
		note += " Crosses are squares for which the policy has no number."
	}
	sees := "the side to move sees"
	if !policy.Turns() {
		sees = "White sees"
	}
	return c, fmt.Sprintf(shown+": a board for each way of moving, at the squares where the moves begin, as %s them. The scale is logarithmic and ends at a ten-thousandth of the highest probability.", of, sees) + note, nil
}

// legalPriors returns the priors of the legal moves by their indices in the policy.
func legalPriors(a *store.PositionResult, policy *encode.Policy) (map[int]float64, error) {
	_, position, err := positionOf(a).Parse()
	if err != nil {
		return nil, err
	}
	priors := map[int]float64{}
	for _, move := range a.Moves {
		m, err := position.ParseUCI(move.UCI)
		if err != nil {
			return nil, err
		}
		if i := policy.Index(&position, m); i >= 0 {
			priors[i] = float64(move.Prior)
		}
	}
	return priors, nil
}

func drawTree(p *picture, a *store.PositionResult, of string) (plots.Chart, string, error) {
	return TreeChart(a, p.frame), fmt.Sprintf("Search tree %s after %s, up to %s deep, the most visited positions; the value of each is for the side that moved there, that of the root for the side to move. From %s.", of, english.Plural(a.Visits, "visit", ""), english.Plural(a.Depth, "ply", "plies"), a.FEN), nil
}

func drawBoard(p *picture, a *store.PositionResult, of string) (plots.Chart, string, error) {
	return BoardChart(a, p.frame, MostArrows), fmt.Sprintf("Favorite moves %s after %s, with their share of the visits and their value for the side to move.", of, english.Plural(a.Visits, "visit", "")), nil
}
