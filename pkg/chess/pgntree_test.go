package chess

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// dump writes a line with what hangs on it in a form of its own.
func dump(b *strings.Builder, l Line) {
	fmt.Fprintf(b, "%d %v", l.Ply, l.Moves)
	for _, n := range l.NAGs {
		fmt.Fprintf(b, " %d:$%d", n.Ply, n.Code)
	}
	for ply := range len(l.Moves) + 1 {
		if c := l.Comment(ply); c != "" {
			fmt.Fprintf(b, " %d:%q", ply, c)
		}
	}
	for _, v := range l.Variations {
		b.WriteString("\n(")
		dump(b, v)
		b.WriteString(")")
	}
}

// describe returns different text for games with different notation.
func describe(g *PGN) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s %v\n", g.Variant, g.Start.FEN(), g.Result)
	dump(&b, g.main())
	return b.String()
}

// rewrite writes a game and reads it again.
func rewrite(t interface{ Fatalf(string, ...any) }, g *PGN) (*PGN, string) {
	var b strings.Builder
	if err := WritePGN(&b, g); err != nil {
		t.Fatalf("%v in\n%s", err, describe(g))
	}
	r := NewPGNReader(strings.NewReader(b.String()))
	again, err := r.Next()
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatalf("after the game: %v in\n%s", err, b.String())
	}
	return again, b.String()
}

// randomLine plays a random line from p and hangs random things on it.
func randomLine(t *rapid.T, p Position, ply, plies, depth int) Line {
	l := Line{Ply: ply}
	var legal MoveList
	note := func(ply int) {
		for rapid.IntRange(0, 9).Draw(t, "glyph") == 0 {
			l.NAGs = append(l.NAGs, NAG{ply, rapid.Uint8().Draw(t, "code")})
		}
		if rapid.IntRange(0, 5).Draw(t, "commented") == 0 {
			text := rapid.StringMatching(`[ -~é\t]{1,60}`).Draw(t, "comment")
			if text = string(appendWords(nil, text)); text != "" {
				l.SetComment(ply, text)
			}
		}
	}
	note(0)
	for i := range plies {
		if p.LegalMoves(&legal); legal.Len() == 0 {
			break
		}
		if depth > 0 {
			for rapid.IntRange(0, 7).Draw(t, "branch") == 0 {
				v := randomLine(t, p, i, rapid.IntRange(0, 6).Draw(t, "plies"), depth-1)
				if len(v.Moves)+len(v.Comments)+len(v.NAGs) > 0 {
					l.Variations = append(l.Variations, v)
				}
			}
		}
		m := legal.At(rapid.IntRange(0, legal.Len()-1).Draw(t, "move"))
		l.Moves = append(l.Moves, m)
		p.Play(m)
		note(i + 1)
	}
	return l
}

func TestPGNTreeRoundTrip(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		start := *randomGameFrom(t, randomStart(t, v), 30).Position()
		l := randomLine(t, start, 0, rapid.IntRange(0, 30).Draw(t, "plies"), 3)
		want := &PGN{
			Variant: v, Start: start, Moves: l.Moves, Comments: l.Comments, NAGs: l.NAGs, Variations: l.Variations,
			Result: Result(rapid.IntRange(-1, 2).Draw(t, "result")),
		}
		got, text := rewrite(t, want)
		if have, want := describe(got), describe(want); have != want {
			t.Fatalf("have %s\nwant %s\nin\n%s", have, want, text)
		}
		for _, line := range strings.Split(text, "\n") {
			if len(line) > pgnWidth && !strings.HasPrefix(line, "[") && !strings.ContainsAny(line, "{;") {
				t.Fatalf("a line of %d characters: %s", len(line), line)
			}
		}
	})
}

func TestPGNTree(t *testing.T) {
	const text = `{start} 1. e4! $14 {good} (1. d4 d5 $2 (1... Nf6 2. c4 (2. Nf3) 2... e6) 2. c4?! {a} {b}) (1. c4) 1... e5 !?
({only a comment}) () 2. Nf3 ; to } the end
2... Nc6 +/- 3. Bb5!!! 1-0`
	g := readPGN(t, text)
	const want = `0 [e2e4 e7e5 g1f3 b8c6 f1b5] 1:$1 1:$14 2:$5 4:$16 0:"start" 1:"good" 3:"to } the end"
(0 [d2d4 d7d5 c2c4] 2:$2 3:$6 3:"a b"
(1 [g8f6 c2c4 e7e6]
(1 [g1f3])))
(0 [c2c4])
(1 [] 0:"only a comment")`
	var b strings.Builder
	if dump(&b, g.main()); b.String() != want {
		t.Errorf("have %s\nwant %s", b.String(), want)
	}
	b.Reset()
	if err := WritePGN(&b, g); err != nil {
		t.Fatal(err)
	}
	const written = `
{start} 1. e4 $1 $14 {good} (1. d4 d5 $2 (1... Nf6 2. c4 (2. Nf3) 2... e6) 2. c4
$6 {a b}) (1. c4) 1... e5 $5 ({only a comment}) 2. Nf3 ; to } the end
2... Nc6 $16 3. Bb5 1-0

`
	if _, moves, _ := strings.Cut(b.String(), "]\n\n"); "\n"+moves != written {
		t.Errorf("have %s\nwant %s", moves, written)
	}
	again, _ := rewrite(t, g)
	if describe(again) != describe(g) {
		t.Errorf("have %s\nwant %s", describe(again), describe(g))
	}
	if s := fmt.Sprint(g.NAGs[0], g.NAGs[1], NAG{Code: 0}); s != "! $14 $0" {
		t.Errorf("glyphs are written %s", s)
	}
}

// Whoever builds a tree need not keep its branches in order.
func TestWritePGNSorts(t *testing.T) {
	g := readPGN(t, "1. e4 $1 (1. d4) (1. c4) e5 $2 (1... c5) *")
	want := describe(g)
	v, n := g.Variations, g.NAGs
	g.Variations = []Line{v[2], v[0], v[1]}
	g.NAGs = []NAG{n[1], n[0]}
	again, _ := rewrite(t, g)
	if describe(again) != want || g.NAGs[0] != n[1] {
		t.Errorf("have %s\nwant %s", describe(again), want)
	}
}

func TestPGNVariantTags(t *testing.T) {
	for tag, want := range map[string]Variant{
		"": Standard, "Standard": Standard, "chess": Standard, "From Position": Standard, "from position": Standard,
		"Chess960": Standard, "chess 960": Standard, "Fischerandom": Standard, "Fischer Random": Standard,
		"Atomic": Atomic, "ATOMIC": Atomic, "Antichess": Antichess, "horde": Horde, "Crazyhouse": Crazyhouse,
		"King of the Hill": KingOfTheHill, "KingOfTheHill": KingOfTheHill, "kingofthehill": KingOfTheHill,
		"Three-check": ThreeCheck, "Threecheck": ThreeCheck, "3check": ThreeCheck, "3-check": ThreeCheck, "three check": ThreeCheck,
		"Racing Kings": RacingKings, "RacingKings": RacingKings, "racing_kings": RacingKings,
	} {
		if v, err := parseVariantTag(tag); err != nil || v != want {
			t.Errorf("%q is read as %v, %v, want %v", tag, v, err, want)
		}
	}
	for _, v := range Variants() {
		for _, name := range []string{v.Tag(), v.String()} {
			if got, err := parseVariantTag(name); err != nil || got != v {
				t.Errorf("%q is read as %v, %v, want %v", name, got, err, v)
			}
		}
	}
	if v, err := parseVariantTag("Bughouse"); err == nil || !strings.Contains(err.Error(), "King of the Hill") {
		t.Errorf("Bughouse is read as %v, %v", v, err)
	}
}

func TestPGNChess960(t *testing.T) {
	for number := range 960 {
		p, err := Chess960(Standard, number)
		if err != nil {
			t.Fatal(err)
		}
		g := &PGN{Start: p, Result: Unfinished}
		again, text := rewrite(t, g)
		if again.Start != p || again.Variant != Standard {
			t.Fatalf("start %d becomes %s in\n%s", number, again.Start.FEN(), text)
		}
		// Four starts have king and rooks as in chess; one of them is chess.
		classical := p.King(White)&7 == 4 && p.CastlingRooks(White) == 0x81
		if marked := strings.Contains(text, `[Variant "Chess960"]`); marked == classical {
			t.Errorf("start %d: marked as Chess960: %v", number, marked)
		}
	}
	p, err := Chess960(Atomic, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, text := rewrite(t, &PGN{Variant: Atomic, Start: p}); !strings.Contains(text, `[Variant "Atomic"]`) {
		t.Errorf("atomic chess960 is written\n%s", text)
	}
	// A pawn endgame has no castling that could tell.
	if p, err = ParseFEN(Standard, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"); err != nil {
		t.Fatal(err)
	}
	if _, text := rewrite(t, &PGN{Start: p}); strings.Contains(text, "Variant") {
		t.Errorf("a set-up position is written\n%s", text)
	}
}

// The reader takes what other programs write.
func TestReadPGNLenient(t *testing.T) {
	g := readPGN(t, "[Event \"a]b\"] [Site \"c\"][ Round  \"\\\\ 1\" ] [Variant \"3check\"]\n"+
		"[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 +1+0\"]\n"+
		"1.e2-e4 e7e5 2.Ng1f3 ... Nb8-c6 3 Bf1-b5 ... a6 (3...d6 1-0) 4 Bxc6 bc6 5.0-0 1/2-1/2 1. d4")
	if fmt.Sprint(g.Tags[:3]) != `[{Event a]b} {Site c} {Round \ 1}]` {
		t.Errorf("tags %q", g.Tags)
	}
	if got := fmt.Sprint(g.Moves); got != "[e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 b7c6 e1h1]" || g.Result != Draw {
		t.Errorf("moves %v, result %v", got, g.Result)
	}
	if g.Start.ChecksLeft(White) != 2 {
		t.Errorf("start %s", g.Start.FEN())
	}
	for text, want := range map[string]string{
		"[Variant \"Crazyhouse\"]\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. P@d5 @e5 *": "[e2e4 d7d5 e4d5 d8d5 b1c3 d5d8 P@d5 P@e5]",
		"[Variant \"Antichess\"]\n[FEN \"8/P7/8/8/8/8/8/7k w - -\"]\n1. a8=K *":    "[a7a8k]",
		"[FEN \"4k3/P7/8/8/8/8/8/4K3 w - -\"]\n1. a8q+ *":                          "[a7a8q]",
		"[FEN \"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1\"]\n1... dxe3 e.p. *":            "[d4e3]",
	} {
		if got := fmt.Sprint(readPGN(t, text).Moves); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}

// A game that cannot be read costs no other.
func TestPGNReaderGoesOn(t *testing.T) {
	text := "[Event \"1\"]\n\n1. e4 {never closed\n\n[Event \"2\"]\n\n1. e4 e5 1-0\n\n" +
		"[Event \"3\"\n\n1. d4 *\n\n" +
		"[Event \"4\"]\n[Variant \"Go\"]\n\n1. d4 *\n\n" +
		"[Event \"5\"]\n\n1. e4 e5\n[Event \"6\"]\n\n1. e5 *\r\n\r\n" +
		"[Site \"7\"]\n\n1. c4 *\n\n[Event \"8\"]\n\n1. e4 (1. d4 {never closed"
	want := "pgn: game 1, line 3, move 1...: the comment is not closed\n" +
		"2 at 5\n" +
		"pgn: game 3, line 9: tag \"[Event \\\"3\\\"\": want [Name \"Value\"]\n" +
		"pgn: game 4, line 16: variant \"Go\"\n" +
		"pgn: game 5, line 21, move 2.: a tag among the moves\n" +
		"pgn: game 6, line 23, move 1.: san move \"e5\": not legal\n" +
		"7 at 25\n" +
		"pgn: game 8, line 31, move 1...: the comment is not closed\n"
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		var have strings.Builder
		for r := NewPGNReader(r); ; {
			_, err := r.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				if bad := new(PGNError); !errors.As(err, &bad) {
					t.Fatal(err)
				}
				short, _, _ := strings.Cut(err.Error(), ": want one")
				short, _, _ = strings.Cut(short, " in rnb")
				short, _, _ = strings.Cut(short, ": the moves end")
				fmt.Fprintln(&have, short)
				continue
			}
			game, line := r.Place()
			fmt.Fprintf(&have, "%d at %d\n", game, line)
		}
		if have.String() != want {
			t.Errorf("have\n%s\nwant\n%s", have.String(), want)
		}
	}
}

func manyTags(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[T%d \"\"]\n", i)
	}
	return b.String()
}

// What no honest file holds is an error, whatever its size.
func TestReadPGNHostile(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, c := range map[string]struct{ text, want string }{
		"openings":   {strings.Repeat("(", 1e6), "a variation before the first move"},
		"nesting":    {strings.Repeat("1. e4 (", 1e5), "variations are nested deeper than 100"},
		"closings":   {"1. e4 " + strings.Repeat(")", 1e6), "')' without its opening"},
		"comment":    {"1. e4 {" + long + "} *", "the comment is longer than"},
		"line":       {"1. e4 ;" + long + "\n *", "the comment is longer than"},
		"escape":     {"1. e4\n%" + long + "\n *", "the line is longer than"},
		"word":       {"1. e4 " + long + " *", "a word of more than 255 characters"},
		"number":     {strings.Repeat("1", 3<<20), "a word of more than 255 characters"},
		"tag":        {"[Event \"" + long + "\"]", "want [Name"},
		"tag name":   {"[" + long, "want [Name"},
		"tag blanks": {"[" + strings.Repeat(" ", 3<<20), "want [Name"},
		"comments":   {"1. e4 " + strings.Repeat("{a} $1 ", 1e5), "the comment is longer than"},
		"tags":       {strings.Repeat("[a \"\"] ", 2) + "*", "tag a twice"},
		"many tags":  {manyTags(maxPGNTags + 1), "more than 500 tags"},
		"glyph":      {"1. e4 $" + long, `glyph "$": want $0 to $255`},
		"glyphs":     {"1. e4 $256 *", `glyph "$256": want $0 to $255`},
	} {
		r := NewPGNReader(strings.NewReader(c.text + "\n\n[Event \"next\"]\n\n1. d4 *"))
		_, err := r.Next()
		if bad := new(PGNError); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: have error %.200v, want %q in it", name, err, c.want)
		}
		if len(err.Error()) > 1000 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
		if len(r.s.buf) > 2*maxPGNToken {
			t.Errorf("%s: a window of %d bytes", name, len(r.s.buf))
		}
		if g, err := r.Next(); err != nil || g.Tag("Event") != "next" {
			t.Errorf("%s: after it: %v", name, err)
		}
	}
	// Many variations of a late move are played through once.
	moves := strings.Repeat("1. Nf3 Nf6 2. Ng1 Ng8 ", 5000)
	g := readPGN(t, moves+strings.Repeat("({x}) ", 20000)+"*")
	if len(g.Variations) != 20000 || len(g.Moves) != 20000 {
		t.Errorf("%d moves, %d variations", len(g.Moves), len(g.Variations))
	}
}

// Line numbers hold over the window's moves.
func TestPGNReaderLongFile(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "[Event \"%d\"]\n\n1. e4 {%s} e5 (1... c5\n2. Nf3) *\n\n", i, strings.Repeat("y ", i%90))
	}
	b.WriteString("[Event \"bad\"]\n\n1. e4 e4 *\n")
	r := NewPGNReader(strings.NewReader(b.String()))
	var g PGN
	for i := range 3000 {
		if err := r.NextInto(&g); err != nil {
			t.Fatal(err)
		}
		if game, line := r.Place(); game != i+1 || line != 5*i+1 || g.Tag("Event") != fmt.Sprint(i) ||
			len(g.Moves) != 2 || len(g.Variations) != 1 || len(g.Comment(1)) != max(2*(i%90)-1, 0) {
			t.Fatalf("game %d is read as game %d, line %d: %+v", i+1, game, line, g)
		}
	}
	var bad *PGNError
	if err := r.NextInto(&g); !errors.As(err, &bad) || bad.Line != 15003 || bad.Game != 3001 || bad.Move != "1..." {
		t.Errorf("the last game: %v", err)
	}
}

func TestPGNReaderSetVariant(t *testing.T) {
	r := NewPGNReader(strings.NewReader("[Variant \"Bughouse\"]\n1. Nf3 a6 2. Ne5 a5 3. Nxf7# 1-0"))
	r.SetVariant(Atomic)
	g, err := r.Next()
	if err != nil || g.Variant != Atomic || g.Game().Position().King(Black) != NoSquare {
		t.Errorf("%+v, %v", g, err)
	}
}

// Reading into the same game again and again gives the same as reading into a new one.
func TestNextInto(t *testing.T) {
	text := "[Event \"1\"]\n1. e4 {a} e5 $1 (1... c5 {b}) *\n1. d4 1-0\n[Variant \"Atomic\"]\n1. c4 {c} (1. b4) 0-1\n"
	anew, into := NewPGNReader(strings.NewReader(text)), NewPGNReader(strings.NewReader(text))
	var g PGN
	for range 3 {
		want, err := anew.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := into.NextInto(&g); err != nil || describe(&g) != describe(want) || fmt.Sprint(g.Tags) != fmt.Sprint(want.Tags) {
			t.Errorf("have %s %v, %v\nwant %s %v", describe(&g), g.Tags, err, describe(want), want.Tags)
		}
	}
	if err := into.NextInto(&g); err != io.EOF {
		t.Error(err)
	}
}

// PGN of other programs for rules in files: letters that chess does not have, and the name of the
// rules without the rules.
func TestPGNOfRules(t *testing.T) {
	v, err := ParseVariant(`{"name":"chieftains","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"chief","letter":"c","moves":"N","region":"all"}],"promotion":"none","castling":false,"start":"1c2k3/8/8/8/8/8/8/1C2K3 w - - 0 1"}`)
	if err != nil {
		t.Fatal(err)
	}
	r := NewPGNReader(strings.NewReader("[Variant \"chieftains\"]\n\n1. Cc3!? Cc6 2. Ce4? *\n"))
	r.SetVariant(v)
	g, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(g.NAGs); s != "[{1 5} {3 2}]" && s != "[!? ?]" {
		t.Errorf("marks %s", s)
	}
	if !g.Of(v) || g.Of(Standard) {
		t.Error("the name of the rules does not name them")
	}
}
