package puzzle

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// parseLine reads a set of one puzzle.
func parseLine(line string, v chess.Variant) (Puzzle, error) {
	s, err := Read(strings.NewReader(line), "set.epd", v)
	if err != nil {
		return Puzzle{}, err
	}
	return s.Puzzles[0], nil
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line    string
		variant chess.Variant // that lines without a variant are of
		fen     string
		best    []string
		mate    int
		id      string
	}{
		{`6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id "back rank";`, chess.Standard, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", []string{"Ra8#"}, 1, "back rank"},
		{`6k1/5ppp/8/8/8/8/8/R5K1 w - - 12 40 dm 1`, chess.Standard, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 12 40", nil, 1, ""},
		{`6k1/5ppp/8/8/8/8/8/R5K1 w - - hmvc 12; fmvn 40; bm Ra8 Ra7;`, chess.Standard, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 12 40", []string{"Ra8#", "Ra7"}, 0, ""},
		{`r1b1kb1r/8/8/8/8/8/8/4K3 w - -  c0 "one; \two"; id WAC.001; bm Kd2; D1 20; acd 12 ;`, chess.Standard, "r1b1kb1r/8/8/8/8/8/8/4K3 w - - 0 1", []string{"Kd2"}, 0, "WAC.001"},
		{`4k3/3p4/8/8/8/8/8/3RK3 w - - dm 1; variant atomic;`, chess.Standard, "4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", nil, 1, ""},
		{`4k3/3p4/8/8/8/8/8/3RK3 w - - dm 1;`, chess.Atomic, "4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", nil, 1, ""},
		{`7k/8/8/8/8/8/8/K5R1 w - - 1+3 dm 1; variant 3check; hmvc 4;`, chess.Standard, "7k/8/8/8/8/8/8/K5R1 w - - 1+3 4 1", nil, 1, ""},
		{`6k1/5ppp/8/8/8/8/8/6K1[R] w - - bm R@a8; variant crazyhouse;`, chess.Standard, "6k1/5ppp/8/8/8/8/8/6K1[R] w - - 0 1", []string{"R@a8#"}, 0, ""},
	} {
		p, err := parseLine(c.line, c.variant)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		var best []string
		for _, m := range p.Best {
			best = append(best, p.Position.SAN(m))
		}
		if p.Position.FEN() != c.fen || !slices.Equal(best, c.best) || p.Mate != c.mate || p.ID != c.id {
			t.Errorf("%s: read as %s, best %v, mate %d, id %q", c.line, p.Position.FEN(), best, p.Mate, p.ID)
		}
		again, err := parseLine(p.String(), chess.Standard)
		if err != nil || again.Position != p.Position || !slices.Equal(again.Best, p.Best) || again.Mate != p.Mate || again.ID != p.ID {
			t.Errorf("%s: written as %s, %v", c.line, p.String(), err)
		}
	}
}

// What is wrong is said, with file and line.
func TestReadErrors(t *testing.T) {
	const at = "6k1/5ppp/8/8/8/8/8/R5K1 w - - "
	for _, c := range []struct{ text, want string }{
		{"", "set.epd: no puzzle in it"},
		{"# nothing\n\n", "set.epd: no puzzle in it"},
		{"# ok\n" + at + "dm 1;\n" + at, "set.epd:3: nothing to find: want bm with the best moves, or dm"},
		{at + `id "x";`, "set.epd:1: nothing to find"},
		{"6k1/5ppp w", "set.epd:1: a position of 2 fields: want four"},
		{"6k1/5ppp/8/8/8/8/8/R5K2 w - - dm 1;", "set.epd:1: fen"},
		{at + "dm 0;", `set.epd:1: dm: want a whole number from 1 to 5, have "0"`},
		{at + "dm 6;", `dm: want a whole number from 1 to 5, have "6"`},
		{at + "dm one;", `dm: want a whole number from 1 to 5, have "one"`},
		{at + "dm;", "dm: 0 operands: want one"},
		{at + "dm 1 2;", "dm: 2 operands: want one"},
		{at + "dm 1; dm 1;", "dm: given twice"},
		{at + "bm Qa8;", "bm: "},
		{at + "bm Ra8 Rb9;", "bm: "},
		{at + `bm Ra8; id "x;`, "want an operation such as"},
		{at + `bm Ra8; id a b;`, "id: 2 operands"},
		{at + "bm Ra8;; dm 1;", `want an operation such as "dm 1;", have ";`},
		{at + "0 1 dm 1; hmvc 3;", "hmvc, fmvn: the position has its clocks already"},
		{at + "dm 1; hmvc -1;", `hmvc: want a whole number from 0 to 100000, have "-1"`},
		{at + "dm 1; variant checkers;", "variant: "},
		{"7k/6Q1/6K1/8/8/8/8/8 b - - dm 1;", "the game is over (1-0 checkmate)"},
		{"7k/8/8/8/8/8/8/K7 w - - dm 1;", "the game is over (1/2-1/2"},
		{at + "100 80 dm 1;", "the game is over (1/2-1/2 fifty_moves)"},
		{strings.Repeat("x", 100_000), "set.epd:1: the line is too long"},
	} {
		_, err := Read(strings.NewReader(c.text), "set.epd", chess.Standard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: error %v, want %q in it", c.text, err, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	const text = "# mates\n" +
		"6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; fmvn 9; hmvc 3; id \"one\";\n" +
		"4k3/3p4/8/8/8/8/8/3RK3 w - - dm 1; fmvn 1; hmvc 0; variant atomic;\n"
	s, err := Read(strings.NewReader(text), "folder/set.epd", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name() != "set" || len(s.Puzzles) != 2 || s.Puzzles[1].Line != 3 {
		t.Errorf("%s: %+v", s.Name(), s.Puzzles)
	}
	var b bytes.Buffer
	if err := Write(&b, s.Puzzles, "mates"); err != nil || b.String() != text {
		t.Errorf("%v: wrote\n%swant\n%s", err, &b, text)
	}
}

// Whatever is read is written in a form that reads as the same.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id "back rank";`,
		`6k1/5ppp/8/8/8/8/8/R5K1 w - - 12 40 dm 1; c0 "a; b"`,
		`7k/8/8/8/8/8/8/K5R1 w - - 1+3 dm 1; variant 3check; hmvc 4;`,
		`4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 +0+2 bm O-O-O; variant 3check;`,
		`6k1/5ppp/8/8/8/8/8/6K1[R] w - - bm R@a8; variant crazyhouse;`,
		`4k3/3p4/8/8/8/8/8/3RK3 w - - dm 1; variant atomic; fmvn 7`,
		`8/8/8/8/8/1p6/8/K7 w - - dm 2; variant antichess`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p, err := parseLine(line, chess.Standard)
		if err != nil {
			return
		}
		if p.Mate == 0 && len(p.Best) == 0 {
			t.Fatalf("%q: nothing to find", line)
		}
		again, err := parseLine(p.String(), chess.Standard)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", line, p.String(), err)
		}
		if again.Position != p.Position || !slices.Equal(again.Best, p.Best) || again.Mate != p.Mate || again.ID != p.ID {
			t.Fatalf("%q is written as %q", line, p.String())
		}
	})
}
