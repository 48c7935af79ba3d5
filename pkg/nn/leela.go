package nn

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Weight files of Leela Chess Zero (net.proto of LeelaChessZero/lczero-common, and the reader
// of LeelaChessZero/lc0) are a gzip file of a protobuf. Ours and theirs have residual blocks,
// with or without squeeze-and-excitation, the same value and moves-left heads, and two of the
// policy heads in common. A convolution's batch norm is stored beside it.

// The newer ones, attention bodies, are transformers with the policy head attention.

// LeelaExt is how the name of a weight file of Leela Chess Zero ends.
const LeelaExt = ".pb.gz"

// The encodings of Leela's networks.
const (
	leelaInput  = "lc0-112"
	leelaPolicy = "lc0-1858"
)

const (
	leelaONNX          = 5  // in leelaFormats: all numbers above are attention bodies
	leelaAttentionBody = 6  // with one policy and one value head
	leelaHeadCount     = 28 // fields of weights
	leelaSmolgen       = 35
)

// leelaFunctions are activation functions by their numbers.
var leelaFunctions = map[uint64]string{1: Mish, 2: ReLU, 7: Swish, 8: SquaredReLU}

func leelaFunction(name string) int {
	for number, f := range leelaFunctions {
		if f == name {
			return int(number)
		}
	}
	return 0
}

const (
	leelaMagic = 0x1c0
	leelaMoves = 1858
	leelaMaps  = 80      // of a convolutional policy, of which 73 are used
	leelaLimit = 2 << 30 // bytes of an unpacked file
)

// Values of NetworkFormat, by field: input, output, network, policy, value, moves left.
var leelaFormats = map[int]map[uint64]string{
	1: {1: "classical planes", 2: "planes of castling rooks", 3: "canonical planes", 4: "canonical planes", 132: "canonical planes", 5: "canonical planes", 133: "canonical planes"},
	3: {1: "classical", 2: "squeeze-and-excitation", 3: "classical", 4: "squeeze-and-excitation", 5: "ONNX", 6: "attention body", 7: "attention body with several heads", 134: "attention body with several heads"},
	4: {0: "unknown", 1: "a dense layer", 2: "convolution", 3: "attention"},
	5: {0: "unknown", 1: "tanh", 2: "win, draw and loss", 3: "parameters of a distribution"},
}

// WriteLeela writes the network that plays as a weight file for Leela Chess Zero, or returns an
// error that names what Leela's networks do not have. Weights are rounded to 16 bits of the
// range of their layer, as in Leela's own files.
func (c *Checkpoint) WriteLeela(w io.Writer) error {
	if err := c.leelaFaults(); err != nil {
		return fmt.Errorf("write %s: %w", LeelaExt, err)
	}
	n, err := c.playing()
	if err != nil {
		return err
	}
	// A norm hides the scale of the convolution before it. With variances of 1 rounding
	// changes none.
	for _, l := range n.all() {
		if l.norm == nil {
			continue
		}
		each := l.conv.weight.size() / l.conv.out()
		for i, v := range l.norm.variance.data {
			scale := 1 / math.Sqrt(float64(v)+normEpsilon)
			for k := range each {
				l.conv.weight.data[i*each+k] *= float32(scale)
			}
			l.norm.mean.data[i] *= float32(scale)
			l.norm.variance.data[i] = 1 - normEpsilon
		}
	}
	m := &leelaWriter{}
	n.leela(m)
	s := &n.spec
	var version, network, format, file proto
	version.number(2, 26) // of 2020, with everything that the file may have
	pick := func(is bool, yes, no int) int {
		if is {
			return yes
		}
		return no
	}
	network.number(1, 1)
	network.number(2, pick(s.Value == ValueWDL, 2, 1))
	network.number(5, pick(s.Value == ValueWDL, 2, 1))
	network.number(6, pick(s.MovesLeft, 1, 0))
	if s.Trunk == TrunkTransformer {
		network.number(3, leelaAttentionBody)
		network.number(4, 3)
		network.number(7, pick(s.Activation == Mish, 1, 0))
		network.number(8, leelaFunction(cmp.Or(s.SmolgenActivation, Swish)))
		network.number(9, leelaFunction(s.FeedForwardActivation))
		network.number(10, pick(s.Position == PositionDense, 2, 1))
		m.out.number(leelaHeadCount, s.AttentionHeads)
	} else {
		network.number(3, pick(s.Attention == AttentionNone, 3, 4))
		network.number(4, pick(s.PolicyHead == PolicyAlphaZero, 2, 1))
	}
	format.number(1, 1)
	format.message(2, network)
	file.fixed(1, leelaMagic)
	file.message(3, version)
	file.message(4, format)
	file.message(10, m.out)
	z := gzip.NewWriter(w)
	if _, err := z.Write(file); err != nil {
		return err
	}
	return z.Close()
}

// leelaFaults returns an error that names all that a network of Leela's cannot have.
func (c *Checkpoint) leelaFaults() error {
	s, err := c.Spec.Complete()
	if err != nil {
		return err
	}
	var faults []error
	want := func(is bool, format string, args ...any) {
		if !is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	want(c.Variant == chess.Standard.String(), "the variant is %s: Leela Chess Zero plays chess", c.Variant)
	want(c.Input == leelaInput, "network.input is %s: want %s", c.Input, leelaInput)
	want(c.Policy == leelaPolicy, "network.policy is %s: want %s", c.Policy, leelaPolicy)
	transformer := s.Trunk == TrunkTransformer
	want(transformer || s.Trunk == TrunkResidual, "network.trunk is %s: want %s or %s", s.Trunk, TrunkResidual, TrunkTransformer)
	want(s.Depth > 0, "network.depth is 0: want at least 1 block")
	want(!s.BareInput, "network.bare_input: want an activation after the input convolution")
	want(transformer || s.Activation == ReLU, "network.activation is %s: want %s, as in the heads", s.Activation, ReLU)
	want(s.Attention != AttentionCBAM, "network.attention is %s: want none, %s or %s", s.Attention, AttentionSqueeze, AttentionShift)
	want(!transformer || s.PolicyHead == PolicyAttention && s.headKernel(true) == 1, "network.policy_head: want %s with a 1x1 kernel after a transformer", PolicyAttention)
	want(transformer || s.PolicyHead == PolicyConv && s.headKernel(true) == 1 || s.PolicyHead == PolicyConv73 && s.headKernel(true) == 1 || s.PolicyHead == PolicyAlphaZero && !s.PolicyReLU,
		"network.policy_head: want %s, or %s or %s with a 1x1 kernel", PolicyAlphaZero, PolicyConv, PolicyConv73)
	want(s.Value != ValueLinear && !s.ValueLinear, "the value has a linear output or layers: want tanh or wdl, and ReLU")
	want(s.ValueChannels != Flat && s.ValueSecond == 0 && !s.ValuePooling && len(s.ValueHidden) == 1, "the value head: want one convolution, no pooling, and one hidden layer")
	want(s.headKernel(false) == 1, "network.head_kernel is %s: want 1x1 or 3x3-policy", s.HeadKernel)
	want(!s.BareHeads, "network.bare_heads: want ReLU after the convolutions of the heads")
	return errors.Join(faults...)
}

// readLeela reads a weight file of Leela Chess Zero.
func readLeela(path string) (*Checkpoint, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := unpackLeela(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func unpackLeela(r io.Reader) (*Checkpoint, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a weight file of Leela Chess Zero: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(z, leelaLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged weight file of Leela Chess Zero: %w", err)
	case len(data) > leelaLimit:
		return nil, fmt.Errorf("the weight file has more than %d bytes", leelaLimit)
	}
	return parseLeela(data)
}

// parseLeela returns the network of an unpacked file.
func parseLeela(data []byte) (*Checkpoint, error) {
	fault := func(err error) error { return fmt.Errorf("weight file of Leela Chess Zero: %w", err) }
	file, err := proto(data).fields()
	if err != nil {
		return nil, fault(err)
	}
	if file.numbers[1] != leelaMagic {
		return nil, errors.New("not a weight file of Leela Chess Zero: it does not begin with its number")
	}
	if !file.has(10) {
		return nil, fault(errors.New("it has no weights: it may have a model in ONNX, which cannot be read"))
	}
	weights := &leelaReader{name: "weights", err: new(error)}
	if weights.protoFields, err = file.message(10); err != nil {
		return nil, fault(err)
	}
	format, err := leelaFormat(file, weights)
	if err != nil {
		return nil, fault(err)
	}
	spec, err := leelaSpec(format, weights)
	if err != nil {
		return nil, fault(err)
	}
	numbers := 0
	for _, p := range spec.declared() {
		if len(p.shape) > 1 {
			numbers += p.size()
		}
	}
	if numbers > len(data)/2 {
		return nil, fault(fmt.Errorf("%d bytes are too few for a network of %d weights", len(data), numbers))
	}
	n, err := New(spec, 0)
	if err != nil {
		return nil, fault(err)
	}
	n.leela(weights)
	if *weights.err != nil {
		return nil, fault(*weights.err)
	}
	for _, l := range n.all() {
		if l.norm != nil && slices.ContainsFunc(l.norm.variance.data, func(v float32) bool { return !(v >= 0) }) {
			return nil, fault(fmt.Errorf("%s has values below 0", l.norm.variance.name))
		}
	}
	c := &Checkpoint{Header: Header{Spec: n.Spec(), Input: leelaInput, Policy: leelaPolicy, Variant: chess.Standard.String()}}
	c.Network, err = n.State()
	return c, err
}

// leelaFormat returns the description of the network. Old files lack parts of it.
func leelaFormat(file protoFields, weights *leelaReader) (format protoFields, err error) {
	if format, err = file.message(4); err != nil {
		return format, err
	}
	described := format.has(2)
	if format, err = format.message(2); err != nil {
		return format, err
	}
	f := format.numbers
	if !described {
		f[1], f[3] = 1, 1
	}
	switch {
	case f[3] == 1 || f[3] == 2:
		f[4], f[5] = 1, 1
	case f[3] == 4 && weights.has(leelaEncoders): // an attention body before it had a number
		if f[3] = leelaAttentionBody; weights.has(leelaSmolgen) {
			f[8], f[9] = 7, 8
		}
	}
	body := f[3] > leelaONNX
	switch {
	case f[1] != 1:
		err = fmt.Errorf("its input is format %d (%s): only format 1 (%s) can be read, which is %s", f[1], leelaFormats[1][f[1]], leelaFormats[1][1], leelaInput)
	case leelaFormats[3][f[3]] == "" || f[3] == leelaONNX:
		err = fmt.Errorf("its network is of kind %d (%s): only residual networks and attention bodies can be read", f[3], leelaFormats[3][f[3]])
	case body && f[4] != 3:
		err = fmt.Errorf("its policy head is of kind %d (%s): an attention body can be read with %s only", f[4], leelaFormats[4][f[4]], leelaFormats[4][3])
	case !body && f[4] != 1 && f[4] != 2:
		err = fmt.Errorf("its policy head is of kind %d (%s): only %s and %s can be read", f[4], leelaFormats[4][f[4]], leelaFormats[4][1], leelaFormats[4][2])
	case f[5] != 1 && f[5] != 2:
		err = fmt.Errorf("its value head is of kind %d (%s): only %s, and %s can be read", f[5], leelaFormats[5][f[5]], leelaFormats[5][1], leelaFormats[5][2])
	case !body && f[7] != 0:
		err = errors.New("its activation is not ReLU: such heads cannot be read")
	}
	return format, err
}

// leelaSpec returns the complete spec of a network.
func leelaSpec(format protoFields, weights *leelaReader) (s Spec, err error) {
	count := func(field int, path ...int) (n int) { // of the numbers of an array in a message of weights
		m := weights
		for _, f := range path {
			if m, err = m.inner(f, 0); err != nil {
				return 0
			}
		}
		if err == nil {
			n, err = m.arraySize(field)
		}
		return n
	}
	planes, err := encode.PlanesByName(leelaInput)
	if err != nil {
		return s, err
	}
	s = Spec{
		Planes: planes.Count(), Constant: planes.Constant(), PolicySize: leelaMoves, PolicyMap: leelaPolicy,
		Value: ValueTanh, MovesLeft: format.numbers[6] == 1,
	}
	if format.numbers[5] == 2 {
		s.Value = ValueWDL
	}
	if format.numbers[3] > leelaONNX {
		if fault := s.leelaTransformer(format.numbers, weights, count); err != nil || fault != nil {
			return s, cmp.Or(err, fault)
		}
		return s.Complete()
	}
	s.Trunk, s.Depth, s.Width = TrunkResidual, len(weights.bytes[leelaBlocks]), count(1, 1)/(9*planes.Count())
	s.Activation, s.Attention = ReLU, AttentionNone
	if hidden := count(2, leelaBlocks, 3); s.Depth > 0 && hidden > 0 && s.Width > 0 {
		s.Attention, s.AttentionReduction = AttentionShift, max(1, s.Width/hidden)
		if have := max(1, s.Width/s.AttentionReduction); have != hidden {
			return s, fmt.Errorf("its squeeze-and-excitation has %d hidden features for %d channels: want a whole part of the channels", hidden, s.Width)
		}
	}
	perSquare := func(field int) int { // channels of a convolution of 1x1
		if s.Width == 0 {
			return 0
		}
		return count(1, field) / s.Width
	}
	if format.numbers[4] == 2 {
		s.PolicyHead, s.HeadKernel = PolicyAlphaZero, kernelP
	} else {
		s.PolicyHead, s.PolicyChannels = PolicyConv, perSquare(3)
	}
	s.ValueChannels, s.ValueHidden = perSquare(6), []int{count(8)}
	if s.MovesLeft {
		s.MovesLeftChannels, s.MovesLeftHidden = perSquare(12), count(14)
	}
	if err != nil {
		return s, err
	}
	if s.Depth == 0 || s.Width == 0 || s.ValueChannels == 0 || s.PolicyHead == PolicyConv && s.PolicyChannels == 0 || s.MovesLeft && (s.MovesLeftChannels == 0 || s.MovesLeftHidden == 0) {
		return s, errors.New("a residual block or a convolution is missing or empty")
	}
	return s.Complete()
}

// leelaTransformer sets the keys of an attention body. count returns the number of numbers of a
// field in messages of weights.
func (s *Spec) leelaTransformer(format map[int]uint64, weights *leelaReader, count func(field int, path ...int) int) error {
	const mha, smolgen, ffn = 1, 9, 4 // fields of a block
	s.Trunk, s.Depth, s.Width, s.AttentionHeads = TrunkTransformer, len(weights.bytes[leelaEncoders]), count(26), int(weights.numbers[leelaHeadCount])
	s.FeedForward, s.Gating = count(2, leelaEncoders, ffn), weights.has(33)
	s.Activation = ReLU
	if format[7] == 1 {
		s.Activation = Mish
	}
	function := func(field int) string {
		if number := format[field]; number != 0 {
			return cmp.Or(leelaFunctions[number], fmt.Sprintf("number %d", number))
		}
		return s.Activation
	}
	s.FeedForwardActivation, s.Position = function(9), PositionMap
	if weights.has(37) {
		s.Position, s.PositionWidth = PositionDense, count(38)/Squares
	}
	if weights.has(leelaSmolgen) && s.Width > 0 && s.AttentionHeads > 0 {
		s.Smolgen = count(1, leelaEncoders, mha, smolgen) / s.Width
		s.SmolgenHidden, s.SmolgenSize = count(3, leelaEncoders, mha, smolgen), count(7, leelaEncoders, mha, smolgen)/s.AttentionHeads
		s.SmolgenActivation = function(8)
	}
	s.PolicyHead, s.PolicyChannels = PolicyAttention, count(18)
	embedding, encoders := count(5), weights.has(21)
	if weights.has(leelaPolicyHeads) {
		embedding, s.PolicyChannels = count(2, leelaPolicyHeads), count(4, leelaPolicyHeads, leelaVanilla)
		if own := count(2, leelaPolicyHeads, leelaVanilla); own > 0 {
			embedding = own
		}
		encoders = weights.nested(8, leelaPolicyHeads, leelaVanilla)
	}
	s.ValueChannels, s.ValueHidden = count(30), []int{count(8)}
	if weights.has(leelaValueHeads) {
		s.ValueChannels, s.ValueHidden = count(2, leelaValueHeads, leelaWinner), []int{count(4, leelaValueHeads, leelaWinner)}
	}
	if s.MovesLeft {
		s.MovesLeftChannels, s.MovesLeftHidden = count(32), count(14)
	}
	heads, hidden := count(2, leelaEncoders, mha), count(2, 41)
	switch {
	case weights.has(leelaBlocks):
		return errors.New("it has residual blocks before the attention body, which cannot be read")
	case encoders:
		return errors.New("its policy head has attention blocks of its own, which cannot be read")
	case weights.nested(10, leelaEncoders, mha) || weights.nested(11, leelaEncoders, mha) || weights.nested(12, leelaEncoders, mha):
		return errors.New("its attention has relative positions, which cannot be read")
	case s.Depth == 0 || s.Width == 0 || s.AttentionHeads == 0 || s.FeedForward == 0 || s.PolicyChannels == 0 || s.ValueChannels == 0:
		return errors.New("a block or a layer is missing or empty")
	case heads != s.Width || embedding != s.PolicyChannels || s.Position == PositionDense && hidden != s.FeedForward:
		return fmt.Errorf("its sizes differ where they must be equal here: %d and %d of blocks, %d and %d of the policy, %d and %d of hidden layers", s.Width, heads, embedding, s.PolicyChannels, s.FeedForward, hidden)
	case weights.has(leelaSmolgen) && s.Smolgen*s.SmolgenHidden*s.SmolgenSize == 0:
		return errors.New("its smolgen is missing or empty")
	}
	return nil
}
