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

// ErrNoMaximum says that ratings would be infinite. Without a prior, a player who won all
// games, or a tournament without draws, has no best finite rating.
var ErrNoMaximum = errors.New("the likelihood of the results has no maximum")

// RatingOptions configures [Rate].
type RatingOptions struct {
	// Anchor is the player whose rating is 0; "" for a mean of 0.
	Anchor string

	// Prior is the weight of virtual games that keep ratings finite. 0 means 1, and a
	// negative weight disables virtual games. Each player plays about Prior virtual games,
	// spread evenly over its real opponents and both colors: a quarter are won, half drawn
	// and a quarter lost. A pair whose players have n and m opponents has (1/n + 1/m)
	// Prior/2 of them.
	Prior float64
}

// Rating is a player's strength.
type Rating struct {
	Name         string
	Elo          stats.Interval // unknown if no chain of games connects the player to the others, see [Rate]
	Games        int            // real games, without virtual ones
	Score        float64
	White, Black Record
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
	half := halfWidth(c.At(i, i) + c.At(j, j) - 2*c.At(i, j))
	return stats.Around(r.List[i].Elo.Value-r.List[j].Elo.Value, half)
}

// LOS returns the likelihood of superiority: the probability, given the games, that player
// i is stronger than player j. It is NaN if either player is not rated.
func (r *Ratings) LOS(i, j int) float64 {
	d := r.Difference(i, j)
	deviation := (d.Value - d.Low) / stats.Normal95
	if deviation == 0 { // i equals j
		return 0.5
	}
	return (1 + math.Erf(d.Value/deviation/math.Sqrt2)) / 2
}

// halfWidth returns half the width of the 95 % interval of a normal error with this
// variance.
func halfWidth(variance float64) float64 {
	return stats.Normal95 * math.Sqrt(max(0, variance)) // rounding may leave a small negative variance
}

// Rate estimates the players' strengths from all games at once. The intervals come from the
// full covariance, the inverse of the information at the maximum, so they are approximate.
// They are relative to the anchor: the anchor's own interval has width 0.
//
// Only players connected by chains of games can be compared. Rate rates the players
// connected to the anchor, or without an anchor the largest connected group (the first if
// several are equal). The Elo of all other players is unknown.
func Rate(r *Results, o RatingOptions) (*Ratings, error) {
	anchor := -1
	if o.Anchor != "" {
		if anchor = slices.Index(r.names, o.Anchor); anchor < 0 {
			return nil, fmt.Errorf("match: the anchor %q is no player of the tournament", o.Anchor)
		}
	}
	switch {
	case math.IsNaN(o.Prior) || math.IsInf(o.Prior, 0):
		return nil, fmt.Errorf("match: the prior's weight is %v", o.Prior)
	case o.Prior == 0:
		o.Prior = 1
	case o.Prior < 0:
		o.Prior = 0
	}
	out := &Ratings{List: make([]Rating, len(r.names)), Advantage: stats.Unknown(), covariance: mat.NewDense(max(1, len(r.names)), max(1, len(r.names)), nil)}
	for i, s := range r.Standings() {
		out.List[i] = Rating{Name: s.Name, Elo: stats.Unknown(), Games: s.Games(), Score: s.Score(), White: s.White, Black: s.Black}
	}
	group := connected(r, anchor)
	if len(group) < 2 {
		return out, nil // no games
	}
	m := newModel(r, group, o.Prior)
	if err := m.fit(); err != nil {
		return nil, fmt.Errorf("match: rating %d players: %w", len(group), err)
	}
	return out, m.fill(out, slices.Index(group, anchor))
}

// connected lists, in order, the players that chains of games connect to the anchor.
// Without an anchor (anchor < 0) it lists the largest connected group.
func connected(r *Results, anchor int) []int {
	seen := make([]bool, len(r.names))
	var best []int
	for start := range r.names {
		if seen[start] {
			continue
		}
		group := []int{start}
		seen[start] = true
		for at := 0; at < len(group); at++ {
			for j := range r.names {
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

// model0 is the likelihood and the point of its maximization.
type model0 struct {
	group []int // players, as indices into the results
	cells []cell
	// x holds the ratings in units of scale, then White's advantage in the same unit, then
	// log nu.
	x    []float64
	info *mat.SymDense // the information (negative second derivatives) at x
}

// newModel collects the games of a group of players and the prior's virtual games.
func newModel(r *Results, group []int, prior float64) *model0 {
	m := &model0{group: group, x: make([]float64, len(group)+2)}
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
			virtual := (1/opponents[a] + 1/opponents[b]) * prior / 4
			w := r.white[i][j]
			m.cells = append(m.cells, cell{a, b,
				float64(w.Wins) + virtual/4, float64(w.Draws) + virtual/2, float64(w.Losses) + virtual/4})
		}
	}
	return m
}

// probabilities returns the probabilities of win, draw and loss for White in a cell at the
// point x.
func (c *cell) probabilities(x []float64) (win, draw, loss float64) {
	n := len(x)
	d := x[c.white] - x[c.black] + x[n-2]
	top := max(math.Abs(d)/2, x[n-1]) // prevents overflow
	win, draw, loss = math.Exp(d/2-top), math.Exp(x[n-1]-top), math.Exp(-d/2-top)
	sum := win + draw + loss
	return win / sum, draw / sum, loss / sum
}

// likelihood returns the log-likelihood at x.
func (m *model0) likelihood(x []float64) float64 {
	var sum float64
	term := func(count, p float64) {
		if count > 0 {
			sum += count * math.Log(p)
		}
	}
	for i := range m.cells {
		c := &m.cells[i]
		win, draw, loss := c.probabilities(x)
		term(c.win, win)
		term(c.draw, draw)
		term(c.loss, loss)
	}
	return sum
}

// derivatives returns the gradient at x and sets the information. A result enters the
// log-likelihood through two statistics. The first is t, 1/2 for a win of White and -1/2
// for a loss; it multiplies White's rating minus Black's plus the advantage. The second is
// u, 1 for a draw; it multiplies log nu. The gradient is the observed minus the expected
// sum of these statistics, and the information is their covariance.
//
// Only differences of ratings matter, so the information is singular along the vector of
// ones in the ratings. Adding the square of their sum makes it regular and does not change
// functions of the differences.
func (m *model0) derivatives(x []float64) *mat.VecDense {
	n := len(x)
	gradient := mat.NewVecDense(n, nil)
	m.info = mat.NewSymDense(n, nil)
	add := func(i, j int, v float64) { m.info.SetSym(i, j, m.info.At(i, j)+v) }
	for i := range m.cells {
		c := &m.cells[i]
		games := c.win + c.draw + c.loss
		win, draw, loss := c.probabilities(x)
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
	return gradient
}

// fit moves x to the maximum by Newton steps, halved until the likelihood increases.
func (m *model0) fit() error {
	const (
		steps = 200
		bound = 60   // in units of scale: about 10,000 Elo
		small = 1e-6 // a step this small is the last, because convergence is quadratic
		flat  = 1e-3 // the gain of a step this small may vanish in rounding
	)
	best := m.likelihood(m.x)
	for range steps {
		gradient := m.derivatives(m.x)
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(m.info) {
			return ErrNoMaximum
		}
		// An ill-conditioned system still gives an ascent direction.
		if err := chol.SolveVecTo(&step, gradient); err != nil {
			var ill mat.Condition
			if !errors.As(err, &ill) {
				return err
			}
		}
		length := mat.Norm(&step, math.Inf(1))
		if length < small {
			for i := range m.x {
				m.x[i] += step.AtVec(i)
			}
			return nil
		}
		next := make([]float64, len(m.x))
		climbed := false
		for f := 1.0; f > 1e-9 && !climbed; f /= 2 {
			for i := range next {
				next[i] = m.x[i] + f*step.AtVec(i)
			}
			if l := m.likelihood(next); l > best {
				best, climbed = l, true
			}
		}
		if !climbed {
			if length < flat {
				return nil
			}
			return ErrNoMaximum
		}
		m.x = next
		if slices.ContainsFunc(m.x, func(v float64) bool { return math.IsNaN(v) || math.Abs(v) > bound }) {
			return ErrNoMaximum
		}
	}
	return ErrNoMaximum
}

// fill writes ratings and errors relative to the anchor, an index into the group, or
// relative to the mean if anchor is negative.
func (m *model0) fill(out *Ratings, anchor int) error {
	k, n := len(m.group), len(m.x)
	var chol mat.Cholesky
	var inverse mat.SymDense
	m.derivatives(m.x)
	if !chol.Factorize(m.info) {
		return ErrNoMaximum
	}
	if err := chol.InverseTo(&inverse); err != nil {
		return fmt.Errorf("match: the errors of the ratings cannot be computed: %w", err)
	}
	// Each reported rating is a linear function of x: the rating minus the zero point.
	zero := make([]float64, k)
	for i := range zero {
		if anchor < 0 {
			zero[i] = 1 / float64(k)
		} else if i == anchor {
			zero[i] = 1
		}
	}
	report := mat.NewDense(k, n, nil)
	for i := range k {
		for j := range k {
			report.Set(i, j, -zero[j])
		}
		report.Set(i, i, 1-zero[i])
	}
	var elo mat.VecDense
	var covariance mat.Dense
	elo.MulVec(report, mat.NewVecDense(n, m.x))
	covariance.Product(report, &inverse, report.T())
	for a, i := range m.group {
		r := &out.List[i]
		r.Elo = stats.Around(scale*elo.AtVec(a), scale*halfWidth(covariance.At(a, a)))
		for b, j := range m.group {
			out.covariance.Set(i, j, scale*scale*covariance.At(a, b))
		}
	}
	out.Advantage = stats.Around(scale*m.x[n-2], scale*halfWidth(inverse.At(n-2, n-2)))
	out.Drawishness = math.Exp(m.x[n-1])
	return nil
}
