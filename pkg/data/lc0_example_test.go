package data_test

import (
	"fmt"
	"io"
	"log"
	"os"

	"alamos/pkg/data"
	"alamos/pkg/encode"
)

// The end of a game that Leela Chess Zero played against itself: the moves, as the
// side to move sees them, and the result for that side.
func ExampleLC0Reader() {
	file, err := os.Open("../encode/testdata/lc0_v6/nn_game_000015.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	r, err := data.NewLC0Reader(file.Name(), file)
	if err != nil {
		log.Fatal(err)
	}
	moves := encode.LC01858Moves()
	var record data.LC0Record
	for {
		err := r.Next(&record)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if record.Result.M < 4 {
			fmt.Printf("%s with %.0f%% of the visits, %+.0f in %.0f plies\n",
				moves[record.Played], 100*record.Policy[record.Played], record.Result.Q, record.Result.M)
		}
	}
	// Output:
	// d2a5 with 3% of the visits, +1 in 3 plies
	// h2h4 with 6% of the visits, -1 in 2 plies
	// a5d8 with 41% of the visits, +1 in 1 plies
}
