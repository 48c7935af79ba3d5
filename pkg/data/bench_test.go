package data

import (
	"path/filepath"
	"testing"

	"alamos/pkg/encode"
)

// A generation of the thesis has 250 games; the planes and targets here are
// random, so files are larger than those of real games.
func benchmarkSamples() []encode.Sample { return randomGames(newRand(1), 0, 1250, 80, 60) }

func BenchmarkWrite(b *testing.B) {
	samples := benchmarkSamples()
	path := filepath.Join(b.TempDir(), "gen.parquet")
	for b.Loop() {
		if err := Write(path, meta, samples); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(samples)*b.N)/b.Elapsed().Seconds(), "samples/s")
}

func BenchmarkRead(b *testing.B) {
	samples := benchmarkSamples()
	path := write(b, meta, samples)
	b.ReportAllocs()
	for b.Loop() {
		read(b, path)
	}
	b.ReportMetric(float64(len(samples)*b.N)/b.Elapsed().Seconds(), "samples/s")
}

func BenchmarkSample(b *testing.B) {
	set := read(b, write(b, meta, benchmarkSamples()))
	indices := make([]int32, set.Len())
	for i := range indices {
		indices[i] = int32(i)
	}
	Shuffle(indices, 1)
	sum := 0
	for b.Loop() {
		for _, i := range indices {
			sum += len(set.Sample(int(i)).Planes)
		}
	}
	b.ReportMetric(float64(len(indices)*b.N)/b.Elapsed().Seconds(), "samples/s")
}
