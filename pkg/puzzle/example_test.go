package puzzle_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/puzzle"
)

// A mate in one: the rules decide which moves solve it.
func Example() {
	const file = `6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; id "back rank";`
	set, err := puzzle.Read(strings.NewReader(file), "mates.epd", chess.Standard)
	if err != nil {
		log.Fatal(err)
	}
	p := &set.Puzzles[0]
	for _, san := range []string{"Ra7", "Ra8#"} {
		move, err := p.Position.ParseSAN(san)
		if err != nil {
			log.Fatal(err)
		}
		solved, err := p.SolvedBy(context.Background(), move)
		fmt.Println(p.ID, san, solved, err)
	}
	// Output:
	// back rank Ra7 false <nil>
	// back rank Ra8# true <nil>
}
