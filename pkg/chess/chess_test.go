package chess

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// startFEN is the initial position of chess and of the variants that change
// only the rules.
const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// randomGame plays up to 150 random moves, and stops when no move is left.
func randomGame(t *rapid.T, v Variant) *Game {
	g := NewGame(StartPosition(v))
	var l MoveList
	for range rapid.IntRange(0, 150).Draw(t, "plies") {
		g.Position().LegalMoves(&l)
		if l.Len() == 0 {
			break
		}
		g.Play(l.At(rapid.IntRange(0, l.Len()-1).Draw(t, "move")))
	}
	return g
}

// forVariants runs a property in every variant.
func forVariants(t *testing.T, property func(t *rapid.T, v Variant)) {
	t.Parallel()
	for _, v := range Variants() {
		t.Run(v.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, v) })
		})
	}
}

// invalid says what is wrong inside a position, "" if nothing is.
func invalid(p *Position) string {
	if p.color[White]&p.color[Black] != 0 {
		return "a square with two colors"
	}
	all := Bitboard(0)
	for t := Pawn; t <= King; t++ {
		if all&p.kind[t] != 0 {
			return "a square with two kinds"
		}
		all |= p.kind[t]
	}
	switch {
	case all != p.Occupied() || p.kind[0] != 0:
		return "kinds and colors do not cover the same squares"
	case p.kind[Pawn]&(rank1|rank8) != 0 && (p.variant != Horde || p.kind[Pawn]&(p.color[Black]&rank1|rank8) != 0):
		return "a pawn on the first or last rank"
	case p.key != p.computeKey():
		return "the key is not that of the position"
	case p.attacked(p.turn.Other()):
		return "the side that moved is in check"
	case p.checkKings() != nil:
		return p.checkKings().Error()
	case p.checkMaterial() != nil:
		return p.checkMaterial().Error()
	case p.promoted&^(p.kind[Knight]|p.kind[Bishop]|p.kind[Rook]|p.kind[Queen]) != 0:
		return "a promoted mark without a piece"
	}
	for c := White; c <= Black; c++ {
		for s := range p.CastlingRooks(c).Squares {
			if !(p.Pieces(c, Rook) & backRank(c)).Has(s) || !backRank(c).Has(p.King(c)) {
				return "a castling right without king and rook"
			}
		}
	}
	if p.castle&^p.Occupied() != 0 {
		return "a castling right on an empty square"
	}
	return ""
}

func TestEveryMoveKeepsInvariants(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		p := *randomGame(t, v).Position()
		var l MoveList
		p.LegalMoves(&l)
		if n := p.countMoves(); n != l.Len() {
			t.Fatalf("%s: %d moves counted, %d generated", p.FEN(), n, l.Len())
		}
		seen := map[Move]bool{}
		for _, m := range l.Slice() {
			if seen[m] {
				t.Fatalf("%s: %v twice", p.FEN(), m)
			}
			seen[m] = true
			q := p
			q.Play(m)
			if wrong := invalid(&q); wrong != "" {
				t.Fatalf("%s: after %v: %s", p.FEN(), m, wrong)
			}
			if q.Turn() == p.Turn() || q.Ply() != p.Ply()+1 {
				t.Fatalf("%s: after %v: turn %v, ply %d", p.FEN(), m, q.Turn(), q.Ply())
			}
		}
	})
}

func TestFENRoundTrip(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		g := randomGame(t, v)
		p, err := ParseFEN(v, g.Position().FEN())
		if err != nil {
			t.Fatal(err)
		}
		if p != *g.Position() {
			t.Fatalf("%s reads as %s", g.Position().FEN(), p.FEN())
		}
	})
}

func TestMoveStringsRoundTrip(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		p := randomGame(t, v).Position()
		var l MoveList
		p.LegalMoves(&l)
		seen := map[string]bool{}
		for _, m := range l.Slice() {
			san, uci := p.SAN(m), p.UCI(m)
			if seen[san] || seen[uci] {
				t.Fatalf("%s: two moves are written %s or %s", p.FEN(), san, uci)
			}
			seen[san], seen[uci] = true, true
			if got, err := p.ParseSAN(san); err != nil || got != m {
				t.Fatalf("%s: %v is written %s and reads as %v, %v", p.FEN(), m, san, got, err)
			}
			if got, err := p.ParseUCI(uci); err != nil || got != m {
				t.Fatalf("%s: %v is written %s and reads as %v, %v", p.FEN(), m, uci, got, err)
			}
		}
	})
}

func TestUndoRestores(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		g := randomGame(t, v)
		var before []Position
		replay := NewGame(*g.Start())
		for _, m := range g.Moves() {
			before = append(before, *replay.Position())
			replay.Play(m)
		}
		if *replay.Position() != *g.Position() {
			t.Fatal("the same moves led to another position")
		}
		clone := g.Clone()
		for i := len(before) - 1; i >= 0; i-- {
			g.Undo()
			if *g.Position() != before[i] || g.Ply() != i {
				t.Fatalf("ply %d: %s, want %s", i, g.Position().FEN(), before[i].FEN())
			}
		}
		g.Undo() // at the start: nothing happens
		if g.Ply() != 0 || g.Back(1) != nil || *g.Back(0) != *g.Start() {
			t.Fatal("not at the start")
		}
		if *clone.Position() != *replay.Position() || clone.Ply() != replay.Ply() {
			t.Fatal("undoing changed a clone")
		}
	})
}

func TestParseFENErrors(t *testing.T) {
	for _, c := range []struct {
		variant   Variant
		fen, want string
	}{
		{Standard, "", "have 0"},
		{Standard, startFEN + " x", "have 7"},
		{Standard, "8/8/8/8/8/8/8 w - - 0 1", "want 8 ranks, have 7"},
		{Standard, "4k3/8/8/8/8/8/9/4K3 w - -", "rank 2: '9'"},
		{Standard, "4k3/8/8/8/8/8/7/4K3 w - -", "rank 2: want 8 squares, have 7"},
		{Standard, "4k3/8/8/8/8/8/8P/4K3 w - -", "rank 2: more than 8 squares"},
		{Standard, "4k3/8/8/8/8/8/44/4K3 w - -", "two digits in a row"},
		{Standard, "4k2p/8/8/8/8/8/8/4K3 w - -", "a pawn on h8"},
		{Standard, "8/8/8/8/8/8/8/4K3 w - -", "black has no king"},
		{Standard, "8/8/8/8/8/8/8/4K3 b - -", "black has no king"},
		{Atomic, "8/8/8/8/8/8/8/4K3 w - -", "only the side to move can have lost it"},
		{Standard, "4k3/8/8/8/8/8/8/3KK3 w - -", "white has 2 kings"},
		{Standard, "4k3/QQQQQ3/QQQQQ3/8/8/8/8/4K3 b - -", "white has 9 pieces more"},
		{Standard, "4k3/pppppppp/p7/8/8/8/8/4K3 w - -", "black has 9 pawns"},
		{Standard, "4k3/8/8/8/8/8/8/4K3 x - -", "field 2 (turn)"},
		{Standard, "4k3/8/8/8/8/8/8/4K2R w X -", "field 3 (castling): 'X'"},
		{Standard, "4k3/8/8/8/8/8/8/4K2R w Q -", "field 3 (castling): 'Q': no white rook"},
		{Standard, "4k3/8/8/8/8/8/8/4K2R w KK -", "a second right"},
		{Standard, "4k3/8/8/8/8/8/4K3/7R w K -", "the white king is not on its first rank"},
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - e9", `field 4 (en passant): square "e9"`},
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - e3", "wrong rank for white"},
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - e6", "no black pawn"},
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - - -1", "field 5"},
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - - 0 0", "field 6 (move number): want a whole number from 1"},
		{Standard, "4k3/8/8/8/8/8/8/4K2r b - -", "it is black's turn, but white is in check"},
		{Variant(9), startFEN, "unknown variant"},
	} {
		_, err := ParseFEN(c.variant, c.fen)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: have error %v, want %q in it", c.fen, err, c.want)
		}
	}
}

func TestFENForms(t *testing.T) {
	for _, c := range []struct {
		variant  Variant
		in, want string
	}{
		{Standard, "4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
		// Castling rights by file, and those that only a file identifies.
		{Standard, "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 3 7", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 7"},
		{Standard, "4k3/8/8/8/8/8/8/R3KR1R w F - 0 1", "4k3/8/8/8/8/8/8/R3KR1R w F - 0 1"},
		{Standard, "1rr1k3/8/8/8/8/8/8/4K3 b c - 0 1", "1rr1k3/8/8/8/8/8/8/4K3 b c - 0 1"},
		// An en passant square is kept only where a pawn stands to capture.
		{Standard, "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"},
		{Standard, "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"},
		// An exploded king.
		{Atomic, "8/8/8/8/8/8/8/4K3 b - - 0 1", "8/8/8/8/8/8/8/4K3 b - - 0 1"},
		// Touching kings: the side that moved may stand attacked.
		{Atomic, "8/8/8/8/8/8/4k3/r3K3 b - - 0 1", "8/8/8/8/8/8/4k3/r3K3 b - - 0 1"},
	} {
		p, err := ParseFEN(c.variant, c.in)
		if err != nil {
			t.Error(err)
		} else if got := p.FEN(); got != c.want {
			t.Errorf("%s is written %s, want %s", c.in, got, c.want)
		}
	}
}

func TestSAN(t *testing.T) {
	for _, c := range []struct {
		variant        Variant
		fen, uci, want string
	}{
		{Standard, startFEN, "g1f3", "Nf3"},
		{Standard, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"},
		{Standard, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O"},
		{Standard, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "h1h8", "Rh8+"},
		{Standard, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
		{Standard, "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q+"},
		{Standard, "4k3/8/8/8/8/8/5K2/N1N5 w - - 0 1", "a1b3", "Nab3"},
		{Standard, "4k3/8/8/N7/8/8/5K2/N7 w - - 0 1", "a1b3", "N1b3"},
		{Standard, "1k6/8/8/Q7/8/8/8/Q3QK2 w - - 0 1", "a1e5", "Qa1e5+"},
		// The other knight is pinned: no origin is needed.
		{Standard, "4r2k/8/8/8/8/4N3/8/4K1N1 w - - 0 1", "g1f3", "Nf3"},
		{Standard, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"},
		{Atomic, "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2", "d2d4", "d4"},
		{Atomic, "rnbqkbnr/pppp1ppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 2", "e5f7", "Nxf7#"},
	} {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := p.ParseUCI(c.uci)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.SAN(m); got != c.want {
			t.Errorf("%s: %s is written %s, want %s", c.fen, c.uci, got, c.want)
		}
	}
}

func TestParseSANForms(t *testing.T) {
	p, err := ParseFEN(Standard, "1n2k3/P7/8/8/8/5N2/8/RN2K2R w KQ - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{
		"0-0": "e1g1", "O-O-O": "not legal", "O-O!?": "e1g1", "axb8Q": "a7b8q", "ab8=N+": "a7b8n",
		"Nf3-e5": "f3e5", "Nfd2": "f3d2", "Nbd2??": "b1d2", "Nd2": "ambiguous", "Nd9": "target square",
		"a8": "not legal", "a8=K": "not legal", "": "want a move such as", "N": "want a move such as",
		"Nxyd2": "has no meaning", "Bc4": "not legal",
	} {
		m, err := p.ParseSAN(s)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", s, err, want)
			}
		} else if p.UCI(m) != want {
			t.Errorf("%q reads as %s, want %s", s, p.UCI(m), want)
		}
	}
}

func TestUCIOfChess960Castling(t *testing.T) {
	p, err := ParseFEN(Atomic, "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"f1g1", "f1b1"} {
		m, err := p.ParseUCI(s)
		if err != nil || !m.IsCastle() || p.UCI(m) != s {
			t.Errorf("%s reads as %v, %v", s, m, err)
		}
	}
	p = StartPosition(Standard)
	for _, s := range []string{"", "e2", "e2e9", "i2e4", "e2e5", "e2e4q", "e7e8k", "0000"} {
		if m, err := p.ParseUCI(s); err == nil {
			t.Errorf("%q reads as %v", s, m)
		}
	}
}

// What lichess calls insufficient, and what is just enough.
func TestInsufficientMaterial(t *testing.T) {
	for _, c := range []struct {
		variant Variant
		pieces  string
		want    bool
	}{
		{Standard, "4k3/8/8/8/8/8/8/4K3", true},
		{Standard, "4k3/8/8/8/8/8/8/4KN2", true},
		{Standard, "4k3/8/8/8/8/8/8/4KB2", true},
		{Standard, "4k3/8/8/8/8/8/8/3NKN2", false},
		{Standard, "4kn2/8/8/8/8/8/8/4KN2", false},
		{Standard, "4k3/8/8/8/8/b7/8/2B1K3", true},
		{Standard, "4k3/8/8/8/8/8/b7/2B1K3", false},
		{Standard, "4k3/8/8/8/8/8/8/4KR2", false},
		{Standard, "4k3/8/8/8/8/8/4P3/4K3", false},
		{Atomic, "4k3/8/8/8/8/8/8/4K3", true},
		{Atomic, "4k3/8/8/8/8/8/8/4KR2", true},
		{Atomic, "4k3/8/8/8/8/8/8/4KB2", true},
		{Atomic, "4k3/8/8/8/8/8/8/3NKN2", true},
		{Atomic, "4k3/8/8/8/8/8/8/2NNKN2", false},
		{Atomic, "4k3/8/8/8/8/8/8/3RKN2", false},
		{Atomic, "4k3/8/8/8/8/8/8/3BKN2", false},
		{Atomic, "4k3/8/8/8/8/8/8/4KQ2", false},
		{Atomic, "4k3/8/8/8/8/8/4P3/4K3", false},
		{Atomic, "4kn2/8/8/8/8/8/8/4KN2", false},
		{Atomic, "4k3/8/8/8/8/8/b7/2B1K3", true},
		{Atomic, "4k3/8/8/8/8/b7/8/2B1K3", false},
		{Atomic, "4k3/8/8/8/8/b7/1b6/3BK3", false},
	} {
		p, err := ParseFEN(c.variant, c.pieces+" w - - 0 1")
		if err != nil {
			t.Error(err)
		} else if got := p.InsufficientMaterial(); got != c.want {
			t.Errorf("%v, %s: have %v, want %v", c.variant, c.pieces, got, c.want)
		}
	}
}

// outcomeAfter plays UCI moves and gives the outcome.
func outcomeAfter(t *testing.T, v Variant, fen string, moves ...string) string {
	t.Helper()
	p, err := ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGame(p)
	for _, s := range moves {
		m, err := g.Position().ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	var l MoveList
	g.Position().LegalMoves(&l)
	return g.Outcome(&l).String()
}

func TestOutcomes(t *testing.T) {
	back := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	twice := append(append([]string{}, back...), back...)
	// The king's step costs a right: the first position does not count.
	rook := []string{"h1g1", "e8e7", "g1h1", "e7e8"}
	// Nor where a pawn could have been captured en passant.
	advance := []string{"e2e4"}
	for range 2 {
		advance = append(advance, "d8d7", "e1f1", "d7d8", "f1e1")
	}
	for _, c := range []struct {
		variant Variant
		fen     string
		moves   []string
		want    string
	}{
		{Standard, startFEN, nil, "* ongoing"},
		{Standard, startFEN, back, "* ongoing"},
		{Standard, startFEN, twice, "1/2-1/2 threefold"},
		{Standard, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", append(append([]string{}, rook...), rook...), "* ongoing"},
		{Standard, "3k4/8/8/8/3p4/8/4P3/4K3 w - - 0 1", advance, "* ongoing"},
		{Standard, "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", advance, "1/2-1/2 threefold"}, // the capturing pawn is pinned
		{Standard, startFEN, []string{"f2f3", "e7e5", "g2g4", "d8h4"}, "0-1 checkmate"},
		{Standard, "7k/8/6Q1/8/8/8/8/4K3 b - - 0 1", nil, "1/2-1/2 stalemate"},
		{Standard, "4k3/8/8/8/8/8/8/R3K3 w - - 99 80", []string{"a1a2"}, "1/2-1/2 fifty_moves"},
		{Standard, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80", []string{"a1a8"}, "1-0 checkmate"},
		{Standard, "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", []string{"e1e2"}, "1/2-1/2 insufficient_material"},
		{Atomic, startFEN, []string{"g1f3", "a7a6", "f3e5", "a6a5", "e5f7"}, "1-0 king_exploded"},
	} {
		if got := outcomeAfter(t, c.variant, c.fen, c.moves...); got != c.want {
			t.Errorf("%v, %s %v: have %s, want %s", c.variant, c.fen, c.moves, got, c.want)
		}
	}
}

// An en passant square distinguishes positions only while the capture is there.
func TestKeyOfEnPassant(t *testing.T) {
	key := func(fen string) uint64 {
		p, err := ParseFEN(Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		return p.Key()
	}
	if key("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1") != key("4k3/8/8/8/4P3/8/8/4K3 b - - 5 9") {
		t.Error("an en passant square without a capture changes the key")
	}
	if key("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1") == key("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1") {
		t.Error("an en passant capture does not change the key")
	}
}

func TestAtomicEnPassantExplodesAroundTheTarget(t *testing.T) {
	p, err := ParseFEN(Atomic, "2nqk3/2np4/8/4P3/8/8/8/4K3 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"d7d5", "e5d6"} {
		m, err := p.ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		p.Play(m)
	}
	if got, want := p.FEN(), "2nqk3/8/8/8/8/8/8/4K3 b - - 0 2"; got != want {
		t.Errorf("have %s, want %s", got, want)
	}
}

func TestNoAllocations(t *testing.T) {
	for _, v := range Variants() {
		g := NewGame(StartPosition(v))
		var l, at MoveList
		g.Play(func() Move { g.Position().LegalMoves(&l); return l.At(0) }())
		g.Undo() // grown
		n := testing.AllocsPerRun(10, func() {
			g.Position().LegalMoves(&l)
			for _, m := range l.Slice() {
				g.Play(m)
				g.Position().LegalMoves(&at)
				g.Outcome(&at)
				g.Undo()
			}
		})
		if n != 0 {
			t.Errorf("%v: LegalMoves, Play, Outcome and Undo allocate %v times", v, n)
		}
	}
}

func TestPositionIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Position{}); n > 128 {
		t.Errorf("a Position has %d bytes, want at most 128", n)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	for _, v := range Variants() {
		if got, err := ParseVariant(v.String()); err != nil || got != v {
			t.Errorf("%v: %v, %v", v, got, err)
		}
	}
	for r := BlackWins; r <= Unfinished; r++ {
		if got, err := ParseResult(r.String()); err != nil || got != r {
			t.Errorf("%v: %v, %v", r, got, err)
		}
	}
	for r := range Reason(len(reasonNames)) {
		if got, err := ParseReason(r.String()); err != nil || got != r {
			t.Errorf("%v: %v, %v", r, got, err)
		}
	}
	for s := range NoSquare {
		if got, err := ParseSquare(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if Adjudication.String() != "adjudication" || FiftyMoves.String() != "fifty_moves" {
		t.Error("the names of reasons are shifted")
	}
	for _, err := range []error{
		second(ParseVariant("")), second(ParseResult("1")), second(ParseReason("x")), second(ParseSquare("e44")),
	} {
		if err == nil {
			t.Error("nonsense was read without an error")
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestReadSuiteErrors(t *testing.T) {
	for text, want := range map[string]string{
		"# comment\n\nx ;D1 20":           "suite:3: a position of 3 fields: want four",
		startFEN:                          "suite:1: no count after the position",
		startFEN + " ;D1":                 `suite:1: count "D1"`,
		startFEN + " ;D0 1":               `count "D0 1"`,
		startFEN + " ;D1 -3":              `count "D1 -3"`,
		startFEN + " ;D1 20 ;":            `count ""`,
		strings.Repeat("x", 1<<17) + "\n": "suite:1: the line is too long",
	} {
		_, err := ReadSuite(strings.NewReader(text), "suite", Standard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: have error %v, want %q in it", text, err, want)
		}
	}
	suite, err := ReadSuite(strings.NewReader("\n"+startFEN+" ;D1 20 ;D2 400\n"), "suite", Atomic)
	if err != nil || fmt.Sprint(suite[0].Line, suite[0].Counts) != "2 [{1 20} {2 400}]" {
		t.Errorf("%v, %v", suite, err)
	}
}

func BenchmarkLegalMoves(b *testing.B) {
	for _, v := range Variants() {
		b.Run(v.String(), func(b *testing.B) {
			p, err := ParseFEN(v, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
			if err != nil { // some variants have no castling, no pawns, or a horde
				p = StartPosition(v)
			}
			var l MoveList
			for b.Loop() {
				p.LegalMoves(&l)
			}
		})
	}
}

func BenchmarkGamePlayUndo(b *testing.B) {
	for _, v := range Variants() {
		b.Run(v.String(), func(b *testing.B) {
			p := StartPosition(v)
			g := NewGame(p)
			var l MoveList
			p.LegalMoves(&l)
			m := l.At(0)
			for b.Loop() {
				g.Play(m)
				g.Undo()
			}
		})
	}
}
