package match

import (
	"crypto/sha256"
	"encoding/binary"
)

// derive returns a seed that is a function of a seed, a number and texts.
func derive(seed uint64, number int, texts ...string) uint64 {
	buf := binary.LittleEndian.AppendUint64(nil, seed)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(number))
	for _, s := range texts {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	sum := sha256.Sum256(buf)
	return binary.LittleEndian.Uint64(sum[:])
}
