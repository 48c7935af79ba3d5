package lab

import (
	"context"

	"alamos/pkg/store"
	"alamos/pkg/train"
)

// schedule is the learning-rate schedule of the experiment; ask returns a rate
// where a script sets them.
func (t *trial) schedule(ask func([]train.Epoch) (float64, error)) train.Schedule {
	s := &t.Settings.Training.Schedule
	kind := s.Kind
	if s.Script != nil {
		kind = "asked"
	}
	return train.Schedule{
		Kind: kind, Initial: s.Initial, Warmup: s.Warmup, Factor: s.Factor, Patience: s.Patience,
		Every: s.Every, Period: s.Period, Minimum: s.Minimum, Ask: ask,
	}
}

// unasked stands for a script where no rate is needed.
func unasked([]train.Epoch) (float64, error) { return 0, errNotAsked }

type scheduleError string

func (e scheduleError) Error() string { return string(e) }

const errNotAsked = scheduleError("a schedule was asked for a rate outside of training")

// scheduleInputs adds what a script that sets the rate is told before the first
// epoch of generation g; the rest follows from the other inputs.
func (t *trial) scheduleInputs(g int, in store.Inputs) error {
	if t.Settings.Training.Schedule.Script == nil {
		return nil
	}
	if t.planning != nil && !t.planning.done(t, g-1) {
		in["progress"] = unknown("progress", t.CheckpointSum(g-1))
		return nil
	}
	p, err := t.progress(g)
	in["progress"] = progressSum(p)
	return err
}

// asker returns what asks the script for the rates of generation g, and what ends
// it.
func (t *trial) asker(ctx context.Context, g int) (ask func([]train.Epoch) (float64, error), end func(), err error) {
	script := t.Settings.Training.Schedule.Script
	if script == nil {
		return nil, func() {}, nil
	}
	p, err := t.progress(g)
	if err != nil {
		return nil, nil, err
	}
	s, err := t.openScript(script, 1)
	if err != nil {
		return nil, nil, err
	}
	return func(done []train.Epoch) (float64, error) { return s.Rate(ctx, told(p, done)) }, s.Close, nil
}
