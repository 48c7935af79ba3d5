package hook_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"alamos/pkg/hook"
)

// A script counts games that end with an explosion.
func ExampleSession() {
	script, err := hook.Read("testdata/explosions.go")
	if err != nil {
		log.Fatal(err)
	}
	session := script.Open(hook.Limits{})
	defer session.Close()
	measured, err := session.Measure(context.Background(), hook.Generation{Number: 1, Variant: "atomic", Games: []hook.Game{{
		Variant: "atomic", Start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		Moves: strings.Fields("g1f3 d7d5 f3e5 e7e6 e5f7"), Result: "1-0", Reason: "king_exploded",
	}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(measured.Metrics)
	// Output: map[explosion_mean_plies:5 explosion_share:1]
}
