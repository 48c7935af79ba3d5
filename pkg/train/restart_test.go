package train

import "testing"

// A generation that takes only the weights has the rates of the first one and epochs that are
// counted on.
func TestRestarted(t *testing.T) {
	set := noise(t)
	step := Schedule{Kind: "step", Initial: 0.01, Unit: UnitEpochs, Factor: 0.1, Every: 2}
	p := newPupil(t, step)
	cfg := settings(3)
	cfg.Schedule = step
	first := p.learn(t, cfg, set, Seeds{1, 2})
	var err error
	if p.state, err = p.state.Restarted(step); err != nil {
		t.Fatal(err)
	}
	if want := first[selected(t, first)].Validation.Total; p.state.LastLoss != want {
		t.Errorf("the loss to be lowered is %v, want %v", p.state.LastLoss, want)
	}
	second := p.learn(t, cfg, set, Seeds{1, 3})
	if p.state, err = p.state.Restarted(step); err != nil {
		t.Fatal(err)
	}
	third := p.learn(t, cfg, set, Seeds{1, 4})
	for i, e := range append(append(first, second...), third...) {
		if e.Number != i+1 || e.Rate != first[i%3].Rate {
			t.Errorf("epoch %d has the number %d and the rate %v, want %v", i+1, e.Number, e.Rate, first[i%3].Rate)
		}
	}
	if first[2].Rate == first[0].Rate {
		t.Error("the rate does not change: nothing was tested")
	}
	if _, err := p.state.Restarted(Schedule{Kind: "none"}); err == nil {
		t.Error("a schedule that there is not: no error")
	}
}
