package experiment

import (
	"encoding/binary"
	"hash/fnv"
)

// Seed derives the seed of one use of randomness from a trial's seed, so that
// no two uses share a stream and none moves when another is added.
func Seed(trial uint64, use string, number int) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], trial)
	binary.LittleEndian.PutUint64(b[8:], uint64(number))
	h.Write(b[:])
	h.Write([]byte(use))
	// FNV mixes its last bytes weakly: finish as SplitMix64 does.
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
