package uci

import (
	"math"
	"math/rand/v2"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Mind is what an engine knows of chess: a network behind its codec, made by [Load],
// or nothing ([Blank]).
type Model struct {
	Name     string // of the network, for users
	Variants []chess.Variant
	Eval     search.Evaluator
	Policy   encode.Policy // of the network; nil: there is none
	Batch    int           // positions that are evaluated as fast as one
	Close    func()        // nil: nothing to close

	Threads    int             // that evaluate positions; 0 is taken as 1
	SetThreads func(int) error // changes them; nil: there can be no others
}

// Blank is a mind that knows the rules and nothing else: all moves are alike and all
// positions equal, but for those in which the game is over.
func Blank(variants ...chess.Variant) Model {
	return Model{Name: "blank", Variants: variants, Eval: search.Uniform{}, Batch: 1}
}

// Engine thinks. It is not safe for use by several goroutines.
type Engine struct {
	Settings // may be changed between searches

	mind Model
	tree *search.Tree  // nil: nothing is kept from a search before
	cfg  search.Config // of the tree
	rng  *rand.Rand
}

// New makes an engine with the settings that [Engine.Options] tells.
func New(m Model) *Engine {
	return &Engine{Settings: defaults(m), mind: m, rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
}

// Close frees what the mind holds.
func (e *Engine) Close() {
	if e.mind.Close != nil {
		e.mind.Close()
	}
}

// NewGame forgets the game before.
func (e *Engine) NewGame() { e.tree = nil }

// Tree is the search as it stands: nil before the first, and valid until the next.
func (e *Engine) Tree() *search.Tree { return e.tree }

// Choose picks the move to play in g, whose current position was searched: the most
// visited one, or by chance while the temperature says so; where there was no visit,
// by priors. It is 0 where the search has failed to begin.
func (e *Engine) Choose(g *chess.Game) chess.Move {
	power := math.Inf(1)
	if e.Temperature > 0 && (e.TemperaturePlies == 0 || g.Ply() < e.TemperaturePlies) {
		power = 1 / e.Temperature
	}
	return e.tree.Choose(power, e.rng)
}
