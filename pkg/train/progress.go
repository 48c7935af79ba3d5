package train

import (
	"encoding/json"
	"fmt"

	"alamos/pkg/nn"
)

// Progress is the state of a generation's training between two epochs. Another process can
// continue from it and get the same bytes, see [Run]. It is valid only with the same
// settings, samples, seeds, precision and thread count.
type Progress struct {
	Schedule ScheduleState `json:"schedule"` // for the next epoch
	Epochs   []Epoch       `json:"epochs"`   // finished epochs; none is selected yet
	Now      nn.Snapshot   `json:"-"`
	// Best is the epoch with the lowest loss. It is nil if that is the last of Epochs, or
	// if the last epoch is always kept.
	Best *nn.Snapshot `json:"-"`
}

// progressKey is the metadata key for everything in a packed Progress except the tensors,
// as JSON.
const progressKey = "alamos.train.progress"

// Pack returns the progress as the tensors and metadata of a safetensors file. The tensors
// share the memory of p. Pack adds no checksum.
func (p *Progress) Pack() (nn.Tensors, map[string]string, error) {
	all := nn.Tensors{}
	all.Add("now/", p.Now)
	if p.Best != nil {
		all.Add("best/", *p.Best)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, nil, fmt.Errorf("training progress: %w", err)
	}
	return all, map[string]string{progressKey: string(text)}, nil
}

// Unpack is the inverse of Pack. Only Restore checks whether the tensors fit a network.
func Unpack(all nn.Tensors, meta map[string]string) (*Progress, error) {
	p := &Progress{Now: all.Snapshot("now/")}
	if err := json.Unmarshal([]byte(meta[progressKey]), p); err != nil {
		return nil, fmt.Errorf("training progress: no readable %q in the metadata: %w", progressKey, err)
	}
	if best := all.Snapshot("best/"); len(best.Network) > 0 {
		p.Best = &best
	}
	return p, nil
}
