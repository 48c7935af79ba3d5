package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Network measures package nn: positions a second of whole networks, from packed
// planes to the priors of the legal moves and the value, beside those of their
// bare convolutions, in turns. The networks are untrained, which does not change
// their speed; the positions are of random games of atomic chess, with 30 to 40
// legal moves.
type Network struct {
	Networks   []Shape
	Batches    []int
	PolicyHead string // one of package nn's
	Precision  string // one of package nn's
	Device     string // see nn.Devices
	Workers    int
	Time       time.Duration // for which each side is measured, about

	// Together has the workers share each batch, as in a search for a single
	// game. Otherwise each has batches of its own, as in self-play.
	Together bool

	// What follows is told to the caller as it happens; nil for not.
	Begin  func(done int, next string)
	Result func(NetworkResult)
}

// NetworkResult is what came out for a network and a batch.
type NetworkResult struct {
	Network    Shape
	PolicyHead string
	Precision  string // FP32 or BF16
	Batch      int
	Workers    int
	Together   bool
	Device     string
	Speed      float64 // positions/s
	Bare       float64 // positions/s of the convolutions alone
	// FLOPs is the number of operations of the convolutions of a position, two a
	// multiplication and addition.
	FLOPs float64
	// Peak is how many operations a second a CUDA device does in products of large
	// matrices, the most that convolutions could reach; 0: not measured.
	Peak float64
}

// Operations is how many operations a second the convolutions of the network do.
func (r *NetworkResult) Operations() float64 { return r.Speed * r.FLOPs }

// Ratio is the share of the speed of its convolutions that the network reaches.
func (r *NetworkResult) Ratio() float64 { return r.Speed / r.Bare }

// Runs is how many results there will be.
func (b *Network) Runs() int { return len(b.Networks) * len(b.Batches) }

// Run measures the networks in their order, each with all batches.
func (b *Network) Run(ctx context.Context) error {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		return err
	}
	done := 0
	for _, shape := range b.Networks {
		network, err := nn.New(shape.spec(codec, b.PolicyHead), 1)
		if err != nil {
			return err
		}
		for _, batch := range b.Batches {
			if b.Begin != nil {
				b.Begin(done, fmt.Sprintf("%s, batch %d", shape, batch))
			}
			r, err := b.measure(ctx, network, codec, batch)
			if err != nil {
				return fmt.Errorf("bench: %s, batch %d: %w", shape, batch, err)
			}
			r.Network = shape
			if b.Result != nil {
				b.Result(r)
			}
			done++
		}
	}
	return nil
}

// evaluator is a session or a group.
type evaluator interface {
	Evaluate([]*encode.Leaf) error
	Close()
}

func (b *Network) measure(ctx context.Context, network *nn.Network, codec encode.Codec, batch int) (NetworkResult, error) {
	r := NetworkResult{PolicyHead: network.Spec().PolicyHead, Batch: batch, Workers: b.Workers, Together: b.Together}
	options := nn.InferenceOptions{Batch: batch, Device: b.Device, Precision: b.Precision}
	if b.Together {
		options.Batch = (batch + b.Workers - 1) / b.Workers
	}
	model, err := network.Compile(options)
	if err != nil {
		return r, err
	}
	defer model.Close()
	r.Precision, r.Device = model.Precision(), strings.Join(model.Devices(), ",")
	spec := network.Spec()
	r.FLOPs = spec.FLOPs()

	callers := b.Workers
	if b.Together {
		callers = 1
	}
	evaluate := make([]func() (int, error), callers)
	for i := range evaluate {
		var e evaluator
		if b.Together {
			e, err = model.NewGroup(b.Workers)
		} else {
			e, err = model.NewSession()
		}
		if err != nil {
			return r, err
		}
		defer e.Close()
		next, batches := 0, samplePositions(codec, uint64(i), batch)
		evaluate[i] = func() (int, error) {
			next = (next + 1) % len(batches)
			return batch, e.Evaluate(batches[next])
		}
	}
	convolve := make([]func() (int, error), b.Workers)
	for i := range convolve {
		options.Device = model.Devices()[i%len(model.Devices())] // as its sessions take turns
		tower, err := nn.NewTower(network.Spec(), options)
		if err != nil {
			return r, err
		}
		defer tower.Close()
		convolve[i] = func() (int, error) { return options.Batch, tower.Run() }
	}
	turn := min(stretch, b.Time)
	speeds, err := interleave(ctx, b.Time, sideBySide(turn, evaluate), sideBySide(turn, convolve))
	if err != nil {
		return r, err
	}
	r.Speed, r.Bare = speeds[0], speeds[1]
	if device := model.Devices()[0]; device != nn.CPU {
		r.Peak, err = nn.MatrixSpeed(device, r.Precision, b.Time)
	}
	return r, err
}

// sideBySide is a side whose work is done by several goroutines at once, each on
// its own until the turn ends. The time is the mean of theirs: the last one to
// end is not slower, it only began its last unit later.
func sideBySide(turn time.Duration, do []func() (work int, err error)) side {
	return func(ctx context.Context) (int, time.Duration, error) {
		work, spent, errs := make([]int, len(do)), make([]time.Duration, len(do)), make([]error, len(do))
		var start, end sync.WaitGroup
		start.Add(1)
		for i, f := range do {
			end.Go(func() {
				start.Wait()
				began := time.Now()
				for errs[i] == nil && (work[i] == 0 || spent[i] < turn) {
					var n int
					if n, errs[i] = f(); errs[i] == nil {
						errs[i] = context.Cause(ctx)
					}
					work[i] += n
					spent[i] = time.Since(began)
				}
			})
		}
		start.Done()
		end.Wait()
		total, sum := 0, time.Duration(0)
		for i := range do {
			if errs[i] != nil {
				return 0, 0, errs[i]
			}
			total += work[i]
			sum += spent[i]
		}
		return total, sum / time.Duration(len(do)), nil
	}
}

// samplePositions are batches of questions about positions of random games of
// atomic chess, with 30 to 40 legal moves: the mean in human games is 35.
func samplePositions(codec encode.Codec, seed uint64, batch int) [][]*encode.Leaf {
	const batches = 4
	rng := rand.New(rand.NewPCG(seed, 35))
	var leaves []*encode.Leaf
	g := chess.NewGame(chess.StartPosition(chess.Atomic))
	for len(leaves) < batches*batch {
		var l chess.MoveList
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			g.Reset(chess.StartPosition(chess.Atomic))
			continue
		}
		moves := l.Slice()
		// One in four: neighbors in a game are much alike.
		if len(moves) >= 30 && len(moves) <= 40 && rng.IntN(4) == 0 {
			leaf := new(encode.Leaf)
			codec.Prepare(leaf, g, moves)
			leaves = append(leaves, leaf)
		}
		g.Play(moves[rng.IntN(len(moves))])
	}
	return slices.Collect(slices.Chunk(leaves, batch))
}

// MarshalJSON writes one flat object.
func (r NetworkResult) MarshalJSON() ([]byte, error) {
	var peak *float64
	if r.Peak > 0 {
		peak = rounded(r.Peak/1e12, 1)
	}
	return json.Marshal(struct {
		Network    string   `json:"network"`
		PolicyHead string   `json:"policy_head"`
		Precision  string   `json:"precision"`
		Batch      int      `json:"batch"`
		Workers    int      `json:"workers"`
		Together   bool     `json:"together"`
		Device     string   `json:"device"`
		Speed      *float64 `json:"positions_per_second"`
		Bare       *float64 `json:"bare_positions_per_second"`
		Ratio      *float64 `json:"ratio"`
		TFLOPs     *float64 `json:"teraflops"`
		Peak       *float64 `json:"matrix_teraflops,omitempty"`
	}{
		r.Network.String(), r.PolicyHead, r.Precision, r.Batch, r.Workers, r.Together, r.Device,
		rounded(r.Speed, 0), rounded(r.Bare, 0), rounded(r.Ratio(), 3), rounded(r.Operations()/1e12, 3), peak,
	})
}

// NetworkTable writes results for people: a line a network and batch, and below it
// how the figures were made.
func NetworkTable(w io.Writer, results []NetworkResult) error {
	t := table{
		head: []string{"network", "head", "precision", "batch", "positions/s", "bare/s", "ratio", "TFLOP/s"},
		text: []bool{true, true, true, false, false, false, false, false},
	}
	for _, r := range results {
		t.rows = append(t.rows, []string{
			r.Network.String(), r.PolicyHead, r.Precision, strconv.Itoa(r.Batch),
			humanize.Comma(int64(r.Speed)), humanize.Comma(int64(r.Bare)), fmt.Sprintf("%.3f", r.Ratio()),
			fmt.Sprintf("%.3g", r.Operations()/1e12),
		})
	}
	if err := t.write(w); err != nil || len(results) == 0 {
		return err
	}
	r := results[0]
	how := "each with batches of its own"
	if r.Together {
		how = "sharing each batch"
	}
	_, err := fmt.Fprintf(w, "\nPlanes in, priors of legal moves and value out; bare: the 3x3 convolutions alone,\nwhose operations are counted too. Device: %s. Workers: %d, %s.\n", r.Device, r.Workers, how)
	if err == nil && r.Peak > 0 {
		_, err = fmt.Fprintf(w, "Products of large matrices: %.0f TFLOP/s.\n", r.Peak/1e12)
	}
	return err
}
