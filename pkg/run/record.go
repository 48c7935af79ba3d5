package run

import (
	"errors"
	"fmt"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

// record is what a run leaves word of in the folder of its results, so that they
// can be listed and shown while it runs and when the experiment's files have moved
// on.
type record struct {
	*store.Experiment
	dir string
}

// begin says what is going to run.
func (r *run) begin() (*record, error) {
	w := &record{report.Describe(r.experiment), r.dir}
	if err := w.Write(w.dir); err != nil {
		return nil, fmt.Errorf("saying what runs: %w", err)
	}
	return w, nil
}

// end shows what the run has left, with what failed by the folder of the trial, and
// says that it came to its end.
func (w *record) end(failed map[string]string) error {
	w.Failed = failed
	err := report.Write(w.Experiment, w.dir)
	w.Ended = err == nil
	if fault := w.Write(w.dir); fault != nil {
		err = errors.Join(err, fmt.Errorf("saying how the run ended: %w", fault))
	}
	return err
}
