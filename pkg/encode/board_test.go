package encode

import (
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// Every encoding's planes show the position: White's side of it, or that of the side
// to move.
func TestBoard(t *testing.T) {
	for fen, turned := range map[string]string{
		"r3k2r/ppp2ppp/2n5/1B1pP3/3Q4/2N5/PPP2PPP/R3K2R w KQkq d6 0 9": "",
		"6k1/5ppp/8/8/2q5/8/5PPP/R5K1 b - - 3 40":                      "r5k1/5ppp/8/2Q5/8/8/5PPP/6K1",
	} {
		p, err := chess.ParseFEN(chess.Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		asItIs, _, _ := strings.Cut(fen, " ")
		for _, e := range allPlanes {
			planes := make([]uint64, e.Count())
			e.Encode(planes, chess.NewGame(p))
			want := asItIs
			if turned != "" && !e.White() {
				want = turned
			}
			if have, err := Board(e, planes); err != nil || have != want {
				t.Errorf("%s: %s (%v), want %s", e.Name(), have, err, want)
			}
		}
	}
	if _, err := Board(atomic16, make([]uint64, 3)); err == nil {
		t.Error("three planes are a board")
	}
}
