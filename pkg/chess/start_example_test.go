package chess_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"alamos/pkg/chess"
)

// A game begins at a pawn ending or at any position of chess960, each as likely.
func ExampleParseStarts() {
	positions, err := chess.ParseStarts(chess.Standard, []string{"8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", chess.AnyChess960})
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 5))
	for range 4 {
		p := positions.Draw(rng)
		fmt.Println(p.FEN())
	}

	_, err = chess.ParseStarts(chess.Horde, []string{chess.AnyChess960})
	fmt.Println(err)
	// Output:
	// 8/8/8/4k3/8/4K3/4P3/8 w - - 0 1
	// rqbkrbnn/pppppppp/8/8/8/8/PPPPPPPP/RQBKRBNN w KQkq - 0 1
	// 8/8/8/4k3/8/4K3/4P3/8 w - - 0 1
	// 8/8/8/4k3/8/4K3/4P3/8 w - - 0 1
	// start position 1: chess960: horde has a start position of its own
}
