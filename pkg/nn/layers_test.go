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

// A block of CBAM and heads of dense layers, counted by hand.
func TestLayersByHand(t *testing.T) {
	s := Spec{
		Planes: 4, Trunk: TrunkPlain, Depth: 1, Width: 32, Attention: AttentionCBAM, Dropout: 0.1,
		PolicyHead: PolicyNone, ValueChannels: Flat, ValueHidden: []int{5}, MovesLeft: true, MovesLeftChannels: 3, MovesLeftHidden: 9, MovesLeftReLU: true,
	}
	all, err := s.Layers()
	if err != nil {
		t.Fatal(err)
	}
	want := []Layer{
		{"trunk.0.conv", "convolution 3x3", []int{32, 8, 8}, 4 * 32 * 9, nil},
		{"trunk.0.norm", "batch norm", []int{32, 8, 8}, 64, []string{"relu"}},
		{"trunk.0.attention.linear1", "linear", []int{2}, 64, nil},
		{"trunk.0.attention.linear2", "linear", []int{32}, 64, nil},
		{"trunk.0.attention.conv", "convolution 7x7", []int{1, 8, 8}, 98, []string{"dropout 0.1"}},
		{"value.linear1", "linear", []int{5}, 64*32*5 + 5, []string{"relu"}},
		{"value.linear2", "linear", []int{1}, 6, []string{"tanh"}},
		{"moves_left.conv", "convolution 1x1", []int{3, 8, 8}, 32 * 3, nil},
		{"moves_left.norm", "batch norm", []int{3, 8, 8}, 6, []string{"relu"}},
		{"moves_left.linear1", "linear", []int{9}, 64*3*9 + 9, []string{"relu"}},
		{"moves_left.linear2", "linear", []int{1}, 10, []string{"relu"}},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Error(d)
	}
}
