package bench

import (
	"context"
	"fmt"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Search measures pkg/search with searches of one game from the start position, with the
// settings of the thesis.
//
// Without networks the evaluator is free: all moves and all positions are equal to it. This
// measures the tree and the rules on one thread. Networks are untrained. Each is measured
// alone on the machine, and all workers share each batch.
type Search struct {
	Variants []chess.Variant
	Visits   int // per search
	Leaves   int // leaves evaluated in a step
	Solver   bool
	Cache    int           // cached positions
	Time     time.Duration // approximate time for each variant (and network)

	Networks   []Shape
	PolicyHead string // one of package nn's
	Precision  string // one of package nn's
	Device     string // see nn.Devices
	Workers    int    // threads of the networks

	Reporter[SearchResult]
}

// SearchResult is the result for a variant and a network.
type SearchResult struct {
	Variant string  `json:"variant" table:"variant"`
	Network string  `json:"network,omitempty" table:"network"`
	Visits  int     `json:"visits" table:"visits" format:"thousands"`
	Leaves  int     `json:"leaves" table:"leaves"`
	Speed   float64 `json:"visits_per_second" table:"visits/s" format:"thousands"`
	Took    float64 `json:"-" table:"seconds" format:"%.3f"`                   // per search
	Bytes   float64 `json:"bytes_per_visit" table:"bytes/visit" format:"%.0f"` // memory of the tree

	// With a network only:
	Workers int     `json:"workers,omitempty"`
	Fill    float64 `json:"batch_fill,omitempty" decimals:"3"` // fraction of batch slots that had a position
	Seconds float64 `json:"seconds,omitempty" decimals:"6"`
}

func (r SearchResult) How() string {
	how := "One thread, an evaluator that costs nothing"
	if r.Network != "" {
		how = fmt.Sprintf("One search alone, %d threads of the network", r.Workers)
	}
	return fmt.Sprintf("%s; from the start position; the best of %d turns.", how, turns)
}

// searchCase is a variant and a network, which may be nil.
type searchCase struct {
	variant chess.Variant
	network *Shape
}

func (c searchCase) String() string {
	if c.network == nil {
		return c.variant.String()
	}
	return fmt.Sprintf("%s, %s", c.variant, c.network)
}

// Run measures the variants in order, each with all networks.
func (s *Search) Run(ctx context.Context) error {
	var cases []searchCase
	for _, v := range s.Variants {
		if len(s.Networks) == 0 {
			cases = append(cases, searchCase{variant: v})
		}
		for _, shape := range s.Networks {
			cases = append(cases, searchCase{v, &shape})
		}
	}
	return each(&s.Reporter, cases, func(c searchCase) (SearchResult, error) {
		if c.network == nil {
			r, err := s.measure(ctx, c.variant, search.Uniform{})
			r.Fill = 0
			return r, err
		}
		e, stop, err := s.evaluator(c.variant, *c.network)
		if err != nil {
			return SearchResult{}, err
		}
		defer stop()
		r, err := s.measure(ctx, c.variant, e)
		r.Network, r.Workers, r.Seconds = c.network.String(), s.Workers, r.Took
		return r, err
	})
}

// evaluator makes an untrained network whose workers share each batch. stop releases it.
func (s *Search) evaluator(v chess.Variant, shape Shape) (e search.Evaluator, stop func(), err error) {
	codec, err := codecFor(v)
	if err != nil {
		return nil, nil, err
	}
	network, err := nn.New(shape.spec(codec, s.PolicyHead), 1)
	if err != nil {
		return nil, nil, err
	}
	model, err := network.Compile(nn.InferenceOptions{Batch: (s.Leaves + s.Workers - 1) / s.Workers, Device: s.Device, Precision: s.Precision})
	if err != nil {
		return nil, nil, err
	}
	group, err := model.NewGroup(s.Workers)
	if err != nil {
		model.Close()
		return nil, nil, err
	}
	return search.NewEvaluator(codec, group), func() { group.Close(); model.Close() }, nil
}

// counted counts the batches of an evaluator.
type counted struct {
	search.Evaluator
	leaves, batches int
}

func (c *counted) Evaluate(leaves []*encode.Leaf) error {
	c.leaves += len(leaves)
	c.batches++
	return c.Evaluator.Evaluate(leaves)
}

func (s *Search) measure(ctx context.Context, v chess.Variant, e search.Evaluator) (SearchResult, error) {
	r := SearchResult{Variant: v.String(), Visits: s.Visits, Leaves: s.Leaves}
	tree := search.NewTree(search.Config{
		Visits: s.Visits, CPuct: 2, ExpandAt: 2, Leaves: s.Leaves, Solver: s.Solver, Cache: s.Cache,
	}, 1)
	game := chess.NewGame(chess.StartPosition(v))
	count := &counted{Evaluator: e}
	best, err := alternate(ctx, s.Time, func(ctx context.Context) (int, time.Duration, error) {
		began := time.Now()
		tree.SetRoot(game)
		if err := search.Run(ctx, []*search.Tree{tree}, count); err != nil {
			return 0, 0, err
		}
		took := time.Since(began)
		visits := 0
		for _, e := range tree.Root() {
			visits += e.Visits
		}
		if visits != s.Visits {
			return 0, 0, fmt.Errorf("a search of %d visits made %d", s.Visits, visits)
		}
		return visits, took, nil
	})
	if err != nil {
		return r, err
	}
	r.Speed, r.Took = best[0], float64(s.Visits)/best[0]
	r.Bytes = float64(tree.Bytes()) / float64(s.Visits)
	r.Fill = float64(count.leaves) / float64(count.batches*s.Leaves)
	return r, nil
}
