package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
)

// learnable is a set of random games whose moves and results a network can
// learn: of the legal moves the one with the highest index is played by the
// target, and the result is White's.
func learnable(t *testing.T) *data.Set { return games(t, 1, false, 0) }

// noise is a set whose targets cannot be learned, only learned by heart.
func noise(t *testing.T) *data.Set { return games(t, 2, true, 0) }

func games(t *testing.T, seed uint64, random bool, future int, changes ...func(*encode.Sample)) *data.Set {
	t.Helper()
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var samples []encode.Sample
	for number := range int32(10) {
		value := float32(1)
		if random {
			value = float32(rng.IntN(3) - 1)
		}
		g := chess.NewGame(chess.StartPosition(chess.Atomic))
		for range 12 {
			var l chess.MoveList
			g.Position().LegalMoves(&l)
			if g.Outcome(&l).Over() {
				break
			}
			s := encode.Sample{Game: number, Ply: int32(g.Ply()), Planes: make([]uint64, codec.Planes.Count()), Value: value, Draw: -1}
			codec.Planes.Encode(s.Planes, g)
			for _, m := range l.Slice() {
				s.Indices = append(s.Indices, int32(codec.Policy.Index(g.Position(), m)))
			}
			s.Policy = make([]float32, len(s.Indices))
			best := slices.Index(s.Indices, slices.Max(s.Indices))
			if random {
				best = rng.IntN(len(s.Indices))
			}
			s.Policy[best] = 1
			for _, change := range changes {
				change(&s)
			}
			samples = append(samples, s)
			g.Play(l.At(rng.IntN(l.Len())))
		}
	}
	path := filepath.Join(t.TempDir(), "games.parquet")
	if err := data.Write(path, data.Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "atomic", Generation: 1, Future: future}, samples); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// pupil is a network that is to learn.
type pupil struct {
	net   *nn.Network
	tr    *nn.Trainer
	state State
}

func newPupil(t *testing.T, s Schedule) *pupil {
	t.Helper()
	return newPupilOn(t, s, nn.TrainerOptions{Threads: 1})
}

func newPupilOn(t *testing.T, s Schedule, on nn.TrainerOptions) *pupil {
	t.Helper()
	p := &pupil{}
	planes, err := encode.PlanesByName("atomic16")
	if err != nil {
		t.Fatal(err)
	}
	p.net, err = nn.New(nn.Spec{
		Planes: planes.Count(), Constant: planes.Constant(), PolicySize: 1968,
		Depth: 1, Width: 8, PolicyHead: nn.PolicyConv, PolicyChannels: 2,
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	p.tr, err = nn.NewTrainer(p.net, nn.Optimizer{Kind: "sgd", Momentum: 0.9, WeightDecay: 1e-4}, on)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.tr.Close(); err != nil {
			t.Error(err)
		}
	})
	if p.state.Schedule, err = s.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// learnFrom trains the pupil to the end. kept is its progress after some epochs.
func (p *pupil) learnFrom(t *testing.T, cfg Config, set *data.Set, from *Progress, after int) (epochs []Epoch, kept *Progress) {
	t.Helper()
	epochs, err := Run(t.Context(), cfg, p.net, p.tr, set, Seeds{1, 2}, &p.state, from, Hooks{Progress: func(now *Progress) error {
		if len(now.Epochs) == after && kept == nil {
			kept = now
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return epochs, kept
}

var constant = Schedule{Kind: "constant", Initial: 0.05}

func settings(epochs int) Config {
	return Config{Epochs: epochs, Batch: 32, Validation: 0.3, Select: SelectLowest, Schedule: constant}
}

// learn is Run where nothing may fail.
func (p *pupil) learn(t *testing.T, cfg Config, set *data.Set, seeds Seeds) []Epoch {
	t.Helper()
	epochs, err := Run(context.Background(), cfg, p.net, p.tr, set, seeds, &p.state, nil, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if len(epochs) != cfg.Epochs && cfg.Patience == 0 {
		t.Fatalf("%d epochs, want %d", len(epochs), cfg.Epochs)
	}
	selected(t, epochs)
	return epochs
}

// selected returns the only epoch that was.
func selected(t *testing.T, epochs []Epoch) int {
	t.Helper()
	at := -1
	for i, e := range epochs {
		if e.Selected && at >= 0 {
			t.Fatalf("epochs %d and %d are selected", at+1, i+1)
		}
		if e.Selected {
			at = i
		}
	}
	if at < 0 {
		t.Fatal("no epoch is selected")
	}
	return at
}

// snap returns the tensors of network and optimizer.
func (p *pupil) snap(t *testing.T) nn.Snapshot {
	t.Helper()
	s, err := nn.TakeSnapshot(p.net, p.tr)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p *pupil) same(t *testing.T, what string, want nn.Snapshot) {
	t.Helper()
	have := p.snap(t)
	if !reflect.DeepEqual(want.Network, have.Network) { // cmp takes a second for it
		t.Errorf("%s: the network differs", what)
	}
	if !reflect.DeepEqual(want.Optimizer, have.Optimizer) {
		t.Errorf("%s: the optimizer differs", what)
	}
}

func TestLossesFall(t *testing.T) {
	p := newPupil(t, constant)
	steps, reported := 0, 0
	set := learnable(t)
	cfg := settings(6)
	epochs, err := Run(context.Background(), cfg, p.net, p.tr, set, Seeds{1, 2}, &p.state, nil, Hooks{
		Step: func(done, total int, loss nn.Loss) {
			if steps++; done != steps || total%cfg.Epochs != 0 || done > total {
				t.Errorf("step %d: reported %d of %d", steps, done, total)
			}
		},
		Epoch: func(e Epoch) {
			if reported++; e.Number != reported {
				t.Errorf("epoch %d is reported as %d", reported, e.Number)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first, last := epochs[0], epochs[5]
	for name, l := range map[string][2]float64{
		"training": {first.Train.Total, last.Train.Total}, "training, policy": {first.Train.Policy, last.Train.Policy},
		"validation": {first.Validation.Total, last.Validation.Total}, "validation, value": {first.Validation.Value, last.Validation.Value},
	} {
		if !(l[1] < 0.9*l[0]) {
			t.Errorf("%s loss went from %v to %v", name, l[0], l[1])
		}
	}
	if before, now := first.Accuracy, last.Accuracy; !(now.Top1 > before.Top1 && now.Top1 < now.Top5 && now.Top5 < now.N) {
		t.Errorf("the accuracy went from %+v to %+v", before, now)
	}
	learn, _ := data.Split(set, 1, cfg.Validation, false)
	if want := cfg.Epochs * ((len(learn) + cfg.Batch - 1) / cfg.Batch); steps != want || reported != cfg.Epochs {
		t.Errorf("%d steps and %d epochs reported, want %d and %d", steps, reported, want, cfg.Epochs)
	}
	if p.state.Schedule.Epochs != 6 || p.state.LastLoss != epochs[selected(t, epochs)].Validation.Total {
		t.Errorf("state %+v after %+v", p.state, epochs)
	}
}

// The points of a curve are the means of nearly equal parts of an epoch's steps, in order.
func TestCurve(t *testing.T) {
	for _, steps := range []int{1, 7, curvePoints, curvePoints + 1, 250, 1337} {
		e := Epoch{Steps: steps}
		for k := range steps {
			e.addStep(k, float64(k))
		}
		points := min(steps, curvePoints)
		if len(e.Curve) != points {
			t.Fatalf("%d steps: %d points, want %d", steps, len(e.Curve), points)
		}
		for i, have := range e.Curve {
			var part []float64
			for k := range steps {
				if k*points/steps == i {
					part = append(part, float64(k))
				}
			}
			if n := len(part); n != steps/points && n != (steps+points-1)/points {
				t.Errorf("%d steps: point %d is of %d", steps, i, n)
			}
			if want := stats.Mean(part).Value; math.Abs(float64(have)-want) > 1e-3 {
				t.Errorf("%d steps: point %d is %v, want %v", steps, i, have, want)
			}
		}
	}
}

// Held-out loss of noise rises as the network learns by heart. The epoch before
// that is kept: network and optimizer are those of a run that ends with it.
func TestLowestValidationLossIsKept(t *testing.T) {
	set, seeds := noise(t), Seeds{4, 5}
	p := newPupil(t, constant)
	epochs := p.learn(t, settings(8), set, seeds)
	best := selected(t, epochs)
	for i, e := range epochs {
		if e.Validation.Total < epochs[best].Validation.Total {
			t.Errorf("epoch %d is kept, epoch %d has a lower loss", best+1, i+1)
		}
	}
	if best == len(epochs)-1 {
		t.Fatalf("the last epoch is the best: this tests nothing (%+v)", epochs)
	}
	if p.state.LastLoss != epochs[best].Validation.Total {
		t.Errorf("last loss %v, want that of epoch %d", p.state.LastLoss, best+1)
	}
	if p.state.Schedule.Epochs != 8 {
		t.Errorf("the schedule counts %d epochs, want all 8", p.state.Schedule.Epochs)
	}
	q := newPupil(t, constant)
	short := settings(best + 1)
	short.Select = SelectLast
	q.learn(t, short, set, seeds)
	p.same(t, "the epoch kept", q.snap(t))
}

// Where no epoch beats the generation before, the last one is kept.
func TestLastEpochWithoutImprovement(t *testing.T) {
	set, seeds := noise(t), Seeds{4, 5}
	p := newPupil(t, constant)
	p.state.LastLoss = 1e-3
	epochs := p.learn(t, settings(4), set, seeds)
	if at := selected(t, epochs); at != 3 {
		t.Errorf("epoch %d is kept, want the last", at+1)
	}
	if p.state.LastLoss != epochs[3].Validation.Total {
		t.Errorf("last loss %v, want that of the last epoch", p.state.LastLoss)
	}
	q := newPupil(t, constant)
	last := settings(4)
	last.Select = SelectLast
	if at := selected(t, q.learn(t, last, set, seeds)); at != 3 {
		t.Errorf("select: last keeps epoch %d", at+1)
	}
	p.same(t, "the last epoch", q.snap(t))
}

// Two generations in one process, or in two that share no more than what is on
// disk: the same network.
func TestStateGoesOn(t *testing.T) {
	set := noise(t)
	stairs := Schedule{Kind: "step", Initial: 0.05, Unit: UnitEpochs, Factor: 0.5, Every: 2, Minimum: 1e-4}
	cfg := settings(3)
	cfg.Schedule = stairs
	p := newPupil(t, stairs)
	p.learn(t, cfg, set, Seeds{1, 2})
	text, err := json.Marshal(p.state)
	if err != nil {
		t.Fatal(err)
	}
	between := p.snap(t)
	want := p.learn(t, cfg, set, Seeds{1, 3})
	if want[0].Number != 4 || want[0].Rate != 0.025 || want[1].Rate != 0.0125 {
		t.Errorf("the second generation starts with %+v: want epoch 4 at half the rate, and half of that later", want[0])
	}

	q := newPupil(t, stairs)
	if err := json.Unmarshal(text, &q.state); err != nil {
		t.Fatal(err)
	}
	if err := between.Restore(q.net, q.tr); err != nil {
		t.Fatal(err)
	}
	have := q.learn(t, cfg, set, Seeds{1, 3})
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("epochs (-one process +two):\n%s", diff)
	}
	if diff := cmp.Diff(p.state, q.state); diff != "" {
		t.Errorf("states (-one process +two):\n%s", diff)
	}
	q.same(t, "two processes", p.snap(t))
}

func TestSeeds(t *testing.T) {
	set := learnable(t)
	train := func(s Seeds) (*pupil, []Epoch) {
		p := newPupil(t, constant)
		return p, p.learn(t, settings(2), set, s)
	}
	a, first := train(Seeds{1, 2})
	b, again := train(Seeds{1, 2})
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("equal seeds (-first +again):\n%s", diff)
	}
	b.same(t, "equal seeds", a.snap(t))
	if _, other := train(Seeds{1, 3}); cmp.Equal(first, other) {
		t.Error("the order of samples does not depend on its seed")
	}
	if _, other := train(Seeds{9, 2}); cmp.Equal(first, other) {
		t.Error("the split of games does not depend on its seed")
	}
	cfg := settings(2)
	cfg.HeldOut = "positions"
	if other := newPupil(t, constant).learn(t, cfg, set, Seeds{1, 2}); cmp.Equal(first, other) {
		t.Error("single positions are not held out")
	}
}

// On an error the state is that from before.
func TestCanceled(t *testing.T) {
	set := learnable(t)
	ctx, cancel := context.WithCancel(context.Background())
	p := newPupil(t, constant)
	before := p.state
	_, err := Run(ctx, settings(5), p.net, p.tr, set, Seeds{}, &p.state, nil, Hooks{Epoch: func(e Epoch) {
		if e.Number == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !reflect.DeepEqual(p.state, before) {
		t.Errorf("state %+v, want %+v", p.state, before)
	}
}

func TestDiverged(t *testing.T) {
	wild := Schedule{Kind: Hook, Initial: 1, Ask: func([]Epoch) (float64, error) { return 1e30, nil }}
	p := newPupil(t, wild)
	before := p.state
	cfg := settings(5)
	cfg.Schedule = wild
	_, err := Run(context.Background(), cfg, p.net, p.tr, learnable(t), Seeds{}, &p.state, nil, Hooks{})
	if !errors.Is(err, nn.ErrDiverged) || !reflect.DeepEqual(p.state, before) {
		t.Errorf("error %v, state %+v", err, p.state)
	}
}

func TestWithoutHeldOutGames(t *testing.T) {
	cfg := settings(3)
	cfg.Validation = 0
	p := newPupil(t, constant)
	epochs := p.learn(t, cfg, learnable(t), Seeds{})
	for _, e := range epochs {
		if !math.IsNaN(e.Validation.Total) || !math.IsNaN(e.Validation.Policy) || !math.IsNaN(e.Validation.Value) {
			t.Errorf("epoch %d has a validation loss: %+v", e.Number, e.Validation)
		}
		if e.Loss() != e.Train {
			t.Errorf("epoch %d is judged by %v, want its training loss %v", e.Number, e.Loss(), e.Train)
		}
	}
	if at := selected(t, epochs); at != 2 || p.state.LastLoss != epochs[2].Train.Total {
		t.Errorf("epoch %d is kept, last loss %v, of %+v", at+1, p.state.LastLoss, epochs)
	}
}

func TestRunRefuses(t *testing.T) {
	p := newPupil(t, constant)
	path := filepath.Join(t.TempDir(), "none.parquet")
	if err := data.Write(path, data.Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "atomic"}, nil); err != nil {
		t.Fatal(err)
	}
	none, err := data.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		set    *data.Set
		change func(*Config)
	}{
		"no samples":   {none, func(*Config) {}},
		"no epochs":    {learnable(t), func(c *Config) { c.Epochs = 0 }},
		"no batch":     {learnable(t), func(c *Config) { c.Batch = 0 }},
		"no selection": {learnable(t), func(c *Config) { c.Select = "best" }},
	} {
		cfg, before := settings(2), p.state
		test.change(&cfg)
		if _, err := Run(context.Background(), cfg, p.net, p.tr, test.set, Seeds{}, &p.state, nil, Hooks{}); err == nil || !reflect.DeepEqual(p.state, before) {
			t.Errorf("%s: error %v, state %+v", name, err, p.state)
		}
	}
}

// Patience of best counts the epochs since the lowest loss, that of rise the last epochs that
// are each worse than the one before.
func TestPatience(t *testing.T) {
	losses := []float64{5, 3, 4, 4.5, 3.5, 3.6, 3.7}
	best, rise := []int{0, 0, 1, 2, 3, 4, 5}, []int{0, 0, 1, 2, 0, 1, 2}
	for of, want := range map[string][]int{"": best, "best": best, "rise": rise} {
		r := &generation{cfg: Config{Epochs: 100, Patience: 2, PatienceOf: of}}
		for i, loss := range losses {
			r.add(Epoch{Train: nn.Loss{Total: 9 - loss}, Validation: nn.Loss{Total: loss}})
			if have := r.worse(); have != want[i] || r.ended() != (want[i] >= 2) {
				t.Errorf("%q, epoch %d: %d, ended %t, want %d", of, i+1, have, r.ended(), want[i])
			}
		}
	}
}
