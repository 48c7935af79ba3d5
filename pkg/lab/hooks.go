package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/hook"
)

// hooks runs the experiment's scripts over the games of generation g. Games are
// read from the PGN file, so that a new script can be run over old games.
func (t *trial) hooks(ctx context.Context, g int) error {
	scripts := t.Settings.Hooks
	if len(scripts) == 0 {
		return nil
	}
	in := Inputs{"code": hooksCode, "games": t.output(selfplayStage(g), gamesFile(g))}
	for _, h := range scripts {
		in["hook "+h.Name()] = h.SHA256
	}
	return t.stage(ctx, hooksStage(g), in, func(ctx context.Context) (result, error) {
		gen, err := t.hookGames(g)
		if err != nil {
			return result{}, err
		}
		all := make([]map[string]float, len(scripts))
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
			all[i] = map[string]float{}
			for k, v := range m {
				all[i][k] = float(v)
			}
		}
		return result{facts: all}, nil
	})
}

// metrics are the metrics of script i over generation g.
func (t *trial) metrics(g, i int) (map[string]float, error) {
	s := t.manifest.stage(hooksStage(g))
	if s == nil {
		return nil, nil
	}
	var all []map[string]float
	if err := s.facts(&all); err != nil || i >= len(all) {
		return nil, err
	}
	return all[i], nil
}

// hookGames reads the games of generation g as a script sees them.
func (t *trial) hookGames(g int) (hook.Generation, error) {
	out := hook.Generation{Number: g, Variant: t.variant.String()}
	f, err := os.Open(t.path(gamesFile(g)))
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

// findMetric finds the hook that a figure shows and the metric of it: the name
// of a hook with one metric, the name of a metric, or "hook.metric". Not every
// generation needs to have it.
func (t *trial) findMetric(name string) (script int, metric string, err error) {
	var known []string
	for i, h := range t.Settings.Hooks {
		var table hookTable
		for g := 1; g <= t.Settings.Generations; g++ {
			m, err := t.metrics(g, i)
			if err != nil {
				return 0, "", err
			}
			table.add(g, m)
		}
		names := table.names()
		for _, n := range names {
			if name == n || name == h.Name()+"."+n || (name == h.Name() || name == "") && len(names) == 1 {
				return i, n, nil
			}
			known = append(known, n)
		}
	}
	return 0, "", fmt.Errorf("no hook has a metric %q: there are %s", name, strings.Join(known, ", "))
}
