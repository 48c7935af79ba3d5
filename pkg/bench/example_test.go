package bench_test

import (
	"context"
	"fmt"
	"time"

	"alamos/pkg/bench"
)

// The start position of chess, without an engine beside it.
func Example() {
	b := bench.Rules{Positions: bench.SpeedSet()[:1], Time: time.Millisecond}
	b.Result = func(r bench.RulesResult) {
		fmt.Println(r.Variant, r.Position, "depth", r.Depth, "nodes", r.Nodes, "measured", r.Speed > 0)
	}
	if err := b.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: chess start depth 5 nodes 4865609 measured true
}
