package stage

import (
	"alamos/pkg/checkpoint"
	"alamos/pkg/nn"
	"alamos/pkg/setup"
	"alamos/pkg/store"
)

// Trial is a trial on its way through its stages: the folder that they fill, and
// what they are run with.
type Trial struct {
	*store.Trial
	*setup.Setup
	Hardware
	Machine store.Machine // where it runs now
	Report  Report
	Shelf   *Shelf // what other trials have done

	Planner *Planner  // nil: stages run
	Planned []Planned // what the planner says of each stage
}

// Hardware decides how fast stages run, never what they write.
type Hardware struct {
	Workers   int    // goroutines that play
	Batch     int    // positions in a network call
	Precision string // of inference: "auto", "fp32" or "bf16"
}

// Model opens the checkpoint of generation g for inference.
func (t *Trial) Model(g int) (*nn.Model, error) { return t.Compile(t.Path(store.CheckpointFile(g))) }

// Compile makes a model of a checkpoint file, for inference.
func (t *Trial) Compile(file string) (*nn.Model, error) {
	c, err := checkpoint.Read(file)
	if err != nil {
		return nil, err
	}
	m, err := c.Compile(nn.InferenceOptions{Batch: t.Batch, Precision: t.Precision})
	if err != nil {
		return nil, err
	}
	t.Machine.Precision = m.Precision()
	return m, nil
}
