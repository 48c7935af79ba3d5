package chess_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"alamos/pkg/chess"
)

// A large file is read with one game's memory.
func ExamplePGNReader_NextInto() {
	r := chess.NewPGNReader(strings.NewReader(`
[Event "one"]
1. e4 e5 2. Nf3 Nc6 1/2-1/2

[Event "two"]
[Variant "Crazyhouse"]
1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. P@d5 1-0
`))
	var g chess.PGN
	for {
		if err := r.NextInto(&g); err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(g.Tag("Event"), g.Variant, len(g.Moves), g.Result)
	}
	// Output:
	// one chess 4 1/2-1/2
	// two crazyhouse 7 1-0
}

// Variations belong to the move that they replace.
func ExampleLine() {
	r := chess.NewPGNReader(strings.NewReader("1. e4 c5! (1... e5 2. Nf3 (2. f4 {sharp}) 2... Nc6) 2. Nf3 *"))
	g, err := r.Next()
	if err != nil {
		log.Fatal(err)
	}
	var show func(l chess.Line, indent string)
	show = func(l chess.Line, indent string) {
		fmt.Printf("%sinstead of move %d: %v %q\n", indent, l.Ply+1, l.Moves, l.Comment(len(l.Moves)))
		for _, v := range l.Variations {
			show(v, indent+"  ")
		}
	}
	fmt.Println(g.Moves, g.NAGs)
	for _, v := range g.Variations {
		show(v, "  ")
	}
	// Output:
	// [e2e4 c7c5 g1f3] [!]
	//   instead of move 2: [e7e5 g1f3 b8c6] ""
	//     instead of move 2: [f2f4] "sharp"
}

// Chess960 is chess from another start.
func ExampleWritePGN_chess960() {
	start, err := chess.Chess960(chess.Standard, 0)
	if err != nil {
		log.Fatal(err)
	}
	g := &chess.PGN{Start: start, Result: chess.Unfinished, Tags: []chess.Tag{{Name: "White", Value: "one"}}}
	m, err := start.ParseUCI("e2e4")
	if err != nil {
		log.Fatal(err)
	}
	g.Moves = []chess.Move{m}
	g.SetComment(1, "[%clk 0:03:00]")
	if err := chess.WritePGN(os.Stdout, g); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [Event "?"]
	// [Site "?"]
	// [Date "????.??.??"]
	// [Round "?"]
	// [White "one"]
	// [Black "?"]
	// [Result "*"]
	// [Variant "Chess960"]
	// [SetUp "1"]
	// [FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"]
	//
	// 1. e4 {[%clk 0:03:00]} *
}

func ExamplePosition_ParseSAN() {
	p := chess.StartPosition(chess.Standard)
	for _, s := range []string{"Nf3", "Ng1-f3!?", "Nd2", "Rxe9"} {
		m, err := p.ParseSAN(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p.SAN(m), p.UCI(m))
	}
	// Output:
	// Nf3 g1f3
	// Nf3 g1f3
	// san move "Nd2": not legal in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
	// san move "Rxe9": target square "e9": want a file a-h and a rank 1-8, such as e4
}
