package lab

import (
	"context"
	"math"
	"slices"
	"sync"

	"alamos/pkg/arena"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// contestant is a player of a match before it plays.
type contestant struct {
	name       string
	generation int    // -1: no checkpoint
	of         *trial // whose checkpoint it is; nil: of the trial whose match it is
	rounds     int    // 0: as the match
	engine     *engine

	guest *guest

	// Of a player of alpha-beta: the plies it looks ahead, and what it values
	// positions by, a script, the network of a generation, or else material.
	depth  int
	script *experiment.Script
	// policy: plays the policy of the network, without search.
	policy  bool
	network int // generation, of these two; -1: none
}

// model is the generation whose network the player needs, -1 for none.
func (c *contestant) model() int {
	if c.depth > 0 || c.policy {
		return c.network
	}
	return c.generation
}

// owner is the trial whose checkpoint a player is.
func (m *match) owner(p *contestant) *trial {
	if p.of != nil {
		return p.of
	}
	return m.trial
}

// id is what decides the player's moves, beside the settings of the match.
func (m *match) id(p *contestant) string {
	switch {
	case p.of != nil: // searches as its own trial says
		s := &p.of.Settings
		return experiment.Hash(p.of.CheckpointSum(p.generation), s.Network.Input, s.Network.Policy, s.Tournament.Search, s.Tournament.Temperature)
	case p.guest != nil:
		return p.guest.id()
	case p.script != nil:
		return p.script.SHA256
	case p.model() >= 0:
		return m.CheckpointSum(p.model())
	case p.engine != nil:
		return p.engine.id
	}
	return "plays"
}

// contestants lists who plays, in the experiment's order; a checkpoint that is
// named twice plays once.
func (t *trial) contestants() []contestant {
	var out []contestant
	add := func(c contestant) {
		if !slices.ContainsFunc(out, func(o contestant) bool { return o.name == c.name }) {
			out = append(out, c)
		}
	}
	last := t.Last()
	for i := range t.Settings.Tournament.Players {
		p := &t.Settings.Tournament.Players[i]
		switch p.Kind {
		case experiment.PlayerEvery:
			for g := p.Every; g < last; g += p.Every {
				add(contestant{name: store.CheckpointName(g), generation: g, rounds: p.Rounds})
			}
			add(contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerLast:
			add(contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerUntrained:
			add(contestant{name: store.CheckpointName(0), rounds: p.Rounds})
		case experiment.PlayerRandom:
			add(contestant{name: store.RandomName, generation: -1, rounds: p.Rounds})
		case experiment.PlayerUCI:
			if e := t.engines[engineKey(t.variant, t.chess960, p)]; e != nil { // nil: left out, see findEngines
				name := e.name
				if slices.ContainsFunc(out, func(o contestant) bool { return o.name == name }) {
					name += " (" + p.UCI + ")" // the same file name in two folders
				}
				add(contestant{name: name, generation: -1, rounds: p.Rounds, engine: e})
			}
		case experiment.PlayerModel:
			if g := t.guests[p.Model]; g != nil { // nil: left out, see findEngines
				name := g.name
				if slices.ContainsFunc(out, func(o contestant) bool { return o.name == name }) {
					name += " (" + g.sum[:8] + ")" // the same file name in two folders, or one of ours
				}
				add(contestant{name: name, generation: -1, rounds: p.Rounds, guest: g})
			}
		case experiment.PlayerPolicy:
			c := contestant{generation: -1, rounds: p.Rounds, policy: true}
			if p.Policy == experiment.PlayerLast {
				c.network = last
			}
			c.name = store.CheckpointName(c.network) + " policy"
			add(c)
		case experiment.PlayerHook, experiment.PlayerAlphaBeta, experiment.PlayerMaterial:
			c := alphaBetaContestant(p, last)
			if i := slices.IndexFunc(out, func(o contestant) bool { return o.name == c.name }); i >= 0 && values(&out[i]) != values(&c) {
				c.name += " (" + values(&c)[:8] + ")" // the same file name in two folders, or a script called material
			}
			add(c)
		}
	}
	return out
}

// values is what a player of alpha-beta values positions by: a script, by its hash, or
// else what its name says.
func values(c *contestant) string {
	if c.script != nil {
		return c.script.SHA256
	}
	return "built in"
}

// models are networks that the workers of a match share, by the file of their
// checkpoint.
type models struct {
	mu   sync.Mutex
	open map[string]*nn.Model
}

// of opens the checkpoint of a generation for inference unless it is open.
func (all *models) of(t *trial, generation int) (*nn.Model, error) {
	return all.at(t, t.Path(store.CheckpointFile(generation)))
}

// at opens a checkpoint by its file, on the hardware of a trial.
func (all *models) at(t *trial, file string) (*nn.Model, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if m := all.open[file]; m != nil {
		return m, nil
	}
	m, err := t.compile(file)
	if err == nil {
		if all.open == nil {
			all.open = map[string]*nn.Model{}
		}
		all.open[file] = m
	}
	return m, err
}

func (all *models) close() {
	for _, m := range all.open {
		m.Close()
	}
}

// enter makes a player for one worker.
func (m *match) enter(ctx context.Context, p *contestant, nets *models) (arena.Player, error) {
	switch {
	case p.guest != nil:
		return m.enterGuest(p, nets)
	case p.script != nil:
		return m.scriptPlayer(p.name, p.depth, p.script)
	case p.model() >= 0:
		t := m.owner(p)
		model, err := nets.of(t, p.model())
		if err != nil {
			return nil, err
		}
		switch {
		case p.depth > 0:
			return t.valuePlayer(p.name, p.depth, model)
		case p.policy:
			return searchPlayer(p.name, search.Config{}, math.Inf(1), t.codec, model)
		}
		return t.networkPlayer(p.name, model)
	case p.depth > 0:
		return arena.NewAlphaBeta(p.name, p.depth, &arena.Material{})
	case p.engine != nil:
		return arena.NewUCI(ctx, p.name, p.engine.spec(m.variant, m.chess960))
	}
	return arena.NewRandom(p.name), nil
}

// networkPlayer is a checkpoint that plays by search.
func (t *trial) networkPlayer(name string, m *nn.Model) (arena.Player, error) {
	s := &t.Settings.Tournament
	return searchPlayer(name, searchConfig(&s.Search), float64(s.Temperature.Power), t.codec, m)
}
