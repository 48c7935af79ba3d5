package match

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/chess"
)

// Whatever players think, a game that is read from its file is written again as the
// same bytes: tournaments that are resumed must not differ from others.
func TestCommentsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Game{Variant: chess.Atomic, White: "a", Black: "b", Start: chess.StartPosition(chess.Atomic), Outcome: chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}}
		at := chess.NewGame(g.Start)
		var l chess.MoveList
		for range rapid.IntRange(0, 60).Draw(t, "plies") {
			at.Position().LegalMoves(&l)
			if at.Outcome(&l).Over() {
				break
			}
			m := l.At(rapid.IntRange(0, l.Len()-1).Draw(t, "move"))
			at.Play(m)
			g.Moves = append(g.Moves, m)
			var in Info
			if rapid.Bool().Draw(t, "has a score") {
				x := rapid.Float64Range(-1, 1).Draw(t, "score")
				in.Score = &x
				if in.Mate = rapid.IntRange(-20, 20).Draw(t, "mate"); in.Mate != 0 {
					x = float64(in.Mate / max(in.Mate, -in.Mate))
				}
			}
			in.Visits = rapid.IntRange(0, 1_000_000_000).Draw(t, "visits")
			in.Depth = rapid.IntRange(0, 500).Draw(t, "depth")
			g.Infos = append(g.Infos, in)
		}
		first := written(t, g)
		p, err := chess.NewPGNReader(bytes.NewReader(first)).Next()
		if err != nil {
			t.Fatal(err)
		}
		back, err := fromPGN(p)
		if err != nil {
			t.Fatal(err)
		}
		if again := written(t, back); !bytes.Equal(first, again) {
			t.Fatalf("%s\nand read again\n%s", first, again)
		}
		for i, in := range back.Infos {
			if have := g.Infos[i]; in.Visits != have.Visits || in.Depth != have.Depth || in.Mate != have.Mate ||
				(in.Score == nil) != (have.Score == nil) || in.Score != nil && math.Abs(*in.Score-*have.Score) > 0.001 {
				t.Fatalf("ply %d: %+v, want %+v", i+1, in, have)
			}
		}
	})
}

func written(t *rapid.T, g *Game) []byte {
	var b bytes.Buffer
	if err := chess.WritePGN(&b, g.PGN("test")); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
