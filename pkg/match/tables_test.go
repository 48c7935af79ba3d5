package match

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
)

// A table of standings while games are still missing: the best share first, who has
// not played last, points against each other.
func TestTable(t *testing.T) {
	res := NewResults([]string{"idle", "a long name that no table on a screen has room for", "gen-2", "random"})
	long := res.Names[1]
	for i, g := range []struct {
		white, black string
		result       chess.Result
	}{
		{"gen-2", "random", chess.WhiteWins}, {"random", "gen-2", chess.Draw}, {long, "gen-2", chess.WhiteWins}, {"random", long, chess.BlackWins},
	} {
		if err := res.Add(&Game{White: g.white, Black: g.black, Number: i, Outcome: chess.Outcome{Result: g.result}}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"   player                        games score      1     2     3     4",
		" 1 a long name that no table o…      2 100 %      ·   1.0   1.0",
		" 2 gen-2                             3  50 %    0.0     ·   1.5",
		" 3 random                            3  17 %    0.0   0.5     ·",
		" 4 idle                              0     -                        ·",
	}
	if diff := cmp.Diff(want, res.Table()); diff != "" {
		t.Error(diff)
	}
	if s := res.ScoreLine(); s != "score: "+long+" 100 %, gen-2 50 %, random 17 %" {
		t.Error(s)
	}
	var many []string
	for i := range 20 {
		many = append(many, strings.Repeat("x", i+1))
	}
	res = NewResults(many)
	lines := res.Table()
	if len(lines) != tableRows+2 || lines[len(lines)-1] != "   and 8 more" {
		t.Errorf("%d lines: %q", len(lines), lines[len(lines)-1])
	}
}
