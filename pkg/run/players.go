package run

import (
	"context"
	"math"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"

	"alamos/pkg/search"
)

// enter makes a player for one worker.
func (m *Match) enter(ctx context.Context, p *Contestant, nets *models) (match.Player, error) {
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
			return valuePlayer(t, p.name, p.depth, model)
		case p.policy:
			return searchPlayer(p.name, search.Config{}, math.Inf(1), nil, t.Codec, model)
		}
		return networkPlayer(t, p.name, model)
	case p.depth > 0:
		return match.NewAlphaBeta(p.name, p.depth, &match.Material{})
	case p.engine != nil:
		return match.NewUCI(ctx, p.name, match.UCI{
			Command: p.engine.Command, Variant: m.Variant, Chess960: m.Chess960, Limit: p.engine.Limit, Engines: 1,
		})
	}
	return match.NewRandom(p.name), nil
}

// networkPlayer is a checkpoint that plays by search.
func networkPlayer(t *Trial, name string, m *nn.Model) (match.Player, error) {
	s := &t.Settings.Tournament
	return searchPlayer(name, experiment.SetupSearch(&s.Search), float64(s.Temperature.Power), s.Limit, t.Codec, m)
}

// enterGuest makes a player of a guest.
func (m *Match) enterGuest(p *Contestant, nets *models) (match.Player, error) {
	model, err := nets.at(m.Trial, p.guest.file)
	if err != nil {
		return nil, err
	}
	s := &m.Settings.Tournament
	return searchPlayer(p.name, experiment.SetupSearch(&s.Search), float64(s.Temperature.Power), s.Limit, p.guest.codec, model)
}

// searchPlayer is a network behind its codec that plays by search.
func searchPlayer(name string, cfg search.Config, power float64, l *experiment.SearchLimit, codec encode.Codec, m *nn.Model) (match.Player, error) {
	var limit match.Limit
	if l != nil {
		limit = match.Limit{Depth: l.Depth, Time: time.Duration(l.MoveTime) * time.Millisecond}
	}
	session, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	p, err := match.NewMCTS(name, cfg, power, limit, search.NewEvaluator(codec, session))
	if err != nil {
		session.Close()
		return nil, err
	}
	return closingPlayer{p, session.Close}, nil
}

// scriptPlayer looks ahead by alpha-beta on the evaluation of a script, which has
// a process of its own.
func (m *Match) scriptPlayer(name string, depth int, values *experiment.Script) (match.Player, error) {
	s, err := m.Scripts.Open(values, 1)
	if err != nil {
		return nil, err
	}
	p, err := match.NewAlphaBeta(name, depth, NewValuer(s))
	if err != nil {
		s.Close()
		return nil, err
	}
	return closingPlayer{p, s.Close}, nil
}

// valuePlayer looks ahead by alpha-beta on the value of a network.
func valuePlayer(t *Trial, name string, depth int, m *nn.Model) (match.Player, error) {
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	p, err := match.NewAlphaBeta(name, depth, search.NewValuer(search.NewEvaluator(t.Codec, s)))
	if err != nil {
		s.Close()
		return nil, err
	}
	return closingPlayer{p, s.Close}, nil
}

// closingPlayer closes what is behind a player with it.
type closingPlayer struct {
	match.Player
	end func()
}

func (p closingPlayer) Close() error {
	err := p.Player.Close()
	p.end()
	return err
}
