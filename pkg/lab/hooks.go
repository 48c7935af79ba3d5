package lab

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
	"alamos/pkg/store"
)

// hooks runs the experiment's scripts over the games of generation g. Games are
// read from the PGN file, so that a new script can be run over old games.
func (t *trial) hooks(ctx context.Context, g int) error {
	in := store.Inputs{"code": hooksCode, "games": t.Output(store.SelfPlayStage(g), store.GamesFile(g))}
	var gen hook.Generation
	return t.measure(ctx, store.HooksStage(g), hook.Measure, in,
		func() (func(), error) {
			var err error
			gen, err = t.hookGames(g)
			return func() {}, err
		},
		func(ctx context.Context, s *hook.Session) (hook.Metrics, error) { return s.Measure(ctx, gen) })
}

// checkpointHooks runs the scripts over the checkpoint of generation g.
func (t *trial) checkpointHooks(ctx context.Context, g int) error {
	in := store.Inputs{"code": hooksCode, "network": t.CheckpointSum(g)}
	in.Settings("search", t.Settings.Search)
	var c hook.Checkpoint
	return t.measure(ctx, store.CheckpointHooksStage(g), hook.MeasureCheckpoint, in,
		func() (func(), error) {
			samples, err := t.SamplesUntil(g)
			if err != nil {
				return nil, err
			}
			model, err := t.model(g)
			if err != nil {
				return nil, err
			}
			session, err := model.NewSession()
			if err != nil {
				model.Close()
				return nil, err
			}
			c = hook.Checkpoint{Generation: g, Variant: t.variant, Samples: samples, Network: t.newNetwork(session)}
			return func() { session.Close(); model.Close() }, nil
		},
		func(ctx context.Context, s *hook.Session) (hook.Metrics, error) { return s.MeasureCheckpoint(ctx, c) })
}

// measure is a stage in which one function of all scripts that have it is called.
// begin makes what they measure and returns what frees it.
func (t *trial) measure(ctx context.Context, name, function string, in store.Inputs, begin func() (func(), error), call func(context.Context, *hook.Session) (hook.Metrics, error)) error {
	scripts := t.Settings.Hooks
	if !slices.ContainsFunc(scripts, func(h experiment.Hook) bool { return t.has(&h, function) }) {
		return t.forget(name)
	}
	var names []string
	for i := range scripts {
		h := &scripts[i]
		names = append(names, h.Name())
		if t.has(h, function) {
			in["hook "+h.Name()] = h.SHA256
		} else {
			in["hook "+h.Name()] = "has no " + function
		}
	}
	in.List("hook", names) // results are in this order
	return t.do(ctx, stage{name: name, in: in, work: func(ctx context.Context) (any, error) {
		end, err := begin()
		if err != nil {
			return nil, err
		}
		defer end()
		out := store.HookResults{Metrics: make([]map[string]store.Float, len(scripts))}
		for i := range scripts {
			h := &scripts[i]
			if !t.has(h, function) {
				continue
			}
			m, err := t.callHook(ctx, h, call)
			var fault *hook.Error
			switch {
			case err == nil:
			case errors.As(err, &fault) && h.OnError != "stop":
				t.Reporter.Note(fmt.Sprintf("hook %s has no metrics: %v", h.Name(), err))
				out.Faults = append(out.Faults, err.Error())
			default:
				return nil, err
			}
			out.Metrics[i] = map[string]store.Float{}
			for k, v := range m {
				out.Metrics[i][k] = store.Float(v)
			}
		}
		return out, nil
	}})
}

// callHook makes one call of a script in a process of its own.
func (t *trial) callHook(ctx context.Context, h *experiment.Hook, call func(context.Context, *hook.Session) (hook.Metrics, error)) (hook.Metrics, error) {
	var printed strings.Builder
	s, err := t.open(h.File, h.SHA256, 1, &printed)
	if err != nil {
		return nil, err
	}
	m, err := call(ctx, s)
	s.Close()
	t.tellPrinted(h.Name(), printed.String())
	return m, err
}

// has tells whether a hook has a function.
func (t *trial) has(h *experiment.Hook, function string) bool {
	return slices.Contains(t.functions[h.SHA256], function)
}

// findFunctions finds out which functions the hooks of all trials have.
func (r *run) findFunctions() error {
	r.functions = map[string][]string{}
	for i := range r.experiment.Trials {
		for _, h := range r.experiment.Trials[i].Settings.Hooks {
			if _, known := r.functions[h.SHA256]; known {
				continue
			}
			script, err := read(h.File, h.SHA256)
			if err != nil {
				return err
			}
			r.functions[h.SHA256] = script.Declared()
		}
	}
	return nil
}

// games reads the games of generation g.
func (t *trial) games(g int) ([]*chess.PGN, error) {
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
func (t *trial) hookGames(g int) (hook.Generation, error) {
	out := hook.Generation{Number: g, Variant: t.variant.String()}
	games, err := t.games(g)
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
