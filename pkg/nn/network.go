package nn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sugarme/gotch/ts"
)

// Network is a network's parameters and the layers that use them. Several goroutines may
// use it.
type Network struct {
	spec   Spec
	params []*param

	layers
	playing []*param // params that inference uses: those before the heads that only training uses

	mu      sync.Mutex
	trainer *Trainer // has the newer copy of the parameters; nil without a trainer
}

// layers are a trunk, from the planes to the features that the heads read, and the heads.
type layers struct {
	trunk  []*layer
	sparse *sparse // instead of trunk; nil if absent
	heads  heads
}

// newLayers declares the layers of a complete spec.
func newLayers(d *declaration, s *Spec) (l layers) {
	if s.Trunk == TrunkSparse {
		l.sparse = newSparse(d, s)
	} else {
		l.trunk = newTrunk(d, s)
	}
	l.heads = newHeads(d, s)
	return l
}

// forward returns the outputs for packed planes.
func (l *layers) forward(g *graph, planes []uint64, constant []bool) outputs {
	if l.sparse != nil {
		return l.heads.forward(g, l.sparse.forward(g, planes))
	}
	return l.forwardMaps(g, g.input(planes, constant))
}

// forwardMaps returns the outputs for maps [N, planes, 8, 8].
func (l *layers) forwardMaps(g *graph, x *ts.Tensor) outputs {
	return l.heads.forward(g, features{maps: g.forward(l.trunk, x)})
}

// all lists the layers that inference uses.
func (l *layers) all() []*layer {
	all := slices.Clone(l.trunk)
	for _, h := range []*head{l.heads.policy, l.heads.value, l.heads.movesLeft} {
		if h != nil {
			all = append(all, h.maps...)
		}
	}
	return all
}

// New builds an untrained network. Equal specs and seeds give equal parameters.
func New(spec Spec, seed uint64) (*Network, error) {
	spec, err := spec.Complete()
	if err != nil {
		return nil, err
	}
	d := &declaration{seed: seed}
	n := &Network{spec: spec}
	n.layers = newLayers(d, &n.spec)
	n.params, n.playing = d.params, d.params[:d.playing]
	return n, nil
}

// Restore makes a network with these parameters and running statistics. It compares their shapes
// before it makes room for them: the spec of a damaged file may be of any size.
func Restore(spec Spec, t Tensors) (*Network, error) {
	spec, err := spec.Complete()
	if err != nil {
		return nil, err
	}
	if err := t.match(shapesOf(spec.declared())); err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	n, err := New(spec, 0)
	if err != nil {
		return nil, err
	}
	return n, n.Load(t)
}

// Spec returns the spec of the network, with defaults made explicit.
func (n *Network) Spec() Spec {
	s := n.spec
	s.Constant = slices.Clone(s.Constant)
	return s
}

// HasBatchNorm reports whether the network has running statistics.
func (n *Network) HasBatchNorm() bool {
	return slices.ContainsFunc(n.params, func(p *param) bool { return !p.trained })
}

// State returns a copy of all parameters and running statistics.
func (n *Network) State() (Tensors, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pull(); err != nil {
		return nil, err
	}
	t := make(Tensors, len(n.params))
	for _, p := range n.params {
		t[p.name] = Tensor{slices.Clone(p.shape), slices.Clone(p.data)}
	}
	return t, nil
}

// BlendInto changes each number of a state to share times that of the network plus the rest
// times itself.
func (n *Network) BlendInto(state Tensors, share float64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pull(); err != nil {
		return err
	}
	for _, p := range n.params {
		y := state[p.name].Data
		for i, x := range p.data {
			y[i] = float32(share*float64(x) + (1-share)*float64(y[i]))
		}
	}
	return nil
}

// Load replaces all parameters and running statistics, in a trainer too. The names and
// shapes must match the spec. On an error the network is unchanged.
func (n *Network) Load(t Tensors) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := t.match(shapesOf(n.params)); err != nil {
		return fmt.Errorf("load network: %w", err)
	}
	for _, p := range n.params {
		copy(p.data, t[p.name].Data)
	}
	if n.trainer != nil {
		return n.trainer.push()
	}
	return nil
}

// pull copies the trainer's newer parameters. The caller holds mu.
func (n *Network) pull() error {
	if n.trainer != nil {
		return n.trainer.pull()
	}
	return nil
}

// finite returns an error that names a parameter with values that are not finite numbers.
func (n *Network) finite() error {
	for _, p := range n.params {
		if slices.ContainsFunc(p.data, func(x float32) bool { return x-x != 0 }) { // NaN, for an infinity too
			return fmt.Errorf("%s has values that are not finite numbers: its training diverged", p.name)
		}
	}
	return nil
}

func errClosed(what string) error { return fmt.Errorf("the %s is closed", what) }

// match returns an error unless t has exactly the given names and shapes.
func (t Tensors) match(shapes map[string][]int) error {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		x, ok := t[name]
		switch {
		case !ok:
			return fmt.Errorf("there is no tensor %s", name)
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
	Name       string   `json:"name"`           // common prefix of its tensors' names, such as trunk.0.conv1
	Kind       string   `json:"kind"`           // "convolution 3x3", "linear", "batch norm"
	Output     []int    `json:"output"`         // shape for one position
	Parameters int      `json:"parameters"`     // number of trained parameters
	Then       []string `json:"then,omitempty"` // what follows and has no parameters: "dropout 0.2", "relu"
}

// Layers lists the layers of the spec's network from the planes to the heads, without
// building it.
func (s Spec) Layers() ([]Layer, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	d := &declaration{blank: true}
	built := newLayers(d, &s)
	then := built.then()
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
		all[len(all)-1].Then = append(all[len(all)-1].Then, then[p]...)
	}
	return all, nil
}

// then lists what has no parameters by a parameter of the layer before it. What a transformer
// has within its blocks is not listed.
func (l *layers) then() map[*param][]string {
	names := map[activation]string{}
	for name, act := range functions {
		names[act] = name
	}
	all := map[*param][]string{}
	var last *param
	add := func(text string) { all[last] = append(all[last], text) }
	walk := func(list []*layer) {
		for _, l := range list {
			switch {
			case l.attention != nil:
				last = cmp.Or(l.attention.spatial, l.attention.shift, l.attention.second)
			case l.norm != nil:
				last = l.norm.beta
			case l.conv != nil:
				last = l.conv.weight
			}
			if l.dropout != nil {
				add(fmt.Sprintf("dropout %v", l.dropout.share))
			}
			if l.act != identity && l.skip > 0 {
				add(names[l.act] + " after the addition")
			} else if l.act != identity {
				add(names[l.act])
			}
		}
	}
	walk(l.trunk)
	for _, h := range []*head{l.heads.policy, l.heads.value, l.heads.movesLeft, l.heads.opponent, l.heads.soft, l.heads.future} {
		if h == nil {
			continue
		}
		walk(h.maps)
		if h.pairs != nil {
			last = h.pairs.key.weight
			if h.pairs.pieces != nil {
				last = h.pairs.pieces.weight
			}
		}
		for i, d := range h.dense {
			if i > 0 && !h.linear {
				add(names[h.act])
			}
			last = d.weight
		}
		switch {
		case h.output == tanhValue:
			add("tanh")
		case h.output == logits || h.output == wdlValue:
			add("softmax")
		case h.floor:
			add("relu")
		}
	}
	return all
}

// describe derives a layer's kind and output from the shape of its first parameter: [out,
// in, kernel, kernel] in convolutions, [out, in] in linear layers, [channels] in batch
// norm, which preserves the shape of the maps.
func (p *param) describe() (kind string, output []int) {
	if p.kind != "" {
		return p.kind, slices.Clone(p.output)
	}
	switch len(p.shape) {
	case 4:
		return fmt.Sprintf("convolution %dx%d", p.shape[2], p.shape[3]), []int{p.shape[0], 8, 8}
	case 2:
		if p.name == "features.weight" {
			return "table of features", slices.Clone(p.shape[1:])
		}
		return "linear", slices.Clone(p.shape[:1])
	default:
		return "batch norm", []int{p.shape[0], 8, 8}
	}
}
