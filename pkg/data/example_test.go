package data_test

import (
	"context"
	"fmt"
	"log"

	"alamos/pkg/data"
)

// The first positions of games in PGN, with the moves that were played in them.
func ExampleSource_All() {
	set, err := data.Open(data.Config{Kind: data.PGN, Files: []string{"testdata/*.pgn"}}, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	for p, err := range set.All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if p.Ply == 3 {
			break
		}
		for i, m := range p.Moves {
			if p.Policy[i] == 1 {
				fmt.Printf("%s of %d moves, value %+.0f, %.0f plies left\n", p.At.Position().UCI(m), len(p.Moves), p.Value, p.MovesLeft)
			}
		}
	}
	// Output:
	// h2h4 of 20 moves, value -1, 134 plies left
	// b8a6 of 20 moves, value +1, 133 plies left
	// b2b4 of 21 moves, value -1, 132 plies left
}
