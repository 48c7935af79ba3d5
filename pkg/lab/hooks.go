package lab

import (
	"context"
	"fmt"
	"io"
	"os"

	"alamos/pkg/chess"
	"alamos/pkg/hook"
	"alamos/pkg/store"
)

// hooks runs the experiment's scripts over the games of generation g. Games are
// read from the PGN file, so that a new script can be run over old games.
func (t *trial) hooks(ctx context.Context, g int) error {
	scripts := t.Settings.Hooks
	if len(scripts) == 0 {
		return nil
	}
	in := store.Inputs{"code": hooksCode, "games": t.Output(store.SelfPlayStage(g), store.GamesFile(g))}
	for _, h := range scripts {
		in["hook "+h.Name()] = h.SHA256
	}
	return t.stage(ctx, store.HooksStage(g), in, func(ctx context.Context) (result, error) {
		gen, err := t.hookGames(g)
		if err != nil {
			return result{}, err
		}
		all := make([]map[string]store.Float, len(scripts))
		for i, h := range scripts {
			script, err := hook.Read(h.File)
			if err != nil {
				return result{}, err
			}
			if script.SHA256() != h.SHA256 {
				return result{}, fmt.Errorf("%s was changed while this ran: run again", h.File)
			}
			m, err := script.Measure(ctx, hook.Limits{}, gen)
			if err != nil {
				return result{}, err
			}
			all[i] = map[string]store.Float{}
			for k, v := range m {
				all[i][k] = store.Float(v)
			}
		}
		return result{facts: all}, nil
	})
}

// hookGames reads the games of generation g as a script sees them.
func (t *trial) hookGames(g int) (hook.Generation, error) {
	out := hook.Generation{Number: g, Variant: t.variant.String()}
	f, err := os.Open(t.Path(store.GamesFile(g)))
	if err != nil {
		return out, err
	}
	defer f.Close()
	for r := chess.NewPGNReader(f); ; {
		p, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", f.Name(), err)
		}
		game := hook.Game{
			Number: len(out.Games), Variant: out.Variant, Start: p.Start.FEN(),
			Result: p.Result.String(), Reason: p.Tag("Termination"),
		}
		at := p.Start
		for _, m := range p.Moves {
			game.Moves = append(game.Moves, at.UCI(m))
			at.Play(m)
		}
		out.Games = append(out.Games, game)
	}
}
