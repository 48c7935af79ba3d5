package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"alamos/pkg/chess"
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
	Options
	Variants []chess.Variant
	Visits   int // per search; 0 means 100,000, with networks 800
	Leaves   int // leaves evaluated in a step; 0 means 1, with networks 32
	Solver   bool
	Cache    int // cached positions
	Workers  int // threads of the networks; 0 means the best for the device

	Reporter[SearchResult]
}

// SearchResult is the result for a variant and a network.
type SearchResult struct {
	Variant string `json:"variant" table:"variant"`
	Network string `json:"network,omitempty" table:"network"`
	Visits  int    `json:"visits" table:"visits"`
	Leaves  int    `json:"leaves" table:"leaves"`
	Speed   Figure `json:"visits_per_second" table:"visits/s"`
	Seconds Figure `json:"seconds" table:"seconds" format:"%.3f"`             // per search
	Bytes   Figure `json:"bytes_per_visit" table:"bytes/visit" format:"%.0f"` // memory of the tree

	// With a network only:
	Workers int    `json:"workers,omitempty"`
	Fill    Figure `json:"batch_fill,omitempty"` // fraction of batch slots that had a position
}

func (r SearchResult) How() string {
	how := "One thread, an evaluator that costs nothing"
	if r.Network != "" {
		how = fmt.Sprintf("One search alone, %d threads of the network", r.Workers)
	}
	return how + "; from the start position."
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
	visits, leaves := 100_000, 1
	if len(s.Networks) > 0 {
		visits, leaves = 800, 32
	}
	s.Visits, s.Leaves = cmp.Or(s.Visits, visits), cmp.Or(s.Leaves, leaves)
	workers, _, err := nn.Latency(s.Device)
	if err != nil {
		return err
	}
	s.Workers = cmp.Or(s.Workers, workers)
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
			return s.measure(ctx, c.variant, search.Uniform{})
		}
		codec, err := codecFor(c.variant, *c.network)
		if err != nil {
			return SearchResult{}, err
		}
		model, err := s.model(codec, *c.network, (s.Leaves+s.Workers-1)/s.Workers)
		if err != nil {
			return SearchResult{}, err
		}
		defer model.Close()
		group, err := model.NewGroup(s.Workers) // the workers share each batch
		if err != nil {
			return SearchResult{}, err
		}
		defer group.Close()
		r, err := s.measure(ctx, c.variant, search.NewEvaluator(codec, group))
		positions, places := model.Work()
		r.Network, r.Workers, r.Fill = c.network.String(), s.Workers, Figure(positions)/Figure(max(1, places))
		return r, err
	})
}

func (s *Search) measure(ctx context.Context, v chess.Variant, e search.Evaluator) (SearchResult, error) {
	r := SearchResult{Variant: v.String(), Visits: s.Visits, Leaves: s.Leaves}
	tree := search.NewTree(search.Config{
		Visits: s.Visits, CPuct: 2, ExpandAt: 2, Leaves: s.Leaves, Solver: s.Solver, Cache: s.Cache,
	}, 1)
	game := chess.NewGame(chess.StartPosition(v))
	speeds, err := interleave(ctx, s.Time, func(ctx context.Context) (int, time.Duration, error) {
		began := time.Now()
		tree.SetRoot(game)
		if err := search.Run(ctx, []*search.Tree{tree}, e); err != nil {
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
	r.Speed, r.Seconds = Figure(speeds[0]), Figure(float64(s.Visits)/speeds[0])
	r.Bytes = Figure(tree.Bytes()) / Figure(s.Visits)
	return r, nil
}
