package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/start"
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

// needsChess960 tells whether games of a trial may start where castling is that
// of chess960.
func needsChess960(v chess.Variant, s *experiment.Settings) (bool, error) {
	starts, err := start.Parse(v, s.Game.Start)
	if err != nil {
		return false, err
	}
	book, err := readBook(v, s.Tournament.Openings)
	if err != nil {
		return false, err
	}
	castles := func(o arena.Opening) bool { return uci.Chess960(&o.Start) }
	return starts.Any(uci.Chess960) || slices.ContainsFunc(book, castles), nil
}

// findEngines finds the engines of all tournaments and has them prove their
// variant, so that a run does not train for hours to find out that its opponent
// is missing, or plays another game; and their models from elsewhere likewise.
func (r *run) findEngines(ctx context.Context) error {
	r.engines, r.guests = map[string]*engine{}, map[string]*guest{}
	var missing []error
	lack := func(name string, err error) {
		err = fmt.Errorf("tournament player %s: %w", name, err)
		if !r.SkipMissingEngines {
			missing = append(missing, err)
		} else {
			r.Reporter.Note(fmt.Sprintf("left out: %v", err))
		}
	}
	for i := range r.experiment.Trials {
		s := &r.experiment.Trials[i].Settings
		v, err := chess.ParseVariant(s.Game.Variant)
		if err != nil {
			return err
		}
		chess960, err := needsChess960(v, s)
		if err != nil {
			return err
		}
		for k := range s.Tournament.Players {
			p := &s.Tournament.Players[k]
			if s.Tournament.Rounds == 0 {
				continue
			}
			if p.Kind == experiment.PlayerModel {
				g, found := r.guests[p.Model]
				if !found {
					if g, err = r.findGuest(p); err != nil {
						lack(p.Model, err)
					}
					r.guests[p.Model] = g
				}
				if g != nil && g.variant != v { // not to be left out: the experiment is wrong
					return fmt.Errorf("tournament player %s: it plays %s, and the games are of %s", p.Model, g.variant, v)
				}
			}
			if p.Kind != experiment.PlayerUCI {
				continue
			}
			key := engineKey(v, chess960, p)
			if _, done := r.engines[key]; done {
				continue
			}
			e, err := findEngine(ctx, v, chess960, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				lack(p.UCI, err)
			}
			r.engines[key] = e
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w\nor leave it out with --skip-missing-engines", errors.Join(missing...))
	}
	return nil
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
