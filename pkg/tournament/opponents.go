package tournament

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/setup"
	"alamos/pkg/uci"
)

// engine is a UCI engine that was found and has proved that it plays the
// variant.
type engine struct {
	name    string // as a player, with all that tells it from another: "fairy-stockfish level 1"
	id      string // what decides its play: name and version as it tells, settings, limit
	command uci.Command
	limit   uci.Limit
}

func (e *engine) spec(v chess.Variant, chess960 bool) arena.UCI {
	return arena.UCI{Command: e.command, Variant: v, Chess960: chess960, Limit: e.limit, Engines: 1}
}

// engineKey is what two players must share to be the same engine.
func engineKey(v chess.Variant, chess960 bool, p *experiment.Player) string {
	q := *p
	q.Rounds = 0
	return fmt.Sprint(v, chess960, experiment.Hash(q))
}

// Opponents are the players from elsewhere that the tournaments of a run name. One
// that is missing is nil, and left out.
type Opponents struct {
	engines map[string]*engine // by engineKey
	guests  map[string]*guest  // by their names
}

// Find finds the opponents of all tournaments and has engines prove their variant, so
// that a run does not train for hours to find out that its opponent is missing, or
// plays another game. Those that are missing it tells to lack; results is where
// models of runs are looked for.
func Find(ctx context.Context, trials []experiment.Trial, results string, lack func(error)) (*Opponents, error) {
	all := &Opponents{engines: map[string]*engine{}, guests: map[string]*guest{}}
	for i := range trials {
		s := &trials[i].Settings
		if s.Tournament.Rounds == 0 {
			continue
		}
		of, err := setup.New(s)
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
				e, err := findEngine(ctx, of.Variant, of.Chess960, p)
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

func findEngine(ctx context.Context, v chess.Variant, chess960 bool, p *experiment.Player) (*engine, error) {
	command := uci.Command{Path: p.UCI}
	if slices.Contains([]string{uci.Stockfish, uci.FairyStockfish}, p.UCI) {
		var err error
		if command, err = uci.Find(ctx, p.UCI, v); err != nil {
			return nil, err
		}
	}
	e := &engine{name: strings.TrimSuffix(filepath.Base(p.UCI), filepath.Ext(p.UCI))}
	if p.Level > 0 {
		level, err := uci.LichessLevel(p.Level)
		if err != nil {
			return nil, err
		}
		e.name = fmt.Sprintf("%s level %d", e.name, p.Level)
		e.limit = level.Limit
		command.Settings = append(command.Settings, level.Settings()...)
	}
	if p.MoveTime > 0 {
		e.name = fmt.Sprintf("%s %d ms", e.name, p.MoveTime)
		e.limit.MoveTime = time.Duration(p.MoveTime) * time.Millisecond
	}
	if p.Depth > 0 {
		e.name = fmt.Sprintf("%s depth %d", e.name, p.Depth)
		e.limit.Depth = p.Depth
	}
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		e.name = fmt.Sprintf("%s, %s %s", e.name, name, p.Options[name])
		command.Settings = append(command.Settings, uci.Setting{Name: name, Value: p.Options[name]})
	}
	e.command = command
	proc, err := uci.Start(ctx, command, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	if err := proc.Prove(ctx, v); err != nil {
		return nil, err
	}
	if chess960 {
		if err := proc.ProveChess960(); err != nil {
			return nil, err
		}
	}
	e.id = fmt.Sprintf("%s, %v, %+v", proc.ID(), command.Settings, e.limit)
	return e, nil
}
