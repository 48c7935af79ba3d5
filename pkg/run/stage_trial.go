package run

import (
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// Trial is a trial on its way through its stages: the folder that they fill, and
// what they are run with.
type Trial struct {
	*store.Trial
	*experiment.Setup
	Hardware
	Machine store.Machine // where it runs now
	Report  Report
	Shelf   *Shelf // what other trials have done

	Planner *Planner  // nil: stages run
	Planned []Planned // what the planner says of each stage

	told map[string]bool // stages of which the report has heard in this process
}

// Hardware decides how fast stages run, never what they write.
type Hardware struct {
	Workers   int    // goroutines that play
	Batch     int    // positions in a network call
	Device    string // see nn.Devices
	Precision string // of inference: "auto", "fp32" or "bf16"
}

// InferenceOptions is how the hardware evaluates networks for players.
func (h Hardware) InferenceOptions() nn.InferenceOptions {
	return nn.InferenceOptions{Batch: h.Batch, Device: h.Device, Precision: h.Precision}
}

// TrainerOptions is how the hardware trains networks.
func (h Hardware) TrainerOptions() nn.TrainerOptions { return nn.TrainerOptions{Device: h.Device} }

// Sessions makes a session of a model for each worker. The caller calls end, even
// after an error.
func (h Hardware) Sessions(m *nn.Model) (nets []search.Net, end func(), err error) {
	var sessions []*nn.Session
	end = func() {
		for _, s := range sessions {
			s.Close()
		}
	}
	for range h.Workers {
		s, err := m.NewSession()
		if err != nil {
			return nil, end, err
		}
		sessions, nets = append(sessions, s), append(nets, s)
	}
	return nets, end, nil
}

// Model opens the checkpoint of generation g for inference.
func (t *Trial) Model(g int) (*nn.Model, error) { return t.Compile(t.Path(store.CheckpointFile(g))) }

// Compile makes a model of a checkpoint file, for inference.
func (t *Trial) Compile(file string) (*nn.Model, error) {
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	m, err := c.Compile(t.InferenceOptions())
	if err != nil {
		return nil, err
	}
	t.Machine.Precision = m.Precision()
	if devices := m.Devices(); devices[0] != nn.CPU {
		t.Machine.Devices = devices
	}
	return m, nil
}
