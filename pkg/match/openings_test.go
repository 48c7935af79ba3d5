package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

const twoGames = `[Event "a"]
[Variant "Atomic"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 *

[Event "b"]
[Variant "Atomic"]

1. Nf3 f6 2. d4 d5 1-0
`

func TestReadBook(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		v     chess.Variant
		plies int
		want  []string // FENs after the opening
	}{
		"games": {twoGames, chess.Atomic, 0, []string{
			"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3", "rnbqkbnr/ppp1p1pp/5p2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 0 3"}},
		"their beginnings": {twoGames, chess.Atomic, 2, []string{
			"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "rnbqkbnr/ppppp1pp/5p2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2"}},
		"games of an editor":    {"\ufeff[Event \"x\"]\n\n1. e4 c5 *\n", chess.Standard, 0, []string{"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}},
		"games after a comment": {"% of a program\n; and a person\n{two lines}\n1. e4 c5 *\n", chess.Standard, 0, []string{"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}},
		"EPD of an editor":      {"\ufeff# x\n4k3/8/8/8/8/8/4P3/4K3 w - -\n", chess.Standard, 0, []string{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"}},
		"movetext only":         {"1. e4 c5 *\n", chess.Standard, 0, []string{"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}},
		"EPD": {"# from somewhere\n\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";\n4k3/8/8/8/8/8/4P3/4K3 b - - 12 40\n", chess.Standard, 0, []string{
			"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 12 40"}},
		"three-check": {"4k3/8/8/8/8/8/4P3/4K3 w - - 2+3 0 1\n", chess.ThreeCheck, 0, []string{"4k3/8/8/8/8/8/4P3/4K3 w - - 2+3 0 1"}},
	} {
		book, err := ReadBook(strings.NewReader(c.text), "book", c.v, c.plies)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var have []string
		for _, o := range book {
			g, err := o.game()
			if err != nil {
				t.Fatal(err)
			}
			have = append(have, g.Position().FEN())
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                                      "book: no openings in it",
		"4k3/8/8 w - -\n":                       "book:1: ",
		"# x\n7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n": "book:2: 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1: the game is over",
		twoGames:                                "game 1 is one of Atomic, want chess",
		"[Event \"x\"]\n\n1. e5 *\n":            "game 1",
		"[Event \"x\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n": "game 1: the game is over (0-1 checkmate)",
	} {
		if _, err := ReadBook(strings.NewReader(text), "book", chess.Standard, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := ReadBook(strings.NewReader("4k3/8/8/8/8/8/4P3/4K3 w - -\n"), "book", chess.Standard, 2); err == nil || !strings.Contains(err.Error(), "book:1: a position, not a game") {
		t.Errorf("plies of a position: error %v", err)
	}
}

func FuzzReadBook(f *testing.F) {
	f.Add(twoGames, uint8(chess.Atomic), 3)
	f.Add("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n", uint8(0), 0)
	f.Fuzz(func(t *testing.T, text string, v uint8, plies int) {
		variant := chess.Variants()[int(v)%len(chess.Variants())]
		book, err := ReadBook(strings.NewReader(text), "book", variant, plies)
		if err != nil {
			return
		}
		for _, o := range book {
			if _, err := o.game(); err != nil {
				t.Error(err)
			}
		}
	})
}

// All pairs meet in the openings of the book, each once before one comes again, the
// two games of a pair in the same, whatever the workers; and files keep it.
func TestBook(t *testing.T) {
	book, err := ReadBook(strings.NewReader(twoGames+"\n[Variant \"Atomic\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n*\n"), "book", chess.Atomic, 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Tournament{Variant: chess.Atomic, Rounds: 12, MaxMoves: 20, Seed: 5, Book: book, RandomPlies: 1}
	players := []Entry{randomEntry("a"), randomEntry("b"), randomEntry("c")}
	games := play(t, cfg, players...)
	opening := func(g *Game) string { return fmt.Sprint(g.Start.FEN(), g.Moves[:g.Book]) }
	used := map[string]int{}
	byNumber := map[int]string{}
	for _, g := range games {
		o := opening(g)
		used[o]++
		if first, seen := byNumber[g.Number/2]; seen && first != o {
			t.Errorf("%s - %s, game %d: another opening than others of its number", g.White, g.Black, g.Number)
		}
		byNumber[g.Number/2] = o
		if g.Opening != g.Book+1 {
			t.Errorf("opening of %d plies, %d of the book and one random", g.Opening, g.Book)
		}
		if g.Number%2 == 1 && !slices.Equal(games[slices.Index(games, g)-1].Moves[:g.Opening], g.Moves[:g.Opening]) {
			t.Errorf("game %d begins unlike the game before", g.Number)
		}
		back, err := fromPGN(g.PGN("x"))
		if err != nil || back.Book != g.Book || back.Opening != g.Opening {
			t.Errorf("read back: %+v, %v", back, err)
		}
	}
	if len(used) != 3 {
		t.Errorf("%d openings were used of 3", len(used))
	}
	for o, n := range used {
		if n != 12 {
			t.Errorf("%s was used %d times, want 12", o, n)
		}
	}
	cfg.Workers = 3
	if again := play(t, cfg, players...); pgn(t, again) != pgn(t, games) {
		t.Error("other games with other workers")
	}
	cfg.Book = []Opening{{chess.StartPosition(chess.Atomic), []chess.Move{1}}}
	if err := gamesOf(cfg, players).Play(t.Context(), ignore); err == nil || !strings.Contains(err.Error(), "not legal") {
		t.Errorf("error %v", err)
	}
}

func TestFormats(t *testing.T) {
	players := []Entry{randomEntry("d"), randomEntry("c"), randomEntry("b"), randomEntry("a")}
	for want, f := range map[string]Format{
		"cd bd ad bc ac ab": {},
		"cd bd ad":          {First: 1},
		"bd ad bc ac":       {First: 2},
		"cd bc ab":          {Span: 1},
		"cd bd bc ac ab":    {Span: 2},
	} {
		var have []string
		for _, x := range Fixtures(Tournament{Format: f, Rounds: 1}, players) {
			have = append(have, x.A+x.B)
		}
		if s := strings.Join(have, " "); s != want {
			t.Errorf("%+v: %s, want %s", f, s, want)
		}
	}
	for _, f := range []Format{{First: 4}, {First: -1}, {Span: -1}, {First: 1, Span: 1}} {
		if err := gamesOf(Tournament{Variant: chess.Atomic, Format: f, Rounds: 1}, players).Play(t.Context(), ignore); err == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}
