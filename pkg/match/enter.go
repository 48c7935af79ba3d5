package match

import (
	"context"
	"fmt"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/search"
	"alamos/pkg/uci"
	mind "alamos/pkg/uci"
)

// Hardware is what networks run on.
type Hardware = mind.Hardware

// unlimited is a number of visits that only another limit ends.
const unlimited = 1_000_000_000

// contestant is a player that has been found and can be made.
type contestant struct {
	*Spec
	title string
	id    string      // what decides its moves, beside the match
	file  string      // of its network
	mind  *mind.Model // of its network, which may be the other's too
	found *uci.Found  // engine
}

// networks opens the networks of both players and tells what they play; nil where there
// is none.
func networks(cs *[2]contestant, cfg *Config) (v *chess.Variant, err error) {
	for i := range cs {
		c := &cs[i]
		if !c.network() {
			continue
		}
		if c.file, err = cfg.FindModel(c.model); err != nil {
			return nil, err
		}
		if i == 1 && cs[0].file == c.file {
			c.mind = cs[0].mind
			continue
		}
		m, err := mind.Load(c.file, cfg.Hardware)
		if err != nil {
			return nil, err
		}
		c.mind = &m
		if c.kind == policy && m.Policy.Size() == 0 {
			return nil, fmt.Errorf("%s: its network has no policy, only a value: want alphabeta:%s,depth=N", c.model, c.model)
		}
		if v != nil && *v != m.Variants[0] {
			return nil, fmt.Errorf("%s plays %s, and %s %s", cs[0].model, *v, c.model, m.Variants[0])
		}
		v = &m.Variants[0]
	}
	return v, nil
}

// closeNetworks frees the networks.
func closeNetworks(cs *[2]contestant) {
	for i := range cs {
		if m := cs[i].mind; m != nil && (i == 0 || m != cs[0].mind) {
			m.Close()
		}
	}
}

// find finds out what the player is: its name and what decides its moves.
func (c *contestant) find(ctx context.Context, cfg *Config, v chess.Variant, chess960 bool) (err error) {
	c.title = c.name(cfg.Visits)
	c.id = c.title
	switch {
	case c.network():
		sum, err := disk.Sum(c.file)
		if err != nil {
			return err
		}
		c.id += " " + sum
	case c.kind == engine:
		if c.found, err = c.engine.Find(ctx, v, chess960); err != nil {
			return err
		}
		c.id += " " + c.found.ID
	}
	return nil
}

// enter makes the player for a worker that plays so many games at once.
func (c *contestant) enter(ctx context.Context, cfg *Config, v chess.Variant, chess960 bool, together int) (Player, error) {
	switch c.kind {
	case material:
		return NewAlphaBeta(c.title, c.depth, &Material{})
	case alphabeta:
		return NewAlphaBeta(c.title, c.depth, search.NewValuer(c.mind.Eval))
	case policy:
		return NewMCTS(c.title, search.Config{}, math.Inf(1), Limit{}, c.mind.Eval)
	case model:
		s := mind.SearchConfig(1)
		if s.Visits = c.mostVisits(cfg.Visits); s.Visits == 0 {
			s.Visits = unlimited
		}
		if c.time > 0 { // games are searched one by one: batches are a tree's own
			s.Leaves = max(1, c.mind.Batch)
		}
		for _, x := range c.settings {
			if err := s.Set(x.name, x.value); err != nil {
				return nil, err
			}
		}
		return NewMCTS(c.title, s, c.power(), Limit{Depth: c.depth, Time: c.time}, c.mind.Eval)
	case engine:
		return NewUCI(ctx, c.title, UCI{
			Command: c.found.Command, Variant: v, Chess960: chess960, Limit: c.found.Limit, Engines: together, Timeouts: cfg.Timeouts,
		})
	}
	return NewRandom(c.title), nil
}
