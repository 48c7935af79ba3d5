package chess

import (
	"os"
	"path/filepath"
	"testing"
)

// readSuite reads a perft suite of testdata.
func readSuite(t testing.TB, v Variant, name string) []SuiteEntry {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	suite, err := ReadSuite(f, v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(suite) == 0 {
		t.Fatalf("%s: empty", name)
	}
	return suite
}

// The counts were made by at least two other programs.
func TestPerftSuites(t *testing.T) {
	for _, suite := range []struct {
		variant Variant
		name    string
	}{
		{Standard, "chess_public.epd"},
		{Atomic, "atomic_public.epd"},
		{Atomic, "atomic_960.epd"},
	} {
		t.Run(suite.name, func(t *testing.T) {
			t.Parallel()
			for _, e := range readSuite(t, suite.variant, suite.name) {
				for _, c := range e.Counts {
					if testing.Short() && c.Depth > 3 {
						continue
					}
					if got := Perft(&e.Position, c.Depth); got != c.Nodes {
						t.Errorf("line %d, %s: depth %d: have %d, want %d", e.Line, e.Position.FEN(), c.Depth, got, c.Nodes)
						break
					}
				}
			}
		})
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, v := range Variants() {
		b.Run(v.String(), func(b *testing.B) {
			p := StartPosition(v)
			nodes := uint64(0)
			for b.Loop() {
				nodes += Perft(&p, 5)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
