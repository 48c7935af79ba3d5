package chess

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// randomStart is the start position of a variant, or in a third of the cases one
// of chess960 where the variant has them.
func randomStart(t *rapid.T, v Variant) Position {
	if v != Horde && v != RacingKings && rapid.IntRange(0, 2).Draw(t, "chess960") == 0 {
		p, err := Chess960(v, rapid.IntRange(0, 959).Draw(t, "number"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return StartPosition(v)
}

// randomGameFrom plays up to the given number of random moves. Half of them are
// captures, where there are any, so that pockets fill and kings come into view.
func randomGameFrom(t *rapid.T, start Position, most int) *Game {
	g := NewGame(start)
	var l MoveList
	for range rapid.IntRange(0, most).Draw(t, "plies") {
		p := g.Position()
		p.LegalMoves(&l)
		if l.Len() == 0 {
			break
		}
		n := rapid.IntRange(0, 2*l.Len()-1).Draw(t, "move")
		m := l.At(n % l.Len())
		if n >= l.Len() {
			for _, c := range l.Slice()[n-l.Len():] {
				if p.Occupied().Has(c.To()) {
					m = c
					break
				}
			}
		}
		g.Play(m)
	}
	return g
}

// agree compares the two ways from a text to a move: resolve, which may give up
// by saying 0, and search among all legal moves.
func agree(t interface{ Fatalf(string, ...any) }, p *Position, text string) {
	d, err := decodeSAN(text)
	if err != nil {
		if m, err := p.ParseSAN(text); err == nil {
			t.Fatalf("%s: %q has no form, but is read as %v", p.FEN(), text, m)
		}
		return
	}
	fast := p.resolve(d)
	slow, err := search(p, text, d)
	if fast != 0 && (err != nil || fast != slow) {
		t.Fatalf("%s: %q is %v by looking back from the target, %v (%v) among all moves", p.FEN(), text, fast, slow, err)
	}
	if m, _ := p.ParseSAN(text); m != slow {
		t.Fatalf("%s: %q is read as %v, want %v", p.FEN(), text, m, slow)
	}
	if fast == 0 && err == nil && p.variant != RacingKings { // which may give up at the end
		t.Fatalf("%s: %q is %v, which looking back did not find", p.FEN(), text, slow)
	}
}

func TestSANBothWaysAgree(t *testing.T) {
	const letters = "abcdefgh12345678NBRQKPSDTLnbrqkxO0-=@+#!?."
	forVariants(t, func(t *rapid.T, v Variant) {
		p := randomGameFrom(t, randomStart(t, v), 120).Position()
		var l MoveList
		p.LegalMoves(&l)
		var texts []string
		for _, m := range l.Slice() {
			texts = append(texts, string(p.appendSAN(nil, m, &l)))
		}
		// Every piece to every square: mostly illegal, some ambiguous.
		for s := range Square(64) {
			for _, piece := range []string{"", "N", "B", "R", "Q", "K", "S", "P@", "N@", "Q@", "D@"} {
				texts = append(texts, piece+s.String())
			}
			texts = append(texts, s.String()+"=Q", s.String()+"=K", "ab"+s.String()[1:])
		}
		for _, s := range texts {
			agree(t, p, s)
		}
		for range 20 {
			s := []byte(rapid.SampledFrom(append(texts, "O-O", "O-O-O", "e4", "exd5", "Nf3", "e8=Q", "@e4")).Draw(t, "text"))
			i := rapid.IntRange(0, len(s)-1).Draw(t, "at")
			c := letters[rapid.IntRange(0, len(letters)-1).Draw(t, "letter")]
			switch rapid.IntRange(0, 2).Draw(t, "change") {
			case 0:
				s[i] = c
			case 1:
				s = append(s[:i], s[i+1:]...)
			default:
				s = append(s[:i], append([]byte{c}, s[i:]...)...)
			}
			agree(t, p, string(s))
		}
	})
}

// legal answers like the list of moves, for every move that there can be.
func TestLegalMove(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		p := randomGameFrom(t, randomStart(t, v), 120).Position()
		var l MoveList
		p.LegalMoves(&l)
		legal := map[Move]bool{}
		for _, m := range l.Slice() {
			legal[m] = true
		}
		for i := rapid.IntRange(0, 15).Draw(t, "first"); i < 1<<16; i += 16 {
			if m := Move(i); p.legal(m) != legal[m] {
				t.Fatalf("%s: %v (%x): legal %v, in the list %v", p.FEN(), m, i, p.legal(m), legal[m])
			}
		}
		for m := range legal {
			if !p.legal(m) {
				t.Fatalf("%s: %v is in the list, but not legal", p.FEN(), m)
			}
		}
	})
}

// What each variant adds to notation: the move by its UCI form, and as lichess
// writes it.
func TestSANOfVariants(t *testing.T) {
	for _, c := range []struct {
		variant        Variant
		fen, uci, want string
	}{
		// a capture that explodes the king; kings that touch give no check
		{Atomic, "rnbqkbnr/pppp1ppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 2", "e5d7", "Nxd7#"},
		{Atomic, "8/8/8/8/8/8/1k6/3K3R w - - 0 1", "d1c1", "Kc1"},
		// a king is promoted to, and there may be several; a move that leaves the
		// other side without one, or without pieces, loses
		{Antichess, "8/P7/8/8/8/8/8/7k w - - 0 1", "a7a8k", "a8=K"},
		{Antichess, "8/7p/8/8/8/8/1K1K4/8 w - - 0 1", "b2c2", "Kbc2"},
		{Antichess, "8/8/8/8/8/8/1k6/K7 w - - 0 1", "a1b2", "Kxb2#"},
		{Antichess, "8/8/8/p7/8/8/P7/8 w - - 0 1", "a2a4", "a4#"},
		// the king reaches the hill
		{KingOfTheHill, "7k/8/8/8/8/3K4/8/8 w - - 0 1", "d3d4", "Kd4#"},
		{KingOfTheHill, "7k/8/8/8/8/3K4/8/8 w - - 0 1", "d3c4", "Kc4"},
		// the second check is one, the third is the last
		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 2+3 0 1", "a1a8", "Ra8+"},
		{ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", "a1a8", "Ra8#"},
		// the last of the horde; a pawn that stands on the first rank
		{Horde, "8/8/8/8/8/8/3k4/4P3 b - - 0 1", "d2e1", "Kxe1#"},
		{Horde, "4k3/8/8/8/8/8/8/4P3 w - - 0 1", "e1e3", "e3"},
		// White arrives where Black can still follow, and where it cannot
		{RacingKings, "8/K6k/8/8/8/8/8/8 w - - 0 1", "a7a8", "Ka8"},
		{RacingKings, "8/K7/7k/8/8/8/8/8 w - - 0 1", "a7a8", "Ka8#"},
		{RacingKings, "K7/7k/8/8/8/8/8/8 b - - 0 1", "h7h8", "Kh8"},
		// drops, with check and mate
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "N@c7", "N@c7+"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "P@e4", "P@e4"},
		{Crazyhouse, "7k/5K2/8/8/8/3B4/8/8[Q] w - - 0 1", "Q@h7", "Q@h7#"},
		// a knight on the board makes no drop ambiguous, nor the other way round
		{Crazyhouse, "4k3/8/8/8/8/8/8/1N2K3[N] w - - 0 1", "b1c3", "Nc3"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/1N2K3[N] w - - 0 1", "N@c3", "N@c3"},
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
			t.Errorf("%v, %s: %s is written %s, want %s", c.variant, c.fen, c.uci, got, c.want)
		}
		if again, err := p.ParseSAN(c.want); err != nil || again != m {
			t.Errorf("%v, %s: %s is read as %v, %v", c.variant, c.fen, c.want, again, err)
		}
	}
}

func TestParseSANOfDrops(t *testing.T) {
	p, err := ParseFEN(Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{
		"@e4": "P@e4", "P@e4!?": "P@e4", "N@f3+": "N@f3", "@e8": "not legal", "@e9": "target square",
		"Q@f3": "not legal", "K@f3": "not legal", "@": "want a move such as", "N@": "want a move such as",
		"N@x": "want a move such as", "N@xf3": "has no meaning", "Na@f3": "has no meaning", "P@a1": "not legal", "@e4=Q": "target square",
	} {
		m, err := p.ParseSAN(s)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && p.UCI(m) != want {
			t.Errorf("%q reads as %v, %v, want %s", s, m, err, want)
		}
	}
}
