package store

import (
	"fmt"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

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
func (t *Trial) Measure(name string) (stats.Interval, error) {
	last := t.Done()
	switch name {
	case "seconds":
		s := 0.0
		for _, stage := range t.Manifest.Stages {
			s += stage.Seconds
		}
		return stats.Exactly(s), nil
	case "samples":
		n, err := t.SamplesUntil(last)
		return stats.Exactly(float64(n)), err
	case "loss", "policy_loss", "value_loss":
		if last == 0 {
			return stats.Unknown(), nil
		}
		rows, err := t.Epochs(last)
		if err != nil {
			return stats.Unknown(), err
		}
		l := KeptLoss(rows)
		return stats.Exactly(float64(map[string]stats.Float{"loss": l.Total, "policy_loss": l.Policy, "value_loss": l.Value}[name])), nil
	case "top1", "top5":
		if last == 0 {
			return stats.Unknown(), nil
		}
		rows, err := t.Epochs(last)
		a := KeptAccuracy(rows)
		switch {
		case err != nil || a == nil:
			return stats.Unknown(), err
		case name == "top1":
			return stats.Exactly(a.Top1), nil
		default:
			return stats.Exactly(a.Top5), nil
		}
	case "score", "elo", "vs_untrained", "vs_random":
		return t.strength(name, last)
	}
	if m, known, err := t.evaluationMeasure(name, last); known {
		return m, err
	}
	return t.hookMeasure(name, last)
}

// strength is what the tournament says of the checkpoint of generation g.
func (t *Trial) strength(name string, g int) (stats.Interval, error) {
	res, err := t.Tournament()
	if err != nil || res == nil {
		return stats.Unknown(), err
	}
	i := res.Find(CheckpointName(g))
	if i < 0 {
		return stats.Unknown(), nil
	}
	p := res.Players[i]
	against := func(name string) stats.Interval {
		j := res.Find(name)
		if j < 0 || j == i {
			return stats.Unknown()
		}
		return shareOf(res.Cross[i][j])
	}
	switch name {
	case "elo":
		return p.Elo, nil
	case "vs_untrained":
		return against(CheckpointName(0)), nil
	case "vs_random":
		return against(RandomName), nil
	}
	return shareOf(p.Record), nil
}

// hookMeasure is a metric of a script in generation g.
func (t *Trial) hookMeasure(name string, g int) (stats.Interval, error) {
	for i, h := range t.Settings.Hooks {
		metric, ok := strings.CutPrefix(name, h.Name()+".")
		if !ok {
			continue
		}
		m, err := t.Metrics(g, i)
		if err != nil {
			return stats.Unknown(), err
		}
		if v, ok := m[metric]; ok {
			return stats.Exactly(float64(v)), nil
		}
		return stats.Unknown(), nil
	}
	return stats.Unknown(), fmt.Errorf("a trial has no metric %q: want %s, or HOOK.METRIC of a hook or of the evaluation of the experiment", name, strings.Join(experiment.TrialMetrics(), ", "))
}

func shareOf(r match.Record) stats.Interval { return stats.Share(r.Score(), r.Games()) }
