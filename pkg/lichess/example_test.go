package lichess_test

import (
	"context"
	"log"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/lichess"
	"alamos/pkg/uci"
)

// A bot that plays atomic chess against everybody, two games at once.
func ExampleRun() {
	cfg := lichess.Config{
		Token: "lip_...",
		Policy: lichess.Policy{
			Variants: []chess.Variant{chess.Atomic}, Casual: true, Humans: true, Bots: true,
			Shortest: time.Minute, AtOnce: 2,
		},
		Engine: func(v chess.Variant) (uci.Searcher, error) { return uci.New(uci.Blank(v)), nil },
	}
	if err := lichess.Run(context.Background(), context.Background(), cfg); err != nil {
		log.Fatal(err)
	}
}
