package match

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"alamos/pkg/stats"
)

// Ratings are logistic: a player is expected to score 1/(1 + 10^(-d/400)) of the points
// against one that is rated d lower (A. Elo, "The Rating of Chessplayers", 1978; ordo and
// fastchess have the same scale). A draw is half a point. The ratings maximize the likelihood
// of the points of all games, in which a draw counts as half a win and half a loss. So every
// player's points are those expected from its rating, and of two players, one is
// 400 log10(points / points of the other) ahead.
const scale = 400 / math.Ln10

// scoreOf returns the expected score at a logistic Elo difference.
func scoreOf(elo float64) float64 { return logistic(elo / scale) }

// errNoMaximum means that Newton's method did not converge.
var errNoMaximum = errors.New("the likelihood of the results has no maximum")

// Rating is a player's strength.
type Rating struct {
	Standing
	Elo stats.Interval `json:"elo"` // unknown if no chain of games connects the player to the others, see [Rate]
}

// Ratings are the ratings of a tournament.
type Ratings struct {
	List []Rating // in the order of the results' names

	Advantage stats.Interval // White's advantage, in Elo

	model *likelihood
}

// Difference returns the rating of player i minus that of player j, with its 95 % interval.
// The difference is unknown if either player is not rated.
func (r *Ratings) Difference(i, j int) stats.Interval {
	switch {
	case r.List[i].Elo.Missing() || r.List[j].Elo.Missing():
		return stats.Unknown()
	case i == j:
		return stats.Interval{}
	}
	return r.model.profile(r.model.contrast(i, j)).Times(scale)
}

// LOS returns the likelihood of superiority: the probability, given the games, that player
// i is stronger than player j. It is NaN if either player is not rated.
func (r *Ratings) LOS(i, j int) float64 {
	a, b := r.List[i].Elo.Value, r.List[j].Elo.Value
	if math.IsNaN(a-b) || i == j {
		return a - b + 0.5
	}
	m := r.model
	contrast := m.contrast(i, j)
	z := math.Sqrt(m.deviance(contrast, 0) / m.chance(contrast))
	return m.law.CDF(math.Copysign(z, a-b))
}

// Rate estimates the players' strengths from all games at once. The anchor is the player
// whose rating is 0; "" stands for a mean of 0.
//
// An interval has the ratings at which the likelihood, with all other ratings chosen best, is
// as high as chance explains (profile likelihood). So it is not symmetric where a player wins
// nearly all or nearly no games. Chance is measured: the two games of a pair have the same
// opening, and their points vary less or more than those of two independent games without
// draws, by the dispersion of [Results] (quasi-likelihood: P. McCullagh and J. Nelder,
// "Generalized Linear Models", 1989, chapter 9). An interval of a rating is that of the
// difference to the anchor, whose own interval has width 0.
//
// A player that won, or lost, all its games against the others has no finite rating. So each
// player and group of which this is true gets one more game against them, a draw.
//
// Only players connected by chains of games can be compared. Rate rates the players
// connected to the anchor, or without an anchor the largest connected group (the first if
// several are equal). The Elo of all other players is unknown.
func Rate(r *Results, anchor string) (*Ratings, error) {
	zero := slices.Index(r.Names, anchor)
	if anchor != "" && zero < 0 {
		return nil, fmt.Errorf("match: the anchor %q is not a player of the tournament", anchor)
	}
	out := &Ratings{Advantage: stats.Unknown()}
	for _, s := range r.Standings() {
		out.List = append(out.List, Rating{s, stats.Unknown()})
	}
	group := connected(r, zero)
	if len(group) < 2 {
		return out, nil // no games
	}
	m := newModel(r, group)
	if err := m.fit(r); err != nil {
		return nil, fmt.Errorf("match: rating %d players: %w", len(group), err)
	}
	out.model = m
	for _, i := range group {
		if i != zero {
			out.List[i].Elo = m.profile(m.contrast(i, zero)).Times(scale)
		} else {
			out.List[i].Elo = stats.Interval{}
		}
	}
	out.Advantage = m.advantage(r).Times(scale)
	return out, nil
}

// connected lists, in order, the players that chains of games connect to the anchor.
// Without an anchor (anchor < 0) it lists the largest connected group.
func connected(r *Results, anchor int) []int {
	linked := chains(len(r.Names), func(i, j int) bool { return r.Against(i, j).Games() > 0 })
	var best []int
	for i := range r.Names {
		var group []int
		for j := range r.Names {
			if linked[i][j] {
				group = append(group, j)
			}
		}
		if anchor < 0 && len(group) > len(best) || i == anchor {
			best = group
		}
	}
	return best
}

// chains reports for each a and b below n whether a chain of links leads from a to b.
func chains(n int, link func(a, b int) bool) [][]bool {
	reach := make([][]bool, n)
	for a := range reach {
		reach[a] = make([]bool, n)
		for b := range reach {
			reach[a][b] = a == b || link(a, b)
		}
	}
	for k := range reach {
		for a := range reach {
			for b := range reach {
				reach[a][b] = reach[a][b] || reach[a][k] && reach[k][b]
			}
		}
	}
	return reach
}

// cell has the games of two players. points are those of a, of all games.
type cell struct {
	a, b          int // indices into the group
	points, games float64
}

// likelihood is the likelihood of the games of a group of players.
type likelihood struct {
	group []int // players, as indices into the results
	place []int // the reverse: indices into the group
	cells []cell

	x          *mat.VecDense // ratings at the maximum, in units of scale
	maximum    float64       // logarithm of the likelihood there
	dispersion float64       // of all games, see [dispersion]
	own        []float64     // of the games of each player
	law        distuv.StudentsT
	quantile   float64 // of the law, for two-sided 95 % intervals
}

// newModel collects the games of a group of players.
func newModel(r *Results, group []int) *likelihood {
	m := &likelihood{group: group, place: make([]int, len(r.Names))}
	for a, i := range group {
		m.place[i] = a
		for b, j := range group[:a] {
			if x := r.Against(i, j); x.Games() > 0 {
				m.cells = append(m.cells, cell{a, b, x.Score(), float64(x.Games())})
			}
		}
	}
	m.addDraws(r)
	return m
}

// addDraws adds drawn games where ratings would be infinite: between players that no chain
// of points connects in both directions. A player with all or no points has one of them, others
// about one, spread evenly over these opponents.
func (m *likelihood) addDraws(r *Results) {
	reach := chains(len(m.group), func(a, b int) bool { return r.Against(m.group[a], m.group[b]).Score() > 0 })
	oneSided := func(c *cell) bool { return !reach[c.a][c.b] || !reach[c.b][c.a] }
	opponents := make([]float64, len(m.group))
	for i := range m.cells {
		if c := &m.cells[i]; oneSided(c) {
			opponents[c.a]++
			opponents[c.b]++
		}
	}
	players := r.Standings()
	whole := func(a int) float64 { // part of the drawn game of a player with all or no points, 0 of others
		if p := &players[m.group[a]]; p.Score() != 0 && p.Score() != float64(p.Games()) {
			return 0
		}
		return 1 / opponents[a]
	}
	for i := range m.cells {
		if c := &m.cells[i]; oneSided(c) {
			more := max(whole(c.a), whole(c.b))
			if more == 0 {
				more = (1/opponents[c.a] + 1/opponents[c.b]) / 2
			}
			c.points, c.games = c.points+more/2, c.games+more
		}
	}
}

// ridge is a precision of the ratings that is too small to move them. It keeps the information
// regular where differences are so large that nearly all games are won.
const ridge = 1e-7

// derivatives returns the logarithm of the likelihood at x, its gradient and the information
// (the negative second derivatives). Only differences of ratings matter, so the information
// is singular along equal changes of all. Adding the square of their sum makes it regular and
// does not change functions of the differences.
func (m *likelihood) derivatives(x *mat.VecDense) (value float64, gradient *mat.VecDense, info *mat.SymDense) {
	n := x.Len()
	gradient, info = mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			info.SetSym(i, j, 1)
		}
		info.SetSym(i, i, 1+ridge)
		gradient.SetVec(i, -ridge*x.AtVec(i))
		value -= ridge * x.AtVec(i) * x.AtVec(i) / 2
	}
	add := func(i, j int, v float64) { info.SetSym(i, j, info.At(i, j)+v) }
	for _, c := range m.cells {
		d := x.AtVec(c.a) - x.AtVec(c.b)
		p := logistic(d)
		value += c.points*d - c.games*softplus(d)
		slope, curve := c.points-c.games*p, c.games*p*(1-p)
		gradient.SetVec(c.a, gradient.AtVec(c.a)+slope)
		gradient.SetVec(c.b, gradient.AtVec(c.b)-slope)
		add(c.a, c.a, curve)
		add(c.b, c.b, curve)
		add(c.a, c.b, -curve)
	}
	return value, gradient, info
}

func logistic(d float64) float64 { return 1 / (1 + math.Exp(-d)) }

// softplus returns log(1 + exp(d)).
func softplus(d float64) float64 { return max(d, 0) + math.Log1p(math.Exp(-math.Abs(d))) }

// climb moves x to the maximum of the likelihood and returns its logarithm there. With a
// contrast, which is a vector with the sum 0, it is the maximum where the product of contrast
// and x is to. The logarithm is concave, so Newton's method finds the only maximum.
func (m *likelihood) climb(x, contrast *mat.VecDense, to float64) (float64, error) {
	value, ok := m.newton(x, contrast, func(_ float64, _, step, along *mat.VecDense) float64 {
		return (to - mat.Dot(contrast, x) - mat.Dot(contrast, step)) / mat.Dot(contrast, along)
	})
	if !ok {
		return 0, errNoMaximum
	}
	return value, nil
}

// newton moves x by Newton's steps until they are small. With a contrast, a step also goes the
// distance push along the inverse of the information times the contrast. It returns the
// logarithm of the likelihood at x, and whether the steps became small.
func (m *likelihood) newton(x, contrast *mat.VecDense, push func(value float64, gradient, step, along *mat.VecDense) float64) (float64, bool) {
	for range maxSteps {
		value, gradient, info := m.derivatives(x)
		var chol mat.Cholesky
		var step, along mat.VecDense
		if !chol.Factorize(info) || chol.SolveVecTo(&step, gradient) != nil {
			break
		}
		if contrast != nil {
			if chol.SolveVecTo(&along, contrast) != nil {
				break
			}
			step.AddScaledVec(&step, push(value, gradient, &step, &along), &along)
		}
		if move(x, &step) {
			return value, true
		}
	}
	return 0, false
}

const maxSteps = 1000

// move adds a step to x, shortened so that it changes no rating by more than 1: the curvature
// then changes by a small factor only. It reports whether the step was so small that x is the
// solution.
func move(x, step *mat.VecDense) bool {
	length := mat.Norm(step, math.Inf(1))
	x.AddScaledVec(x, min(1, 1/length), step)
	return length < 1e-6
}

// fit finds the maximum and the dispersion.
func (m *likelihood) fit(r *Results) (err error) {
	m.x = mat.NewVecDense(len(m.group), nil)
	if m.maximum, err = m.climb(m.x, nil, 0); err != nil {
		return err
	}
	var all dispersion
	own := make([]dispersion, len(m.group))
	for _, c := range m.cells {
		for _, d := range []*dispersion{&all, &own[c.a], &own[c.b]} {
			d.add(r, m.group[c.a], m.group[c.b], logistic(m.x.AtVec(c.a)-m.x.AtVec(c.b)))
		}
	}
	m.dispersion, m.law = all.estimate(len(m.group) - 1)
	m.own = make([]float64, len(own))
	for a := range own {
		m.own[a], _ = own[a].estimate(1)
	}
	m.quantile = m.law.Quantile(0.975)
	return nil
}

// contrast returns the vector whose product with the ratings is that of player i minus that
// of player j, or minus the mean of all if j is negative.
func (m *likelihood) contrast(i, j int) *mat.VecDense {
	w := mat.NewVecDense(len(m.group), nil)
	if j < 0 {
		for a := range m.group {
			w.SetVec(a, -1/float64(len(m.group)))
		}
	} else {
		w.SetVec(m.place[j], -1)
	}
	w.SetVec(m.place[i], w.AtVec(m.place[i])+1)
	return w
}

// chance returns the dispersion for a contrast: that of all games, or of the games of a player of
// the contrast if it is higher. The games of others who draw say little about a player who does not.
func (m *likelihood) chance(contrast *mat.VecDense) float64 {
	most := m.dispersion
	for a, own := range m.own {
		if math.Abs(contrast.AtVec(a)) > 0.5 {
			most = max(most, own)
		}
	}
	return most
}

// deviance returns twice the logarithm by which the likelihood falls if the contrast is d.
func (m *likelihood) deviance(contrast *mat.VecDense, d float64) float64 {
	value, err := m.climb(mat.VecDenseCopyOf(m.x), contrast, d)
	if err != nil {
		return math.NaN()
	}
	return max(0, 2*(m.maximum-value))
}

// profile returns a contrast with its interval.
func (m *likelihood) profile(contrast *mat.VecDense) stats.Interval {
	fall := m.quantile * m.quantile * m.chance(contrast) / 2
	return stats.Interval{Value: mat.Dot(contrast, m.x), Low: m.end(contrast, -1, fall), High: m.end(contrast, 1, fall)}
}

// end returns the largest contrast, or with sign -1 the smallest, at which the logarithm of
// the likelihood is lower than its maximum by fall and highest for this contrast. It solves
// both conditions at once (D. Venzon and S. Moolgavkar, "A Method for Computing
// Profile-Likelihood-Based Confidence Intervals", 1988): a step goes to where a paraboloid
// with the present derivatives meets them.
func (m *likelihood) end(contrast *mat.VecDense, sign, fall float64) float64 {
	x := mat.VecDenseCopyOf(m.x)
	if _, ok := m.newton(x, contrast, func(value float64, gradient, step, along *mat.VecDense) float64 {
		above := value + mat.Dot(gradient, step)/2 - (m.maximum - fall)
		return sign * math.Sqrt(max(0, 2*above)/mat.Dot(contrast, along))
	}); !ok {
		return math.NaN()
	}
	return mat.Dot(contrast, x)
}

// advantage returns how much stronger players are as White than as Black, given their
// ratings, with a normal error of independent games. Players have both colors equally often, so
// that it has no part in their ratings.
func (m *likelihood) advantage(r *Results) stats.Interval {
	h := 0.0
	for range 100 {
		var slope, curve, variance float64
		for a, i := range m.group {
			for b, j := range m.group {
				w := r.White[i][j]
				p := logistic(m.x.AtVec(a) - m.x.AtVec(b) + h)
				n := float64(w.Games())
				slope += w.Score() - n*p
				curve += n * p * (1 - p)
				variance += float64(w.Wins)*(1-p)*(1-p) + float64(w.Draws)*(0.5-p)*(0.5-p) + float64(w.Losses)*p*p
			}
		}
		step := slope / curve
		h += max(-1, min(1, step))
		switch {
		case math.Abs(h) > 20: // White won all games, or none
			return stats.Unknown()
		case math.Abs(step) < 1e-9:
			// A decisive game is added: draws alone say little.
			return stats.Around(h, stats.Normal95*math.Sqrt(max(variance, 0.25))/curve)
		}
	}
	return stats.Unknown()
}
