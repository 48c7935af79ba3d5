package chess_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"

	"alamos/pkg/chess"
)

func Example() {
	p := chess.StartPosition(chess.Atomic)
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice()[:3] {
		fmt.Println(p.SAN(m), p.UCI(m))
	}
	// Output:
	// Na3 b1a3
	// Nc3 b1c3
	// Nf3 g1f3
}

// A loop over legal moves: generate, choose, play.
func ExampleGame() {
	random := rand.New(rand.NewPCG(6, 0))
	g := chess.NewGame(chess.StartPosition(chess.Atomic))
	var l chess.MoveList
	for g.Position().LegalMoves(&l); !g.Outcome(&l).Over(); g.Position().LegalMoves(&l) {
		g.Play(l.At(random.IntN(l.Len())))
	}
	fmt.Println(g.Outcome(&l), "after", g.Ply(), "plies:", g.Position().FEN())
	// Output: 0-1 king_exploded after 16 plies: r1bqkb1r/p1ppnppp/8/1p2p2Q/3PPNP1/P1P5/1P3P1P/RNB4R w kq - 0 9
}

// In crazyhouse what was captured can be dropped.
func ExamplePosition_LegalMoves() {
	p, err := chess.ParseFEN(chess.Crazyhouse, "4k3/8/8/8/8/8/5PPP/6K1[Rn] b - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		q := p // a copy: positions are values
		q.Play(m)
		if m.IsDrop() && q.InCheck() {
			fmt.Println(p.SAN(m), "gives check:", q.FEN())
		}
	}
	// Output:
	// N@e2+ gives check: 4k3/8/8/8/8/8/4nPPP/6K1[R] w - - 1 2
	// N@f3+ gives check: 4k3/8/8/8/8/5n2/5PPP/6K1[R] w - - 1 2
	// N@h3+ gives check: 4k3/8/8/8/8/7n/5PPP/6K1[R] w - - 1 2
}

// Every variant but horde and racing kings can begin as in chess960.
func ExampleChess960() {
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic, chess.Horde} {
		p, err := chess.Chess960(v, 0)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p.FEN())
	}
	// Output:
	// bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1
	// bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1
	// chess960: horde has a start position of its own
}

// In chess960 the king castles by taking its rook, since its own target square
// could be that of a plain move.
func ExamplePosition_ParseUCI() {
	for _, c := range []struct{ fen, move string }{
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1"},
		{"4k3/8/8/8/8/8/8/RK3R2 w KQ - 0 1", "b1f1"},
	} {
		p, err := chess.ParseFEN(chess.Standard, c.fen)
		if err != nil {
			log.Fatal(err)
		}
		m, err := p.ParseUCI(c.move)
		if err != nil {
			log.Fatal(err)
		}
		q := p
		q.Play(m)
		fmt.Println(p.SAN(m), p.UCI(m), q.FEN())
	}
	// Output:
	// O-O e1g1 4k3/8/8/8/8/8/8/R4RK1 b - - 1 1
	// O-O e1g1 4k3/8/8/8/8/8/8/R4RK1 b - - 1 1
	// O-O b1f1 4k3/8/8/8/8/8/8/R4RK1 b - - 1 1
}

// Sets of squares are ranged over.
func ExamplePosition_Pieces() {
	p := chess.StartPosition(chess.Standard)
	for s := range p.Pieces(chess.White, chess.Knight).Squares {
		fmt.Println(s, s.File(), s.Rank())
	}
	// Output:
	// b1 1 0
	// g1 6 0
}

// A game is played move by move until a rule ends it.
func ExampleGame_Outcome() {
	g := chess.NewGame(chess.StartPosition(chess.Atomic))
	var l chess.MoveList
	for _, s := range strings.Fields("Nf3 a6 Ne5 a5 Nxf7") {
		m, err := g.Position().ParseSAN(s)
		if err != nil {
			log.Fatal(err)
		}
		g.Play(m)
		g.Position().LegalMoves(&l)
		if o := g.Outcome(&l); o.Over() {
			fmt.Println(o)
		}
	}
	fmt.Println(g.Position().FEN())
	// Output:
	// 1-0 king_exploded
	// rnbq3r/1pppp1pp/8/p7/8/8/PPPPPPPP/RNBQKB1R b KQ - 0 3
}

func ExamplePerft() {
	p := chess.StartPosition(chess.Atomic)
	fmt.Println(chess.Perft(&p, 4))
	// Output: 197326
}

// Crazyhouse has pockets behind the board, three-check the checks still to give
// before the clocks. Other programs' ways of writing either are read too.
func ExampleParseFEN() {
	for _, fen := range []string{"4k3/8/8/8/8/8/5PPP/6K1[Rnn] b - - 0 1", "4k3/8/8/8/8/8/5PPP/6K1/Rnn b - - 0 1"} {
		p, err := chess.ParseFEN(chess.Crazyhouse, fen)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.FEN(), p.Pocket(chess.White, chess.Rook), p.Pocket(chess.Black, chess.Knight))
	}
	for _, fen := range []string{"4k3/8/8/8/8/8/8/R3K3 w Q - 1+3 0 1", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 +2+0"} {
		p, err := chess.ParseFEN(chess.ThreeCheck, fen)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.FEN(), p.ChecksLeft(chess.White), p.ChecksLeft(chess.Black))
	}
	// Output:
	// 4k3/8/8/8/8/8/5PPP/6K1[Rnn] b - - 0 1 1 2
	// 4k3/8/8/8/8/8/5PPP/6K1[Rnn] b - - 0 1 1 2
	// 4k3/8/8/8/8/8/8/R3K3 w Q - 1+3 0 1 1 3
	// 4k3/8/8/8/8/8/8/R3K3 w Q - 1+3 0 1 1 3
}

func ExampleReadSuite() {
	suite, err := chess.ReadSuite(strings.NewReader(`
# counts of another program
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D3 8902
`), "suite.epd", chess.Standard)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range suite {
		for _, c := range e.Counts {
			fmt.Println("line", e.Line, "depth", c.Depth, chess.Perft(&e.Position, c.Depth) == c.Nodes)
		}
	}
	// Output:
	// line 3 depth 1 true
	// line 3 depth 3 true
}

func ExampleParseFEN_error() {
	_, err := chess.ParseFEN(chess.Standard, "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1")
	fmt.Println(err)
	// Output: fen "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1": field 3 (castling): 'Q': no white rook stands there to castle with
}

func ExampleWritePGN() {
	g := &chess.PGN{
		Variant: chess.Standard,
		Start:   chess.StartPosition(chess.Standard),
		Tags:    []chess.Tag{{Name: "White", Value: "generation 3"}, {Name: "Black", Value: "random"}},
		Result:  chess.Unfinished,
	}
	p := g.Start
	for _, s := range []string{"e2e4", "c7c5"} {
		m, err := p.ParseUCI(s)
		if err != nil {
			log.Fatal(err)
		}
		g.Moves = append(g.Moves, m)
		p.Play(m)
	}
	if err := chess.WritePGN(os.Stdout, g); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [Event "?"]
	// [Site "?"]
	// [Date "????.??.??"]
	// [Round "?"]
	// [White "generation 3"]
	// [Black "random"]
	// [Result "*"]
	//
	// 1. e4 c5 *
}

// A game that cannot be read does not stop the reader.
func ExamplePGNReader() {
	r := chess.NewPGNReader(strings.NewReader(`
[Event "First"]
1. e4 e5 2. Ke3 1-0

[Event "Second"]
1. d4 d5 1/2-1/2
`))
	for {
		g, err := r.Next()
		if err == io.EOF {
			break
		}
		if bad := new(chess.PGNError); errors.As(err, &bad) {
			fmt.Println("skipped:", bad)
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(g.Tag("Event"), g.Moves, g.Result)
	}
	// Output:
	// skipped: pgn: game 1, line 3, move 2.: san move "Ke3": not legal in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
	// Second [d2d4 d7d5] 1/2-1/2
}
