package chess

import (
	"errors"
	"strings"
	"testing"
)

// seedFENs are positions with everything that can go wrong, each of one variant at
// least.
var seedFENs = []string{
	startFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"Rr2k1rR/3K4/3p4/8/8/8/7P/8 w kq - 0 1",
	"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
	"4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1",
	"8/8/8/8/8/8/8/4K3 b - - 0 1",
	"4k3/8/8/8/8/8/8/4K3 w - -",
	"rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
	"4k3/8/4p3/3pP3/3P4/8/8/8 w - d6 0 1",
	"8/k3K3/8/8/8/8/4N3/1R4nr b - - 0 1",
	"8/P1k4p/8/8/8/K7/8/8 w - - 0 1",
	"4k3/8/8/8/8/8/8/R3K3 w Q - 1+3 0 1",
	"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 +0+2",
	"r3k2r/p1p2ppp/8/8/2Q~5/8/PPP2PP1/R3K2R[QNPbp] w KQkq - 0 1",
	"4k3/8/8/3p4/8/8/8/Q~3K2R/Nn b K - 0 1",
}

// checkAllMoves plays every legal move and looks for damage, which includes a
// position that its own FEN does not bring back.
func checkAllMoves(t *testing.T, p Position) {
	var l MoveList
	p.LegalMoves(&l)
	if n := p.countMoves(); n != l.Len() || n > mostMoves {
		t.Fatalf("%s: %d moves counted, %d generated", p.FEN(), n, l.Len())
	}
	for _, m := range l.Slice() {
		q := p
		q.Play(m)
		if wrong := invalid(&q); wrong != "" {
			t.Fatalf("%s: after %v: %s", p.FEN(), m, wrong)
		}
		again, err := ParseFEN(q.Variant(), q.FEN())
		if again != q && q.rule50 <= maxClock && q.fullMove <= maxClock {
			t.Fatalf("%s: after %v: %s reads as %s, %v", p.FEN(), m, q.FEN(), again.FEN(), err)
		}
		for s, parse := range map[string]func(string) (Move, error){p.UCI(m): p.ParseUCI, p.SAN(m): p.ParseSAN} {
			if got, err := parse(s); err != nil || got != m {
				t.Fatalf("%s: %v is written %s and reads as %v, %v", p.FEN(), m, s, got, err)
			}
		}
	}
}

func FuzzParseFEN(f *testing.F) {
	for _, fen := range seedFENs {
		for _, v := range Variants() {
			f.Add(uint8(v), fen)
		}
	}
	f.Fuzz(func(t *testing.T, v uint8, fen string) {
		p, err := ParseFEN(Variant(v), fen)
		if err != nil {
			return
		}
		if wrong := invalid(&p); wrong != "" {
			t.Fatalf("%q: %s", fen, wrong)
		}
		again, err := ParseFEN(Variant(v), p.FEN())
		if err != nil || again != p {
			t.Fatalf("%q is written %s, which reads as %s, %v", fen, p.FEN(), again.FEN(), err)
		}
		checkAllMoves(t, p)
	})
}

// fuzzMove tries a parser of moves on a fixed choice of positions.
func fuzzMove(f *testing.F, parse func(*testing.T, *Position, string) (Move, error), seeds ...string) {
	for i := range seedFENs {
		for _, s := range seeds {
			f.Add(uint8(i), s)
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, s string) {
		for _, v := range Variants() {
			p, err := ParseFEN(v, seedFENs[int(i)%len(seedFENs)])
			if err != nil {
				continue // no position of this variant
			}
			m, err := parse(t, &p, s)
			if err != nil {
				continue
			}
			var l MoveList
			if p.LegalMoves(&l); !l.Contains(m) {
				t.Fatalf("%s: %q reads as the illegal move %v", p.FEN(), s, m)
			}
		}
	})
}

func FuzzParseUCI(f *testing.F) {
	parse := func(_ *testing.T, p *Position, s string) (Move, error) { return p.ParseUCI(s) }
	fuzzMove(f, parse, "e2e4", "e1g1", "e1h1", "d7c8q", "0000", "d4e3", "N@f3", "a7a8k")
}

func FuzzParseSAN(f *testing.F) {
	parse := func(t *testing.T, p *Position, s string) (Move, error) {
		agree(t, p, s)
		return p.ParseSAN(s)
	}
	fuzzMove(f, parse, "e4", "O-O", "O-O-O+", "Nxd7!", "dxc8=Q+", "dxe3", "Nb1-c3", "R1a3", "--", "P@e4", "@d5", "a8=K")
}

// What reads without an error is written, and reads as the same game again; what
// does not is an error with a place, and the reader ends.
func FuzzPGN(f *testing.F) {
	f.Add("[Event \"a\"]\n\n1. e4 {b} e5 (1... c5 $2) 2. Nf3 *\n")
	f.Add("[Variant \"Atomic\"]\n[FEN \"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1\"]\n\n1... dxe3 ; c\n2. Kd1 1/2-1/2\n\n[Event \"b\"]\n1-0")
	f.Add("%\n1.e4e5 ) } ] [ <x> 2.O-O 0-1")
	f.Add("{a} 1. e4! (1. d4 {b} (1. c4?! d5 ; } c\n) 1... d5) (1. Nf3 $10) 1... e5 !! 2. Ke2?? 0-1")
	f.Add("[Variant \"Crazyhouse\"] [a \"\\\\\\\"\"]\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. P@d5 {[%clk 0:01:00]} @e5 *")
	f.Add("[Variant \"Three-check\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 +1+0\"]\n1.d4 -- *\n\n[Site \"?\"]\n1.d4 e6 +=\n*")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewPGNReader(strings.NewReader(text))
		for range len(text) + 2 {
			g, err := r.Next()
			if err != nil {
				if r.err != nil {
					return
				}
				bad := new(PGNError)
				if !errors.As(err, &bad) || bad.Game < 1 || bad.Line < 1 || bad.Line > 1+strings.Count(text, "\n") {
					t.Fatalf("error %#v", err)
				}
				continue
			}
			again, written := rewrite(t, g)
			if describe(again) != describe(g) {
				t.Fatalf("have %s\nwant %s\nin\n%s", describe(again), describe(g), written)
			}
			for _, tag := range g.Tags {
				switch tag.Name {
				case "Result", "Variant", "SetUp", "FEN":
				default:
					if got := again.Tag(tag.Name); got != tag.Value && tag.Value != "" {
						t.Fatalf("tag %s is %q, want %q", tag.Name, got, tag.Value)
					}
				}
			}
		}
		t.Fatal("the reader does not end")
	})
}

func FuzzReadSuite(f *testing.F) {
	f.Add("# perft\n" + startFEN + " ;D1 20 ;D2 400\n")
	f.Add(";D1")
	f.Fuzz(func(t *testing.T, text string) {
		suite, err := ReadSuite(strings.NewReader(text), "suite", Standard)
		if err != nil {
			return
		}
		for i, e := range suite {
			if len(e.Counts) == 0 || e.Line < 1 || i > 0 && e.Line <= suite[i-1].Line {
				t.Fatalf("entry %d: %+v", i, e)
			}
		}
	})
}
