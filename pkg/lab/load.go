package lab

import (
	"context"
	"errors"
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
)

// Load reads an experiment and checks what its language cannot know: that
// positions are positions, that encoders can express the variant. All faults
// are [experiment.Errors].
func Load(path string, set []string) (*experiment.Experiment, error) {
	e, err := experiment.Load(path, experiment.Options{Set: set})
	if err != nil {
		return nil, err
	}
	var faults experiment.Errors
	seen := map[string]bool{} // a fault of several trials is one fault
	fail := func(key string, err error) {
		at := e.Origin(key)
		f := &experiment.Error{File: at.File, Line: at.Line, Col: at.Col, Path: key, Msg: err.Error()}
		if at.Default() { // what is wrong is what another key says
			f.File, f.Line, f.Col = path, 1, 1
		}
		if !seen[f.Error()] {
			seen[f.Error()] = true
			faults = append(faults, f)
		}
	}
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		v, err := chess.ParseVariant(s.Game.Variant)
		if err != nil {
			fail("game.variant", err)
			continue
		}
		if _, err := encode.NewCodec(s.Network.Input, s.Network.Policy, v); err != nil {
			fail("game.variant", err)
		}
		for j, fen := range s.SelfPlay.Opening.FENs {
			if _, err := chess.ParseFEN(v, fen); err != nil {
				fail("selfplay.opening.fens", fmt.Errorf("position %d: %w", j+1, err))
			}
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return e, nil
}

// CheckHooks compiles the scripts of an experiment. Faults of a script are
// [experiment.Errors] with the place in the script.
func CheckHooks(ctx context.Context, e *experiment.Experiment) error {
	var faults experiment.Errors
	for _, h := range e.Settings.Hooks {
		script, err := hook.Read(h.File)
		if err == nil {
			err = script.Check(ctx, hook.Limits{})
		}
		var fault *hook.Error
		switch {
		case errors.As(err, &fault):
			faults = append(faults, &experiment.Error{File: fault.File, Line: max(1, fault.Line), Col: max(1, fault.Col), Msg: fault.Msg})
		case err != nil:
			return err
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}
