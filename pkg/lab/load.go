package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/start"
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
	fail := func(key, hint string, err error) {
		at := e.Origin(key)
		f := &experiment.Error{File: at.File, Line: at.Line, Col: at.Col, Path: key, Msg: err.Error(), Hint: hint}
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
			fail("game.variant", "", err)
			continue
		}
		// An encoding that nobody chose is not at fault, the variant is.
		encoding := func(key string, err error, instead []string) {
			if err == nil {
				return
			}
			hint := fmt.Sprintf("set %s: %s", key, strings.Join(instead, " or "))
			if e.Origin(key).Default() {
				key = "game.variant"
			}
			fail(key, hint, err)
		}
		encoding("network.input", supports(encode.PlanesByName, s.Network.Input, v), encode.PlanesFor(v))
		encoding("network.policy", supports(encode.PolicyByName, s.Network.Policy, v), encode.PolicyFor(v))
		if _, err := start.Parse(v, s.Game.Start); err != nil {
			fail("game.start", "", err)
		}
		for j, fen := range s.SelfPlay.Opening.FENs {
			p, err := chess.ParseFEN(v, fen)
			if err == nil {
				err = start.GoesOn(&p)
			}
			if err != nil {
				fail("selfplay.opening.fens", "", fmt.Errorf("position %d: %w", j+1, err))
			}
		}
		checkPositions(e, v, s, fail)
		if _, err := readBook(v, s.Tournament.Openings); err != nil {
			fail("tournament.openings.file", "", err)
		}
	}
	if h := e.Halving; h != nil && h.Metric == byElo {
		first := &e.Trials[0].Settings.Game
		for i := range e.Trials {
			if g := &e.Trials[i].Settings.Game; g.Variant != first.Variant || !slices.Equal(g.Start, first.Start) {
				fail("game.variant", "choose sweep.halving.metric: "+byLoss, errors.New("successive halving by Elo has the trials play each other: want one variant and start of all"))
				break
			}
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return e, nil
}

// supports is what an encoding says to a variant.
func supports[T interface{ Supports(chess.Variant) error }](byName func(string) (T, error), name string, v chess.Variant) error {
	encoding, err := byName(name)
	if err != nil {
		return err
	}
	return encoding.Supports(v)
}

// CheckHooks compiles the scripts of an experiment and makes sure that each has the
// functions that its places need. Faults of a script are [experiment.Errors] with
// the place in the script.
func CheckHooks(ctx context.Context, e *experiment.Experiment) error {
	var files []string            // in the order of the experiment
	uses := map[string][]string{} // what each must have
	for i := range e.Trials {
		for _, x := range e.Trials[i].Settings.Scripts() {
			f := functionFor(x.Path)
			if uses[x.File] == nil {
				files = append(files, x.File)
			}
			if !slices.Contains(uses[x.File], f) {
				uses[x.File] = append(uses[x.File], f)
			}
		}
	}
	// A script is compiled in a process of its own; the start of that is most of it.
	errs := make([][]error, len(files))
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	for i, file := range files {
		places <- struct{}{}
		group.Go(func() {
			errs[i] = checkHook(ctx, file, uses[file])
			<-places
		})
	}
	group.Wait()
	var faults experiment.Errors
	for _, err := range slices.Concat(errs...) {
		var fault *hook.Error
		if !errors.As(err, &fault) {
			return err
		}
		faults = append(faults, &experiment.Error{File: fault.File, Line: max(1, fault.Line), Col: max(1, fault.Col), Msg: fault.Msg})
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// functionFor is the function that the script at a key needs, "" for those that
// measure.
func functionFor(key string) string {
	switch {
	case key == "stop":
		return hook.Stop
	case strings.HasSuffix(key, ".adjudicate"):
		return hook.Adjudicate
	case key == "training.schedule.file":
		return hook.Rate
	case strings.HasPrefix(key, "hooks["):
		return ""
	}
	return hook.Evaluate
}

// checkHook compiles a script that needs functions.
func checkHook(ctx context.Context, file string, want []string) []error {
	script, err := hook.Read(file)
	if err != nil {
		return []error{err}
	}
	have, err := script.Functions(ctx, hook.Limits{})
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, name := range want {
		switch {
		case name != "":
			err = script.Has(have, name)
		case !slices.Contains(have, hook.Measure) && !slices.Contains(have, hook.MeasureCheckpoint):
			err = &hook.Error{File: file, Msg: fmt.Sprintf("measures nothing: want %s or %s, have %s", hook.Measure, hook.MeasureCheckpoint, strings.Join(have, ", "))}
		default:
			err = nil
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
