package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/config"
)

// Config holds the settings of a search; its seed, the game and the evaluator are given
// apart. The tags are what experiment files may say, see package config. Code that
// makes a Config may leave fields at zero, which means what their comments say.
type Config struct {
	Kind string `key:"kind" default:"mcts" enum:"mcts" doc:"Search algorithm: mcts is the PUCT tree search of AlphaZero. Alpha-beta search is available as a tournament player, such as {alphabeta: last, depth: 2}."`

	// Visits includes those kept from the search before. With 0 there is no search: only the root
	// is evaluated, and its priors are the result.
	Visits int `key:"visits" default:"800" range:"1..10000000" unit:"visits" doc:"Visits of the root before a move is played, including those kept from the previous search unless fresh_visits is true. More visits play stronger and take longer."`

	FreshVisits bool `key:"fresh_visits" default:"false" doc:"Whether every search makes the full number of visits, in addition to those that tree_reuse keeps."`

	// Nodes is exceeded by one where Lookahead adds the end of the game.
	Nodes int `key:"nodes" default:"0" range:"0.." unit:"positions" doc:"Maximum number of positions in the tree below the root, including those kept from the previous search. The search ends there even with fewer visits. 0 means no limit."`

	// Bytes is the memory of the tree (see [Tree.Bytes]) after which a search is done
	// even with fewer visits; 0: visits alone decide. It depends on the machine, so it is not a setting.
	Bytes int

	CBase float64 `key:"c_base" default:"0" range:"0..1e9" doc:"Above 0, the exploration constant grows with the visits N of the parent as in AlphaZero: c_factor * log((1 + N + c_base) / c_base) + c_init. 0 means the constant c_puct."`
	CPuct float64 `key:"c_puct" default:"2" range:">0..1e9" when:"c_base=0" doc:"Exploration constant of PUCT, the weight of the prior. Larger values explore more."`
	CInit float64 `key:"c_init" default:"1.25" range:"0..1e9" when:"c_base!=0" doc:"Constant term of the growing exploration constant."`
	// CFactor of 0 is taken as 1, AlphaZero's.
	CFactor float64 `key:"c_factor" default:"1" range:">0..1e9" when:"c_base!=0" doc:"Factor of the logarithm in the growing exploration constant. AlphaZero uses 1, Leela Chess Zero about 3."`
	// CStdev is the scale of KataGo's dynamic variance-scaled cPUCT; see deviationFactor.
	CStdev float64 `key:"c_stdev" default:"0" range:"0..1" doc:"Part of the exploration constant that is proportional to the standard deviation s of the values below a position: the constant is multiplied by 1 + c_stdev * (s / 0.4 - 1). A search then explores more where values vary, and separates small differences where they do not. KataGo uses 0.85. Values of a game with many draws deviate less than 0.4, which lowers the constant."`
	FPU    FPU     `key:"fpu" default:"zero" range:"-10..10" words:"zero" doc:"First play urgency, the Q of an unvisited move: the word zero, or a reduction r, which gives the parent's value minus r times the square root of the sum of the visited priors. 0 gives the parent's value. A negative r raises it: ChessSL's program has -0.2."`

	// OwnVisit is of AlphaZero's pseudocode, whose parent is visited once more than its edges.
	OwnVisit bool `key:"own_visit" default:"false" doc:"Whether the number N of the parent's visits in PUCT includes the visit that evaluated the parent itself, as in AlphaZero's pseudocode. Otherwise N is the sum of the visits of its moves, as in the AlphaZero paper's formula."`

	QDraws float64 `key:"q_draws" default:"0" range:"0..1000" doc:"Number of draws d that the Q of every visited move includes: Q = W / (N + d), with W the sum of the values of its N visits. 1 is the formula of the Howest thesis. It favors moves with many visits if they are good, and moves with few if they are bad."`

	// PolicyTemperature of 0 is taken as 1.
	PolicyTemperature float64 `key:"policy_temperature" default:"1" range:">0..100" doc:"Softmax temperature T of the policy: priors are proportional to P^(1/T). Values above 1 flatten the overconfident policy of a young network; Leela Chess Zero uses 1.36 or more."`

	// ExpandAt of 0 is taken as 1. At its first visit a position is evaluated by the
	// network and its value is backed up. Until visit ExpandAt, further visits end here
	// too and back up the same value again. Because the first visit always ends here, 1
	// (AlphaZero: expand where you evaluate) and 2 (the OppenheimerZero thesis, section
	// 4.3: the second visit expands) are the same search. The thesis evaluates all
	// children of a position in one batch when it expands it; here each is evaluated
	// when it is first visited. The statistics are the same, since nothing reads the
	// value of a move that has not been visited.
	ExpandAt int `key:"expand_at" default:"2" range:"1..1000" unit:"visits" doc:"Visit at which a leaf is expanded. 1 (AlphaZero) and 2 (the OppenheimerZero thesis) give the same search. Larger values repeat the leaf's value and keep the tree smaller."`

	// Leaves of 0 is taken as 1, the search of the literature.
	Leaves int `key:"leaves" default:"1" range:"1..4096" unit:"positions" doc:"Number of leaves of one tree that the network evaluates in one batch. Values above 1 fill batches when few games run in parallel, but select later leaves before the values of earlier ones are known, which makes visits slightly less effective."`

	// VirtualVisits of 0 is the virtual loss of half a visit, see refresh.
	VirtualVisits int `key:"virtual_visits" default:"0" range:"0..1000" unit:"visits" when:"leaves!=1" doc:"What a pending visit counts as until its value is known. 0: one visit, half of it lost (virtual loss). Above 0: that many visits in the denominator of PUCT, without a change of Q; a move whose first visit is pending has the value of the parent. ChessSL uses 3."`

	// Cache is emptied by SetRoot. Positions are alike that have the same encoded
	// history, legal moves and key.
	Cache int `key:"cache" default:"0" range:"0..100000000" unit:"positions" doc:"Number of evaluations that a tree remembers during a game, so that the network does not evaluate equal positions twice. It changes the number of evaluations, but no result. The cache grows as it fills, to about 200 bytes for each evaluation that it may hold. 0 means no cache."`

	// Solver marks a position as won once one of its moves is proven to win. If the results
	// of all its moves are known, the position has the best of them. The search ends when the
	// root's result is known and counts moves that draw as 0. See [Tree.Target] for what is
	// learned then, and [Tree.Choose] for the moves that are played. Draws are by the rules
	// and history of the game.
	Solver bool `key:"solver" default:"false" doc:"MCTS-Solver: propagate results that are forced by the rules. A proven win ends the search, is played and is the whole training target; proven losses are avoided and are no target. Values that a proof refutes are corrected in all positions above it."`

	// Lookahead is the shallow minimax at expansion of Baier and Winands, "MCTS-Minimax
	// Hybrids" (2015). It does nothing without Solver.
	Lookahead int `key:"lookahead" default:"0" range:"0..1" unit:"plies" when:"solver=true" doc:"1 looks for an immediately winning move in every new position before the network evaluates it. The search then sees such threats at the first visit, whatever the priors. It costs little compared with a network evaluation."`

	// TwofoldDraws does not make such a draw a proven result, since the game goes on.
	TwofoldDraws bool `key:"twofold_draws" default:"false" doc:"Below the root, a position that already occurred in the game or on the path counts as a draw. The rules of the game need a third occurrence; Leela Chess Zero counts a second one only if the first is at the root or below it. The search then sees repetitions after fewer moves, and does not repeat positions that it wins."`

	// Best is visits if empty.
	Best string `key:"best" default:"visits" enum:"visits lcb" doc:"The move of the root that counts as the best, and is played where no temperature applies (power: max): visits is the most visited one, lcb the one with the highest lower confidence bound of its value, 5 standard errors below the mean, among those with at least 15 % of the most visits. Leela Zero and KataGo play so: it avoids a move whose last visits refuted it. A gumbel root has its own rule. The targets of training are the visits in any case."`

	TreeReuse bool `key:"tree_reuse" default:"true" doc:"Keep the subtree of the played move for the next search. Its visits are part of the next search's and of its policy target, although no noise was on that root yet; full searches of selfplay.playout_cap begin without them."`

	Noise Noise `key:"noise" doc:"Dirichlet noise on the priors of the root, which makes self-play explore."`
	Root  Root  `key:"root" doc:"How visits are distributed among the moves of the root."`

	// ForcedPlayouts is the factor k of Wu 2019, section 3.2. See [Tree.Target].
	ForcedPlayouts float64 `key:"forced_playouts" default:"0" range:"0..1e9" doc:"Factor k of forced playouts and policy target pruning (KataGo uses 2). Above 0, each visited move of the root gets at least sqrt(k * prior * visits of the root) visits in searches with noise. Visits that were only forced are removed from the training target and from the selection of the move."`
}

// Noise is the Dirichlet noise at the root: the priors P become
// (1-Weight) P + Weight D with D drawn from Dir(Alpha, .., Alpha).
type Noise struct {
	Alpha  float64 `key:"alpha" default:"0.3" range:"1e-6..1e6" doc:"Parameter of the Dirichlet distribution. Smaller values concentrate the noise on fewer moves."`
	Weight float64 `key:"weight" default:"0" range:"0..1" doc:"Fraction of noise in the priors of the root. 0 means no noise."`
}

// FPU ("first play urgency") is the Q of a move without visits. The zero
// FPU is 0, a draw, AlphaZero's choice.
type FPU struct {
	// Parent takes the value of the position in which the move is played,
	// as searched so far and from the view of its side to move, less
	// Reduction times the root of the sum of the priors of its visited
	// moves (as Leela Chess Zero does).
	Parent    bool
	Reduction float64
}

// fpuZero is the word for the zero FPU.
const fpuZero = "zero"

// MarshalText writes an FPU as experiment files do: "zero", or the reduction below the
// parent's value.
func (f FPU) MarshalText() ([]byte, error) {
	if !f.Parent {
		return []byte(fpuZero), nil
	}
	return strconv.AppendFloat(nil, f.Reduction, 'g', -1, 64), nil
}

// UnmarshalText reads what MarshalText writes.
func (f *FPU) UnmarshalText(b []byte) (err error) {
	*f = FPU{}
	if string(b) != fpuZero {
		f.Parent = true
		f.Reduction, err = strconv.ParseFloat(string(b), 64)
	}
	return err
}

// WithoutExploration is the same search without noise, also of a Gumbel root, without
// forced playouts, and with the same priors and first play urgency at the root as below.
func (c Config) WithoutExploration() Config {
	c.Noise, c.ForcedPlayouts, c.Root.Noise = Noise{}, 0, 0
	c.Root.FPU, c.Root.PolicyTemperature = RootFPU{}, 0
	return c
}

// Unlimited visits, or more, mean that only something else ends the search, such as its time.
// Sequential halving needs a known number, so that the root is then that of PUCT.
const Unlimited = 10_000_000

// Budget is about how many visits a search that keeps nothing makes: Visits, or
// fewer where Nodes ends it before.
func (c Config) Budget() int {
	if c.Nodes > 0 {
		return min(c.Visits, c.Nodes)
	}
	return c.Visits
}

// byBound is the value of Config.Best for the lower confidence bound.
const byBound = "lcb"

// needsSquares reports whether the search reads the squares of values.
func (c *Config) needsSquares() bool { return c.CStdev > 0 || c.Best == byBound }

// cpuct returns the factor c of the PUCT formula, given the visits of the parent.
func (c *Config) cpuct(visits float64) float64 {
	if c.CBase > 0 {
		return cmp.Or(c.CFactor, 1)*math.Log((1+visits+c.CBase)/c.CBase) + c.CInit
	}
	return c.CPuct
}

// Validate returns an error that names the first setting out of range.
func (c Config) Validate() error {
	switch err := config.Check("search", c); {
	case err != nil:
		return err
	case c.Bytes < 0:
		return fmt.Errorf("search.bytes: want 0 or more, have %d", c.Bytes)
	case c.Noise.Weight > 0 && c.Noise.Alpha == 0:
		return errors.New("search.noise.alpha: want a parameter for the noise, have none")
	}
	return nil
}

// Settable returns the settings that [Config.Set] sets: all but those of noise, and kind and
// visits, for which command lines have words of their own.
func Settable() []string {
	keys := slices.DeleteFunc(config.Of[Config]().Keys(), func(key string) bool {
		return slices.Contains([]string{"kind", "visits", "noise"}, key)
	})
	return append(keys, "root.considered", "root.c_visit", "root.c_scale")
}

// Tunable returns the numbers that [Config.Set] sets and that change how well a search plays
// with the same visits.
func Tunable() []string {
	return slices.DeleteFunc(Settable(), func(key string) bool {
		_, isNumber := config.Of[Config]().Lookup(key).Type.(config.Number)
		return !isNumber || slices.Contains([]string{"nodes", "cache", "forced_playouts"}, key)
	})
}

// Set sets a setting as users write it on a command line, by its name in experiment
// files: one of [Settable]. A root gets no noise, which is for self-play. The error names what
// is wanted, not the setting.
func (c *Config) Set(name, value string) error {
	if !slices.Contains(Settable(), name) {
		return fmt.Errorf("a search has no such setting: want %s", strings.Join(Settable(), ", "))
	}
	if name == "fpu" && value == "parent" {
		value = "0"
	}
	if name == "root" {
		c.Root = Root{}
	}
	if err := config.Set(c, name, value); err != nil {
		return err
	}
	if name == "root" {
		c.Root.Noise = 0
	}
	return nil
}
