package run

import (
	"slices"
	"strconv"

	"alamos/pkg/experiment"

	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// Contestant is a player of a match before it plays.
type Contestant struct {
	name       string
	generation int    // -1: no checkpoint
	of         *Trial // whose checkpoint it is; nil: of the trial whose match it is
	rounds     int    // 0: as the match
	engine     *uci.Found
	guest      *guest

	// Of a player of alpha-beta: the plies it looks ahead, and what it values
	// positions by, a script, the network of a generation, or else material.
	depth  int
	script *experiment.Script
	// policy: plays the policy of the network, without search.
	policy  bool
	network int // generation, of these two; -1: none
}

// model is the generation whose network the player needs, -1 for none.
func (c *Contestant) model() int {
	if c.depth > 0 || c.policy {
		return c.network
	}
	return c.generation
}

// owner is the trial whose checkpoint a player is.
func (m *Match) owner(p *Contestant) *Trial {
	if p.of != nil {
		return p.of
	}
	return m.Trial
}

// id is what decides the player's moves, beside the settings of the match.
func (m *Match) id(p *Contestant) string {
	switch {
	case p.of != nil: // searches as its own trial says
		s := &p.of.Settings
		how := []any{p.of.CheckpointSum(p.generation), s.Network.Input, s.Network.Policy, s.Tournament.Search, s.Tournament.Temperature}
		if s.Tournament.Limit != nil {
			how = append(how, s.Tournament.Limit)
		}
		return experiment.Hash(how...)
	case p.guest != nil:
		return p.guest.id()
	case p.script != nil:
		return p.script.SHA256
	case p.model() >= 0:
		return m.CheckpointSum(p.model())
	case p.engine != nil:
		return p.engine.ID
	}
	return "plays"
}

// Checkpoint is the checkpoint of a generation of a trial, which searches as its own
// tournament section says, in a match of another.
func Checkpoint(name string, t *Trial, generation int) Contestant {
	return Contestant{name: name, generation: generation, of: t}
}

// Contestants lists who plays in a trial's tournament, in the experiment's order; a
// checkpoint that is named twice plays once.
func (all *Opponents) Contestants(t *Trial) []Contestant {
	var out []Contestant
	add := func(c Contestant) {
		if !slices.ContainsFunc(out, func(o Contestant) bool { return o.name == c.name }) {
			out = append(out, c)
		}
	}
	last := t.Last()
	for i := range t.Settings.Tournament.Players {
		p := &t.Settings.Tournament.Players[i]
		switch p.Kind {
		case experiment.PlayerEvery:
			for g := p.Every; g < last; g += p.Every {
				add(Contestant{name: store.CheckpointName(g), generation: g, rounds: p.Rounds})
			}
			add(Contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerThose:
			for _, g := range p.Those {
				if g <= last {
					add(Contestant{name: store.CheckpointName(g), generation: g, rounds: p.Rounds})
				}
			}
		case experiment.PlayerLast:
			add(Contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerUntrained:
			add(Contestant{name: store.CheckpointName(0), rounds: p.Rounds})
		case experiment.PlayerRandom:
			add(Contestant{name: store.RandomName, generation: -1, rounds: p.Rounds})
		case experiment.PlayerUCI:
			if e := all.engines[engineKey(t.Variant, t.Chess960, p)]; e != nil { // nil: left out
				name := e.Name
				if slices.ContainsFunc(out, func(o Contestant) bool { return o.name == name }) {
					name += " (" + p.UCI + ")" // the same file name in two folders
				}
				add(Contestant{name: name, generation: -1, rounds: p.Rounds, engine: e})
			}
		case experiment.PlayerModel:
			if g := all.guests[p.Model]; g != nil { // nil: left out
				name := g.name
				if slices.ContainsFunc(out, func(o Contestant) bool { return o.name == name }) {
					name += " (" + g.sum[:8] + ")" // the same file name in two folders, or one of ours
				}
				add(Contestant{name: name, generation: -1, rounds: p.Rounds, guest: g})
			}
		case experiment.PlayerPolicy:
			c := Contestant{generation: -1, rounds: p.Rounds, policy: true, network: p.Policy.Generation(last)}
			if c.network > last { // training ended before
				continue
			}
			c.name = store.CheckpointName(c.network) + " policy"
			add(c)
		case experiment.PlayerHook, experiment.PlayerAlphaBeta, experiment.PlayerMaterial:
			c := alphaBetaContestant(p, last)
			if c.network > last {
				continue
			}
			if i := slices.IndexFunc(out, func(o Contestant) bool { return o.name == c.name }); i >= 0 && values(&out[i]) != values(&c) {
				c.name += " (" + values(&c)[:8] + ")" // the same file name in two folders, or a script called material
			}
			add(c)
		}
	}
	return out
}

// values is what a player of alpha-beta values positions by: a script, by its hash, or
// else what its name says.
func values(c *Contestant) string {
	if c.script != nil {
		return c.script.SHA256
	}
	return "built in"
}

// alphaBetaContestant is a player of alpha-beta before it plays.
func alphaBetaContestant(p *experiment.Player, last int) Contestant {
	c := Contestant{generation: -1, network: -1, rounds: p.Rounds, depth: p.Depth, script: p.Hook}
	switch {
	case p.Kind == experiment.PlayerMaterial:
		c.name = alphaBetaName("material", p.Depth)
	case p.Kind == experiment.PlayerHook:
		c.name = alphaBetaName(Name(p.Hook), p.Depth)
	default:
		c.network = p.AlphaBeta.Generation(last)
		c.name = alphaBetaName(store.CheckpointName(c.network), p.Depth)
	}
	return c
}

// alphaBetaName is the name of a player of alpha-beta; of is what it values
// positions by.
func alphaBetaName(of string, depth int) string {
	return of + " alpha-beta depth " + strconv.Itoa(depth)
}
