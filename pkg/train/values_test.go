package train

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Values in place of those of the samples are learned and measured: those of the
// samples themselves change nothing, others do.
func TestValues(t *testing.T) {
	set, seeds := learnable(t), Seeds{1, 2}
	p := newPupil(t, constant)
	want := p.learn(t, settings(2), set, seeds)

	own := make([]float32, set.Len())
	for i := range own {
		own[i] = set.Sample(i).Value
	}
	cfg := settings(2)
	cfg.Values = own
	q := newPupil(t, constant)
	if have := q.learn(t, cfg, set, seeds); !reflect.DeepEqual(want, have) {
		t.Errorf("epochs with the samples' own values:\n%+v\nwant %+v", have, want)
	}
	p.same(t, "own values", q.snap(t))

	// A result of 1 everywhere is easy, one of 0 is what an untrained network says.
	cfg.Values = make([]float32, set.Len())
	r := newPupil(t, constant)
	have := r.learn(t, cfg, set, seeds)
	if !(have[0].Train.Value < want[0].Train.Value/2) || !(have[0].Validation.Value < want[0].Validation.Value) {
		t.Errorf("losses of value %+v with targets of 0, %+v with 1", have[0], want[0])
	}

	cfg.Values = own[1:]
	_, err := Run(context.Background(), cfg, p.net, p.tr, set, seeds, &p.state, nil, Hooks{})
	if err == nil || !strings.Contains(err.Error(), "values for") {
		t.Errorf("error %v", err)
	}
}

// The function that sets the rate of an epoch receives the epochs before it.
func TestAskedRates(t *testing.T) {
	set, seeds := learnable(t), Seeds{1, 2}
	var asked []int
	cfg := settings(3)
	cfg.Schedule = Schedule{Kind: "hook", Initial: 1, Ask: func(done []Epoch) (float64, error) {
		asked = append(asked, len(done))
		if len(done) > 0 && done[len(done)-1].Loss().Total <= 0 {
			return 0, errors.New("no loss")
		}
		return 0.01 * float64(len(done)+1), nil
	}}
	p := newPupil(t, cfg.Schedule)
	epochs := p.learn(t, cfg, set, seeds)
	if !slices.Equal(asked, []int{0, 1, 2}) || epochs[0].Rate != 0.01 || epochs[2].Rate != 0.03 {
		t.Errorf("called after %v epochs, rates %+v", asked, epochs)
	}

	fault := errors.New("script.go:3:2: no rate today")
	cfg.Schedule.Ask = func([]Epoch) (float64, error) { return 0, fault }
	_, err := Run(context.Background(), cfg, p.net, p.tr, set, seeds, &p.state, nil, Hooks{})
	if !errors.Is(err, fault) || !strings.Contains(err.Error(), "epoch 4") {
		t.Errorf("error %v", err)
	}
}
