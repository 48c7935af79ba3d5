package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// hooksCode is the version of the code of measuring stages, see [stage.Stage].
const hooksCode = "1"

// MeasureGames runs the experiment's scripts over the games of generation g. Games are
// read from the PGN file, so that a new script can be run over old games.
func (all *Scripts) MeasureGames(ctx context.Context, t *Trial, g int) error {
	if t.Settings.Data != nil {
		return t.Forget(store.HooksStage(g)) // there are no games
	}
	in := store.Inputs{"code": hooksCode, "games": t.Output(store.SelfPlayStage(g), store.GamesFile(g))}
	var gen hook.Generation
	return all.measure(ctx, t, store.HooksStage(g), hook.Measure, in,
		func() (func(), error) {
			var err error
			gen, err = hookGames(t, g)
			return func() {}, err
		},
		func(ctx context.Context, s *hook.Session) (hook.Metrics, error) { return s.Measure(ctx, gen) })
}

// MeasureCheckpoint runs the scripts over the checkpoint of generation g.
func (all *Scripts) MeasureCheckpoint(ctx context.Context, t *Trial, g int) error {
	in := store.Inputs{"code": hooksCode, "network": t.CheckpointSum(g)}
	in.Settings("search", t.Settings.Search)
	var c hook.Checkpoint
	return all.measure(ctx, t, store.CheckpointHooksStage(g), hook.MeasureCheckpoint, in,
		func() (func(), error) {
			samples, err := t.SamplesUntil(g)
			if err != nil {
				return nil, err
			}
			model, err := t.Model(g)
			if err != nil {
				return nil, err
			}
			session, err := model.NewSession()
			if err != nil {
				model.Close()
				return nil, err
			}
			c = hook.Checkpoint{Generation: g, Variant: t.Variant, Samples: samples, Network: NewNetwork(t, session)}
			return func() { session.Close(); model.Close() }, nil
		},
		func(ctx context.Context, s *hook.Session) (hook.Metrics, error) { return s.MeasureCheckpoint(ctx, c) })
}

// measure is a stage in which one function of all scripts that have it is called.
// begin makes what they measure and returns what frees it.
func (all *Scripts) measure(ctx context.Context, t *Trial, name, function string, in store.Inputs, begin func() (func(), error), call func(context.Context, *hook.Session) (hook.Metrics, error)) error {
	scripts := t.Settings.Hooks
	if !slices.ContainsFunc(scripts, func(h experiment.Hook) bool { return all.has(&h, function) }) {
		return t.Forget(name)
	}
	var names []string
	for i := range scripts {
		h := &scripts[i]
		names = append(names, h.Name())
		if all.has(h, function) {
			in["hook "+h.Name()] = h.File.SHA256
		} else {
			in["hook "+h.Name()] = "has no " + function
		}
	}
	in.List("hook", names) // results are in this order
	return t.Do(ctx, Stage{Name: name, In: in, Run: func(ctx context.Context) (any, error) {
		end, err := begin()
		if err != nil {
			return nil, err
		}
		defer end()
		out := store.HookResults{Metrics: make([]map[string]stats.Float, len(scripts))}
		for i := range scripts {
			h := &scripts[i]
			if !all.has(h, function) {
				continue
			}
			m, err := all.call(ctx, t, h, call)
			var fault *hook.Error
			switch {
			case err == nil:
			case errors.As(err, &fault) && h.OnError != "stop":
				t.Report.Note(fmt.Sprintf("hook %s has no metrics: %v", h.Name(), err))
				out.Faults = append(out.Faults, err.Error())
			default:
				return nil, err
			}
			out.Metrics[i] = map[string]stats.Float{}
			for k, v := range m {
				out.Metrics[i][k] = stats.Float(v)
			}
		}
		return out, nil
	}})
}

// call makes one call of a script in a process of its own.
func (all *Scripts) call(ctx context.Context, t *Trial, h *experiment.Hook, call func(context.Context, *hook.Session) (hook.Metrics, error)) (hook.Metrics, error) {
	var printed strings.Builder
	s, err := all.open(h.File.Path, h.File.SHA256, 1, &printed)
	if err != nil {
		return nil, err
	}
	m, err := call(ctx, s)
	s.Close()
	tellPrinted(t.Report, h.Name(), printed.String())
	return m, err
}

// Games reads the games of generation g.
func Games(t *store.Trial, g int) ([]*chess.PGN, error) {
	f, err := os.Open(t.Path(store.GamesFile(g)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*chess.PGN
	for r := chess.NewPGNReader(f); ; {
		p, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, p)
	}
}

// hookGames are the games of generation g as a script sees them.
func hookGames(t *Trial, g int) (hook.Generation, error) {
	out := hook.Generation{Number: g, Variant: t.Variant.String()}
	games, err := Games(t.Trial, g)
	if err != nil {
		return out, err
	}
	for i, p := range games {
		out.Games = append(out.Games, hook.Game{
			Number: i, Variant: out.Variant, Start: p.Start.FEN(), Moves: uciMoves(p.Start, p.Moves),
			Result: p.Result.String(), Reason: p.Tag("Termination"),
		})
	}
	return out, nil
}
