package chess

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func readPGN(t testing.TB, text string) *PGN {
	t.Helper()
	g, err := NewPGNReader(strings.NewReader(text)).Next()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWritePGN(t *testing.T) {
	const want = `[Event "Trial \"a\\b\""]
[Site "?"]
[Date "????.??.??"]
[Round "3"]
[White "random"]
[Black "?"]
[Result "1-0"]
[Variant "Atomic"]
[SetUp "1"]
[FEN "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1"]
[Seed "7"]

{the start} 1... a6 2. Ne5 {[%clk 0:03:00]} 2... a5
{one two three four five six seven eight nine ten eleven} 3. Nxf7# 1-0

`
	start, err := ParseFEN(Atomic, "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := &PGN{
		Variant: Atomic,
		Start:   start,
		Tags:    []Tag{{"Seed", "7"}, {"Round", "3"}, {"Event", `Trial "a\b"`}, {"White", "random"}, {"FEN", "stale"}},
		Result:  WhiteWins,
	}
	game := NewGame(start)
	for _, s := range []string{"a6", "Ne5", "a5", "Nxf7"} {
		m, err := game.Position().ParseSAN(s)
		if err != nil {
			t.Fatal(err)
		}
		game.Play(m)
	}
	g.Moves = game.Moves()
	g.SetComment(0, "the\nstart")
	g.SetComment(2, "[%clk 0:03:00]")
	g.SetComment(3, "one two three four five six seven eight nine ten eleven")
	var b strings.Builder
	if err := WritePGN(&b, g); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Fatal(diff)
	}
	if got := g.Game().Position().FEN(); got != game.Position().FEN() {
		t.Errorf("the game ends in %s", got)
	}
}

func TestWritePGNRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*PGN){
		"NAG $14 is at ply":  func(g *PGN) { g.NAGs = []NAG{{1, 1}, {3, 14}} },
		"replaces move 3":    func(g *PGN) { g.Variations = []Line{{Ply: 2, Comments: []string{"x"}}} },
		"nested deeper than": func(g *PGN) { g.Variations = []Line{deepLine(maxPGNDepth + 1)} },
		"comment of 70000":   func(g *PGN) { g.SetComment(2, strings.Repeat("x", 70000)) },
		"line break":         func(g *PGN) { g.SetTag("Event", "a\nb") },
		`tag name "A B"`:     func(g *PGN) { g.SetTag("A B", "") },
		"move 1 (a1a8)":      func(g *PGN) { g.Moves[0] = newMove(0, 56) },
		"start position is ": func(g *PGN) { g.Variant = Atomic },
	} {
		g := readPGN(t, "1. e4 e5 *")
		spoil(g)
		if err := WritePGN(io.Discard, g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have error %v, want %q in it", err, want)
		}
	}
}

// deepLine is a variation of 1. e4 that is nested to a depth.
func deepLine(depth int) Line {
	l := Line{Moves: []Move{newMove(12, 20)}}
	if depth > 1 {
		l.Variations = []Line{deepLine(depth - 1)}
	}
	return l
}

func TestReadPGN(t *testing.T) {
	const text = "\ufeff% escaped line [Event\n" +
		"[Event \"one \\\"two\\\" \"]\n[Variant\t\"atomic\"]\r\n\n" +
		"; before\n{the  first\nmove} 1.Nf3 $1 a6?! (1... a5 {)} (1... b5 ; )\n) 2. Ne5) 2. Ne5 {a} {b} a5 3 . Nxf7 +- 1-0\n" +
		"1-0\n" + // a game without tags and moves
		"[Event \"three\"]\n\n1. e4 e5 2. 0-0 *\n\n" + // an illegal move
		"[Event \"four\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O 1/2-1/2\n"
	r := NewPGNReader(iotest.OneByteReader(strings.NewReader(text)))

	g, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if g.Tag("Event") != `one "two" ` || g.Variant != Atomic || g.Result != WhiteWins {
		t.Errorf("have %q, %v, %v", g.Tags, g.Variant, g.Result)
	}
	if got := fmt.Sprint(g.Moves); got != "[g1f3 a7a6 f3e5 a6a5 e5f7]" {
		t.Errorf("moves %s", got)
	}
	if diff := cmp.Diff([]string{"before the first move", "", "", "a b"}, g.Comments); diff != "" {
		t.Error(diff)
	}

	if g, err = r.Next(); err != nil || len(g.Tags)+len(g.Moves) != 0 || g.Result != WhiteWins {
		t.Errorf("second game: %+v, %v", g, err)
	}
	_, err = r.Next()
	var bad *PGNError
	if !errors.As(err, &bad) || bad.Game != 3 || bad.Line != 12 || bad.Move != "2." {
		t.Errorf("third game: error %v", err)
	}
	if g, err = r.Next(); err != nil || fmt.Sprint(g.Moves) != "[e1h1]" || g.Result != Draw || g.Tag("Event") != "four" {
		t.Errorf("fourth game: %+v, %v", g, err)
	}
	for range 2 {
		if _, err = r.Next(); err != io.EOF {
			t.Errorf("at the end: error %v", err)
		}
	}
}

func TestReadPGNErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1. e4":                               "pgn: game 1, line 1, move 1...: the moves end without a result",
		"[Event \"x\"]\n\n":                   "pgn: game 1, line 3: the moves end without a result",
		"1. e4\n[Event \"x\"]\n":              "line 2, move 1...: a tag among the moves",
		"[Event x]\n":                         `line 1: tag "[Event x]"`,
		"[Event \"x]\n":                       `tag "[Event \"x]"`,
		"[Ev-ent \"x\"]\n":                    "want [Name",
		"[E \"x\"y\"]\n":                      "want [Name",
		"[E \"x\\\n":                          "want [Name",
		"[E \"x\"]\n[E \"y\"]\n":              "line 2: tag E twice",
		"[Variant \"Chaos\"]\n\n1. e4 *":      `variant "Chaos"`,
		"[FEN \"4k3/8 w\"]\n\n1. e4 *":        "want 4 to 6 fields",
		"1. e4 {never\nclosed":                "line 1, move 1...: the comment is not closed",
		"{never closed":                       "the comment is not closed",
		"1. e4 (1. d4 {)":                     "the comment is not closed",
		"1. e4 (1. d4 (":                      "the variation is not closed",
		"1. e4 ) *":                           "')' without its opening",
		"1. e4 e5\n2. Nc3 Nc6\n3. Nb5 Nxb5 *": `line 3, move 3...: san move "Nxb5": not legal`,
		"1. -- *":                             "san move",
		"1. e4\x00 *":                         `'\x00' is not a move`,
	} {
		_, err := NewPGNReader(strings.NewReader(text)).Next()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have error %v, want %q in it", text, err, want)
		}
	}
	broken := errors.New("disk on fire")
	for _, text := range []string{"1. e4", "1. e4 {a b", "1. e4 (1. d4", "[Event \"", "%", "", "1. e4 e4\n"} {
		r := NewPGNReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		_, err := r.Next()
		if bad := new(PGNError); errors.As(err, &bad) { // of what came before
			_, err = r.Next()
		}
		for range 2 {
			if !errors.Is(err, broken) {
				t.Errorf("%q: have error %v, want %v", text, err, broken)
			}
			_, err = r.Next()
		}
	}
	if _, err := NewPGNReader(strings.NewReader(" \n{a comment} ; another\n% and so on\n")).Next(); err != io.EOF {
		t.Errorf("nothing but comments: error %v", err)
	}
}

func TestPGNRoundTrip(t *testing.T) {
	forVariants(t, func(t *rapid.T, v Variant) {
		played := randomGame(t, v)
		from := rapid.IntRange(0, played.Ply()).Draw(t, "from")
		want := &PGN{
			Variant: v,
			Start:   *played.Back(played.Ply() - from),
			Moves:   played.Moves()[from:],
			Result:  Result(rapid.IntRange(-1, 2).Draw(t, "result")),
		}
		want.SetTag("Event", rapid.StringMatching(`[ -~]{1,20}`).Draw(t, "event"))
		for ply := range want.Moves {
			if rapid.IntRange(0, 9).Draw(t, "commented") == 0 {
				want.SetComment(ply, strings.Join(strings.Fields(rapid.StringMatching(`[ -z]{0,100}`).Draw(t, "comment")), " "))
			}
		}
		var b strings.Builder
		for range 2 {
			if err := WritePGN(&b, want); err != nil {
				t.Fatal(err)
			}
		}
		r := NewPGNReader(strings.NewReader(b.String()))
		for range 2 {
			got, err := r.Next()
			if err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			if got.Start != want.Start || got.Result != want.Result || got.Variant != v ||
				fmt.Sprint(got.Moves) != fmt.Sprint(want.Moves) || got.Tag("Event") != want.Tag("Event") {
				t.Fatalf("have %+v\nwant %+v", got, want)
			}
			for ply := range want.Moves {
				if got.Comment(ply) != want.Comment(ply) {
					t.Fatalf("comment %d: %q, want %q", ply, got.Comment(ply), want.Comment(ply))
				}
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatal(err)
		}
	})
}

// benchmarkGames are games as PGN without comments: played at random by the
// rules of chess, or the public games of atomic chess.
func benchmarkGames(b *testing.B, v Variant) string {
	var text strings.Builder
	write := func(g *Game, result Result) {
		pgn := &PGN{Variant: v, Start: *g.Start(), Moves: g.Moves(), Result: result, Tags: []Tag{
			{"Event", "Rated blitz game"}, {"Site", "somewhere"}, {"Date", "2026.11.21"}, {"Round", "-"},
			{"White", "one"}, {"Black", "another"}, {"WhiteElo", "1500"}, {"BlackElo", "1500"},
		}}
		if err := WritePGN(&text, pgn); err != nil {
			b.Fatal(err)
		}
	}
	g := NewGame(StartPosition(v))
	if v == Atomic {
		for _, played := range playedGames(b) {
			g.Reset(*g.Start())
			for _, s := range played.moves {
				m, err := g.Position().ParseUCI(s)
				if err != nil {
					b.Fatal(err)
				}
				g.Play(m)
			}
			write(g, WhiteWins)
		}
		return text.String()
	}
	random := rand.New(rand.NewPCG(1, 2))
	var l MoveList
	for range 1000 {
		g.Reset(*g.Start())
		for range 60 + random.IntN(60) {
			if g.Position().LegalMoves(&l); l.Len() == 0 {
				break
			}
			g.Play(l.At(random.IntN(l.Len())))
		}
		write(g, Draw)
	}
	return text.String()
}

func BenchmarkReadPGN(b *testing.B) {
	for _, v := range Variants() {
		b.Run(v.String(), func(b *testing.B) { benchmarkReadPGN(b, benchmarkGames(b, v)) })
	}
	// As lichess gives games that an engine has looked at.
	b.Run("comments", func(b *testing.B) {
		text := strings.ReplaceAll(benchmarkGames(b, Standard), ". ", ". { [%eval -0.17] [%clk 0:03:00] } ")
		benchmarkReadPGN(b, text)
	})
}

func benchmarkReadPGN(b *testing.B, text string) {
	var g PGN
	plies := 0
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for r := NewPGNReader(strings.NewReader(text)); ; {
			if err := r.NextInto(&g); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			plies += len(g.Moves)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(plies), "ns/ply")
}

func BenchmarkWritePGN(b *testing.B) {
	text := benchmarkGames(b, Standard)
	var games []*PGN
	for r := NewPGNReader(strings.NewReader(text)); ; {
		g, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		games = append(games, g)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, g := range games {
			if err := WritePGN(io.Discard, g); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The games around one that has only its tags are read.
func TestPGNWithTagsAlone(t *testing.T) {
	r := NewPGNReader(strings.NewReader("[Event \"a\"]\n[Site \"x\"]\n\n[Event \"b\"]\n[Site \"y\"]\n\n1. e4 e5 *\n\n[Event \"c\"]\n\n1. d4 *\n"))
	var have []string
	for {
		g, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			have = append(have, "fault")
			continue
		}
		have = append(have, g.Tag("Event"))
	}
	if want := []string{"fault", "b", "c"}; !slices.Equal(have, want) {
		t.Errorf("games %q, want %q", have, want)
	}
}
