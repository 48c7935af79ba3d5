package nn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The layers of a spec have all parameters of the network, by the names of its
// tensors, and a spec is listed without any.
func TestLayers(t *testing.T) {
	for _, s := range shapes() {
		n := mustNew(t, s, 1)
		all, err := s.Layers()
		if err != nil {
			t.Fatal(err)
		}
		known, sum := make(map[string]bool), 0
		for _, l := range all {
			if known[l.Name] {
				t.Errorf("%s: %s stands there twice", s.shape(), l.Name)
			}
			known[l.Name] = true
			sum += l.Parameters
		}
		if sum != trainedParameters(n) {
			t.Errorf("%s: the layers have %d parameters, the network %d", s.shape(), sum, trainedParameters(n))
		}
		for name := range mustState(t, n) {
			if layer := name[:strings.LastIndexByte(name, '.')]; !known[layer] {
				t.Errorf("%s: the layer of %s is not listed", s.shape(), name)
			}
		}
	}
	if _, err := (Spec{}).Layers(); err == nil {
		t.Error("listed a network of no planes")
	}
}

// A block of CBAM, counted by hand.
func TestLayersByHand(t *testing.T) {
	s := Spec{Planes: 4, PolicySize: 10, Trunk: TrunkPlain, Depth: 1, Width: 32, Attention: AttentionCBAM, PolicyHead: PolicyConv}
	all, err := s.Layers()
	if err != nil {
		t.Fatal(err)
	}
	want := []Layer{
		{"trunk.0.conv", "convolution 3x3", []int{32, 8, 8}, 4 * 32 * 9},
		{"trunk.0.norm", "batch norm", []int{32, 8, 8}, 64},
		{"trunk.0.attention.linear1", "linear", []int{2}, 64},
		{"trunk.0.attention.linear2", "linear", []int{32}, 64},
		{"trunk.0.attention.conv", "convolution 7x7", []int{1, 8, 8}, 98},
	}
	if d := cmp.Diff(want, all[:len(want)]); d != "" {
		t.Error(d)
	}
}
