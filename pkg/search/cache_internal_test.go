package search

import (
	"math/rand/v2"
	"testing"

	"alamos/pkg/encode"
)

// A cache that may hold millions takes memory for what it was told, and knows most of it
// however often it has grown since.
func TestCacheGrows(t *testing.T) {
	c := newCache(100_000_000)
	rng := rand.New(rand.NewPCG(1, 2))
	var keys []key
	for round := range 3 {
		c.clear()
		if c.get(key{}, new(encode.Leaf)) {
			t.Fatal("an empty cache knows an answer")
		}
		keys = keys[:0]
		for i := range 20_000 {
			k := key{rng.Uint64(), rng.Uint64()}
			keys = append(keys, k)
			l := encode.Leaf{Value: float32(i), Priors: make([]float32, 1+i%60)}
			for j := range l.Priors {
				l.Priors[j] = float32(i + j)
			}
			c.put(k, &l)
			if len(c.places) > 2*placesPerEntry*(i+1)+firstPlaces || len(c.priors) > 2*priorsEach*(i+1+firstPlaces) {
				t.Fatalf("%d places and %d priors for %d answers", len(c.places), len(c.priors), i+1)
			}
		}
		known := 0
		for i, k := range keys {
			var l encode.Leaf
			if !c.get(k, &l) {
				continue
			}
			known++
			if l.Value != float32(i) || len(l.Priors) != 1+i%60 || l.Priors[len(l.Priors)-1] != float32(i+i%60) {
				t.Fatalf("answer %d has become %v with %d priors", i, l.Value, len(l.Priors))
			}
		}
		if known < len(keys)*9/10 {
			t.Errorf("%d answers of %d are known in round %d", known, len(keys), round)
		}
	}
}

// At the size that it may have, a cache no longer grows.
func TestCacheStopsGrowing(t *testing.T) {
	c := newCache(1500)
	for i := range 10_000 {
		c.put(key{uint64(i) * 0x9e3779b97f4a7c15, 1}, &encode.Leaf{Priors: make([]float32, 40)})
	}
	if len(c.places) != 1500 || len(c.priors) != 1500*priorsEach || c.taken != 1500 {
		t.Errorf("%d places, %d priors", len(c.places), len(c.priors))
	}
}
