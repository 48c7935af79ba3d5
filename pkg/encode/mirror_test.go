package encode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// reflectedFEN exchanges left and right in a position of a FEN without castling rights.
func reflectedFEN(fen string) string {
	fields := strings.Fields(fen)
	board, hands, _ := strings.Cut(fields[0], "[")
	ranks := strings.Split(board, "/")
	for i, rank := range ranks {
		var squares []string
		for _, c := range rank {
			if c == '~' { // a promoted piece, written after its letter
				squares[len(squares)-1] += "~"
			} else {
				squares = append(squares, string(c))
			}
		}
		slices.Reverse(squares)
		ranks[i] = strings.Join(squares, "")
	}
	fields[0] = strings.Join(ranks, "/")
	if hands != "" {
		fields[0] += "[" + hands
	}
	fields[3] = reflectedMove(fields[3])
	return strings.Join(fields, " ")
}

// reflectedMove exchanges left and right in a move in UCI notation, or in a square.
func reflectedMove(move string) string {
	b := []byte(move)
	for i := 0; i+1 < len(b); i++ {
		if b[i+1] >= '1' && b[i+1] <= '8' {
			b[i] = 'a' + 'h' - b[i]
		}
	}
	return string(b)
}

// The reflection of a sample is the sample of the reflected game: in every variant, for
// every encoding that shows castling rights.
func TestReflection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 17))
	var pairs [][2]string // names of planes and policy
	for _, name := range encode.PlanesNames() {
		pairs = append(pairs, [2]string{name, "uci2206-mover"})
	}
	for _, name := range encode.PolicyNames() {
		pairs = append(pairs, [2]string{"variants31", name})
	}
	for _, v := range chess.Variants() {
		for _, pair := range pairs {
			c, err := encode.NewCodec(pair[0], pair[1], v)
			if err != nil {
				continue
			}
			m, err := encode.NewMirror(c)
			if pair[0] == "marro77" {
				if err == nil || !strings.Contains(err.Error(), "marro77 has no planes of castling rights") {
					t.Errorf("marro77: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			checkReflection(t, c, m, v, rng)
		}
	}
}

// withoutCastling returns a position without its castling rights.
func withoutCastling(t *testing.T, p chess.Position) chess.Position {
	t.Helper()
	fields := strings.Fields(p.FEN())
	fields[2] = "-"
	return position(t, p.Variant(), strings.Join(fields, " "))
}

// checkReflection plays two random games, one of them reflected, without castling rights.
func checkReflection(t *testing.T, c encode.Codec, m *encode.Mirror, v chess.Variant, rng *rand.Rand) {
	t.Helper()
	start := chess.StartPosition(v)
	if p, err := chess.Chess960(v, rng.IntN(960)); err == nil && rng.IntN(2) == 0 {
		start = p
	}
	start = withoutCastling(t, start)
	g, twin := chess.NewGame(start), chess.NewGame(position(t, v, reflectedFEN(start.FEN())))
	var l, other chess.MoveList
	var have encode.Sample
	for range 80 {
		p := g.Position()
		p.LegalMoves(&l)
		if g.Outcome(&l).Over() {
			return
		}
		move := l.At(rng.IntN(l.Len()))
		reflected, err := twin.Position().ParseUCI(reflectedMove(p.UCI(move)))
		if err != nil {
			t.Fatal(err)
		}
		twin.Position().LegalMoves(&other)
		s, want := sampleOf(c, g, l.Slice()), sampleOf(c, twin, other.Slice())
		if !m.Reflects(&s) {
			t.Fatalf("%s: a position without castling rights cannot be reflected", p.FEN())
		}
		m.Reflect(&have, &s)
		slices.Sort(have.Indices) // the order of legal moves differs
		slices.Sort(want.Indices)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%s, %s, %s after %v (-want +have):\n%s", v, c.Planes.Name(), c.Policy.Name(), p.FEN(), diff)
		}
		g.Play(move)
		twin.Play(reflected)
	}
}

// sampleOf encodes the current position of a game.
func sampleOf(c encode.Codec, g *chess.Game, moves []chess.Move) encode.Sample {
	s := encode.Sample{Planes: make([]uint64, c.Planes.Count()), Value: 0.5, Reply: -1}
	c.Planes.Encode(s.Planes, g)
	s.Indices = c.Indices(nil, g.Position(), moves)
	return s
}

// A position in which a side may castle has no reflection.
func TestReflectionRefusesCastling(t *testing.T) {
	for _, name := range encode.PlanesNames() {
		c, err := encode.NewCodec(name, "uci1968", chess.Standard)
		if err != nil {
			t.Fatal(err)
		}
		m, err := encode.NewMirror(c)
		if err != nil {
			continue
		}
		for fen, reflects := range map[string]bool{
			"r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1": true, "r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1": false, "r3k2r/8/8/8/8/8/8/R3K2R w Q - 0 1": false,
			"r3k2r/8/8/8/8/8/8/R3K2R w k - 0 1": false, "r3k2r/8/8/8/8/8/8/R3K2R b q - 0 1": false, "r3k2r/8/8/8/8/8/8/R3K2R b Q - 0 1": false,
		} {
			s := sampleOf(c, chess.NewGame(position(t, chess.Standard, fen)), nil)
			if m.Reflects(&s) != reflects {
				t.Errorf("%s: %s is reflected: %v", name, fen, !reflects)
			}
		}
	}
}
