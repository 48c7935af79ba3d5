package encode_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// contents returns what stands on the squares of a later board: letters as in FEN, upper case
// for the side whose score is predicted.
func contents(future []uint64) string {
	const letters = ".PNBRQKpnbrqk"
	board := make([]byte, 64)
	for s := range board {
		class := 0
		for k, word := range future {
			class |= int(word>>s&1) << k
		}
		board[s] = letters[class]
	}
	return string(board)
}

// The reply is numbered in the position in which the opponent makes it; the later board is as
// the input shows the board, and the final one where the game is shorter.
func TestContinue(t *testing.T) {
	p := position(t, chess.Standard, "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1")
	var moves []chess.Move
	q := p
	for _, text := range []string{"e2e4", "d4e3", "e1e2", "e8e7"} {
		m, err := q.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
		q.Play(m)
	}
	after := p
	after.Play(moves[0])
	const rank = "........"
	white := map[int]string{ // by plies, from a1 on
		1: "....K..." + rank + rank + "...pP..." + rank + rank + rank + "....k...",
		2: "....K..." + rank + "....p..." + rank + rank + rank + rank + "....k...",
		4: rank + "....K..." + "....p..." + rank + rank + rank + "....k..." + rank,
		9: rank + "....K..." + "....p..." + rank + rank + rank + "....k..." + rank,
	}
	for _, names := range [][2]string{{"atomic16", "uci1968"}, {"mover15", "uci1968-mover"}, {"mover15", "none"}} {
		c, err := encode.NewCodec(names[0], names[1], chess.Standard)
		if err != nil {
			t.Fatal(err)
		}
		var s encode.Sample
		for plies, want := range white {
			if c.Continue(&s, &p, moves, plies); contents(s.Future) != want {
				t.Errorf("%v, %d plies later: %s, want %s", names, plies, contents(s.Future), want)
			}
			if want := int32(c.Policy.Index(&after, moves[1])); s.Reply != want {
				t.Errorf("%v, %d plies: reply %d, want %d", names, plies, s.Reply, want)
			}
		}
		if c.Continue(&s, &p, moves[:1], 0); s.Reply != -1 || len(s.Future) != 0 {
			t.Errorf("%v: reply %d and board %v at the end of the game", names, s.Reply, s.Future)
		}
	}
	// Black sees the board upside down, and its own pieces first.
	c, err := encode.NewCodec("mover15", "uci1968-mover", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	var s encode.Sample
	want := rank + "....K..." + rank + rank + rank + "....P..." + "....k..." + rank
	if c.Continue(&s, &after, moves[1:], 3); contents(s.Future) != want {
		t.Errorf("black sees %s, want %s", contents(s.Future), want)
	}
}

// With input rules the later board is turned as the planes are, also where a board has fewer
// ranks and in racing kings: a board a ply later that is the same is shown as the planes show it.
func TestContinueOfRules(t *testing.T) {
	small := chess.RulesOf(chess.Standard)
	small.Name, small.Files, small.Ranks, small.Castling = "small", 5, 5, false
	small.Start, small.DoubleStep, small.EnPassant, small.PromoteOn = "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1", []int{}, []int{}, []int{5}
	defined, err := chess.Define(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []chess.Variant{defined, chess.RacingKings, chess.Standard} {
		c, err := encode.NewCodec(encode.Rules, encode.Rules, v)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(chess.StartPosition(v))
		for range 2 { // White to move, then Black
			p := *g.Position()
			planes := make([]uint64, c.Planes.Count())
			c.Planes.Encode(planes, g)
			var moves []chess.Move
			for next := p; len(moves) < 2; next.Play(moves[len(moves)-1]) {
				var l chess.MoveList
				next.LegalMoves(&l)
				moves = append(moves, l.Slice()[0])
			}
			var s encode.Sample
			c.Continue(&s, &p, moves, 1)
			g.Play(moves[0])
			// A move changes at most three squares.
			var now [64]int
			for i := range 12 {
				for square := range 64 {
					now[square] += int(planes[i]>>square&1) * (i + 1)
				}
			}
			changed := 0
			for square := range 64 {
				class := 0
				for k, word := range s.Future {
					class |= int(word>>square&1) << k
				}
				if class != now[square] {
					changed++
				}
			}
			if changed == 0 || changed > 3 {
				t.Errorf("%v, %v to move: the later board differs on %d squares from that of the planes", v, p.Turn(), changed)
			}
		}
	}
}

// A game's continuation is reflected with its position.
func TestReflectionOfContinuation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, v := range chess.Variants() {
		c, err := encode.NewCodec("variants31", "uci2206-mover", v)
		if err != nil {
			t.Fatal(err)
		}
		m, err := encode.NewMirror(c)
		if err != nil {
			t.Fatal(err)
		}
		p := withoutCastling(t, chess.StartPosition(v))
		twin := position(t, v, reflectedFEN(p.FEN()))
		at, moves, reflected := p, []chess.Move{}, []chess.Move{}
		other := twin
		for range 20 {
			var l chess.MoveList
			if at.LegalMoves(&l); l.Len() == 0 {
				break
			}
			move := l.At(rng.IntN(l.Len()))
			same, err := other.ParseUCI(reflectedMove(at.UCI(move)))
			if err != nil {
				t.Fatal(err)
			}
			moves, reflected = append(moves, move), append(reflected, same)
			at.Play(move)
			other.Play(same)
		}
		for ply := range moves {
			s, want, have := encode.Sample{Planes: make([]uint64, 31)}, encode.Sample{}, encode.Sample{}
			c.Continue(&s, &p, moves[ply:], 5)
			c.Continue(&want, &twin, reflected[ply:], 5)
			m.Reflect(&have, &s)
			if have.Reply != want.Reply || !cmp.Equal(have.Future, want.Future) {
				t.Fatalf("%s, ply %d: reply %d, board %s, want %d, %s", v, ply, have.Reply, contents(have.Future), want.Reply, contents(want.Future))
			}
			p.Play(moves[ply])
			twin.Play(reflected[ply])
		}
	}
}
