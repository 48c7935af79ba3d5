package nn

import (
	"fmt"
	"slices"
	"strings"
)

// Layer is a layer of a network that has parameters.
type Layer struct {
	Name       string `json:"name"`       // its tensors have it before their last dot: trunk.0.conv1
	Kind       string `json:"kind"`       // "convolution 3x3", "linear", "batch norm"
	Output     []int  `json:"output"`     // shape, for one position
	Parameters int    `json:"parameters"` // that are trained
}

// Layers lists the layers of the network that a spec describes, from the planes to
// the heads, without making it.
func (s Spec) Layers() ([]Layer, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	d := &declare{blank: true}
	newTrunk(d, &s)
	newHeads(d, &s)
	var all []Layer
	for _, p := range d.params {
		name := p.name[:strings.LastIndexByte(p.name, '.')]
		if len(all) == 0 || all[len(all)-1].Name != name {
			l := Layer{Name: name}
			l.Kind, l.Output = p.describe()
			all = append(all, l)
		}
		if p.trained {
			all[len(all)-1].Parameters += p.size()
		}
	}
	return all, nil
}

// describe tells by the first parameter of a layer what the layer is: those of
// convolutions are [out, in, kernel, kernel], of linear layers [out, in], of batch
// norm, which keeps the maps, [channels].
func (p *param) describe() (kind string, output []int) {
	switch len(p.shape) {
	case 4:
		return fmt.Sprintf("convolution %dx%d", p.shape[2], p.shape[3]), []int{p.shape[0], 8, 8}
	case 2:
		return "linear", slices.Clone(p.shape[:1])
	default:
		return "batch norm", []int{p.shape[0], 8, 8}
	}
}
