package alamos_test

import (
	"fmt"

	"alamos/pkg/hook/alamos"
)

func ExampleGame() {
	g := alamos.Game{
		Variant: "chess", Start: alamos.StartPosition("chess").FEN(), Result: "1-0", Reason: "checkmate",
		Moves: []string{"e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"},
	}
	fmt.Println(g.Plies(), "plies,", g.Winner(), "wins")
	for _, p := range g.Positions()[5:] {
		fmt.Printf("%s %v %q\n", p.Turn(), p.InCheck(), p.Ended())
	}
	p := g.Position()
	fmt.Println("queen on", p.Squares("Q"), p.Piece("f7"), "black king on", p.King("black"))
	fmt.Println(p.Count("p"), "black pawns,", p.Count("P"), "white ones,", alamos.Distance("f7", "h8"), "king moves to the corner")
	// Output:
	// 7 plies, white wins
	// black false ""
	// white false ""
	// black true "checkmate"
	// queen on [f7] Q black king on e8
	// 7 black pawns, 8 white ones, 2 king moves to the corner
}

func ExamplePosition() {
	p := alamos.ParsePosition("atomic", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1")
	fmt.Println(p.Variant(), len(p.Moves()), "moves;", p.SAN("f3g5"))
	p = p.Play("f3g5").Play("a7a6").Play("g5f7")
	fmt.Printf("%s, king on %q\n", p.Ended(), p.King("black"))
	// Output:
	// atomic 22 moves; Ng5
	// king_exploded, king on ""
}

func ExampleEvaluation_Moves() {
	e := alamos.Evaluation{Value: 0.1, Policy: map[string]float64{"d2d4": 0.3, "e2e4": 0.5, "c2c4": 0.2}}
	fmt.Println(e.Moves())
	// Output: [e2e4 d2d4 c2c4]
}
