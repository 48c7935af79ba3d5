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
	return Measured{s.String(), o.PolicyHead, m.Precision(), strings.Join(m.Devices(), ","), batch}
}

// stretch is the length of a side's turn: a few batches of a large network, or one if a
// batch takes longer.
const stretch = 200 * time.Millisecond

// turn returns the duration of one stretch.
func (o *Options) turn() time.Duration { return min(stretch, o.Time) }

// spec returns the spec of a network for an encoding.
func (o *Options) spec(c encode.Codec, s Shape) nn.Spec {
	return nn.Spec{
		Planes: c.Planes.Count(), Constant: c.Planes.Constant(), PolicyMap: c.Policy.Name(), PolicySize: c.Policy.Size(),
		Depth: s.Depth, Width: s.Width, PolicyHead: o.PolicyHead,
	}
}

// model makes a network for inference.
func (o *Options) model(c encode.Codec, s Shape, batch int) (*nn.Model, error) {
	network, err := nn.New(o.spec(c, s), 1)
	if err != nil {
		return nil, err
	}
	return network.Compile(nn.InferenceOptions{Batch: batch, Device: o.Device, Precision: o.Precision})
}

// codecFor returns the encodings of the thesis if they support the variant, otherwise those
// that support every variant.
func codecFor(v chess.Variant) (encode.Codec, error) {
	if c, err := encode.NewCodec("atomic16", "uci1968", v); err == nil {
		return c, nil
	}
	return encode.NewCodec("variants31", "uci2206-mover", v)
}

// Shape is the size of a residual network in the usual notation: 6x64 is 6 blocks of 64
// channels.
type Shape struct{ Depth, Width int }

func ParseShape(s string) (Shape, error) {
	var x Shape
	if _, err := fmt.Sscanf(s, "%dx%d", &x.Depth, &x.Width); err != nil || x.String() != s || x.Depth < 0 || x.Width < 1 {
		return Shape{}, fmt.Errorf("network %q: want blocks and channels, as 6x64", s)
	}
	return x, nil
}

func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Depth, s.Width) }
