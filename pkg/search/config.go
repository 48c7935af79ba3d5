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
	Kind string `key:"kind" default:"mcts" enum:"mcts" doc:"Algorithm: mcts is PUCT tree search guided by the network. Alpha-beta search on the value of a network is a player of tournaments: {alphabeta: last, depth: 2}."`

	// Visits includes those kept from the search before. 0 is no search: only the root
	// is evaluated, and its priors are the result.
	Visits int `key:"visits" default:"800" range:"1..10000000" unit:"visits" doc:"Visits of the root before a move is made."`

	// Nodes is exceeded by one where Lookahead adds the end of the game.
	Nodes int `key:"nodes" default:"0" range:"0.." unit:"positions" doc:"Positions below the root, those kept from the search before included, after which a move is made even with fewer visits; 0: visits alone decide."`

	// Bytes is the memory of the tree (see [Tree.Bytes]) after which a search is done
	// even with fewer visits; 0: visits alone decide. It is hardware, and no setting.
	Bytes int

	CPuct float64 `key:"c_puct" default:"2" range:">0..1e9" doc:"Weight of the prior in PUCT; unused when c_base is above 0."`
	CBase float64 `key:"c_base" default:"0" range:"0..1e9" doc:"Above 0: the weight grows with the visits N of the parent, log((1 + N + c_base) / c_base) + c_init."`
	CInit float64 `key:"c_init" default:"1.25" range:"0..1e9" doc:"Where the growing weight starts; unused when c_base is 0."`
	// CFactor of 0 is taken as 1, AlphaZero's.
	CFactor float64 `key:"c_factor" default:"1" range:">0..1e9" doc:"What the growing part of the weight, the logarithm, is multiplied with (Leela Chess Zero: about 3); unused when c_base is 0."`
	FPU     FPU     `key:"fpu" default:"zero" range:"0..10" words:"zero" doc:"First play urgency, the Q of a move not visited yet: the word zero, or the reduction below the value of its position, times the root of the priors visited; 0 is the parent's value itself."`

	// PolicyTemperature of 0 is taken as 1.
	PolicyTemperature float64 `key:"policy_temperature" default:"1" range:">0..100" doc:"Temperature T of the policy: priors are P to the power 1/T over their sum. Above 1 the search trusts a policy less that is young and surer than it should be; Leela Chess Zero takes 1.36 or more."`

	// ExpandAt of 0 is taken as 1. At its first visit a position is evaluated by the
	// network and its value is backed up. Until visit ExpandAt, further visits end here
	// too and back up the same value again. Because the first visit always ends here, 1
	// (AlphaZero: expand where you evaluate) and 2 (the OppenheimerZero thesis, section
	// 4.3: the second visit expands) are the same search. The thesis evaluates all
	// children of a position in one batch when it expands it; here each is evaluated
	// when it is first visited. The statistics are the same, since nothing reads the
	// value of a move that has not been visited.
	ExpandAt int `key:"expand_at" default:"2" range:"1..1000" unit:"visits" doc:"Visit of a leaf at which its children are made and the network evaluates."`

	// Leaves of 0 is taken as 1, the search of the literature.
	Leaves int `key:"leaves" default:"1" range:"1..4096" unit:"positions" doc:"Positions of one tree that the network evaluates at once. With more than 1 the later ones are chosen before the values of the earlier ones are known: batches are fuller where there are few games, and visits worth a little less."`

	// Cache is emptied by SetRoot. Positions are alike that have the same encoded
	// history, legal moves and key.
	Cache int `key:"cache" default:"0" range:"0..100000000" unit:"positions" doc:"Evaluations that a tree remembers during a game, so that the network does not evaluate alike positions twice. It changes no result, only the number of evaluations. Its memory grows as it fills, by up to 1 kB for each, to 200 bytes for each that it may have; 0 is none."`

	// Solver gives a position from which a move wins by force a win, and one whose moves
	// all have known results the best of them. The search ends when the root's result
	// is known and counts moves that draw as 0. See [Tree.Root] for what that does to
	// visits, and [Tree.Choose] for the moves that are played. Draws are by the rules
	// and history of the game.
	Solver bool `key:"solver" default:"false" doc:"Make results that the rules force known beyond the end of the game (MCTS-Solver): a move that wins by force ends the search, is played and has the rest of the visits in the training data, and moves that lose by force are avoided."`

	// Lookahead is the shallow minimax at expansion of Baier and Winands, "MCTS-Minimax
	// Hybrids" (2015). It does nothing without Solver.
	Lookahead int `key:"lookahead" default:"0" range:"0..1" unit:"plies" when:"solver=true" doc:"With 1 the rules look for a move that wins at once in every position that the search meets, before the network evaluates it: what a position threatens is then seen at its first visit, whatever the priors say. It costs little beside a network."`

	TreeReuse bool `key:"tree_reuse" default:"true" doc:"Keep the tree below the move that was played."`

	Noise Noise `key:"noise" doc:"Noise on the priors of the root."`
	Root  Root  `key:"root" doc:"How visits are shared out among the moves of the root."`

	// ForcedPlayouts is the factor k of Wu 2019, section 3.2. See [Tree.Target].
	ForcedPlayouts float64 `key:"forced_playouts" default:"0" range:"0..1e9" doc:"Forced playouts and policy target pruning (KataGo: 2): above 0, every move of the root that is visited at all gets at least the square root of this times prior times visits of the root, in searches with noise; visits that were only forced are taken out of what is learned and of how moves are drawn."`
}

// Noise is the Dirichlet noise at the root: the priors P become
// (1-Weight) P + Weight D with D drawn from Dir(Alpha, .., Alpha).
type Noise struct {
	Alpha  float64 `key:"alpha" default:"0.3" range:"1e-6..1e6" doc:"Parameter of the Dirichlet distribution."`
	Weight float64 `key:"weight" default:"0" range:"0..1" doc:"Share of the noise in the priors of the root; 0 is none."`
}

// FPU ("first play urgency") is the Q of a move without visits. The zero
// FPU is 0, a draw, which is the thesis' and AlphaZero's choice.
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

// WithoutExploration is the same search without noise, that of a
// Gumbel root included, and without forced playouts.
func (c Config) WithoutExploration() Config {
	c.Noise, c.ForcedPlayouts, c.Root.Noise = Noise{}, 0, 0
	return c
}

// Budget is about how many visits a search that keeps nothing makes: Visits, or
// fewer where Nodes ends it before.
func (c Config) Budget() int {
	if c.Nodes > 0 {
		return min(c.Visits, c.Nodes)
	}
	return c.Visits
}

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

// Settable returns the settings that [Config.Set] sets: all but those of groups, and
// kind and visits, for which command lines have words of their own.
func Settable() []string {
	return slices.DeleteFunc(config.Of[Config]().Keys(), func(key string) bool {
		return slices.Contains([]string{"kind", "visits", "noise", "root"}, key)
	})
}

// Set sets a setting as users write it on a command line, by its name in experiment
// files: one of [Settable]. A c_base without a c_init gets the default of that. The error
// names what is wanted, not the setting.
func (c *Config) Set(name, value string) error {
	if !slices.Contains(Settable(), name) {
		return fmt.Errorf("a search has no such setting: want %s", strings.Join(Settable(), ", "))
	}
	if name == "fpu" && value == "parent" {
		value = "0"
	}
	err := config.Set(c, name, value)
	if c.CBase > 0 && c.CInit == 0 {
		c.CInit = config.Defaults[Config]().CInit
	}
	return err
}
