package lab

import (
	"context"
	"math"
	"slices"
	"strconv"

	"alamos/pkg/arena"
	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// tournament plays the trial's tournament.
func (t *trial) tournament(ctx context.Context) error {
	s := &t.Settings
	if s.Tournament.Rounds == 0 {
		return nil // an earlier one keeps its place in the manifest
	}
	m := &match{trial: t, name: store.TournamentStage, folder: "tournament", players: t.contestants(), rounds: s.Tournament.Rounds, format: formatOf(s.Tournament.Format)}
	if len(m.players) < 2 { // opponents were left out, and none stand for them
		return t.forget(store.TournamentStage)
	}
	m.in = store.Inputs{
		"code": tournamentCode, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	if len(s.Game.Start) > 0 {
		m.in.Settings("game.start", s.Game.Start)
	}
	settings := s.Tournament
	settings.Players = nil // what they come to is below
	m.in.Settings("tournament", settings)
	m.addPlayers()
	err := t.do(ctx, stage{name: m.name, in: m.in, files: m.files(), load: m.workload, work: func(ctx context.Context) (any, error) {
		games, err := m.play(ctx)
		if err != nil {
			return nil, err
		}
		anchor := "" // the mean
		if slices.Contains(m.names(), store.CheckpointName(0)) {
			anchor = store.CheckpointName(0)
		}
		result, err := m.write(games, anchor)
		if err != nil {
			return nil, err
		}
		tellResult(t.Reporter, result)
		return result, nil
	}})
	if err != nil || t.planning != nil {
		return err
	}
	return disk.Remove(m.journal())
}

// result is the result of a match as the store has it.
func (m *match) result(res *arena.Results, ratings *arena.Ratings, anchor string) (*store.Tournament, error) {
	out := &store.Tournament{Anchor: anchor}
	for i, st := range res.Standings() {
		p := store.PlayerResult{Generation: m.players[i].generation, Standing: st}
		if p.Generation > 0 {
			var err error
			if p.Samples, err = m.owner(&m.players[i]).SamplesUntil(p.Generation); err != nil {
				return nil, err
			}
		}
		nan := store.Float(math.NaN())
		p.Elo, p.EloLow, p.EloHigh = nan, nan, nan
		if r := ratings.List[i]; r.Rated {
			p.Elo, p.EloLow, p.EloHigh = store.Float(r.Elo), store.Float(r.Lower), store.Float(r.Upper)
		}
		out.Players = append(out.Players, p)
		row := make([]arena.Record, len(res.Names()))
		for j := range row {
			if j != i {
				row[j] = res.Against(i, j)
			}
		}
		out.Cross = append(out.Cross, row)
	}
	return out, nil
}
