package nn

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alamos/pkg/config"
	"alamos/pkg/encode"
)

// Squares is the number of squares of the board, the spatial size of all maps.
const Squares = 64

// Policy heads.
const (
	// PolicyConv73 is the head of the OppenheimerZero thesis, which leaves the number of channels
	// and the batch norm open: a 1x1 convolution to Width channels (batch norm, ReLU), a 1x1
	// convolution to 73 channels, and a linear layer from these 4672 numbers to PolicySize.
	// The linear layer alone has 9.2 million parameters for 1968 moves.
	PolicyConv73 = "conv73-linear"

	// PolicyConv is a cheap head for small networks: a 1x1 convolution to PolicyChannels
	// (batch norm, ReLU), and a linear layer from these 64*PolicyChannels numbers to
	// PolicySize.
	PolicyConv = "conv-linear"

	// PolicyAlphaZero is AlphaZero's head: a 1x1 convolution to Width channels (batch norm,
	// ReLU) and one to a map for each type of move. The logits are at the places of
	// [encode.MoveMaps]. With the policy map alphazero4672 there are 73 maps, and number
	// 64 p + s is map p at square s. The head has the fewest parameters by far.
	PolicyAlphaZero = "conv73"

	// PolicyAttention is the head of Leela Chess Zero's newer networks: a 1x1 convolution to
	// PolicyChannels (batch norm, ReLU), from these a query and a key of PolicyChannels for
	// each square, and the logit of a move is query(from) key(to) / sqrt(PolicyChannels).
	// Linear functions of the key of the destination are added for promotions, and are the
	// logits of drops. The places are those of [encode.SquarePairs].
	PolicyAttention = "attention"

	// PolicyNone means no policy head, for a network that predicts only values. The priors
	// are equal.
	PolicyNone = "none"
)

// Value heads, named by their prediction of the result.
const (
	ValueTanh   = "tanh"   // one number, squashed to -1..1
	ValueLinear = "linear" // one unbounded number; a Session bends it to -1..1
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
	PolicyMap  string `json:",omitempty"` // name of the policy encoding, for heads that share weights between squares

	Trunk              string  `key:"trunk" default:"residual" enum:"residual preactivation plain transformer sparse" doc:"Type of the trunk's blocks. residual: two convolutions, with the activation after the addition. preactivation: two convolutions, each after batch norm and activation. plain: one convolution without a skip connection; the first one reads the input planes. transformer: attention between squares and dense layers on each, with layer norms, as in the newer networks of Leela Chess Zero; its heads have biases and the trunk's activation instead of batch norm and ReLU. sparse: a network for processors, without convolutions: a sum of table rows, one for each piece on its square, seen from each side, and small dense layers. It evaluates hundreds of thousands of positions a second on one thread, in integers and with the same result on every processor. It needs the input mover15, mover16, variants31 (not for racing kings) or rules."`
	Depth              int     `key:"depth" default:"6" range:"1..100" unit:"blocks" when:"trunk!=sparse" doc:"Number of blocks in the trunk (of convolutions, if it is plain)."`
	Width              int     `key:"width" default:"64" range:"1..2048" unit:"channels" when:"trunk!=sparse transformer" doc:"Number of channels in the trunk."`
	_                  int     `key:"width" default:"64" range:"1..2048" unit:"numbers" when:"trunk=transformer" doc:"Length of the vector of each square."`
	_                  int     `key:"width" default:"256" range:"32..4096" unit:"features" when:"trunk=sparse" doc:"Number of features of each side for the value: the columns of the table, in steps of 32."`
	Activation         string  `key:"activation" default:"relu" enum:"relu mish" when:"trunk!=sparse" doc:"Activation function of the trunk. mish is x * tanh(log(1 + e^x)). The heads use ReLU, those of a transformer this function."`
	_                  string  `key:"activation" default:"squared" enum:"squared clipped" when:"trunk=sparse" doc:"Activation function of the sums. clipped is min(1, max(0, x)), squared is its square. The layers of the value head after the first use ReLU."`
	BareInput          bool    `json:",omitempty" key:"bare_input" default:"false" when:"trunk=residual" doc:"Leave out the activation after the input convolution and its batch norm, as ChessSL does."`
	Attention          string  `key:"attention" default:"none" enum:"none squeeze-excitation squeeze-excitation-shift cbam" when:"trunk!=sparse transformer" doc:"Attention at the end of each block: squeeze-excitation weighs channels by their means, squeeze-excitation-shift does so with biases and also adds a number to each channel, as Leela Chess Zero does, cbam (convolutional block attention module) weighs channels by means and maxima and then squares."`
	AttentionReduction int     `json:",omitempty" key:"attention_reduction" default:"16" range:"1..2048" unit:"channels" when:"attention=squeeze-excitation squeeze-excitation-shift cbam" doc:"Number of channels for each hidden unit of the attention, which has at least one."`
	Dropout            float64 `json:",omitempty" key:"dropout" default:"0" range:"0..<1" when:"trunk!=sparse transformer" doc:"Probability with which training drops a channel of a block's output, drawn separately for each position. Residual and preactivation blocks drop before the addition."`

	// Of transformers.
	AttentionHeads        int    `json:",omitempty" key:"heads" default:"4" range:"1..1024" unit:"heads" when:"trunk=transformer" doc:"Number of attention heads of each block, a divisor of the width."`
	FeedForward           int    `json:",omitempty" key:"feedforward" default:"128" range:"1..16384" unit:"features" when:"trunk=transformer" doc:"Width of the hidden dense layer of each block."`
	FeedForwardActivation string `json:",omitempty" key:"feedforward_activation" default:"mish" enum:"mish relu squared-relu swish" when:"trunk=transformer" doc:"Activation function after the hidden dense layer of each block. squared-relu is max(0, x)^2, swish is x / (1 + e^-x)."`
	Position              string `json:",omitempty" key:"position" default:"map" enum:"map dense" when:"trunk=transformer" doc:"What tells the squares apart. map: 64 fixed numbers for each, which say where a queen and a knight go from there. dense: a dense layer over the first 12 planes of all squares; a hidden dense layer is then added to the vectors before the first block."`
	PositionWidth         int    `json:",omitempty" key:"position_width" default:"16" range:"1..4096" unit:"numbers" when:"position=dense, trunk=transformer" doc:"Numbers that the dense layer makes for each square."`
	Gating                bool   `json:",omitempty" key:"gating" default:"false" when:"trunk=transformer" doc:"Whether each number of each square is scaled and shifted before the first block."`
	Smolgen               int    `json:",omitempty" key:"smolgen" default:"0" range:"0..1024" unit:"numbers" when:"trunk=transformer" doc:"Numbers of each square from which smolgen computes, for the whole position, what is added to the attention of each pair of squares (Leela Chess Zero). 0 means no smolgen."`
	SmolgenHidden         int    `json:",omitempty" key:"smolgen_hidden" default:"128" range:"1..16384" unit:"features" when:"smolgen!=0, trunk=transformer" doc:"Width of the first dense layer of smolgen."`
	SmolgenSize           int    `json:",omitempty" key:"smolgen_size" default:"32" range:"1..4096" unit:"features" when:"smolgen!=0, trunk=transformer" doc:"Features of smolgen for each head."`
	SmolgenActivation     string `json:",omitempty" key:"smolgen_activation" default:"swish" enum:"swish mish relu squared-relu" when:"smolgen!=0, trunk=transformer" doc:"Activation function of smolgen."`

	// Of sparse trunks. Input names the encoding of the planes.
	Input       string `json:",omitempty"`
	PolicyWidth int    `json:",omitempty" key:"policy_width" default:"128" range:"32..4096" unit:"features" when:"policy!=none, trunk=sparse" doc:"Number of features of each side for the policy, in steps of 32. The logit of a move is a product with a vector of its own, and is computed for legal moves only."`
	KingBuckets int    `json:",omitempty" key:"king_buckets" default:"1" range:"1..16" unit:"tables" when:"trunk=sparse" doc:"Number of tables: 1, 2, 4, 8 or 16. The square of a side's own king selects the table for its view, more finely on its first ranks, so that the network knows what stands near it. Many tables need many samples."`
	Mirror      bool   `json:",omitempty" key:"mirror" default:"false" when:"trunk=sparse" doc:"Whether positions in which the king of the side to move stands on files e to h are reflected, left to right. There is then half as much to learn, but castling looks like other moves of the king."`

	Value string `key:"value" default:"tanh" enum:"tanh wdl linear" doc:"Output of the value head. tanh: a number from -1 to 1. linear: an unbounded number; a search bends what is above 0.9 or below -0.9 towards 1 and -1, so that a higher output still has a higher value. wdl: the probabilities of win, draw and loss, with the value win - loss."`
	// Flat means no convolution.
	ValueChannels int   `key:"value_channels" default:"1" range:"0..2048" zero:"-1" unit:"channels" when:"trunk!=sparse" doc:"Channels of the 1x1 convolution before the dense layers of the value head. 0 means no convolution: the dense layers read the output of the trunk."`
	ValuePooling  bool  `json:",omitempty" key:"value_pooling" default:"false" when:"trunk!=sparse" doc:"Whether the dense layers of the value head read only the mean and the maximum of each channel over the squares (global pooling, as in KataGo) instead of the channels of all squares. It needs more value_channels than the default, such as 32."`
	ValueHidden   []int `key:"value_hidden" default:"256" range:"1..16384" flags:"single" unit:"features" when:"trunk!=sparse" doc:"Widths of the hidden dense layers (ReLU) of the value head."`
	_             []int `key:"value_hidden" default:"[16, 32]" range:"1..16384" flags:"single" unit:"features" when:"trunk=sparse" doc:"Widths of the hidden dense layers (ReLU) of the value head. The first one costs most of them: it reads the features of both sides."`
	ValueSecond   int   `json:",omitempty" key:"value_second" default:"0" range:"0..2048" unit:"channels" when:"value_channels!=0, trunk!=sparse" doc:"Channels of a second convolution of the value head, with a bias and ReLU. ChessSL has 2. 0 means no such convolution."`
	// ValueLinear is with all hidden layers together one linear function.
	ValueLinear bool `json:",omitempty" key:"value_linear" default:"false" doc:"Leave out the ReLU after the hidden dense layers of the value head, as the program of the minimax paper does. They are then together one linear function."`

	// MovesLeft is a convolution (batch norm, ReLU), a hidden dense layer (ReLU), and linear to one.
	MovesLeft         bool `json:",omitempty" key:"moves_left" default:"false" doc:"Add a head that predicts the number of plies left in the game, as in Leela Chess Zero. It is trained and reported, but no search uses it."`
	MovesLeftChannels int  `json:",omitempty" key:"moves_left_channels" default:"8" range:"1..2048" unit:"channels" when:"moves_left=true, trunk!=sparse" doc:"Channels of the convolution of the moves-left head. Leela Chess Zero has 8."`
	MovesLeftHidden   int  `json:",omitempty" key:"moves_left_hidden" default:"128" range:"1..16384" unit:"features" when:"moves_left=true" doc:"Width of the hidden dense layer of the moves-left head. Leela Chess Zero has 128."`
	MovesLeftUnit     int  `json:",omitempty" key:"moves_left_unit" default:"20" range:"1..1000" unit:"plies" when:"moves_left=true" doc:"Number of plies that an output of 1 of the moves-left head stands for. Its loss is of such units. Leela Chess Zero's loss has 20."`
	MovesLeftReLU     bool `json:",omitempty" key:"moves_left_relu" default:"false" when:"moves_left=true" doc:"End the moves-left head with ReLU in training too, as Leela Chess Zero and ChessSL do: an output below 0 counts as 0, and nothing is learned from it. In use it always counts as 0."`

	HeadKernel string `json:",omitempty" key:"head_kernel" default:"1x1" enum:"1x1 3x3 3x3-policy" when:"trunk!=sparse" doc:"Size of the convolutions of all heads, or with 3x3-policy of the policy heads, while the others have 1x1. The heads of AlphaZero have 1x1, those of ChessSL 3x3, and Leela Chess Zero has 3x3-policy."`
	BareHeads  bool   `json:",omitempty" key:"bare_heads" default:"false" when:"trunk!=sparse transformer" doc:"Leave out the ReLU after the first convolution of the value and moves-left heads and its batch norm, as ChessSL does."`

	// Heads for training alone, see heads.
	OpponentPolicy bool `json:",omitempty" key:"opponent_policy" default:"false" when:"policy!=none" doc:"Add a head that predicts the opponent's reply: the policy of the next position, whose moves are numbered as there (KataGo: Wu 2019, section 3.4). Its target is the search's policy where self-play searched the next position in full and kept it as a sample (see selfplay.surprise and selfplay.decided), otherwise the move that was played, as always with held_out: positions and nearly always with data from files, whose order data.shuffle changes; at the end of a game there is none. Only training uses it."`
	SoftPolicy     bool `json:",omitempty" key:"soft_policy" default:"false" when:"policy!=none" doc:"Add a head whose target is that of the policy to the power 1/4, with sum 1, so that moves other than the best count for more (KataGo). Only training uses it."`
	FutureBoard    int  `json:",omitempty" key:"future_board" default:"0" range:"0..1000" unit:"plies" doc:"Add a head that predicts, for each square, which piece of which side stands there this many plies later, or at the end of a shorter game: for chess what KataGo's ownership and future positions are for Go. Only training uses it. 0 means no such head."`

	// The policy head is PolicyNone if PolicySize is 0.
	PolicyHead     string `key:"policy_head" default:"conv73-linear" enum:"conv73-linear conv-linear conv73 attention" when:"policy!=none, trunk!=sparse" doc:"Architecture of the policy head. conv73-linear: a convolution to 73 channels and a linear layer. conv-linear: a 1x1 convolution to policy_channels and a linear layer. conv73: AlphaZero's convolution to a map for each type of move (73 in its own encoding, more with drops), read at the square where the move begins. attention: a product of vectors for the squares where the move begins and ends, as in Leela Chess Zero. The last two share their weights between squares."`
	PolicyReLU     bool   `json:",omitempty" key:"policy_relu" default:"false" when:"policy_head=conv73, trunk!=transformer" doc:"Add a batch norm and ReLU to the maps of moves, which then have no bias and no negative logits, as in ChessSL."`
	PolicyChannels int    `key:"policy_channels" default:"8" range:"1..2048" unit:"channels" when:"policy_head=conv-linear" doc:"Channels before the linear layer of the policy head."`
	_              int    `key:"policy_channels" default:"32" range:"1..2048" unit:"channels" when:"policy_head=attention" doc:"Channels before the attention of the policy head, and length of the vectors of the squares."`
}

const (
	alphaZeroMaps     = 73 // maps of moves of PolicyConv73
	alphaZeroMap      = "alphazero4672"
	attentionChannels = 32 // as in the tag of PolicyChannels
)

// Sizes of the convolutions of heads.
const (
	kernel1 = "1x1"
	kernel3 = "3x3"
	kernelP = "3x3-policy"
)

// mostPlanes is more than any encoding has. The spec of a damaged file may have any number.
const mostPlanes = 1 << 12

// Complete returns the spec with every default made explicit, or an error that names the
// invalid field.
func (s Spec) Complete() (Spec, error) {
	if s.Planes < 1 || s.Planes > mostPlanes {
		return s, fmt.Errorf("network: planes: want 1 to %d, have %d", mostPlanes, s.Planes)
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
	if s.PolicyHead == PolicyNone || s.PolicyHead == policyRows && s.Trunk == TrunkSparse {
		checked.PolicyHead = ""
	}
	if s.Trunk == TrunkSparse { // which completeSparse checks
		checked.Activation, checked.Width = "", 0
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
	if s.Trunk == TrunkSparse {
		return s.completeSparse()
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
		s.AttentionReduction = int(config.Default[Spec]("attention_reduction"))
	case s.Attention == AttentionNone && s.AttentionReduction != 0:
		return s, errors.New("network: attention reduction: there is no attention")
	}
	if s.Trunk == TrunkPlain && s.Depth == 0 {
		return s, errors.New("network: depth: a plain trunk needs at least 1 convolution")
	}
	var err error
	if s.Trunk == TrunkTransformer {
		s, err = s.completeTransformer()
	} else {
		err = s.noTransformer()
	}
	if err != nil {
		return s, err
	}
	return s.completeHeads()
}

// CheckTrunk returns an error if the settings of the trunk, with explicit defaults, do not fit each
// other or, in a sparse trunk, its Input.
func (s *Spec) CheckTrunk() error {
	switch s.Trunk {
	case TrunkSparse:
		return s.checkSparse()
	case TrunkTransformer:
		return s.checkTransformer()
	}
	return nil
}

func (s Spec) completeHeads() (Spec, error) {
	s.HeadKernel = cmp.Or(s.HeadKernel, kernel1)
	if s.MovesLeft {
		d := config.Default[Spec]
		s.MovesLeftChannels = cmp.Or(s.MovesLeftChannels, int(d("moves_left_channels")))
		s.MovesLeftHidden = cmp.Or(s.MovesLeftHidden, int(d("moves_left_hidden")))
		s.MovesLeftUnit = cmp.Or(s.MovesLeftUnit, int(d("moves_left_unit")))
	}
	switch s.PolicyHead {
	case PolicyConv:
		s.PolicyChannels = cmp.Or(s.PolicyChannels, int(config.Default[Spec]("policy_channels")))
	case PolicyAttention:
		s.PolicyChannels = cmp.Or(s.PolicyChannels, attentionChannels)
	case PolicyAlphaZero:
		s.PolicyMap = cmp.Or(s.PolicyMap, alphaZeroMap)
	}
	switch {
	case s.PolicyHead != PolicyConv && s.PolicyHead != PolicyAttention && s.PolicyChannels != 0:
		return s, fmt.Errorf("network: policy channels: only with the policy heads %s and %s", PolicyConv, PolicyAttention)
	case s.PolicyHead != PolicyAlphaZero && s.PolicyReLU:
		return s, fmt.Errorf("network: policy relu: only with the policy head %s", PolicyAlphaZero)
	case s.ValueChannels == Flat && s.ValueSecond > 0:
		return s, errors.New("network: value second: there is no first convolution")
	case s.Trunk != TrunkResidual && s.BareInput:
		return s, fmt.Errorf("network: bare input: only with the trunk %s", TrunkResidual)
	case !s.MovesLeft && (s.MovesLeftChannels+s.MovesLeftHidden+s.MovesLeftUnit > 0 || s.MovesLeftReLU):
		return s, errors.New("network: moves left: there is no such head")
	case s.PolicyHead == PolicyNone && (s.OpponentPolicy || s.SoftPolicy):
		return s, errors.New("network: opponent policy, soft policy: there is no policy")
	case (s.PolicyHead == PolicyNone) != (s.PolicySize == 0):
		return s, fmt.Errorf("network: policy size: the policy head %s has %d moves", s.PolicyHead, s.PolicySize)
	}
	_, err := s.layout()
	return s, err
}

// headKernel is HeadKernel of a complete spec as a number, of policy heads or of others.
func (s *Spec) headKernel(policy bool) int {
	if s.HeadKernel == kernel3 || s.HeadKernel == kernelP && policy {
		return 3
	}
	return 1
}

// layout returns where the policy head finds its logits, if it shares weights between squares.
func (s *Spec) layout() (l encode.Layout, err error) {
	layoutOf := map[string]func(*encode.Policy) (encode.Layout, error){
		PolicyAlphaZero: encode.MoveMaps, PolicyAttention: encode.SquarePairs,
	}[s.PolicyHead]
	if layoutOf == nil {
		return l, nil
	}
	policy, err := s.policyMap("the policy head " + s.PolicyHead)
	if err != nil {
		return l, err
	}
	return layoutOf(policy)
}

// policyMap returns the numbering of the moves, which a setting needs.
func (s *Spec) policyMap(setting string) (*encode.Policy, error) {
	p, err := encode.PolicyByName(s.PolicyMap)
	if err == nil && p.Size() != s.PolicySize {
		err = fmt.Errorf("it has %d moves, not %d", p.Size(), s.PolicySize)
	}
	if err != nil {
		return nil, fmt.Errorf("network: the policy map %q, which %s needs: %w", s.PolicyMap, setting, err)
	}
	return p, nil
}
