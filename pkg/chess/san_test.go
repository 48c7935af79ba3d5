package chess

import (
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
	const letters = "abcdefgh12345678NBRQKPnbrqkxO0-=@+#!?."
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
			for _, piece := range []string{"", "N", "B", "R", "Q", "K", "P@", "N@", "Q@"} {
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
