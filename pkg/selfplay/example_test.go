package selfplay_test

import (
	"context"
	"fmt"
	"log"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// uniform is a network that prefers no move and expects draws.
type uniform struct{}

func (uniform) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		for i := range l.Priors {
			l.Priors[i] = 1 / float32(len(l.Priors))
		}
	}
	return nil
}

// Two workers play four games. One worker would play the same games.
func ExamplePlay() {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		log.Fatal(err)
	}
	cfg := selfplay.Config{
		Variant: chess.Atomic, Games: 4, Seed: 1,
		Search:      search.Config{Visits: 16, CPuct: 1.5},
		Temperature: selfplay.Temperature{Power: 1},
	}
	samples := make([]int, cfg.Games)
	err = selfplay.Play(context.Background(), cfg, codec, []search.Net{uniform{}, uniform{}}, func(r *selfplay.Record) {
		samples[r.Number] = len(r.Samples) - len(r.Moves)
	})
	fmt.Println("samples beside one for each move:", samples, err)
	// Output: samples beside one for each move: [0 0 0 0] <nil>
}
