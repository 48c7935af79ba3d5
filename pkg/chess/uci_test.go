package chess

import (
	"strings"
	"testing"
)

func TestParseUCIForms(t *testing.T) {
	const (
		castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
		near   = "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1" // chess960
		odd    = "4k3/8/8/8/8/8/8/RK5R w HA - 0 1"
	)
	for _, c := range []struct {
		variant       Variant
		fen, in, want string // want is the move as it is written again, or a part of the error
	}{
		{Standard, castle, "e1g1", "e1g1"},
		{Standard, castle, "e1h1", "e1g1"},
		{Standard, castle, "e1c1", "e1c1"},
		{Standard, castle, "e1a1", "e1c1"},
		{Standard, castle, "e1b1", "not legal"},
		{Standard, castle, "e1f1", "e1f1"},
		{Standard, near, "f1g1", "f1g1"},
		{Standard, near, "f1b1", "f1b1"},
		{Standard, near, "f1c1", "f1b1"}, // where castling brings the king
		{Standard, near, "f1e1", "f1e1"},
		{Standard, odd, "b1g1", "b1h1"},
		{Standard, odd, "b1h1", "b1h1"},
		{Standard, odd, "b1a1", "b1a1"},
		{Standard, odd, "b1c1", "b1c1"}, // one step is a step, not castling to the left
		{Standard, "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", "d4e3"},
		{Standard, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a7a8n"},
		{Standard, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "not legal"},
		{Standard, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k", "'k' is not a promotion"},
		{Standard, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8p", "'p' is not a promotion"},
		{Standard, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8Q", "'Q' is not a promotion"},
		{Antichess, "8/P7/8/8/8/8/8/7k w - - 0 1", "a7a8k", "a7a8k"},
		{Antichess, "8/P7/8/8/8/8/8/7k w - - 0 1", "h1h2k", "not legal"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "N@f3", "N@f3"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "P@h7", "P@h7"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "Q@f3", "not legal"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "n@f3", "want a drop of one of PNBRQ"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "K@f3", "want a drop of one of PNBRQ"},
		{Crazyhouse, "4k3/8/8/8/8/8/8/4K3[NPnq] w - - 0 1", "N@f3n", "want a drop of one of PNBRQ"},
		{Standard, startFEN, "N@f3", "not legal"},
		{Standard, startFEN, "e2e9", `target square "e9"`},
		{Standard, startFEN, "i2e4", `origin square "i2"`},
		{Standard, startFEN, "e2", "want two squares"},
		{Standard, startFEN, "0000", "square \"00\""},
		{Standard, startFEN, "a1a1", "not legal"},
		{Standard, startFEN, "e7e5", "not legal"},
	} {
		p, err := ParseFEN(c.variant, c.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := p.ParseUCI(c.in)
		switch {
		case err == nil && p.UCI(m) != c.want:
			t.Errorf("%s: %q is read as %v, want %s", c.fen, c.in, m, c.want)
		case err != nil && (!strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "uci move \""+c.in+"\": ")):
			t.Errorf("%s: %q: have error %v, want %s", c.fen, c.in, err, c.want)
		}
	}
}

func BenchmarkParseUCI(b *testing.B) {
	p := StartPosition(Standard)
	for b.Loop() {
		if _, err := p.ParseUCI("g1f3"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSAN(b *testing.B) {
	p := StartPosition(Standard)
	for b.Loop() {
		if _, err := p.ParseSAN("Nf3"); err != nil {
			b.Fatal(err)
		}
	}
}
