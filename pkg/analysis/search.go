package analysis

import (
	"context"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Limits end a search: the first that is reached.
type Limits struct {
	Visits int           // 0: the network alone, or with Time none
	Time   time.Duration // 0: none
}

const (
	endless   = 1_000_000_000 // visits, more than memory has room for
	treeBytes = 2 << 30
)

// Search looks at the current position of g as cfg says, whether or not a claim
// would end the game there. Memory ends it too.
func Search(ctx context.Context, g *chess.Game, cfg search.Config, eval search.Evaluator, limits Limits) (*search.Tree, error) {
	began := time.Now()
	cfg.Visits = min(limits.Visits, 1<<16) // room to begin with
	tree := search.NewTree(cfg, 0)         // there is no noise: the seed decides nothing
	tree.Analyze(g)
	tree.SetVisits(limits.Visits)
	if limits.Visits == 0 && limits.Time > 0 {
		tree.SetVisits(endless)
	}
	// What is known by force has the visits that were made, not those that were asked for.
	defer tree.SetVisits(0)
	trees, stepper := []*search.Tree{tree}, search.Stepper{}
	for tree.Bytes() < treeBytes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		asked, err := stepper.Step(trees, eval)
		if err != nil || asked == 0 {
			return tree, err
		}
		if limits.Time > 0 && time.Since(began) >= limits.Time {
			break
		}
	}
	return tree, nil
}
