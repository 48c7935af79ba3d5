package nn

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/config"
)

// Squares is the number of squares of the board, the spatial size of all maps.
const Squares = 64

// Policy heads.
const (
	// PolicyConv73 is the head of the OppenheimerZero thesis: a 1x1 convolution to Width
	// channels (batch norm, ReLU), a 1x1 convolution to 73 channels, and a linear layer
	// from these 4672 numbers to PolicySize. The linear layer alone has 9.2 million
	// parameters for 1968 moves.
	PolicyConv73 = "conv73-linear"

	// PolicyConv is a cheap head for small networks: a 1x1 convolution to PolicyChannels
	// (batch norm, ReLU), and a linear layer from these 64*PolicyChannels numbers to
	// PolicySize.
	PolicyConv = "conv-linear"

	// PolicyAlphaZero is AlphaZero's head: a 1x1 convolution to Width channels (batch norm,
	// ReLU) and one to 73 channels. The 4672 numbers are the moves of the policy map
	// alphazero4672: number 64 p + s is map p at square s. The head has the fewest
	// parameters by far, and requires that policy map.
	PolicyAlphaZero = "conv73"

	// PolicyNone means no policy head, for a network that predicts only values. The priors
	// are equal.
	PolicyNone = "none"
)

// Value heads, named by their prediction of the result.
const (
	ValueTanh   = "tanh"   // one number, squashed to -1..1
	ValueLinear = "linear" // one unbounded number; a Session clips it to -1..1
	ValueWDL    = "wdl"    // the probabilities of win, draw and loss; the value is win - loss
)

// Flat is the ValueChannels of a head without convolution: the trunk's maps go directly
// into the dense layers.
const Flat = -1

// Spec describes a network. An empty name means the first word of its enum. The tags are
// the settings of experiment files; see package config.
type Spec struct {
	Planes     int    // input planes
	Constant   []bool // marks planes with one number on all squares; nil means none
	PolicySize int    // number of moves that the policy can express

	Trunk              string  `key:"trunk" default:"residual" enum:"residual preactivation plain" doc:"Blocks between input and heads: residual has two convolutions a block, the activation after the addition; preactivation two, with batch norm and activation before each; plain one, the first of them from the input, and adds nothing."`
	Depth              int     `key:"depth" default:"6" range:"1..100" unit:"blocks" doc:"Number of blocks of the trunk, in plain of its convolutions."`
	Width              int     `key:"width" default:"64" range:"1..2048" unit:"channels" doc:"Channels of the trunk."`
	Activation         string  `key:"activation" default:"relu" enum:"relu mish" doc:"Activation function of the trunk: mish is x tanh(log(1 + e^x)). The heads have relu."`
	Attention          string  `key:"attention" default:"none" enum:"none squeeze-excitation cbam" doc:"What weighs the maps at the end of each block: squeeze-excitation its channels, by their means; cbam (convolutional block attention) its channels, by means and maxima, and then its squares."`
	AttentionReduction int     `json:",omitempty" key:"attention_reduction" default:"16" range:"1..2048" unit:"channels" when:"attention=squeeze-excitation cbam" doc:"Channels for each hidden unit of the attention; it has at least one."`
	Dropout            float64 `json:",omitempty" key:"dropout" default:"0" range:"0..<1" doc:"Share of channels that training leaves out of what each block computes, drawn again for each position; in residual and preactivation before the addition."`

	Value string `key:"value" default:"tanh" enum:"tanh wdl linear" doc:"Value head, by its output: tanh is a number squashed to -1..1, linear one as it is, cut to that range when it is used, wdl the probabilities of win, draw and loss, whose value is win - loss."`
	// Flat means no convolution.
	ValueChannels int   `key:"value_channels" default:"1" range:"0..2048" zero:"-1" unit:"channels" doc:"Channels of the 1x1 convolution before the dense layers of the value head; 0: the maps of the trunk go straight into them."`
	ValueHidden   []int `key:"value_hidden" default:"256" range:"1..16384" flags:"single" unit:"features" doc:"Widths of the dense layers (relu) of the value head before its output."`

	// MovesLeft is a 1x1 convolution to 8 channels (batch norm, ReLU), linear to 128
	// (ReLU), linear to one.
	MovesLeft bool `json:",omitempty" key:"moves_left" default:"false" doc:"A head that predicts how many plies are left in the game, shaped as Leela Chess Zero's. It is learned and reported, and no search uses it."`

	// The policy head is PolicyNone if PolicySize is 0.
	PolicyHead     string `key:"policy_head" default:"conv73-linear" enum:"conv73-linear conv-linear conv73" when:"policy!=none" doc:"Policy head: conv73-linear is a convolution to 73 channels and a linear layer; conv-linear a 1x1 convolution to policy_channels and a linear layer; conv73 AlphaZero's, a convolution to the 73 maps that are the moves of alphazero4672."`
	PolicyChannels int    `key:"policy_channels" default:"8" range:"1..2048" unit:"channels" when:"policy_head=conv-linear" doc:"Channels before the linear layer of the policy head."`
}

const (
	moveMaps               = 73 // maps of moves of PolicyConv73 and PolicyAlphaZero
	defaultPolicyChannels  = 16
	leelaMovesLeftChannels = 8
	leelaMovesLeftHidden   = 128
)

// Complete returns the spec with every default made explicit, or an error that names the
// invalid field.
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
	checked := s
	if s.PolicyHead == PolicyNone {
		checked.PolicyHead = ""
	}
	if err := config.Check("network", checked); err != nil {
		return s, err
	}
	if s.PolicySize < 0 || s.PolicySize > 1<<20 {
		return s, fmt.Errorf("network: policy size: want 0 to %d, have %d", 1<<20, s.PolicySize)
	}
	if s.Width == 0 {
		return s, errors.New("network.width: want at least 1 channel")
	}
	d := config.Defaults[Spec]()
	s.Trunk, s.Activation, s.Attention = cmp.Or(s.Trunk, d.Trunk), cmp.Or(s.Activation, d.Activation), cmp.Or(s.Attention, d.Attention)
	s.PolicyHead, s.Value, s.ValueChannels = cmp.Or(s.PolicyHead, d.PolicyHead), cmp.Or(s.Value, d.Value), cmp.Or(s.ValueChannels, d.ValueChannels)
	if s.ValueHidden == nil {
		s.ValueHidden = d.ValueHidden
	}
	s.ValueHidden = slices.Clone(s.ValueHidden)
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
