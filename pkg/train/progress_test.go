package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/disk"
	"alamos/pkg/nn"
)

var errKilled = errors.New("killed")

// end is where a training ends: after an epoch, or after a step, killed or cancelled.
type end struct {
	epoch, step int // counted from 1; 0 is none
	cancelled   bool
}

// A training that ends after an epoch or a step, whichever, and goes on in another process
// from the file that it left gives the same rows, state, network and optimizer
// as one that nobody disturbed.
func TestResumeIsBitExact(t *testing.T) {
	set, seeds := noise(t), Seeds{4, 5}
	for _, rule := range []struct {
		selects    string
		validation float64
		patience   int
		epochs     int // that are trained, of 7
		average    *Average
	}{
		{SelectLowest, 0.3, 0, 7, nil},
		{SelectLowest, 0, 0, 7, nil},
		{SelectLast, 0.3, 0, 7, nil},
		{SelectLast, 0, 0, 7, nil},
		{SelectLowest, 0.3, 2, 6, nil},
		{SelectLast, 0.3, 2, 6, nil},
		{SelectLast, 0.3, 0, 7, &Average{100, 0.5}},
		{SelectLowest, 0.3, 0, 7, &Average{100, 0.5}},
	} {
		t.Run(fmt.Sprintf("%s, %v held out, patience %d, average %t", rule.selects, rule.validation, rule.patience, rule.average != nil), func(t *testing.T) {
			stairs := Schedule{Kind: "step", Initial: 0.05, Unit: UnitEpochs, Factor: 0.5, Every: 2, Minimum: 1e-4}
			cfg := settings(7)
			cfg.Select, cfg.Validation, cfg.Schedule, cfg.Patience, cfg.Average = rule.selects, rule.validation, stairs, rule.patience, rule.average
			whole := newPupil(t, stairs)
			want := whole.learn(t, cfg, set, seeds)
			if len(want) != rule.epochs {
				t.Fatalf("%d epochs, want %d", len(want), rule.epochs)
			}
			if rule.selects == SelectLowest && rule.validation > 0 && selected(t, want) == len(want)-1 {
				t.Fatal("the last epoch is selected: no snapshot is needed")
			}
			if rule.average != nil && rule.selects == SelectLowest {
				short := cfg
				short.Epochs, short.Select = selected(t, want)+1, SelectLast
				q := newPupil(t, stairs)
				q.learn(t, short, set, seeds)
				if !reflect.DeepEqual(q.state.Average, whole.state.Average) {
					t.Error("the average is not that of the selected epoch")
				}
			}
			var ends []end
			for i := range want {
				ends = append(ends, end{epoch: i + 1})
			}
			stride := 2
			if rule.average != nil { // which takes longest
				stride = 4
			}
			for step := 1; step <= len(want)*want[0].Steps; step += stride {
				ends = append(ends, end{step: step, cancelled: step%(2*stride) == 1})
			}
			for _, at := range ends {
				path := filepath.Join(t.TempDir(), "progress.safetensors")
				first := newPupil(t, stairs)
				ctx, cancel := context.WithCancel(t.Context())
				steps := 0
				_, err := Run(ctx, cfg, first.net, first.tr, set, seeds, &first.state, nil, Hooks{
					Step: func(done, _ int, _ nn.Loss) {
						if steps = done; at.cancelled && done == at.step {
							cancel()
						}
					},
					Due: func() bool { return !at.cancelled && steps == at.step },
					Progress: func(p *Progress) error {
						if (p.Part == nil) != (at.step == 0) || len(p.Epochs) < at.epoch {
							return nil
						}
						all, meta, err := p.Pack()
						return errors.Join(err, disk.WriteFile(path, func(w io.Writer) error { return nn.WriteSafetensors(w, all, meta) }), errKilled)
					},
				})
				if cancel(); !errors.Is(err, errKilled) || errors.Is(err, context.Canceled) != at.cancelled {
					t.Fatalf("%+v: error %v", at, err)
				}

				all, meta, err := nn.ReadSafetensors(path)
				if err != nil {
					t.Fatal(err)
				}
				p, err := Unpack(all, meta)
				if err != nil {
					t.Fatal(err)
				}
				again := newPupil(t, stairs)
				have, err := Run(t.Context(), cfg, again.net, again.tr, set, seeds, &again.state, p, Hooks{
					Step: func(done, _ int, _ nn.Loss) {
						if steps++; done != steps {
							t.Fatalf("%+v: reported step %d, want %d", at, done, steps)
						}
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, have, cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("%+v: rows (-whole +resumed):\n%s", at, diff)
				}
				if diff := cmp.Diff(whole.state, again.state); diff != "" {
					t.Errorf("%+v: state (-whole +resumed):\n%s", at, diff)
				}
				again.same(t, fmt.Sprintf("%+v", at), whole.snap(t))
			}
		})
	}
}

// cancelledAfter is a context that is canceled after some calls of Err.
type cancelledAfter struct {
	context.Context
	calls, last int
}

func (c *cancelledAfter) Err() error {
	if c.calls++; c.calls > c.last {
		return context.Canceled
	}
	return nil
}

// A training that is canceled at any moment, also during a validation, loses no step.
func TestCancelLosesNoStep(t *testing.T) {
	set, seeds := noise(t), Seeds{4, 5}
	for _, average := range []*Average{nil, {100, 0.5}} {
		cfg := settings(2)
		cfg.Average = average
		whole := newPupil(t, constant)
		moments := &cancelledAfter{Context: t.Context(), last: math.MaxInt}
		want, err := Run(moments, cfg, whole.net, whole.tr, set, seeds, &whole.state, nil, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		for last := 1; last < moments.calls; last++ {
			first, steps := newPupil(t, constant), 0
			var kept *Progress
			_, err := Run(&cancelledAfter{Context: t.Context(), last: last}, cfg, first.net, first.tr, set, seeds, &first.state, nil, Hooks{
				Step:     func(done, _ int, _ nn.Loss) { steps = done },
				Progress: func(p *Progress) error { kept = p; return nil },
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("average %t, canceled at %d: error %v", average != nil, last, err)
			}
			again := newPupil(t, constant)
			have, err := Run(t.Context(), cfg, again.net, again.tr, set, seeds, &again.state, kept, Hooks{Step: func(done, _ int, _ nn.Loss) {
				if steps++; done != steps {
					t.Fatalf("average %t, canceled at %d: reported step %d, want %d", average != nil, last, done, steps)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, have, cmpopts.EquateNaNs()) + cmp.Diff(whole.state, again.state); diff != "" {
				t.Errorf("average %t, canceled at %d (-whole +resumed):\n%s", average != nil, last, diff)
			}
			again.same(t, fmt.Sprintf("canceled at %d", last), whole.snap(t))
		}
	}
}

// Keeping the progress after each step changes nothing.
func TestProgressChangesNothing(t *testing.T) {
	set, seeds, cfg := noise(t), Seeds{4, 5}, settings(3)
	cfg.Average = &Average{100, 0.5}
	p, q := newPupil(t, constant), newPupil(t, constant)
	want := p.learn(t, cfg, set, seeds)
	have, err := Run(t.Context(), cfg, q.net, q.tr, set, seeds, &q.state, nil, Hooks{Due: func() bool { return true }, Progress: func(*Progress) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have, cmpopts.EquateNaNs()) + cmp.Diff(p.state, q.state); diff != "" {
		t.Errorf("(-without +with progress):\n%s", diff)
	}
	q.same(t, "with progress", p.snap(t))
}

// Progress that is not whole, or of another training, is refused.
func TestResumeRefuses(t *testing.T) {
	set := noise(t)
	p := newPupil(t, constant)
	var last *Progress
	cfg := settings(8) // the lowest loss is not that of the last epoch: see TestLowestValidationLossIsKept
	if _, err := Run(context.Background(), cfg, p.net, p.tr, set, Seeds{4, 5}, &p.state, nil, Hooks{Progress: func(now *Progress) error {
		last = now
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if last.Best == nil {
		t.Fatal("the progress has no best epoch")
	}
	for _, c := range []struct {
		change func(*Progress)
		want   string
	}{
		{func(p *Progress) { p.Epochs = nil }, "have 0"},
		{func(p *Progress) { p.Epochs = append(slices.Clone(p.Epochs), p.Epochs...) }, "have 16"},
		{func(p *Progress) { p.Best = nil }, "lowest loss"},
		{func(p *Progress) { p.Part = &Part{} }, "want progress of an epoch of"},
		{func(p *Progress) { p.Part = &Part{Epoch: last.Epochs[0]} }, "steps, have 0 with 3 losses"},
		{func(p *Progress) {
			e := last.Epochs[0]
			p.Epochs, p.Part = p.Epochs[:1], &Part{Steps: e.Steps, Epoch: e}
		}, "a learning rate above 0"},
		{func(p *Progress) { p.Now.Network = nn.Tensors{} }, "load network"},
		{func(p *Progress) { p.Now.Optimizer = nn.Tensors{} }, "load optimizer"},
	} {
		broken, q := *last, newPupil(t, constant)
		c.change(&broken)
		before := q.state
		_, err := Run(context.Background(), cfg, q.net, q.tr, set, Seeds{4, 5}, &q.state, &broken, Hooks{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !reflect.DeepEqual(q.state, before) {
			t.Errorf("%s: error %v, state %+v", c.want, err, q.state)
		}
	}
	if _, err := Unpack(nil, map[string]string{"other": "{}"}); err == nil || !strings.Contains(err.Error(), progressKey) {
		t.Errorf("unpacked a file without progress: %v", err)
	}
}
