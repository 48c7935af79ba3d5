package search

import (
	"fmt"
	"strconv"
)

// Config is what decides a search beside its seed, the game and the
// evaluator.
type Config struct {
	// Visits is the number of visits to the root's moves after which a
	// search is done, those kept from the search before included. 0 means
	// no search at all: only the root is evaluated, and its priors are the
	// result.
	Visits int

	// Nodes is the number of positions below the root, those kept from the search
	// before included, after which a search is done even with fewer visits (there is
	// one more where Lookahead adds the end of the game); 0: visits alone decide.
	Nodes int

	// Bytes is the memory of the tree (see [Tree.Bytes]) after which a search is done
	// even with fewer visits; 0: visits alone decide.
	Bytes int

	// CPuct is the factor c of the exploration term. When CBase is
	// positive, c grows by CBase and CInit instead (see the package
	// comment) and CPuct is not used.
	CPuct        float64
	CBase, CInit float64

	// FPU is the value of a move that has not been visited.
	FPU FPU

	// PolicyTemperature flattens the priors of every position, to P^(1/T) over its sum:
	// above 1 a search trusts a young policy less (Leela Chess Zero's policy softmax
	// temperature). 0 is taken as 1, the priors as they are.
	PolicyTemperature float64

	// ExpandAt is the number of the visit of a position, counted from 1, at
	// which the search first goes on to one of its moves; 0 is taken as 1.
	//
	// At its first visit a position is evaluated by the network and its
	// value is backed up. Until visit ExpandAt, further visits end here
	// too and back up the same value again, without the network. Because
	// the first visit always ends here, 1 (AlphaZero: expand where you
	// evaluate) and 2 (the OppenheimerZero thesis, section 4.3: the first
	// visit of a leaf backs up its value, the second expands it) are the
	// same search. The thesis evaluates all children of a position in one
	// batch when it expands it; here each is evaluated when it is first
	// visited. The statistics are the same, since nothing reads the value
	// of a move that has not been visited, but the many children that are
	// never visited cost nothing.
	ExpandAt int

	// Leaves is the number of positions of one tree that are evaluated in a
	// step, as one batch; 0 is taken as 1, which is the search of the
	// literature. With more, the later ones are chosen before the answers to
	// the earlier ones are known (see [Tree.Ask]), so that the search is
	// another one, a little weaker for its visits; but a network is not left
	// with a batch of one position when there is only one tree.
	Leaves int

	// Cache is the number of evaluations that a tree remembers until the next
	// SetRoot, so that the network is not asked again about a position that it
	// would see alike: with the same encoded history, legal moves and key. The
	// search is the same without it, only Tree.Evaluations is higher. 0: none.
	Cache int

	// Solver makes results that the rules force known beyond the end of the
	// game (MCTS-Solver): a position from which a move wins by force is won, and
	// one whose moves all have such results has the best of them. The search
	// ends when the root's result is known, does not go on from moves that
	// lose, and counts moves that draw as 0. See [Tree.Root] for what that does
	// to visits, and [Tree.Choose] for the moves that are played. Draws are by
	// the rules and history of the game.
	Solver bool

	// Lookahead of 1 lets the rules, before the network is asked about a position,
	// look among its moves for one that wins at once: with Solver that makes the
	// position won, and the move before it a known blunder. So what a position
	// threatens is seen at its first visit, whatever the priors say. This is the
	// shallow minimax at expansion of Baier and Winands, "MCTS-Minimax Hybrids"
	// (2015). 0 is none; it does nothing without Solver.
	Lookahead int

	// TreeReuse keeps the part of the tree below the move played.
	TreeReuse bool

	Noise Noise

	// ForcedPlayouts, the factor k, makes every move of the root that is visited at
	// all have at least sqrt(k P(a) sum over b of N(s,b)) visits, in searches with
	// noise; what is learned and played is rid of those that were only forced
	// (Wu 2019, section 3.2, with k = 2). See [Tree.Target]. 0: none.
	ForcedPlayouts float64

	Gumbel Gumbel
}

// Bounds of Config.
const (
	MaxLeaves = 4096
	MaxCache  = 100_000_000
)

// Noise is the Dirichlet noise at the root: the priors P become
// (1-Weight) P + Weight D with D drawn from Dir(Alpha, .., Alpha).
type Noise struct {
	Alpha, Weight float64
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

// ParseFPU reads an FPU as experiment files write it: "zero", "parent", or a
// number, which is the reduction below the parent's value.
func ParseFPU(s string) (FPU, error) {
	switch s {
	case "zero":
		return FPU{}, nil
	case "parent":
		return FPU{Parent: true}, nil
	}
	r, err := strconv.ParseFloat(s, 64)
	if err != nil || !(r >= 0 && r <= maxReduction) {
		return FPU{}, fmt.Errorf(`first play urgency %q: want "zero", "parent" or a reduction from 0 to %d, such as 0.3`, s, maxReduction)
	}
	return FPU{Parent: true, Reduction: r}, nil
}

const maxReduction = 10

// String is the inverse of ParseFPU.
func (f FPU) String() string {
	switch {
	case !f.Parent:
		return "zero"
	case f.Reduction == 0:
		return "parent"
	}
	return strconv.FormatFloat(f.Reduction, 'g', -1, 64)
}

// Still is the same search without what is there for exploring: noise, that of a
// Gumbel root included, and forced playouts.
func (c Config) Still() Config {
	c.Noise, c.ForcedPlayouts, c.Gumbel.Noise = Noise{}, 0, 0
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

// Validate returns an error that names the first setting out of range.
func (c Config) Validate() error {
	check := func(ok bool, name string, have any, want string) error {
		if ok {
			return nil
		}
		return fmt.Errorf("search: %s is %v: want %s", name, have, want)
	}
	finite := func(x float64) bool { return x >= 0 && x <= 1e9 }
	for _, err := range []error{
		check(c.Visits >= 0 && c.Visits <= 1e9, "visits", c.Visits, "0 to 1e9"),
		check(c.Nodes >= 0 && c.Nodes <= 1e9, "nodes", c.Nodes, "0 to 1e9"),
		check(c.Bytes >= 0, "bytes", c.Bytes, "0 or more"),
		check(finite(c.CPuct), "c_puct", c.CPuct, "0 to 1e9"),
		check(finite(c.CBase), "c_base", c.CBase, "0 to 1e9"),
		check(finite(c.CInit), "c_init", c.CInit, "0 to 1e9"),
		check(c.PolicyTemperature >= 0 && c.PolicyTemperature <= 100, "policy temperature", c.PolicyTemperature, "0 to 100"),
		check(c.FPU.Reduction >= 0 && c.FPU.Reduction <= maxReduction, "fpu reduction", c.FPU.Reduction, "0 to 10"),
		check(c.ExpandAt >= 0 && c.ExpandAt <= 1e9, "expand_at", c.ExpandAt, "0 to 1e9"),
		check(c.Leaves >= 0 && c.Leaves <= MaxLeaves, "leaves", c.Leaves, fmt.Sprintf("0 to %d", MaxLeaves)),
		check(c.Cache >= 0 && c.Cache <= MaxCache, "cache", c.Cache, fmt.Sprintf("0 to %d", MaxCache)),
		check(c.Lookahead == 0 || c.Lookahead == 1, "lookahead", c.Lookahead, "0 or 1"),
		check(c.Noise.Weight >= 0 && c.Noise.Weight <= 1, "noise weight", c.Noise.Weight, "0 to 1"),
		check(c.Noise.Weight == 0 || c.Noise.Alpha >= 1e-6 && c.Noise.Alpha <= 1e6, "noise alpha", c.Noise.Alpha, "1e-6 to 1e6"),
		check(finite(c.ForcedPlayouts), "forced_playouts", c.ForcedPlayouts, "0 to 1e9"),
		check(c.Gumbel.Considered >= 0 && c.Gumbel.Considered <= 1e9, "gumbel considered", c.Gumbel.Considered, "0 to 1e9"),
		check(finite(c.Gumbel.CVisit), "gumbel c_visit", c.Gumbel.CVisit, "0 to 1e9"),
		check(finite(c.Gumbel.CScale), "gumbel c_scale", c.Gumbel.CScale, "0 to 1e9"),
		check(finite(c.Gumbel.Noise), "gumbel noise", c.Gumbel.Noise, "0 to 1e9"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
