package train

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"alamos/pkg/nn"
)

// Snapshot is a network with its optimizer, as they were at one instant.
type Snapshot struct{ Network, Optimizer nn.Tensors }

// Progress is a generation's training between two epochs: another process continues
// from it to the same bytes, see [Run]. It belongs to the settings,
// samples, seeds, precision and thread count that it was made with.
type Progress struct {
	Schedule ScheduleState // of the next epoch
	Epochs   []Epoch       // those that have ended; none is selected yet
	Now      Snapshot
	// Best is the epoch with the lowest loss; nil when that is the last of Epochs,
	// or when the last epoch is kept anyway.
	Best *Snapshot
}

// progressKey is the key of the metadata of a packed Progress that has all but tensors.
const progressKey = "alamos.train.progress"

// packed is what progressKey holds.
type packed struct {
	Schedule ScheduleState `json:"schedule"`
	Epochs   []packedEpoch `json:"epochs"`
}

// packedEpoch is an Epoch without NaN, which JSON lacks.
type packedEpoch struct {
	Number     int      `json:"number"`
	Rate       float64  `json:"rate"`
	Train      nn.Loss  `json:"train"`
	Validation *nn.Loss `json:"validation"`
	Top1       *float64 `json:"top1,omitempty"`
	Top5       *float64 `json:"top5,omitempty"`
}

// Pack returns the progress as what a safetensors file holds: tensors and
// metadata. The tensors share the memory of p. Nothing of it is checksummed.
func (p *Progress) Pack() (nn.Tensors, map[string]string, error) {
	all := nn.Tensors{}
	p.Now.pack(all, "now/")
	if p.Best != nil {
		p.Best.pack(all, "best/")
	}
	rows := packed{Schedule: p.Schedule}
	for _, e := range p.Epochs {
		row := packedEpoch{Number: e.Number, Rate: e.Rate, Train: e.Train}
		if !math.IsNaN(e.Validation.Total) {
			row.Validation = &e.Validation
		}
		if !math.IsNaN(e.Top1) {
			row.Top1, row.Top5 = &e.Top1, &e.Top5
		}
		rows.Epochs = append(rows.Epochs, row)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, nil, fmt.Errorf("training progress: %w", err)
	}
	return all, map[string]string{progressKey: string(text)}, nil
}

func (s *Snapshot) pack(all nn.Tensors, prefix string) {
	for name, t := range s.Network {
		all[prefix+"network/"+name] = t
	}
	for name, t := range s.Optimizer {
		all[prefix+"optimizer/"+name] = t
	}
}

// Unpack is the inverse of Pack. Restoring finds out whether the tensors fit a network.
func Unpack(all nn.Tensors, meta map[string]string) (*Progress, error) {
	var rows packed
	if err := json.Unmarshal([]byte(meta[progressKey]), &rows); err != nil {
		return nil, fmt.Errorf("training progress: no readable %q in the metadata: %w", progressKey, err)
	}
	p := &Progress{Schedule: rows.Schedule}
	for _, row := range rows.Epochs {
		e := Epoch{Number: row.Number, Rate: row.Rate, Train: row.Train, Validation: unmeasured(), Top1: math.NaN(), Top5: math.NaN()}
		if row.Validation != nil {
			e.Validation = *row.Validation
		}
		if row.Top1 != nil && row.Top5 != nil {
			e.Top1, e.Top5 = *row.Top1, *row.Top5
		}
		p.Epochs = append(p.Epochs, e)
	}
	p.Now = unpack(all, "now/")
	if best := unpack(all, "best/"); len(best.Network) > 0 {
		p.Best = &best
	}
	return p, nil
}

func unpack(all nn.Tensors, prefix string) Snapshot {
	s := Snapshot{Network: nn.Tensors{}, Optimizer: nn.Tensors{}}
	for name, t := range all {
		if rest, ok := strings.CutPrefix(name, prefix+"network/"); ok {
			s.Network[rest] = t
		} else if rest, ok := strings.CutPrefix(name, prefix+"optimizer/"); ok {
			s.Optimizer[rest] = t
		}
	}
	return s
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

// Restore sets the network and the optimizer to the snapshot.
func (s *Snapshot) Restore(net *nn.Network, tr *nn.Trainer) error {
	if err := net.Load(s.Network); err != nil {
		return err
	}
	return tr.Load(s.Optimizer)
}
