package lab

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"alamos/pkg/arena"
	"alamos/pkg/checkpoint"
	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// guest is a checkpoint from elsewhere that plays in tournaments: it is asked in the
// language that it was trained in, and searches as the tournament says.
type guest struct {
	name    string // as a player: "quickstart@8", or the name of its file
	file    string
	sum     string // of the file
	variant chess.Variant
	codec   encode.Codec
}

// findGuest finds the checkpoint that a player names.
func (r *run) findGuest(p *experiment.Player) (*guest, error) {
	file, err := store.FindModel(r.Results, p.Model)
	if err != nil {
		return nil, err
	}
	sum, err := disk.Sum(file)
	if err != nil {
		return nil, err
	}
	c, err := checkpoint.Read(file)
	if err != nil {
		return nil, err
	}
	g := &guest{file: file, sum: sum, name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if g.codec, g.variant, err = c.Codec(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if at := strings.LastIndex(p.Model, "@"); at > 0 && file != p.Model { // "last" is another one tomorrow
		g.name = p.Model[:at+1] + strconv.Itoa(c.Generation)
	}
	return g, nil
}

// id is what decides the guest's moves, beside the settings of the match.
func (g *guest) id() string {
	return experiment.Hash(g.sum, g.codec.Planes.Name(), g.codec.Policy.Name())
}

// enterGuest makes a player of a guest.
func (m *match) enterGuest(p *contestant, nets *models) (arena.Player, error) {
	model, err := nets.at(m.trial, p.guest.file)
	if err != nil {
		return nil, err
	}
	s := &m.Settings.Tournament
	return searchPlayer(p.name, searchConfig(&s.Search), float64(s.Temperature.Power), p.guest.codec, model)
}

// searchPlayer is a network behind its codec that plays by search.
func searchPlayer(name string, cfg search.Config, power float64, codec encode.Codec, m *nn.Model) (arena.Player, error) {
	session, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	p, err := arena.NewMCTS(name, cfg, power, arena.Limit{}, search.NewEvaluator(codec, session))
	if err != nil {
		session.Close()
		return nil, err
	}
	return closingPlayer{p, session.Close}, nil
}
