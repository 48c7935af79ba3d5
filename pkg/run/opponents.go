package run

import (
	"context"
	"fmt"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"

	"alamos/pkg/uci"
)

// engineKey is what two players must share to be the same engine.
func engineKey(v chess.Variant, chess960 bool, p *experiment.Player) string {
	q := *p
	q.Rounds = 0
	return fmt.Sprint(v, chess960, experiment.Hash(q))
}

// Opponents are the players from elsewhere that the tournaments of a run name. One
// that is missing is nil, and left out.
type Opponents struct {
	engines map[string]*uci.Found // by engineKey
	guests  map[string]*guest     // by their names
}

// Find finds the opponents of all tournaments and has engines prove their variant, so
// that a run does not train for hours to find out that its opponent is missing, or
// plays another game. Those that are missing it tells to lack; results is where
// models of runs are looked for.
func TournamentFind(ctx context.Context, trials []experiment.Trial, results string, lack func(error)) (*Opponents, error) {
	all := &Opponents{engines: map[string]*uci.Found{}, guests: map[string]*guest{}}
	for i := range trials {
		s := &trials[i].Settings
		if s.Tournament.Rounds == 0 {
			continue
		}
		of, err := experiment.New(s)
		if err != nil {
			return nil, err
		}
		for k := range s.Tournament.Players {
			p := &s.Tournament.Players[k]
			switch p.Kind {
			case experiment.PlayerModel:
				g, found := all.guests[p.Model]
				if !found {
					if g, err = findGuest(results, p); err != nil {
						lack(missing(p.Model, err))
					}
					all.guests[p.Model] = g
				}
				if g != nil && g.variant != of.Variant { // not to be left out: the experiment is wrong
					return nil, missing(p.Model, fmt.Errorf("it plays %s, and the games are of %s", g.variant, of.Variant))
				}
			case experiment.PlayerUCI:
				key := engineKey(of.Variant, of.Chess960, p)
				if _, done := all.engines[key]; done {
					continue
				}
				e, err := opponent(p).Find(ctx, of.Variant, of.Chess960)
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if err != nil {
					lack(missing(p.UCI, err))
				}
				all.engines[key] = e
			}
		}
	}
	return all, nil
}

// missing is the error of a player that cannot play.
func missing(player string, err error) error {
	return fmt.Errorf("tournament player %s: %w", player, err)
}

// opponent is the engine that a player names.
func opponent(p *experiment.Player) *uci.Opponent {
	return &uci.Opponent{
		Program: p.UCI, Level: p.Level, Options: p.Options,
		Limit: uci.Limit{MoveTime: time.Duration(p.MoveTime) * time.Millisecond, Depth: p.Depth, Nodes: int64(p.Nodes)},
	}
}
