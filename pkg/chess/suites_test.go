package chess

import (
	"os"
	"path/filepath"
	"testing"
)

// suites are perft counts on which at least two other programs agree. Their
// positions are of random legal games.
var suites = []struct {
	name    string // of a file in testdata
	variant Variant
}{
	{"chess_public.epd", Standard},
	{"atomic_public.epd", Atomic},
	{"atomic_960.epd", Atomic}, // castling from elsewhere than in chess
	{"antichess.epd", Antichess},
	{"kingofthehill.epd", KingOfTheHill},
	{"3check.epd", ThreeCheck},
	{"horde.epd", Horde},
	{"racingkings.epd", RacingKings},
	{"crazyhouse.epd", Crazyhouse},
}

// readSuite reads a perft suite of testdata.
func readSuite(t testing.TB, v Variant, name string) []SuiteEntry {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	suite, err := ReadSuite(f, name, v)
	if err != nil {
		t.Fatal(err)
	}
	if len(suite) == 0 {
		t.Fatalf("%s: empty", name)
	}
	return suite
}

func TestPerftSuites(t *testing.T) {
	for _, suite := range suites {
		t.Run(suite.name, func(t *testing.T) {
			t.Parallel()
			for _, e := range readSuite(t, suite.variant, suite.name) {
				for _, c := range e.Counts {
					if got := Perft(&e.Position, c.Depth); got != c.Nodes {
						t.Errorf("line %d, %s: depth %d: have %d, want %d", e.Line, e.Position.FEN(), c.Depth, got, c.Nodes)
						break
					}
				}
			}
		})
	}
}
