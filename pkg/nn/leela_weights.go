package nn

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Fields of weights with a message for each block, of residual networks and of attention bodies.
const (
	leelaBlocks   = 2
	leelaEncoders = 27
)

// Fields of the heads of an attention body with several policy and value heads, and in them the
// heads that play.
const (
	leelaPolicyHeads, leelaVanilla = 45, 3
	leelaValueHeads, leelaWinner   = 44, 1
)

// leelaMessage is a message of weights that is read or written.
type leelaMessage interface {
	// layer passes an array, which consists of parts of ours, to or from a field.
	layer(field int, parts ...[]float32)
	// optional is layer, for a field that may be absent and then has one value in all places.
	optional(field int, value float32, part []float32)
	// message calls f with the index-th message of a field.
	message(field, index int, f func(leelaMessage))
}

// leela passes the parameters that play to or from a message of weights.
func (n *Network) leela(m leelaMessage) {
	s := &n.spec
	if s.Trunk == TrunkTransformer {
		n.leelaTransformer(m)
		return
	}
	normed := func(m leelaMessage, field int, l *layer) {
		m.message(field, 0, func(m leelaMessage) { leelaNormed(m, l, l.conv.weight.shape[2]) })
	}
	normed(m, 1, n.trunk[0])
	for i := range s.Depth {
		first, second := n.trunk[1+2*i], n.trunk[2+2*i]
		m.message(leelaBlocks, i, func(m leelaMessage) {
			normed(m, 1, first)
			normed(m, 2, second)
			if a := second.attention; a != nil {
				m.message(3, 0, a.leela)
			}
		})
	}
	policy, maps := n.heads.policy, n.heads.policy.maps
	switch s.PolicyHead {
	case PolicyAlphaZero:
		m.message(11, 0, func(m leelaMessage) { leelaNormed(m, maps[0], 3) })
		m.message(3, 0, func(m leelaMessage) { leelaPolicyMaps(m, maps[1].conv) })
	case PolicyConv:
		normed(m, 3, maps[0])
		m.layer(4, policy.dense[0].weight.data)
		m.layer(5, policy.dense[0].bias.data)
	case PolicyConv73: // written only: two linear functions become one
		normed(m, 3, maps[0])
		l, conv := policy.dense[0], maps[1].conv
		weight, bias := mergeConv(squareMajor(l.weight.data, conv.out()), l.bias.data, conv.weight.data, conv.bias.data, conv.in())
		m.layer(4, exchanged(weight, Squares, conv.in()))
		m.layer(5, bias)
	}
	dense := func(fields [2]int, h *head) {
		normed(m, fields[0], h.maps[0])
		for i, l := range h.dense {
			m.layer(fields[1]+2*i, l.weight.data)
			m.layer(fields[1]+2*i+1, l.bias.data)
		}
	}
	dense([2]int{6, 7}, n.heads.value)
	if h := n.heads.movesLeft; h != nil {
		h.leelaPlies(s, func() { dense([2]int{12, 13}, h) })
	}
}

// leelaPlies calls f while the output of a moves-left head is in plies, as Leela's.
func (h *head) leelaPlies(s *Spec, f func()) {
	last := h.dense[1]
	scale := func(by float32) {
		for _, p := range []*param{last.weight, last.bias} {
			for i := range p.data {
				p.data[i] *= by
			}
		}
	}
	unit := float32(s.MovesLeftUnit)
	scale(unit)
	f()
	scale(1 / unit)
}

// leelaTransformer is [Network.leela] of a transformer. It writes the form with one policy and
// one value head, and reads that with several too.
func (n *Network) leelaTransformer(m leelaMessage) {
	dense := func(m leelaMessage, field int, l *dense) {
		m.layer(field, l.weight.data)
		m.layer(field+1, l.bias.data)
	}
	normed := func(m leelaMessage, field int, l *layerNorm) {
		m.layer(field, l.gain.data)
		m.layer(field+1, l.bias.data)
	}
	feed := func(l *feedForward) func(leelaMessage) {
		return func(m leelaMessage) {
			dense(m, 1, l.first)
			dense(m, 3, l.second)
		}
	}
	in := n.trunk[0].tokens.(*embedding)
	if in.board != nil {
		dense(m, 37, in.board)
		normed(m, 39, in.norm)
		m.message(41, 0, feed(in.feed))
		normed(m, 42, in.norm2)
	}
	dense(m, 25, in.dense)
	if in.multiply != nil {
		m.layer(33, in.multiply.data)
		m.layer(34, in.add.data)
	}
	for i, l := range n.trunk[1:] {
		block := l.tokens.(*encoder)
		m.message(leelaEncoders, i, func(m leelaMessage) {
			m.message(1, 0, func(m leelaMessage) {
				dense(m, 1, block.query)
				dense(m, 3, block.key)
				dense(m, 5, block.value)
				dense(m, 7, block.out)
				if g := block.smolgen; g != nil {
					m.message(9, 0, func(m leelaMessage) {
						m.layer(1, g.compress.weight.data)
						dense(m, 2, g.first)
						normed(m, 4, g.norm1)
						dense(m, 6, g.second)
						normed(m, 8, g.norm2)
					})
				}
			})
			normed(m, 2, block.norm1)
			m.message(4, 0, feed(block.feed))
			normed(m, 5, block.norm2)
		})
	}
	if g := n.trunk[1].tokens.(*encoder).smolgen; g != nil {
		m.layer(35, g.shared.data)
	}

	conv := func(m leelaMessage, field int, c *conv) {
		m.layer(field, c.weight.data)
		m.layer(field+1, c.bias.data)
	}
	policy := func(m leelaMessage, query, key, promotions int) {
		p := n.heads.policy.pairs
		conv(m, query, p.query)
		conv(m, key, p.key)
		// Of a queen, a rook and a bishop, and a part that all three have.
		pieces, all := p.pieces.weight.data, make([]float32, p.key.out())
		m.layer(promotions, pieces, all)
		for i := range pieces {
			pieces[i] += all[i%len(all)]
		}
	}
	value := func(m leelaMessage, h *head, embedding, hidden, last int) {
		c := h.maps[0].conv
		conv(m, embedding, c)
		first := h.dense[0] // Leela's reads the numbers by square
		rows := squareMajor(first.weight.data, c.out())
		m.layer(hidden, rows)
		copy(first.weight.data, exchanged(rows, Squares, c.out()))
		m.layer(hidden+1, first.bias.data)
		dense(m, last, h.dense[1])
	}
	several, _ := m.(*leelaReader) // nil for a writer
	if several != nil && several.has(leelaPolicyHeads) {
		m.message(leelaPolicyHeads, 0, func(all leelaMessage) {
			all.message(leelaVanilla, 0, func(m leelaMessage) {
				policy(m, 3, 5, 7)
				if m.(*leelaReader).has(1) {
					all = m
				}
			})
			conv(all, 1, n.heads.policy.maps[0].conv)
		})
	} else {
		conv(m, 4, n.heads.policy.maps[0].conv)
		policy(m, 17, 19, 22)
	}
	if several != nil && several.has(leelaValueHeads) {
		m.message(leelaValueHeads, 0, func(m leelaMessage) {
			m.message(leelaWinner, 0, func(m leelaMessage) { value(m, n.heads.value, 1, 3, 5) })
		})
	} else {
		value(m, n.heads.value, 29, 7, 9)
	}
	if h := n.heads.movesLeft; h != nil {
		h.leelaPlies(&n.spec, func() { value(m, h, 31, 13, 15) })
	}
}

// leelaNormed passes a convolution and its norm. Leela's convolution may have a bias too, which
// the mean of the norm takes away again.
func leelaNormed(m leelaMessage, l *layer, kernel int) {
	own := l.conv.weight.shape[2]
	m.layer(1, resized(l.conv.weight.data, own, kernel)...)
	bias := make([]float32, l.conv.out())
	m.optional(2, 0, bias)
	m.layer(3, l.norm.mean.data)
	m.layer(4, l.norm.variance.data) // called bn_stddivs
	m.optional(5, 1, l.norm.gamma.data)
	m.optional(6, 0, l.norm.beta.data)
	for i, b := range bias {
		l.norm.mean.data[i] -= b
	}
}

// resized returns the parts of a convolution's weights as if its kernels had another size: a 1x1
// kernel is the center of 3x3.
func resized(weight []float32, from, to int) (parts [][]float32) {
	if from == to {
		return [][]float32{weight}
	}
	around := make([]float32, (to*to-from*from)/2)
	for i := range weight {
		parts = append(parts, around, weight[i:i+1], around)
	}
	return parts
}

// leelaPolicyMaps passes the convolution to the maps of moves. They are those of
// alphazero4672, but the maps of promotions are by direction, each for a rook, a bishop and a
// queen.
func leelaPolicyMaps(m leelaMessage, c *conv) {
	const promotions = 64
	own := c.weight.shape[2]
	each := c.in() * own * own
	var weights, biases [][]float32
	for i := range leelaMaps {
		if i >= alphaZeroMaps { // unused
			weights, biases = append(weights, make([]float32, 9*c.in())), append(biases, make([]float32, 1))
			continue
		}
		if k := i - promotions; k >= 0 {
			i = promotions + 3*((k%3+1)%3) + k/3
		}
		weights = append(weights, resized(c.weight.data[i*each:][:each], own, 3)...)
		biases = append(biases, c.bias.data[i:i+1])
	}
	m.layer(1, weights...)
	m.layer(2, biases...)
}

// leela passes the parameters of squeeze-and-excitation. Without a shift they are written only.
func (l *attention) leela(m leelaMessage) {
	hidden, channels := l.first.shape[0], l.first.shape[1]
	data := func(p *param, size int) []float32 {
		if p == nil {
			return make([]float32, size)
		}
		return p.data
	}
	m.layer(1, l.first.data)
	m.layer(2, data(l.firstBias, hidden))
	m.layer(3, l.second.data, data(l.shift, hidden*channels))
	m.layer(4, data(l.secondBias, channels), data(l.shiftBias, channels))
}

// leelaWriter is a message that is written.
type leelaWriter struct{ out proto }

// Encodings of arrays.
const (
	leelaLinear16 = 1 // shares of 65535 of the way from the minimum to the maximum
	leelaFloat16  = 2
	leelaBFloat16 = 3
	leelaFloat32  = 4
)

func (m *leelaWriter) layer(field int, parts ...[]float32) {
	low, high := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, part := range parts {
		for _, x := range part {
			low, high = min(low, x), max(high, x)
		}
	}
	var numbers []byte
	for _, part := range parts {
		for _, x := range part {
			share := 0.0
			if high > low {
				share = (float64(x) - float64(low)) / (float64(high) - float64(low))
			}
			numbers = binary.LittleEndian.AppendUint16(numbers, uint16(math.Round(share*math.MaxUint16)))
		}
	}
	var l proto
	l.float(1, low)
	l.float(2, high)
	l.bytes(3, numbers)
	l.number(4, leelaLinear16)
	m.out.message(field, l)
}

func (m *leelaWriter) optional(field int, _ float32, part []float32) { m.layer(field, part) }

func (m *leelaWriter) message(field, _ int, f func(leelaMessage)) {
	var in leelaWriter
	f(&in)
	m.out.message(field, in.out)
}

// leelaReader is a message that is read. err is the first fault of all messages.
type leelaReader struct {
	protoFields
	name string // in errors
	err  *error
}

func (m *leelaReader) fail(field int, err error) {
	if *m.err == nil {
		*m.err = fmt.Errorf("%s, field %d: %w", m.name, field, err)
	}
}

func (m *leelaReader) layer(field int, parts ...[]float32) {
	want := 0
	for _, part := range parts {
		want += len(part)
	}
	numbers, err := m.array(field)
	if err == nil && len(numbers) != want {
		err = fmt.Errorf("want %d numbers, have %d", want, len(numbers))
	}
	if err != nil {
		m.fail(field, err)
		return
	}
	for _, part := range parts {
		copy(part, numbers)
		numbers = numbers[len(part):]
	}
}

func (m *leelaReader) optional(field int, v float32, part []float32) {
	if n, err := m.arraySize(field); n == 0 && err == nil {
		value(v)(part, nil)
		return
	}
	m.layer(field, part)
}

func (m *leelaReader) message(field, index int, f func(leelaMessage)) {
	in, err := m.inner(field, index)
	if err != nil {
		m.fail(field, err)
		return
	}
	f(in)
}

// nested reports whether the first messages of a path have a field.
func (m *leelaReader) nested(field int, path ...int) bool {
	for _, f := range path {
		var err error
		if m, err = m.inner(f, 0); err != nil {
			return false
		}
	}
	return m.has(field)
}

// inner decodes the index-th message of a field; an absent one is empty.
func (m *leelaReader) inner(field, index int) (*leelaReader, error) {
	in := &leelaReader{name: fmt.Sprintf("%s.%d", m.name, field), err: m.err}
	if field == leelaBlocks || field == leelaEncoders {
		in.name += fmt.Sprintf("[%d]", index)
	}
	var data proto
	if all := m.bytes[field]; index < len(all) {
		data = all[index]
	}
	var err error
	in.protoFields, err = data.fields()
	return in, err
}

// arrayBytes returns the bytes of an array, its encoding, and the size of a number.
func (m *leelaReader) arrayBytes(field int) (l protoFields, data []byte, size int, err error) {
	if l, err = m.protoFields.message(field); err != nil {
		return l, nil, 2, err
	}
	if size = 2; l.numbers[4] == leelaFloat32 {
		size = 4
	}
	if all := l.bytes[3]; len(all) > 0 {
		data = all[len(all)-1]
	}
	if len(data)%size != 0 {
		err = fmt.Errorf("%d bytes are not a multiple of %d", len(data), size)
	}
	return l, data, size, err
}

// arraySize returns the number of numbers of an array; 0 of an absent one.
func (m *leelaReader) arraySize(field int) (int, error) {
	_, data, size, err := m.arrayBytes(field)
	return len(data) / size, err
}

// array decodes an array.
func (m *leelaReader) array(field int) ([]float32, error) {
	l, data, size, err := m.arrayBytes(field)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(data)/size)
	low, high := l.float(1), l.float(2)
	for i := range out {
		x := data[i*size:]
		switch encoding := l.numbers[4]; encoding {
		case 0, leelaLinear16:
			share := float32(binary.LittleEndian.Uint16(x)) / math.MaxUint16
			out[i] = low*(1-share) + high*share
		case leelaFloat16:
			out[i] = fromHalf(binary.LittleEndian.Uint16(x))
		case leelaBFloat16:
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(x)) << 16)
		case leelaFloat32:
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(x))
		default:
			return nil, fmt.Errorf("encoding %d of numbers is not known", encoding)
		}
	}
	return out, nil
}

// fromHalf converts a number of 16 bits, of which 5 are the exponent (IEEE 754 binary16).
func fromHalf(x uint16) float32 {
	sign, exponent, fraction := uint32(x>>15)<<31, uint32(x>>10&31), uint32(x&1023)
	switch exponent {
	case 0: // fraction / 2^24
		return math.Float32frombits(math.Float32bits(float32(fraction)/(1<<24)) | sign)
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
