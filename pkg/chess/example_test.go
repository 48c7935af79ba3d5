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

// Start position 518 of chess960 is that of chess.
func ExampleChess960() {
	p, err := chess.Chess960(chess.Standard, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.FEN())
	// Output: bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1
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
