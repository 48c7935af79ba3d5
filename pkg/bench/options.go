package bench

import (
	"fmt"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Options are what the benchmarks of networks have in common. The networks are untrained,
// which does not change their speed.
type Options struct {
	Networks   []Shape
	PolicyHead string        // one of package nn's
	Precision  string        // one of package nn's
	Device     string        // see nn.Devices
	Time       time.Duration // approximate time for each side in each measurement
}

// Measured describes the network of a result.
type Measured struct {
	Network    string `json:"network" table:"network"`
	PolicyHead string `json:"policy_head" table:"head"`
	Precision  string `json:"precision" table:"precision"`
	Device     string `json:"device"`
	Batch      int    `json:"batch" table:"batch"`
}

// measured describes a network that was compiled for inference.
func (o *Options) measured(s Shape, m *nn.Model, batch int) Measured {
	return Measured{s.String(), o.head(s), m.Precision(), strings.Join(m.Devices(), ","), batch}
}

// head returns the policy head of a network.
func (o *Options) head(s Shape) string {
	if s.sparse() {
		return "rows"
	}
	return o.PolicyHead
}

// stretch is the length of a side's turn: a few batches of a large network, or one if a
// batch takes longer.
const stretch = 200 * time.Millisecond

// turn returns the duration of one stretch.
func (o *Options) turn() time.Duration { return min(stretch, o.Time) }

// spec returns the spec of a network for an encoding.
func (o *Options) spec(c encode.Codec, s Shape) nn.Spec {
	spec := s.spec()
	spec.Planes, spec.Constant, spec.PolicyMap, spec.PolicySize = c.Planes.Count(), c.Planes.Constant(), c.Policy.Name(), c.Policy.Size()
	if s.sparse() {
		spec.Input, spec.Value = c.Planes.Name(), nn.ValueWDL
	} else {
		spec.PolicyHead = o.PolicyHead
	}
	return spec
}

// model makes a network for inference.
func (o *Options) model(c encode.Codec, s Shape, batch int) (*nn.Model, error) {
	network, err := nn.New(o.spec(c, s), 1)
	if err != nil {
		return nil, err
	}
	return network.Compile(nn.InferenceOptions{Batch: batch, Device: o.Device, Precision: o.Precision})
}

// codecFor returns the encodings of the thesis, or for a sparse network small ones, if they
// support the variant, otherwise those that support every variant.
func codecFor(v chess.Variant, s Shape) (encode.Codec, error) {
	planes, policy := "atomic16", "uci1968"
	if s.sparse() {
		planes, policy = "mover16", "uci1968-mover"
	}
	if v.Defined() {
		planes, policy = encode.Rules, encode.Rules
	}
	if c, err := encode.NewCodec(planes, policy, v); err == nil {
		return c, nil
	}
	return encode.NewCodec("variants31", "uci2206-mover", v)
}

// Shape is the size of a network: 6x64 is a residual network of 6 blocks of 64 channels,
// sparse-256+128x8 a sparse one, transformer-6x64 a transformer (see [nn.Spec.Size]).
type Shape struct {
	Depth, Width, PolicyWidth, KingBuckets int
	Transformer                            bool
}

func (s Shape) sparse() bool { return s.KingBuckets > 0 }

func (s Shape) spec() nn.Spec {
	spec := nn.Spec{Depth: s.Depth, Width: s.Width, PolicyWidth: s.PolicyWidth, KingBuckets: s.KingBuckets}
	if s.sparse() {
		spec.Trunk = nn.TrunkSparse
	}
	if s.Transformer {
		spec.Trunk, spec.FeedForward = nn.TrunkTransformer, 2*s.Width
	}
	return spec
}

func ParseShape(s string) (Shape, error) {
	var x Shape
	var err error
	if strings.HasPrefix(s, nn.TrunkSparse) {
		_, err = fmt.Sscanf(s, nn.TrunkSparse+"-%d+%dx%d", &x.Width, &x.PolicyWidth, &x.KingBuckets)
	} else {
		size, transformer := strings.CutPrefix(s, nn.TrunkTransformer+"-")
		x.Transformer = transformer
		_, err = fmt.Sscanf(size, "%dx%d", &x.Depth, &x.Width)
	}
	if err != nil || x.String() != s || x.Depth < 0 || x.Width < 1 {
		return Shape{}, fmt.Errorf("network %q: want blocks and channels, as 6x64 or transformer-6x64, or the features for value and policy and the king buckets of a sparse network, as sparse-256+128x8", s)
	}
	return x, nil
}

func (s Shape) String() string {
	spec := s.spec()
	return spec.Size()
}
