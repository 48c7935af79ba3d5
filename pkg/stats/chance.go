package stats

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// step is the increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const step = 0x9e3779b97f4a7c15

// Nth returns the n-th number, from 0, of SplitMix64 with this seed (G. L. Steele,
// D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
func Nth(seed, n uint64) uint64 { return finalize(seed + step*(n+1)) }

// Mix returns the first number of SplitMix64. It is a bijection, and seeds that differ
// in one bit give unrelated numbers.
func Mix(seed uint64) uint64 { return Nth(seed, 0) }

func finalize(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Derive returns a seed for one use of seed. The numbers identify the use.
func Derive(seed uint64, numbers ...int) uint64 {
	seed = Mix(seed)
	for _, n := range numbers {
		seed = Mix(seed ^ uint64(n))
	}
	return seed
}

// DeriveNamed returns a seed for item number of the named use of seed. No two uses share a
// stream, and adding a use changes no other stream.
func DeriveNamed(seed uint64, use string, number int) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(number))
	h.Write(b[:])
	h.Write([]byte(use))
	return finalize(h.Sum64()) // FNV mixes the last bytes weakly
}

// NewRand returns a random number generator for one purpose.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
