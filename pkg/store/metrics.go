package store

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// Measure is a measured number and the 95 % interval that it is known to. What is
// not known is NaN: all three where nothing was measured, the ends where there is
// one value and nothing to tell how far it may be off.
type Measure struct{ Value, Low, High float64 }

// MarshalJSON writes what is not known as null.
func (m Measure) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value stats.Float `json:"value"`
		Low   stats.Float `json:"low"`
		High  stats.Float `json:"high"`
	}{stats.Float(m.Value), stats.Float(m.Low), stats.Float(m.High)})
}

// Unmeasured is the measure of what was not measured.
func Unmeasured() Measure { return Measure{nan, nan, nan} }

// Missing reports whether there is no value.
func (m Measure) Missing() bool { return math.IsNaN(m.Value) }

// Known reports whether there is an interval.
func (m Measure) Known() bool { return m.Low <= m.Value && m.Value <= m.High }

// Measure is a metric of the trial as it stands after the last generation that it
// has finished: one of [experiment.TrialMetrics], or "hook.metric". It is
// Unmeasured where the trial has not come so far, holds no tournament, or a script
// found nothing; a name that means nothing in this trial is an error.
//
//	score         share of the points that the last checkpoint made in the tournament
//	elo           its rating there
//	vs_untrained  share of the points it made against the untrained network
//	vs_random     and against random moves
//	loss          of the epoch that was kept, on held-out games where there are any
//	policy_loss   the parts of that loss
//	value_loss
//	top1, top5    shares of the held-out positions whose best move the policy of that
//	              epoch has first, or among its first five
//	samples       positions that self-play has made
//	seconds       of computing, over all stages
//
// and those of an evaluation, see [experiment.Settings.EvaluationMeasures]: the shares of puzzles
// solved, and what is measured on held-out games.
//
// Shares have the interval of Wilson (1927), which takes each game for a coin;
// draws make the true one narrower. Elo has that of its likelihood.
func (t *Trial) Measure(name string) (Measure, error) {
	last := t.Done()
	switch name {
	case "seconds":
		s := 0.0
		for _, stage := range t.Manifest.Stages {
			s += stage.Seconds
		}
		return exactly(s), nil
	case "samples":
		n, err := t.SamplesUntil(last)
		return exactly(float64(n)), err
	case "loss", "policy_loss", "value_loss":
		if last == 0 {
			return Unmeasured(), nil
		}
		rows, err := t.Epochs(last)
		if err != nil {
			return Unmeasured(), err
		}
		l := KeptLoss(rows)
		return exactly(float64(map[string]stats.Float{"loss": l.Total, "policy_loss": l.Policy, "value_loss": l.Value}[name])), nil
	case "top1", "top5":
		if last == 0 {
			return Unmeasured(), nil
		}
		rows, err := t.Epochs(last)
		a := KeptAccuracy(rows)
		switch {
		case err != nil || a == nil:
			return Unmeasured(), err
		case name == "top1":
			return exactly(a.Top1), nil
		default:
			return exactly(a.Top5), nil
		}
	case "score", "elo", "vs_untrained", "vs_random":
		return t.strength(name, last)
	}
	if m, known, err := t.evaluationMeasure(name, last); known {
		return m, err
	}
	return t.hookMeasure(name, last)
}

func exactly(x float64) Measure { return Measure{x, nan, nan} }

// strength is what the tournament says of the checkpoint of generation g.
func (t *Trial) strength(name string, g int) (Measure, error) {
	res, err := t.Tournament()
	if err != nil || res == nil {
		return Unmeasured(), err
	}
	i := res.Find(CheckpointName(g))
	if i < 0 {
		return Unmeasured(), nil
	}
	p := res.Players[i]
	against := func(name string) Measure {
		j := res.Find(name)
		if j < 0 || j == i {
			return Unmeasured()
		}
		return shareOf(res.Cross[i][j])
	}
	switch name {
	case "elo":
		return Measure{float64(p.Elo), float64(p.EloLow), float64(p.EloHigh)}, nil
	case "vs_untrained":
		return against(CheckpointName(0)), nil
	case "vs_random":
		return against(RandomName), nil
	}
	return shareOf(p.ArenaRecord), nil
}

// hookMeasure is a metric of a script in generation g.
func (t *Trial) hookMeasure(name string, g int) (Measure, error) {
	for i, h := range t.Settings.Hooks {
		metric, ok := strings.CutPrefix(name, h.Name()+".")
		if !ok {
			continue
		}
		m, err := t.Metrics(g, i)
		if err != nil {
			return Unmeasured(), err
		}
		if v, ok := m[metric]; ok {
			return exactly(float64(v)), nil
		}
		return Unmeasured(), nil
	}
	return Unmeasured(), fmt.Errorf("a trial has no metric %q: want %s, or HOOK.METRIC of a hook or of the evaluation of the experiment", name, strings.Join(experiment.TrialMetrics(), ", "))
}

// ShareInterval is the share of the points of so many games and its interval,
// after Wilson, "Probable inference, the law of succession, and statistical
// inference", JASA 22 (1927).
func ShareInterval(points float64, games int) Measure {
	if games == 0 {
		return Unmeasured()
	}
	const z = stats.Normal95
	n := float64(games)
	p := points / n
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	// p lies within, but for rounding
	return Measure{p, min(p, center-half), max(p, center+half)}
}

func shareOf(r match.ArenaRecord) Measure { return ShareInterval(r.Score(), r.Games()) }
