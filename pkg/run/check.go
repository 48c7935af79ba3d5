package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
)

// Check compiles the scripts of an experiment and makes sure that each has the
// functions that its places need. Faults of a script are [config.Errors] with
// the place in the script.
func Check(ctx context.Context, e *experiment.Experiment) error {
	var files []string            // in the order of the experiment
	uses := map[string][]string{} // what each must have
	for i := range e.Trials {
		for _, x := range e.Trials[i].Settings.Scripts() {
			f := functionFor(x.Key, e.Trials[i].Settings.Data != nil)
			if uses[x.Path] == nil {
				files = append(files, x.Path)
			}
			if !slices.Contains(uses[x.Path], f) {
				uses[x.Path] = append(uses[x.Path], f)
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
			errs[i] = checkScript(ctx, file, uses[file])
			<-places
		})
	}
	group.Wait()
	var faults config.Errors
	for _, err := range slices.Concat(errs...) {
		var fault *hook.Error
		if !errors.As(err, &fault) {
			return err
		}
		faults = append(faults, &config.Error{File: fault.File, Line: max(1, fault.Line), Col: max(1, fault.Col), Msg: fault.Msg})
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

// functionFor is the function that the script at a key needs, "" for those that
// measure. Where positions come from data there are no games to measure.
func functionFor(key string, data bool) string {
	switch {
	case key == "stop":
		return hook.Stop
	case strings.HasSuffix(key, ".adjudicate"):
		return hook.Adjudicate
	case key == "training.schedule.file":
		return hook.Rate
	case strings.HasPrefix(key, "hooks[") && data:
		return hook.MeasureCheckpoint
	case strings.HasPrefix(key, "hooks["):
		return ""
	}
	return hook.Evaluate
}

// checkScript compiles a script that needs functions.
func checkScript(ctx context.Context, file string, want []string) []error {
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
