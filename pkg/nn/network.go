package nn

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/sugarme/gotch/ts"
)

// Network is a network's parameters and the layers that use them. It is safe
// for use by several goroutines.
type Network struct {
	spec   Spec
	params []*param

	layers
	convNorms []*convNorm // those that freeze folds, and
	norms     []*norm     // the norms that follow no convolution

	mu      sync.Mutex
	trainer *Trainer // whose copy of the parameters is the newer one, or nil
}

// layers are a trunk, a chain from the planes to the maps that the heads read, and
// the heads.
type layers struct {
	trunk []layer
	heads heads
}

// forward returns the outputs for maps [N, planes, 8, 8].
func (l *layers) forward(g *graph, x *ts.Tensor) outputs {
	return l.heads.forward(g, l.forwardTrunk(g, x))
}

func (l *layers) forwardTrunk(g *graph, x *ts.Tensor) *ts.Tensor {
	for _, layer := range l.trunk {
		x = layer.forward(g, x)
	}
	return x
}

// compileTrunk appends the trunk to a model and returns the register of its output.
func (l *layers) compileTrunk(c *compiler) register {
	at := register(0)
	for _, layer := range l.trunk {
		at = layer.compile(c, at)
	}
	return at
}

// New builds an untrained network. The same spec and seed give the same
// parameters.
func New(spec Spec, seed uint64) (*Network, error) {
	spec, err := spec.Complete()
	if err != nil {
		return nil, err
	}
	d := &declare{seed: seed}
	n := &Network{spec: spec}
	n.layers = layers{newTrunk(d, &spec), newHeads(d, &spec)}
	n.params, n.convNorms, n.norms = d.params, d.convNorms, d.norms
	return n, nil
}

// Spec is the spec that the network was built from, defaults made explicit.
func (n *Network) Spec() Spec {
	s := n.spec
	s.Constant = slices.Clone(s.Constant)
	return s
}

// Parameters is the number of trained parameters.
func (n *Network) Parameters() int {
	sum := 0
	for _, p := range n.params {
		if p.trained {
			sum += len(p.data)
		}
	}
	return sum
}

// State is a copy of all parameters and running statistics, dtype F32.
func (n *Network) State() (Tensors, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pull(); err != nil {
		return nil, err
	}
	t := make(Tensors, len(n.params))
	for _, p := range n.params {
		t[p.name] = floatTensor(p.shape, p.data)
	}
	return t, nil
}

// Load replaces all parameters and running statistics, those in a trainer too.
// The names and shapes must be those of the spec; on an error the network is
// unchanged.
func (n *Network) Load(t Tensors) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	shapes := make(map[string][]int, len(n.params))
	for _, p := range n.params {
		shapes[p.name] = p.shape
	}
	if err := t.match(shapes); err != nil {
		return fmt.Errorf("load network: %w", err)
	}
	for _, p := range n.params {
		copyFloats(p.data, t[p.name].Data)
	}
	if n.trainer != nil {
		return n.trainer.push()
	}
	return nil
}

// pull brings the parameters up to date with the trainer's. The caller holds mu.
func (n *Network) pull() error {
	if n.trainer != nil {
		return n.trainer.pull()
	}
	return nil
}

func errClosed(what string) error { return fmt.Errorf("the %s is closed", what) }

func floatTensor(shape []int, data []float32) Tensor {
	b := make([]byte, 4*len(data))
	for i, v := range data {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return Tensor{DType: "F32", Shape: slices.Clone(shape), Data: b}
}

func copyFloats(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

// match returns an error when t is not exactly F32 tensors of the given names
// and shapes.
func (t Tensors) match(shapes map[string][]int) error {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		x, ok := t[name]
		switch {
		case !ok:
			return fmt.Errorf("there is no tensor %s", name)
		case x.DType != "F32":
			return fmt.Errorf("tensor %s: want dtype F32, have %s", name, x.DType)
		case !slices.Equal(x.Shape, shapes[name]):
			return fmt.Errorf("tensor %s: want shape %v, have %v", name, shapes[name], x.Shape)
		}
		if err := x.check(); err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if _, ok := shapes[name]; !ok {
			return fmt.Errorf("tensor %s belongs to another network", name)
		}
	}
	return nil
}

// Layer is a layer of a network that has parameters.
type Layer struct {
	Name       string `json:"name"`       // of its tensors, up to their last dot: trunk.0.conv1
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

// describe returns what a layer is, by the shape of its first parameter: [out, in,
// kernel, kernel] in convolutions, [out, in] in linear layers, [channels] in batch
// norm, which keeps the maps.
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
