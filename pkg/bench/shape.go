package bench

import (
	"fmt"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Shape is the size of a residual network as people write it: 6x64 is 6 blocks of
// 64 channels.
type Shape struct{ Depth, Width int }

// ParseShape reads a Shape.
func ParseShape(s string) (Shape, error) {
	var x Shape
	if _, err := fmt.Sscanf(s, "%dx%d", &x.Depth, &x.Width); err != nil || x.String() != s || x.Depth < 0 || x.Width < 1 {
		return Shape{}, fmt.Errorf("network %q: want blocks and channels, as 6x64", s)
	}
	return x, nil
}

func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Depth, s.Width) }

// spec is a network of the shape for an encoding, with one of nn's policy heads.
func (s Shape) spec(c encode.Codec, policyHead string) nn.Spec {
	return nn.Spec{
		Planes: c.Planes.Count(), Constant: c.Planes.Constant(), PolicySize: c.Policy.Size(),
		Depth: s.Depth, Width: s.Width, PolicyHead: policyHead,
	}
}
