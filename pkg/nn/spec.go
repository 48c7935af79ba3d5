package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Squares is the number of squares of the board, the spatial size of all maps.
const Squares = 64

// Policy heads.
const (
	// PolicyConv73 is the head of the OppenheimerZero thesis: a 1x1 convolution to
	// Width channels (batch norm, ReLU), a 1x1 convolution to 73 channels, a
	// linear layer from these 4672 numbers to PolicySize. The linear layer alone
	// has 9.2 million parameters for 1968 moves.
	PolicyConv73 = "conv73-linear"

	// PolicyConv is a cheap head for small networks: a 1x1 convolution to
	// PolicyChannels (batch norm, ReLU), a linear layer from these
	// 64*PolicyChannels numbers to PolicySize.
	PolicyConv = "conv-linear"

	// PolicyAlphaZero is AlphaZero's head: a 1x1 convolution to Width channels (batch
	// norm, ReLU) and one to 73 channels, whose 4672 numbers are the moves of the
	// policy map alphazero4672: number 64 p + s is map p at square s. It has the
	// fewest parameters by far, and needs that map.
	PolicyAlphaZero = "conv73"

	// PolicyNone is no head, for a network that knows values only: the priors are
	// equal.
	PolicyNone = "none"
)

// Value heads, by what they predict of the result.
const (
	ValueTanh   = "tanh"   // one number, squashed to -1..1
	ValueLinear = "linear" // one number as it is; a Session cuts it to -1..1
	ValueWDL    = "wdl"    // the probabilities of win, draw and loss; the value is win - loss
)

// Flat, as ValueChannels, is no convolution: the trunk's maps go straight into the
// dense layers.
const Flat = -1

// Spec says what a network looks like. Empty names stand for the first of the
// names listed with them.
type Spec struct {
	Planes     int    // input planes
	Constant   []bool // which planes hold one number on all squares; nil: none
	PolicySize int    // moves that the policy can express

	Trunk      string // TrunkResidual, TrunkPreactivation or TrunkPlain
	Depth      int    // blocks: of two convolutions each, of one in TrunkPlain
	Width      int    // channels of the trunk
	Activation string // of the trunk: ReLU or Mish. The heads have ReLU
	Attention  string // of each block: AttentionNone, AttentionSqueeze or AttentionCBAM
	// AttentionReduction is how many channels there are for each hidden unit of the
	// attention; 0: 16. Only with attention.
	AttentionReduction int `json:",omitempty"`
	// Dropout is the share of channels that training leaves out of what each block
	// computes.
	Dropout float64 `json:",omitempty"`

	PolicyHead     string // PolicyConv73, PolicyConv, PolicyAlphaZero or PolicyNone, the only one of PolicySize 0
	PolicyChannels int    // channels before the linear layer of PolicyConv; 0: 16. Only with PolicyConv

	Value         string // ValueTanh, ValueLinear or ValueWDL
	ValueChannels int    // of a 1x1 convolution (batch norm, ReLU) before the dense layers; 0: 1; Flat: none
	ValueHidden   []int  // widths of the dense layers (ReLU) before the output; nil: 256

	// MovesLeft adds a head that predicts how many plies are left in the game, of
	// the shape of Leela Chess Zero's: a 1x1 convolution to 8 channels (batch norm,
	// ReLU), linear to 128 (ReLU), linear to one.
	MovesLeft bool `json:",omitempty"`
}

const (
	moveMaps               = 73 // maps of moves of PolicyConv73 and PolicyAlphaZero
	defaultPolicyChannels  = 16
	defaultValueChannels   = 1
	defaultValueHidden     = 256
	leelaMovesLeftChannels = 8
	leelaMovesLeftHidden   = 128
)

// Complete returns the spec with every default made explicit, or an error that
// names the field at fault.
func (s Spec) Complete() (Spec, error) {
	if s.Planes < 1 {
		return s, fmt.Errorf("network: planes: want at least 1, have %d", s.Planes)
	}
	if s.PolicyHead == "" && s.PolicySize == 0 {
		s.PolicyHead = PolicyNone
	}
	s.Constant = slices.Clone(s.Constant)
	if s.Constant == nil {
		s.Constant = make([]bool, s.Planes)
	}
	if len(s.Constant) != s.Planes {
		return s, fmt.Errorf("network: %d planes, but %d marks of constant planes", s.Planes, len(s.Constant))
	}
	for _, n := range []struct {
		name        string
		value, most int
		least       int
	}{
		{"policy size", s.PolicySize, 1 << 20, 0},
		{"depth", s.Depth, 1000, 0},
		{"width", s.Width, 1 << 14, 1},
		{"attention reduction", s.AttentionReduction, 1 << 14, 0},
		{"policy channels", s.PolicyChannels, 1 << 14, 0},
		{"value channels", s.ValueChannels, 1 << 14, Flat},
	} {
		if n.value < n.least || n.value > n.most {
			return s, fmt.Errorf("network: %s: want %d to %d, have %d", n.name, n.least, n.most, n.value)
		}
	}
	for _, n := range []struct {
		name  string
		value *string
		known []string
	}{
		{"trunk", &s.Trunk, []string{TrunkResidual, TrunkPreactivation, TrunkPlain}},
		{"activation", &s.Activation, []string{ReLU, Mish}},
		{"attention", &s.Attention, []string{AttentionNone, AttentionSqueeze, AttentionCBAM}},
		{"policy head", &s.PolicyHead, []string{PolicyConv73, PolicyConv, PolicyAlphaZero, PolicyNone}},
		{"value", &s.Value, []string{ValueTanh, ValueLinear, ValueWDL}},
	} {
		if *n.value == "" {
			*n.value = n.known[0]
		}
		if !slices.Contains(n.known, *n.value) {
			return s, fmt.Errorf("network: %s: no %q; there is %s", n.name, *n.value, strings.Join(n.known, ", "))
		}
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		return s, fmt.Errorf("network: dropout: want at least 0 and below 1, have %v", s.Dropout)
	}
	switch {
	case s.Attention != AttentionNone && s.AttentionReduction == 0:
		s.AttentionReduction = defaultReduction
	case s.Attention == AttentionNone && s.AttentionReduction != 0:
		return s, errors.New("network: attention reduction: there is no attention")
	}
	if s.Trunk == TrunkPlain && s.Depth == 0 {
		return s, errors.New("network: depth: a plain trunk needs at least 1 convolution")
	}
	return s.completeHeads()
}

func (s Spec) completeHeads() (Spec, error) {
	if s.PolicyHead == PolicyConv && s.PolicyChannels == 0 {
		s.PolicyChannels = defaultPolicyChannels
	}
	if s.ValueChannels == 0 {
		s.ValueChannels = defaultValueChannels
	}
	if s.ValueHidden == nil {
		s.ValueHidden = []int{defaultValueHidden}
	}
	s.ValueHidden = slices.Clone(s.ValueHidden)
	for _, n := range s.ValueHidden {
		if n < 1 || n > 1<<14 {
			return s, fmt.Errorf("network: value hidden: want widths of 1 to %d, have %d", 1<<14, n)
		}
	}
	switch {
	case s.PolicyHead != PolicyConv && s.PolicyChannels != 0:
		return s, fmt.Errorf("network: policy channels: only with the policy head %s", PolicyConv)
	case (s.PolicyHead == PolicyNone) != (s.PolicySize == 0):
		return s, fmt.Errorf("network: policy size: the policy head %s has %d moves", s.PolicyHead, s.PolicySize)
	case s.PolicyHead == PolicyAlphaZero && s.PolicySize != moveMaps*Squares:
		return s, fmt.Errorf("network: policy size: the policy head %s has %d moves, the policy %d", PolicyAlphaZero, moveMaps*Squares, s.PolicySize)
	}
	return s, nil
}
