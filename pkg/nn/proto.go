package nn

import (
	"bytes"
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// proto is an encoded protobuf message (https://protobuf.dev/programming-guides/encoding). Its
// methods append a field, whose number comes from the definition of the message.
type proto []byte

func (p *proto) number(field, x int) {
	*p = protowire.AppendTag(*p, protowire.Number(field), protowire.VarintType)
	*p = protowire.AppendVarint(*p, uint64(x))
}

func (p *proto) bytes(field int, x []byte) {
	*p = protowire.AppendTag(*p, protowire.Number(field), protowire.BytesType)
	*p = protowire.AppendBytes(*p, x)
}

func (p *proto) text(field int, x string)   { p.bytes(field, []byte(x)) }
func (p *proto) message(field int, x proto) { p.bytes(field, x) }

// littleEndian returns the bytes of numbers of a fixed size.
func littleEndian(x any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
		panic(err) // the type has no fixed size
	}
	return b.Bytes()
}

// fixed appends a number of four bytes.
func (p *proto) fixed(field int, x uint32) {
	*p = protowire.AppendTag(*p, protowire.Number(field), protowire.Fixed32Type)
	*p = protowire.AppendFixed32(*p, x)
}

func (p *proto) float(field int, x float32) { p.fixed(field, math.Float32bits(x)) }

// protoFields are the fields of a message by their numbers: the values of numbers, and the
// bytes of texts and messages, in the order of the message.
type protoFields struct {
	numbers map[int]uint64 // the last of each
	bytes   map[int][]proto
}

// fields decodes the message. Messages in it are decoded by another call.
func (p proto) fields() (f protoFields, err error) {
	f = protoFields{map[int]uint64{}, map[int][]proto{}}
	for len(p) > 0 {
		number, kind, n := protowire.ConsumeTag(p)
		if n < 0 {
			return f, protowire.ParseError(n)
		}
		p = p[n:]
		field := int(number)
		switch kind {
		case protowire.VarintType:
			f.numbers[field], n = protowire.ConsumeVarint(p)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(p)
			f.numbers[field] = uint64(x)
		case protowire.BytesType:
			var x []byte
			x, n = protowire.ConsumeBytes(p)
			f.bytes[field] = append(f.bytes[field], x)
		default:
			n = protowire.ConsumeFieldValue(number, kind, p)
		}
		if n < 0 {
			return f, protowire.ParseError(n)
		}
		p = p[n:]
	}
	return f, nil
}

// message decodes a message in the message; an absent one is empty.
func (f protoFields) message(field int) (protoFields, error) {
	if m := f.bytes[field]; len(m) > 0 {
		return m[len(m)-1].fields()
	}
	return proto(nil).fields()
}

func (f protoFields) has(field int) bool { return len(f.bytes[field]) > 0 }

func (f protoFields) float(field int) float32 {
	return math.Float32frombits(uint32(f.numbers[field]))
}
