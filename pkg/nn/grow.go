package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"alamos/pkg/config"
)

// Grow returns the parameters of a network of spec s that computes what the network of spec
// from computes with the given parameters. s may have more blocks and more channels, or in a
// sparse trunk more features and more king buckets, as in
// T. Chen, I. Goodfellow, J. Shlens, "Net2Net: Accelerating Learning via Knowledge Transfer"
// (2016), and other heads that no search uses, which start untrained if from lacks them.
// Anything else that differs is an error.
//
// A new block adds nothing to its input at first: its last norm or convolution is 0. A new
// channel computes what an old one computes. The layers that read the two divide the old
// weight among them in random shares, so that they learn different things from then on. A king
// bucket begins as the one that its squares had. Equal arguments give equal parameters.
func (s Spec) Grow(from Spec, weights Tensors, seed uint64) (Tensors, error) {
	if err := s.CanGrow(from); err != nil {
		return nil, err
	}
	from, _ = from.Complete() // CanGrow has checked it
	if err := weights.match(shapesOf(from.declared())); err != nil {
		return nil, err
	}
	net, err := New(s, seed)
	if err != nil {
		return nil, err
	}
	s = net.spec
	for _, p := range net.params {
		w, known := weights[p.name]
		switch {
		case known && s.Trunk == TrunkSparse && strings.HasPrefix(p.name, "features."):
			s.widenTable(&from, p, w)
		case known:
			if err := p.widen(w, s.blocksRead(p.name), seed); err != nil {
				return nil, err
			}
		case s.closes(p.name):
			clear(p.data)
		}
	}
	return net.State()
}

// CanGrow returns an error that names what keeps a network of spec from from growing into one
// of spec s.
func (s Spec) CanGrow(from Spec) error {
	s, err := s.Complete()
	if err != nil {
		return err
	}
	if from, err = from.Complete(); err != nil {
		return err
	}
	fault := func(key, format string, args ...any) error {
		return fmt.Errorf("network."+key+": "+format, args...)
	}
	switch {
	case s.Depth < from.Depth:
		return fault("depth", "the model has %d blocks: want as many or more, have %d", from.Depth, s.Depth)
	case s.BareInput && from.Depth == 0 && s.Depth > 0:
		return fault("depth", "the model has no blocks and no ReLU, and a block would add one")
	case s.Width < from.Width:
		return fault("width", "the model has %d channels: want as many or more, have %d", from.Width, s.Width)
	case s.PolicyWidth < from.PolicyWidth:
		return fault("policy_width", "the model has %d features: want as many or more, have %d", from.PolicyWidth, s.PolicyWidth)
	case s.KingBuckets < from.KingBuckets:
		return fault("king_buckets", "the model has %d: want as many or more, have %d", from.KingBuckets, s.KingBuckets)
	case s.Depth > from.Depth && s.Trunk == TrunkPlain:
		return fault("depth", "a plain trunk cannot get more blocks without changing what it computes: want %d as in the model, have %d", from.Depth, s.Depth)
	case s.Depth > from.Depth && s.Trunk == TrunkResidual && s.Activation != ReLU:
		return fault("depth", "a residual trunk with %s cannot get more blocks without changing what it computes: want %d as in the model, have %d", s.Activation, from.Depth, s.Depth)
	case s.Trunk == TrunkTransformer && (s.Depth != from.Depth || s.Width != from.Width):
		return fault("depth", "a transformer cannot grow without changing what it computes: want %d blocks of width %d as in the model, have %d of %d", from.Depth, from.Width, s.Depth, s.Width)
	case s.Attention == AttentionCBAM && s.Width%from.Width != 0:
		return fault("width", "cbam compares means of all channels: want a multiple of the model's %d, have %d", from.Width, s.Width)
	case s.Planes != from.Planes || !slices.Equal(s.Constant, from.Constant):
		return fault("input", "the model has other input planes")
	case s.PolicySize != from.PolicySize:
		return fault("policy", "the model has another encoding of moves")
	}
	same := from
	same.Depth, same.Width, same.KingBuckets = s.Depth, s.Width, s.KingBuckets
	if same.PolicyWidth > 0 {
		same.PolicyWidth = s.PolicyWidth
	}
	if s.MovesLeft != from.MovesLeft {
		same.MovesLeftChannels, same.MovesLeftHidden, same.MovesLeftUnit = s.MovesLeftChannels, s.MovesLeftHidden, s.MovesLeftUnit
	}
	same.MovesLeftReLU = s.MovesLeftReLU // which has no parameters, and no effect in play
	same.MovesLeft, same.OpponentPolicy, same.SoftPolicy, same.FutureBoard = s.MovesLeft, s.OpponentPolicy, s.SoftPolicy, s.FutureBoard
	values := func(s Spec) map[string]any { return config.Of[Spec]().Values(&s, config.Form{}) }
	want, have := values(same), values(s)
	for _, key := range config.Of[Spec]().Keys() {
		if want, have := config.JSON(want[key]), config.JSON(have[key]); string(have) != string(want) {
			return fault(key, "the model has %s, the experiment %s: only depth, width and the heads that no search uses may differ", want, have)
		}
	}
	return nil
}

// closes reports whether a parameter scales all that a block adds to its input.
func (s *Spec) closes(name string) bool {
	if !strings.HasPrefix(name, "trunk.") {
		return false
	}
	return s.Trunk == TrunkResidual && strings.HasSuffix(name, ".norm2.weight") ||
		s.Trunk == TrunkPreactivation && strings.HasSuffix(name, ".conv2.weight")
}

// widenTable sets the table of a sparse trunk, or its bias, to that of one with fewer features or
// king buckets.
func (s *Spec) widenTable(from *Spec, p *param, old Tensor) {
	columns, oldColumns := s.Width+s.PolicyWidth, from.Width+from.PolicyWidth
	bucket, was := kingBuckets[s.KingBuckets], kingBuckets[from.KingBuckets]
	before := make([]int, s.KingBuckets) // every bucket is a part of an old one
	for square := range Squares {
		before[bucket(square%8, square/8)] = was(square%8, square/8)
	}
	rows := Squares * s.Planes // of a bucket; the bias has one in all
	for row := range len(p.data) / columns {
		source := old.Data[(before[row/rows]*rows+row%rows)*oldColumns:][:oldColumns]
		target := p.data[row*columns:][:columns]
		for c := range columns {
			if c < s.Width {
				target[c] = source[c%from.Width]
			} else {
				target[c] = source[from.Width+(c-s.Width)%from.PolicyWidth]
			}
		}
	}
}

// blocksRead is the number of blocks of features that a layer reads one after the other: those
// of both sides, or the means and the maxima of maps.
func (s *Spec) blocksRead(name string) int {
	if s.Trunk == TrunkSparse || s.ValuePooling && name == "value.linear1.weight" {
		return 2
	}
	return 1
}

// widen sets the parameter to one of fewer outputs, inputs or both. Output and input i of
// the many are copies of i modulo the number of the few. That also holds for inputs that are
// flattened maps. Inputs in several blocks are copies of those of their block.
func (p *param) widen(from Tensor, blocks int, seed uint64) error {
	if len(p.shape) != len(from.Shape) {
		return fmt.Errorf("tensor %s: want shape %v, have %v", p.name, p.shape, from.Shape)
	}
	if slices.Equal(p.shape, from.Shape) {
		copy(p.data, from.Data)
		return nil
	}
	area, in, oldIn := 1, 1, 1 // numbers of a kernel, columns of a block
	if len(p.shape) > 1 {
		in, oldIn = p.shape[1]/blocks, from.Shape[1]/blocks
		area = p.size() / (p.shape[0] * in * blocks)
	} else {
		blocks = 1
	}
	rng := rand.New(rand.NewPCG(seed, hashOf(p.name)))
	for row := range p.shape[0] * blocks {
		oldRow := row/blocks%from.Shape[0]*blocks + row%blocks
		source := from.Data[oldRow*oldIn*area:][:oldIn*area]
		target := p.data[row*in*area:][:in*area]
		for i := range oldIn {
			for k := range area {
				left := source[i*area+k]
				for column := i; column < in; column += oldIn {
					part := left
					if column+oldIn < in {
						part *= 0.25 + rng.Float32()/2
					}
					target[column*area+k] = part
					left -= part
				}
			}
		}
	}
	return nil
}
