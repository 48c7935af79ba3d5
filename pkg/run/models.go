package run

import (
	"sync"

	"alamos/pkg/nn"
)

// models are networks that the workers of a match share, by the file of their
// checkpoint.
type models struct {
	mu   sync.Mutex
	open map[string]*nn.Model
}

// at opens a checkpoint by its file, on the hardware of a trial.
func (all *models) at(t *Trial, file string) (*nn.Model, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if m := all.open[file]; m != nil {
		return m, nil
	}
	m, err := t.Compile(file)
	if err == nil {
		if all.open == nil {
			all.open = map[string]*nn.Model{}
		}
		all.open[file] = m
	}
	return m, err
}

func (all *models) close() {
	for _, m := range all.open {
		m.Close()
	}
}
