package nn

import (
	"bytes"
	"encoding/binary"

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
