package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Mind is what an engine knows of chess: a network behind its codec, made by [Load],
// or nothing ([Blank]).
type Mind struct {
	Name     string // of the network, for users
	Variants []chess.Variant
	Eval     search.Evaluator
	Policy   encode.Policy // of the network; nil: there is none
	Batch    int           // positions that are evaluated as fast as one
	Close    func()        // nil: nothing to close

	Threads    int             // that evaluate positions; 0 is taken as 1
	SetThreads func(int) error // changes them; nil: there can be no others
}

// Engine thinks. It is not safe for use by several goroutines.
type Engine struct {
	mind     Mind
	settings settings

	tree  *search.Tree
	game  *chess.Game // at the tree's root; nil: there is none
	fresh bool        // settings have changed: the tree is of no use
	rng   *rand.Rand
}

// New makes an engine with the settings that [Engine.Options] tells.
func New(m Mind) *Engine {
	e := &Engine{mind: m, settings: defaults(m), fresh: true}
	e.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	return e
}

// Close frees what the mind holds.
func (e *Engine) Close() {
	if e.mind.Close != nil {
		e.mind.Close()
	}
}

// Name is what the engine calls itself.
func (e *Engine) Name() string {
	if e.mind.Name == "" {
		return "alamos"
	}
	return "alamos " + e.mind.Name
}

// Author is who made it.
func (e *Engine) Author() string { return "the alamos authors" }

// Variants are the rules that it can play.
func (e *Engine) Variants() []chess.Variant { return e.mind.Variants }

// Ready does nothing: an engine is ready when it has been made.
func (e *Engine) Ready() error { return nil }

// NewGame forgets the game before.
func (e *Engine) NewGame() { e.game = nil }

// Think is a search as [uci.Brain] describes it.
func (e *Engine) Think(ctx context.Context, g *chess.Game, task uci.Task, tell func(uci.Info)) (best, ponder chess.Move, err error) {
	began := time.Now()
	e.goTo(g, task.Moves)
	t := &thought{Engine: e, task: task, tell: tell, began: began, kept: e.tree.Visits(), at: *g.Position()}
	err = t.run(ctx)
	t.report(true)
	best = e.choose(g)
	if best == 0 {
		return 0, 0, err
	}
	if line := e.tree.PVOf(best); len(line) > 1 {
		ponder = line[1]
	}
	return best, ponder, err
}

// goTo makes the current position of g the root of the tree: the tree goes on where
// g goes on from the game before.
func (e *Engine) goTo(g *chess.Game, among []chess.Move) {
	if e.fresh || e.tree == nil {
		e.tree = search.NewTree(e.settings.search(), 0)
		e.game, e.fresh = nil, false
	}
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	drawn := g.Outcome(&l).Over() // by a claim that the user has not made
	if e.game != nil && len(among) == 0 && !drawn && continues(g, e.game) {
		for _, m := range g.Moves()[e.game.Ply():] {
			e.tree.Advance(m)
		}
	} else {
		e.tree.Analyze(g, among...)
	}
	e.game = nil
	if len(among) == 0 && !drawn {
		e.game = g.Clone()
	}
}

// continues tells whether g goes on from where the game before was.
func continues(g, before *chess.Game) bool {
	if *g.Start() != *before.Start() || g.Ply() < before.Ply() {
		return false
	}
	for i, m := range before.Moves() {
		if g.Moves()[i] != m {
			return false
		}
	}
	return true
}

// choose picks the move: the most visited one, or by chance while the temperature
// says so. Where there was no time for any visit it is the best prior, and where
// there was not even time for that, the first of the list.
func (e *Engine) choose(g *chess.Game) chess.Move {
	power := math.Inf(1)
	if s := &e.settings; s.temperature > 0 && (s.temperaturePlies == 0 || g.Ply() < s.temperaturePlies) {
		power = 1 / s.temperature
	}
	if m := e.tree.Choose(power, e.rng); m != 0 {
		return m
	}
	var l chess.MoveList
	if g.Position().LegalMoves(&l); l.Len() > 0 {
		return l.At(0)
	}
	return 0
}

// Blank is a mind that knows the rules and nothing else: all moves are alike and all
// positions equal, but for those in which the game is over.
func Blank(variants ...chess.Variant) Mind {
	return Mind{Name: "blank", Variants: variants, Eval: search.Uniform{}, Batch: 1}
}

// thought is a search under way.
type thought struct {
	*Engine
	task  uci.Task
	tell  func(uci.Info)
	began time.Time
	kept  int // visits from the search before
	at    chess.Position

	checked time.Time

	looked   time.Time
	told     time.Time
	toldBest chess.Move
}

// run searches until the task or ctx ends it.
func (t *thought) run(ctx context.Context) error {
	limit := t.limits()
	var hit <-chan struct{}
	if t.task.Ponder {
		hit = t.task.Hit
	}
	t.tree.SetVisits(limit.visits)
	stepper := search.Stepper{}
	trees := []*search.Tree{t.tree}
	for {
		t.report(false)
		select {
		case <-ctx.Done():
			return nil
		case <-hit:
			hit, t.task.Ponder = nil, false
			limit.start(time.Now())
		default:
		}
		endless := t.task.Infinite || t.task.Ponder
		if !endless && t.due(&limit) && t.enough(&limit) {
			return nil
		}
		asked := 0
		if t.tree.Bytes() < t.settings.hash<<20 {
			var err error
			if asked, err = stepper.Step(trees, t.mind.Eval); err != nil {
				return fmt.Errorf("the search ended: %w", err)
			}
		}
		if asked > 0 {
			continue
		}
		if !endless { // nothing is left to search
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-hit:
			hit, t.task.Ponder = nil, false
			if !t.task.Infinite {
				return nil
			}
		}
	}
}

var _ uci.Brain = (*Engine)(nil)
