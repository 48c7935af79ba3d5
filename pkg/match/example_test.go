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
	var opener match.Opener
	defer opener.Close()
	var players [2]*match.Opened
	for i, word := range []string{"material:2", "random"} {
		spec, err := match.ParseSpec(word)
		if err != nil {
			log.Fatal(err)
		}
		if players[i], err = opener.Open(spec); err != nil {
			log.Fatal(err)
		}
	}
	games := match.Tournament{Variant: chess.Atomic, Rounds: 4, RandomPlies: 2, Workers: 1}
	s, err := match.Run(context.Background(), match.Config{Tournament: games, Players: players})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Table()[0])
	fmt.Println(s.Games, "games,", s.Pairs.Pairs(), "pairs,", strings.Fields(s.Line())[0])
	// Output:
	// material alpha-beta depth 2 against random
	// 4 games, 2 pairs, material
}
