package run

import (
	"context"
	"strconv"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// tournament plays the trial's tournament.
func (t *trial) tournament(ctx context.Context) error {
	s := &t.Settings
	if s.Tournament.Rounds == 0 {
		return nil // an earlier one keeps its place in the manifest
	}
	players := t.run.opponents.Players(t.Trial)
	if len(players) < 2 { // opponents were left out, and none stand for them
		return t.Forget(store.TournamentStage)
	}
	in := store.Inputs{
		"code": Code, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	if len(s.Game.Start) > 0 {
		in.Settings("game.start", s.Game.Start)
	}
	settings := s.Tournament
	settings.Players = nil // the match knows what they come to
	in.Settings("tournament", settings)
	m := t.match(store.TournamentStage, "tournament", in)
	m.Players, m.Rounds, m.Format = players, s.Tournament.Rounds, experiment.SetupFormat(s.Tournament.Format)
	return m.Run(ctx, store.CheckpointName(0), func(r *store.Tournament) any {
		reportStandings(t.Report, r)
		return r
	})
}

// match is a match of the trial that has no players yet.
func (t *trial) match(name, folder string, in store.Inputs) *Match {
	m := &Match{Trial: t.Trial, Scripts: t.run.scripts, Stage: name, Folder: folder, In: in}
	if t.run.planning != nil {
		m.Prospect = t.run.planning.matches
	}
	return m
}
