package encode_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

var update = flag.Bool("update", false, "write the golden files anew")

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// goldenGames are moves from a FEN; each is encoded after its last move. They have
// castling rights of all kinds and none, a capture en passant, promotions, a position
// that was there before, and each side to move.
var goldenGames = []struct{ fen, moves string }{
	{start, ""},
	{start, "e2e4"},
	{start, "g1f3 g8f6 f3g1 f6g8"},
	{start, "e2e4 a7a6 e4e5 d7d5"},
	{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 31", ""},
	{"2n5/1P3P1k/8/8/8/8/1p3p1K/6N1 w - - 0 60", ""},
	{"2n5/1P3P1k/8/8/8/8/1p3p1K/6N1 b - - 0 60", ""},
}

// A change in what a network is shown, or in the number of a move, makes old
// checkpoints wrong without a word: every encoding is pinned here, in chess. A
// file has the planes that are not zero, as bits from a1 to h8 or as the value of all
// squares, and the numbers of the legal moves. What they should be is for the other
// tests to say.
func TestGolden(t *testing.T) {
	for _, name := range encode.PlanesNames() {
		planes, err := encode.PlanesByName(name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, func(b *bytes.Buffer, g *chess.Game) {
			words := make([]uint64, planes.Count())
			planes.Encode(words, g)
			for i, w := range words {
				switch {
				case w == 0:
				case planes.Constant()[i]:
					fmt.Fprintf(b, "%4d all %g\n", i, math.Float32frombits(uint32(w)))
				default:
					fmt.Fprintf(b, "%4d %016x\n", i, w)
				}
			}
		})
	}
	for _, name := range encode.PolicyNames() {
		policy, err := encode.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, func(b *bytes.Buffer, g *chess.Game) {
			var l chess.MoveList
			p := g.Position()
			p.LegalMoves(&l)
			for i := range l.Len() {
				fmt.Fprintf(b, "%5d %s\n", policy.Index(p, l.At(i)), p.UCI(l.At(i)))
			}
		})
	}
}

func golden(t *testing.T, name string, write func(*bytes.Buffer, *chess.Game)) {
	t.Helper()
	var b bytes.Buffer
	for _, x := range goldenGames {
		fmt.Fprintln(&b, strings.TrimSpace("# "+x.fen+" "+x.moves))
		p, err := chess.ParseFEN(chess.Standard, x.fen)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(p)
		for _, s := range strings.Fields(x.moves) {
			m, err := g.Position().ParseUCI(s)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
		write(&b, g)
	}
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is not encoded as %s has it", name, file)
	}
}
