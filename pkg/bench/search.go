package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Search measures pkg/search: searches for one game from the start position, with
// the settings of the thesis.
//
// Without networks the evaluator is free: it finds all moves alike and all
// positions equal. What is left is the tree and the rules, on one thread. With
// networks, which are untrained, each searches alone on the machine: all workers
// share each batch.
type Search struct {
	Variants []chess.Variant
	Visits   int // of a search
	Leaves   int // evaluated in a step
	Solver   bool
	Cache    int           // positions
	Time     time.Duration // for which each variant (and network) is measured, about

	Networks   []Shape
	PolicyHead string // one of package nn's
	Precision  string // one of package nn's
	Device     string // see nn.Devices
	Workers    int    // threads of the networks

	// What follows is told to the caller as it happens; nil for not.
	Begin  func(done int, next string)
	Result func(SearchResult)
}

// SearchResult is what came out for a variant and a network.
type SearchResult struct {
	Variant chess.Variant
	Network *Shape // nil: free
	Visits  int
	Leaves  int
	Workers int     // of the network
	Speed   float64 // visits/s
	Bytes   float64 // of the tree for a visit
	Fill    float64 // share of the places in batches that had a position
}

// Seconds is how long a search takes.
func (r *SearchResult) Seconds() float64 { return float64(r.Visits) / r.Speed }

// Runs is how many results there will be.
func (s *Search) Runs() int { return len(s.Variants) * max(1, len(s.Networks)) }

// Run measures the variants in their order, each with all networks.
func (s *Search) Run(ctx context.Context) error {
	done := 0
	measure := func(v chess.Variant, network *Shape, what string, e search.Evaluator) error {
		if s.Begin != nil {
			s.Begin(done, what)
		}
		r, err := s.measure(ctx, v, e)
		if err != nil {
			return fmt.Errorf("bench: %s: %w", what, err)
		}
		if r.Network = network; network == nil {
			r.Workers = 0
		}
		if s.Result != nil {
			s.Result(r)
		}
		done++
		return nil
	}
	for _, v := range s.Variants {
		if len(s.Networks) == 0 {
			if err := measure(v, nil, v.String(), search.Uniform{}); err != nil {
				return err
			}
		}
		for _, shape := range s.Networks {
			e, stop, err := s.evaluator(v, shape)
			if err != nil {
				return err
			}
			err = measure(v, &shape, fmt.Sprintf("%s, %s", v, shape), e)
			stop()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluator makes an untrained network whose workers share each batch; stop
// releases it.
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
	r := SearchResult{Variant: v, Visits: s.Visits, Leaves: s.Leaves, Workers: s.Workers}
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
	r.Speed = best[0]
	r.Bytes = float64(tree.Bytes()) / float64(s.Visits)
	r.Fill = float64(count.leaves) / float64(count.batches*s.Leaves)
	return r, nil
}

// MarshalJSON writes one flat object; network and what belongs to it are only
// there with a network.
func (r SearchResult) MarshalJSON() ([]byte, error) {
	type network struct {
		Network string   `json:"network"`
		Workers int      `json:"workers"`
		Fill    *float64 `json:"batch_fill"`
		Seconds *float64 `json:"seconds"`
	}
	out := struct {
		Variant string   `json:"variant"`
		Visits  int      `json:"visits"`
		Leaves  int      `json:"leaves"`
		Speed   *float64 `json:"visits_per_second"`
		Bytes   *float64 `json:"bytes_per_visit"`
		*network
	}{Variant: r.Variant.String(), Visits: r.Visits, Leaves: r.Leaves, Speed: rounded(r.Speed, 0), Bytes: rounded(r.Bytes, 0)}
	if r.Network != nil {
		out.network = &network{r.Network.String(), r.Workers, rounded(r.Fill, 3), rounded(r.Seconds(), 6)}
	}
	return json.Marshal(out)
}

// SearchTable writes results for people: a line a variant and network, and below
// it how the figures were made.
func SearchTable(w io.Writer, results []SearchResult) error {
	t := table{
		head: []string{"variant", "network", "visits", "leaves", "visits/s", "seconds", "bytes/visit"},
		text: []bool{true, true, false, false, false, false, false},
	}
	how := "One thread, an evaluator that costs nothing"
	for _, r := range results {
		network := "-"
		if r.Network != nil {
			network = r.Network.String()
			how = fmt.Sprintf("One search alone, %d threads of the network", r.Workers)
		}
		t.rows = append(t.rows, []string{
			r.Variant.String(), network, humanize.Comma(int64(r.Visits)), strconv.Itoa(r.Leaves),
			humanize.Comma(int64(r.Speed)), fmt.Sprintf("%.3f", r.Seconds()), fmt.Sprintf("%.0f", r.Bytes),
		})
	}
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s; from the start position; the best of %d turns.\n", how, turns)
	return err
}
