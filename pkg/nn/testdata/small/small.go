// Package small makes a small network of atomic chess for the tests of packages that play
// with one.
package small

import (
	"fmt"
	"path/filepath"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Checkpoint writes a checkpoint of an untrained network, with a policy head, as if after a
// generation. It returns the path of the file, gen-0003.safetensors for generation 3.
func Checkpoint(t testing.TB, generation int) string {
	t.Helper()
	return write(t, "uci1968", nn.Spec{PolicyHead: nn.PolicyConv, PolicyChannels: 2}, generation)
}

// WithoutPolicy writes a checkpoint of a network without a policy head.
func WithoutPolicy(t testing.TB) string {
	t.Helper()
	return write(t, "none", nn.Spec{}, 0)
}

func write(t testing.TB, policy string, spec nn.Spec, generation int) string {
	t.Helper()
	codec, err := encode.NewCodec("atomic16", policy, chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	spec.Planes, spec.Constant, spec.PolicySize = codec.Planes.Count(), codec.Planes.Constant(), codec.Policy.Size()
	spec.Depth, spec.Width = 1, 8
	net, err := nn.New(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := nn.Checkpoint{Header: nn.Header{Spec: net.Spec(), Input: "atomic16", Policy: policy, Variant: "atomic", Generation: generation}}
	if c.Network, err = net.State(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("gen-%04d.safetensors", generation))
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}
