package lab

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// alphaBetaName is the name of a player of alpha-beta; of is what it values
// positions by.
func alphaBetaName(of string, depth int) string {
	return of + " alpha-beta depth " + strconv.Itoa(depth)
}

// scriptName is the name of a script in the names of players.
func scriptName(s *experiment.Script) string {
	return strings.TrimSuffix(filepath.Base(s.File), ".go")
}

// scriptPlayer looks ahead by alpha-beta on the evaluation of a script, which has
// a process of its own.
func (r *run) scriptPlayer(name string, depth int, script *experiment.Script) (arena.Player, error) {
	s, err := r.openScript(script, 1)
	if err != nil {
		return nil, err
	}
	p, err := arena.NewAlphaBeta(name, depth, &scriptValuer{session: s})
	if err != nil {
		s.Close()
		return nil, err
	}
	return closingPlayer{p, s.Close}, nil
}

// scriptValuer values positions by a script's Evaluate.
type scriptValuer struct {
	session   *hook.Session
	positions []chess.Position
}

func (v *scriptValuer) Add(g *chess.Game, _ []chess.Move) {
	v.positions = append(v.positions, *g.Position())
}

func (v *scriptValuer) Values(ctx context.Context) ([]float64, error) {
	positions := v.positions
	v.positions = v.positions[:0]
	return v.session.Evaluate(ctx, positions)
}

// valuePlayer looks ahead by alpha-beta on the value of a network.
func (t *trial) valuePlayer(name string, depth int, m *nn.Model) (arena.Player, error) {
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	p, err := arena.NewAlphaBeta(name, depth, search.NewValuer(search.NewEvaluator(t.codec, s)))
	if err != nil {
		s.Close()
		return nil, err
	}
	return closingPlayer{p, s.Close}, nil
}

// alphaBetaContestant is a player of alpha-beta before it plays.
func alphaBetaContestant(p *experiment.Player, last int) contestant {
	c := contestant{generation: -1, network: -1, rounds: p.Rounds, depth: p.Depth, script: p.Hook}
	switch {
	case p.Kind == experiment.PlayerMaterial:
		c.name = alphaBetaName("material", p.Depth)
	case p.Kind == experiment.PlayerHook:
		c.name = alphaBetaName(scriptName(p.Hook), p.Depth)
	case p.AlphaBeta == experiment.PlayerUntrained:
		c.network = 0
	default:
		c.network = last
	}
	if c.network >= 0 {
		c.name = alphaBetaName(store.CheckpointName(c.network), p.Depth)
	}
	return c
}

// closingPlayer closes what is behind a player with it.
type closingPlayer struct {
	arena.Player
	end func()
}

func (p closingPlayer) Close() error {
	err := p.Player.Close()
	p.end()
	return err
}
