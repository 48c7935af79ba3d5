package match

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"alamos/pkg/stats"
)

// The model of a game is Davidson's, with an advantage for White (R. R. Davidson, "On
// extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
// 1970; the order effect after Davidson and Beaver, 1977). With x = (rating of White -
// rating of Black + advantage) / scale:
//
//	win : draw : loss of White  =  exp(x/2) : nu : exp(-x/2)
//
// where scale = 400 / ln 10: at a difference of 400 a win is ten times as likely as a loss.
// Ratings, advantage and log nu maximize the likelihood of all games. The log-likelihood is
// concave in them, so Newton's method finds the only maximum.
const scale = 400 / math.Ln10

// ErrNoMaximum says that ratings would be infinite.
var ErrNoMaximum = errors.New("the likelihood of the results has no maximum")

// Rating is a player's strength.
type Rating struct {
	Standing
	Elo stats.Interval `json:"elo"` // unknown if no chain of games connects the player to the others, see [Rate]
}

// Ratings are the ratings of a tournament.
type Ratings struct {
	List []Rating // in the order of the results' names

	Advantage stats.Interval // White's advantage, in Elo

	// Drawishness is nu. Between equal players and without an advantage, nu/(2+nu) of the
	// games are drawn.
	Drawishness float64

	covariance *mat.Dense // covariance of the ratings, in Elo squared
}

// Difference returns the rating of player i minus that of player j, with its 95 % interval.
// The interval is narrower than the two players' own intervals suggest, because their
// errors are correlated. The difference is unknown if either player is not rated.
func (r *Ratings) Difference(i, j int) stats.Interval {
	c := r.covariance
	return around(r.List[i].Elo.Value-r.List[j].Elo.Value, c.At(i, i)+c.At(j, j)-2*c.At(i, j))
}

// LOS returns the likelihood of superiority: the probability, given the games, that player
// i is stronger than player j. It is NaN if either player is not rated.
func (r *Ratings) LOS(i, j int) float64 {
	d := r.Difference(i, j)
	return superiority(d.Value, (d.Value-d.Low)/stats.Normal95)
}

// superiority returns the probability that a number is positive, given its estimate and the
// standard deviation of its normal error.
func superiority(estimate, deviation float64) float64 {
	if estimate == 0 {
		return 0.5
	}
	return (1 + math.Erf(estimate/deviation/math.Sqrt2)) / 2
}

// around returns a number with its 95 % interval, given the variance of its normal error.
func around(value, variance float64) stats.Interval {
	return stats.Around(value, stats.Normal95*math.Sqrt(max(0, variance))) // rounding may leave a small negative variance
}

// Rate estimates the players' strengths from all games at once. The anchor is the player
// whose rating is 0; "" stands for a mean of 0. The intervals come from the full covariance,
// the inverse of the information at the maximum, so they are approximate. They are relative
// to the anchor: the anchor's own interval has width 0.
//
// Virtual games keep ratings finite. Each player plays about one of them, spread evenly over
// its real opponents and both colors: a quarter are won, half drawn and a quarter lost. A
// pair whose players have n and m opponents has (1/n + 1/m)/2 of them.
//
// Only players connected by chains of games can be compared. Rate rates the players
// connected to the anchor, or without an anchor the largest connected group (the first if
// several are equal). The Elo of all other players is unknown.
func Rate(r *Results, anchor string) (*Ratings, error) { return rate(r, anchor, 1) }

// rate is Rate with a number of virtual games of each player.
func rate(r *Results, anchor string, virtual float64) (*Ratings, error) {
	zero := slices.Index(r.Names, anchor)
	if anchor != "" && zero < 0 {
		return nil, fmt.Errorf("match: the anchor %q is not a player of the tournament", anchor)
	}
	n := len(r.Names)
	out := &Ratings{Advantage: stats.Unknown(), covariance: mat.NewDense(max(1, n), max(1, n), nil)}
	for _, s := range r.Standings() {
		out.List = append(out.List, Rating{s, stats.Unknown()})
	}
	group := connected(r, zero)
	if len(group) < 2 {
		return out, nil // no games
	}
	m := newModel(r, group, virtual)
	covariance, err := m.fit()
	if err != nil {
		return nil, fmt.Errorf("match: rating %d players: %w", len(group), err)
	}
	m.report(out, slices.Index(group, zero), covariance)
	return out, nil
}

// connected lists, in order, the players that chains of games connect to the anchor.
// Without an anchor (anchor < 0) it lists the largest connected group.
func connected(r *Results, anchor int) []int {
	seen := make([]bool, len(r.Names))
	var best []int
	for start := range r.Names {
		if seen[start] {
			continue
		}
		group := []int{start}
		seen[start] = true
		for at := 0; at < len(group); at++ {
			for j := range r.Names {
				if !seen[j] && r.Against(group[at], j).Games() > 0 {
					seen[j] = true
					group = append(group, j)
				}
			}
		}
		if anchor < 0 && len(group) > len(best) || slices.Contains(group, anchor) {
			best = group
		}
	}
	slices.Sort(best)
	return best
}

// cell counts the games of one player as White against another, including fractional
// virtual games.
type cell struct {
	white, black    int // indices into the group
	win, draw, loss float64
}

// likelihood is the likelihood of the games of a group of players.
type likelihood struct {
	group []int // players, as indices into the results
	cells []cell
	// x holds the ratings in units of scale, then White's advantage in the same unit, then
	// log nu.
	x []float64
}

// newModel collects the games of a group of players and their virtual games.
func newModel(r *Results, group []int, virtual float64) *likelihood {
	m := &likelihood{group: group, x: make([]float64, len(group)+2)}
	opponents := make([]float64, len(group))
	for a, i := range group {
		for _, j := range group {
			if r.Against(i, j).Games() > 0 {
				opponents[a]++
			}
		}
	}
	for a, i := range group {
		for b, j := range group {
			if r.Against(i, j).Games() == 0 {
				continue
			}
			// Player i is White in half of the pair's virtual games.
			more := (1/opponents[a] + 1/opponents[b]) * virtual / 4
			w := r.White[i][j]
			m.cells = append(m.cells, cell{a, b, float64(w.Wins) + more/4, float64(w.Draws) + more/2, float64(w.Losses) + more/4})
		}
	}
	return m
}

// probabilities returns the probabilities of win, draw and loss for White in a cell.
func (m *likelihood) probabilities(c *cell) (win, draw, loss float64) {
	n := len(m.x)
	d := m.x[c.white] - m.x[c.black] + m.x[n-2]
	top := max(math.Abs(d)/2, m.x[n-1]) // prevents overflow
	win, draw, loss = math.Exp(d/2-top), math.Exp(m.x[n-1]-top), math.Exp(-d/2-top)
	sum := win + draw + loss
	return win / sum, draw / sum, loss / sum
}

// derivatives returns the gradient and the information (the negative second derivatives) at
// x. A result enters the log-likelihood through two statistics. The first is t, 1/2 for a
// win of White and -1/2 for a loss; it multiplies White's rating minus Black's plus the
// advantage. The second is u, 1 for a draw; it multiplies log nu. The gradient is the
// observed minus the expected sum of these statistics, and the information is their
// covariance.
//
// Only differences of ratings matter, so the information is singular along the vector of
// ones in the ratings. Adding the square of their sum makes it regular and does not change
// functions of the differences.
func (m *likelihood) derivatives() (gradient *mat.VecDense, info *mat.SymDense) {
	n := len(m.x)
	gradient, info = mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	add := func(i, j int, v float64) { info.SetSym(i, j, info.At(i, j)+v) }
	for i := range m.cells {
		c := &m.cells[i]
		games := c.win + c.draw + c.loss
		win, draw, loss := m.probabilities(c)
		t := (c.win-c.loss)/2 - games*(win-loss)/2
		u := c.draw - games*draw
		tt := games * ((win+loss)/4 - (win-loss)*(win-loss)/4)
		tu := -games * draw * (win - loss) / 2
		uu := games * draw * (1 - draw)

		// The parameters that t multiplies, with their signs.
		at := [3]int{c.white, c.black, n - 2}
		sign := [3]float64{1, -1, 1}
		for a := range at {
			gradient.SetVec(at[a], gradient.AtVec(at[a])+sign[a]*t)
			add(at[a], n-1, sign[a]*tu)
			for b := a; b < len(at); b++ {
				add(at[a], at[b], sign[a]*sign[b]*tt)
			}
		}
		gradient.SetVec(n-1, gradient.AtVec(n-1)+u)
		add(n-1, n-1, uu)
	}
	for i := range m.group {
		for j := i; j < len(m.group); j++ {
			add(i, j, 1)
		}
	}
	return gradient, info
}

// fit moves x to the maximum and returns the covariance of x there. A Newton step is
// shortened so that it changes no parameter by more than a third. The curvature then changes
// by a small factor only, and every step climbs.
func (m *likelihood) fit() (*mat.SymDense, error) {
	const (
		steps = 1000
		most  = 1. / 3
		small = 1e-6 // a step this small is the last, because convergence is quadratic
	)
	for range steps {
		gradient, info := m.derivatives()
		var chol mat.Cholesky
		var covariance mat.SymDense
		var step mat.VecDense
		if !chol.Factorize(info) || chol.InverseTo(&covariance) != nil {
			break
		}
		step.MulVec(&covariance, gradient)
		length := mat.Norm(&step, math.Inf(1))
		for i := range m.x {
			m.x[i] += step.AtVec(i) * min(1, most/length)
		}
		if length < small {
			return &covariance, nil
		}
	}
	return nil, ErrNoMaximum
}

// report writes ratings and errors relative to the anchor, an index into the group, or
// relative to the mean if anchor is negative.
func (m *likelihood) report(out *Ratings, anchor int, covariance *mat.SymDense) {
	k, n := len(m.group), len(m.x)
	// Each reported rating is a linear function of the ratings: the rating minus the zero
	// point.
	relative := mat.NewDense(k, k, nil)
	relative.Apply(func(i, j int, _ float64) (v float64) {
		if i == j {
			v = 1
		}
		switch {
		case anchor < 0:
			v -= 1 / float64(k)
		case j == anchor:
			v--
		}
		return v
	}, relative)
	var elo mat.VecDense
	var errs mat.Dense
	elo.MulVec(relative, mat.NewVecDense(k, m.x[:k]))
	errs.Product(relative, covariance.SliceSym(0, k), relative.T())
	errs.Scale(scale*scale, &errs)
	for a, i := range m.group {
		out.List[i].Elo = around(scale*elo.AtVec(a), errs.At(a, a))
		for b, j := range m.group {
			out.covariance.Set(i, j, errs.At(a, b))
		}
	}
	out.Advantage = around(scale*m.x[n-2], scale*scale*covariance.At(n-2, n-2))
	out.Drawishness = math.Exp(m.x[n-1])
}
