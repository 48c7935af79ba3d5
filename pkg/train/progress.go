package train

import (
	"encoding/json"
	"fmt"

	"alamos/pkg/nn"
)

// Snapshot is the state of a network and its optimizer at one moment.
type Snapshot struct{ Network, Optimizer nn.Tensors }

// Progress is the state of a generation's training between two epochs. Another process can
// continue from it and get the same bytes, see [Run]. It is valid only with the same
// settings, samples, seeds, precision and thread count.
type Progress struct {
	Schedule ScheduleState // for the next epoch
	Epochs   []Epoch       // finished epochs; none is selected yet
	Now      Snapshot
	// Best is the epoch with the lowest loss. It is nil if that is the last of Epochs, or
	// if the last epoch is always kept.
	Best *Snapshot
}

// progressKey is the metadata key for everything in a packed Progress except the tensors.
const progressKey = "alamos.train.progress"

// packed is the JSON under progressKey.
type packed struct {
	Schedule ScheduleState `json:"schedule"`
	Epochs   []Epoch       `json:"epochs"`
}

// Pack returns the progress as the tensors and metadata of a safetensors file. The tensors
// share the memory of p. Pack adds no checksum.
func (p *Progress) Pack() (nn.Tensors, map[string]string, error) {
	all := nn.Tensors{}
	p.Now.pack(all, "now/")
	if p.Best != nil {
		p.Best.pack(all, "best/")
	}
	text, err := json.Marshal(packed{p.Schedule, p.Epochs})
	if err != nil {
		return nil, nil, fmt.Errorf("training progress: %w", err)
	}
	return all, map[string]string{progressKey: string(text)}, nil
}

func (s *Snapshot) pack(all nn.Tensors, prefix string) {
	all.Add(prefix+"network/", s.Network)
	all.Add(prefix+"optimizer/", s.Optimizer)
}

// Unpack is the inverse of Pack. Only Restore checks whether the tensors fit a network.
func Unpack(all nn.Tensors, meta map[string]string) (*Progress, error) {
	var rows packed
	if err := json.Unmarshal([]byte(meta[progressKey]), &rows); err != nil {
		return nil, fmt.Errorf("training progress: no readable %q in the metadata: %w", progressKey, err)
	}
	p := &Progress{Schedule: rows.Schedule, Epochs: rows.Epochs, Now: unpack(all, "now/")}
	if best := unpack(all, "best/"); len(best.Network) > 0 {
		p.Best = &best
	}
	return p, nil
}

func unpack(all nn.Tensors, prefix string) Snapshot {
	return Snapshot{Network: all.Under(prefix + "network/"), Optimizer: all.Under(prefix + "optimizer/")}
}

func snapshot(net *nn.Network, tr *nn.Trainer) (*Snapshot, error) {
	n, err := net.State()
	if err != nil {
		return nil, err
	}
	o, err := tr.State()
	if err != nil {
		return nil, err
	}
	return &Snapshot{Network: n, Optimizer: o}, nil
}

// Restore loads the snapshot into the network and the optimizer.
func (s *Snapshot) Restore(net *nn.Network, tr *nn.Trainer) error {
	if err := net.Load(s.Network); err != nil {
		return err
	}
	return tr.Load(s.Optimizer)
}
