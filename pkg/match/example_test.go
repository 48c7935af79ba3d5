package match_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// Two players of the command line play a match of atomic chess.
func Example() {
	var players [2]*match.Spec
	for i, word := range []string{"material:2", "random"} {
		var err error
		if players[i], err = match.ParseSpec(word); err != nil {
			log.Fatal(err)
		}
	}
	atomic := chess.Atomic
	s, err := match.Run(context.Background(), match.Config{
		Players: players, Variant: &atomic, Games: 4, RandomPlies: 2, Visits: 100, Concurrency: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Table()[0])
	fmt.Println(s.Games, "games,", s.Pairs.Pairs(), "pairs,", strings.Fields(s.Line())[0])
	// Output:
	// material alpha-beta depth 2 against random
	// 4 games, 2 pairs, material
}
