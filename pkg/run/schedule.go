package run

import (
	"context"

	"alamos/pkg/store"
	"alamos/pkg/train"
)

// ScheduleInputs adds what a script that sets the rate is told before the first
// epoch of generation g; the rest follows from the other inputs.
func ScheduleInputs(t *Trial, g int, in store.Inputs) error {
	if t.Settings.Training.Schedule.Script == nil {
		return nil
	}
	if t.Planner != nil && !t.Knows(g-1) {
		in["progress"] = Unknown("progress", t.CheckpointSum(g-1))
		return nil
	}
	p, err := progress(t, g)
	in["progress"] = progressSum(p)
	return err
}

// Asker returns what asks the script for the rates of generation g, and what ends
// it.
func (all *Scripts) Asker(ctx context.Context, t *Trial, g int) (ask func([]train.Epoch) (float64, error), end func(), err error) {
	script := t.Settings.Training.Schedule.Script
	if script == nil {
		return nil, func() {}, nil
	}
	p, err := progress(t, g)
	if err != nil {
		return nil, nil, err
	}
	s, err := all.Open(script, 1)
	if err != nil {
		return nil, nil, err
	}
	return func(done []train.Epoch) (float64, error) { return s.Rate(ctx, told(p, done)) }, s.Close, nil
}
