package experiment

import (
	"errors"
	"strings"

	"alamos/pkg/chess"

	"alamos/pkg/data"
	"alamos/pkg/uci"
)

// Data is the source of positions as the experiment describes it; find finds its
// engines.
func (s *Setup) Data(find func(uci.Opponent) (uci.Command, error)) (data.Config, error) {
	d := s.settings.Data
	c := data.Config{
		Kind: d.Kind, Variant: s.Variant, Positions: int(d.Positions), Games: d.Games, Shuffle: d.Shuffle,
		Chunk: int(d.Chunk), Policy: d.Policy, SkipBroken: d.Broken == "skip",
	}
	loss := s.settings.Training.Loss
	c.Results = loss.Value > 0 || s.settings.Network.MovesLeft && loss.MovesLeft.Value() > 0
	for _, f := range d.Files {
		c.Files = append(c.Files, f.Pattern)
	}
	var err error
	if e := d.Engine; e != nil {
		c.Start = s.settings.Game.Start
		c.Player = data.Player{Limit: data.Limit{Depth: e.Depth, Nodes: e.Nodes}, RandomPlies: e.RandomPlies}
		if c.Player.Command, err = find(engine(e.UCI, c.Player.Limit, e.Options)); err != nil {
			return c, err
		}
	}
	if l := d.Label; l != nil {
		c.Label = &data.Label{Limit: data.Limit{Depth: l.Depth, Nodes: l.Nodes}}
		if f := l.Finish; f != nil {
			c.Label.Finish = data.Limit{Depth: f.Depth, Nodes: f.Nodes}
		}
		if c.Label.Command, err = find(engine(l.UCI, c.Label.Limit, l.Options)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// DataSeed is the seed of what is drawn of the data.
func (s *Setup) DataSeed() uint64 { return s.Seed("data", 0) }

func engine(name string, l data.Limit, options map[string]string) uci.Opponent {
	return uci.Opponent{Program: name, Limit: uci.Limit{Depth: l.Depth, Nodes: l.Nodes}, Options: options}
}

// checkData reports what contradicts itself in the data of settings; files and
// engines it leaves alone.
func checkData(s *Settings, v chess.Variant, fail func(key, hint string, err error)) {
	if s.Data == nil {
		return
	}
	of := &Setup{Variant: v, settings: s}
	c, err := of.Data(func(o uci.Opponent) (uci.Command, error) {
		command := uci.Command{Path: o.Program}
		for option, value := range o.Options {
			command.Settings = append(command.Settings, uci.Setting{Name: option, Value: value})
		}
		return command, nil
	})
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		fail("data", "", errors.New(strings.TrimPrefix(err.Error(), "data: ")))
	}
}
