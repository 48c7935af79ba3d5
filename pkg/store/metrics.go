package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// Metric describes a measure of a trial, by which figures, tables and sweeps compare trials. See
// [Trial.MeasureAt].
type Metric struct {
	Name, Label, Unit string
	Better            stats.Better
	Source            Source
	Share             bool // from 0 to 1
	OwnGames          bool // measured on positions of games that the trial learns from
}

// Source is what a metric is measured on. It determines which settings can change it.
type Source int

const (
	FromTraining   Source = iota // the games and the training of one generation
	FromAll                      // those of all generations so far
	FromTournament               // training and the tournament
	FromEvaluation               // training, tournament, scripts and evaluations
	FromHooks                    // the same
)

// metrics are those that need neither a hook nor an evaluation, in the order of tables.
var metrics = []Metric{
	// Ratings and shares of points are those of [match.Rate] and [match.Results.Share], whose
	// intervals come from pairs of games. Other shares of games have Wilson intervals (1927).
	{Name: "score", Label: "score", Better: stats.Higher, Source: FromTournament, Share: true}, // of the checkpoint, in points
	{Name: "elo", Label: "Elo", Better: stats.Higher, Source: FromTournament},
	{Name: "vs_untrained", Label: "against untrained", Better: stats.Higher, Source: FromTournament, Share: true},
	{Name: "vs_random", Label: "against random", Better: stats.Higher, Source: FromTournament, Share: true},
	{Name: "white_score", Label: "score of White", Source: FromTournament, Share: true}, // in all games of the tournament
	{Name: "draws", Label: "share of draws", Source: FromTournament, Share: true},       // of these games

	// Of the selected epoch, on held-out games if there are any. The accuracies are shares of positions
	// in which the best move is the policy's first choice, or one of its first five.
	{Name: "loss", Label: "loss", Better: stats.Lower, OwnGames: true},
	{Name: "policy_loss", Label: "policy loss", Better: stats.Lower, OwnGames: true},
	{Name: "value_loss", Label: "value loss", Better: stats.Lower, OwnGames: true},
	{Name: "top1", Label: "top-1 accuracy", Better: stats.Higher, Share: true, OwnGames: true},
	{Name: "top5", Label: "top-5 accuracy", Better: stats.Higher, Share: true, OwnGames: true},

	// Of the searches of self-play, as means over positions: the policy target against the priors of
	// the root, and the value against the result. See [RootTally] and [Roots.CalibrationError].
	{Name: "kl", Label: "KL divergence", Unit: "nats"},
	{Name: "prior_entropy", Label: "entropy of the priors", Unit: "nats"},
	{Name: "target_entropy", Label: "entropy of the targets", Unit: "nats"},
	{Name: "root_value_error", Label: "squared error of the search's value", Better: stats.Lower, OwnGames: true},
	{Name: "calibration_error", Label: "calibration error", Better: stats.Lower, OwnGames: true},

	// Of the games of self-play.
	{Name: "distinct_games", Label: "share of distinct games", Better: stats.Higher, Share: true},
	{Name: "distinct_positions", Label: "share of distinct positions", Better: stats.Higher, Share: true},
	{Name: "drawn_games", Label: "share of drawn games", Share: true}, // of those with a known result
	{Name: "long_games", Label: "share of games at max_moves", Share: true},

	// Of the steps of training. The norm of the gradient is that before clipping.
	{Name: "replay_ratio", Label: "samples trained for each new one"},
	{Name: "gradient_norm", Label: "norm of the gradient"}, // mean over the steps
	{Name: "gradient_peak", Label: "largest norm of the gradient"},
	{Name: "clipped", Label: "share of clipped steps", Share: true},

	{Name: "games", Label: "games", Source: FromAll},                  // from self-play or data
	{Name: "samples", Label: "samples", Source: FromAll},              // positions of these games
	{Name: "evaluations", Label: "evaluations", Source: FromAll},      // of positions by networks, in self-play
	{Name: "seconds", Label: "computing", Unit: "s", Source: FromAll}, // of all stages
}

// Spaced returns the name of a metric, or of a column, for people.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// MetricOf describes a metric by its name. Those of evaluations and hooks contain a dot. Scripts of
// the trials may label theirs.
func MetricOf(name string, trials ...*Trial) Metric {
	if i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return metrics[i]
	}
	kind, of, _ := strings.Cut(name, ".")
	m := Metric{Name: name, Label: Spaced(name), Source: FromEvaluation}
	switch {
	case kind == "puzzles":
		m.Label, m.Better, m.Share = of+" solved", stats.Higher, true
	case kind == "policy":
		m.Label, m.Better, m.Share = of+" solved by the network alone", stats.Higher, true
	case kind == "accuracy" && strings.HasPrefix(of, "value_error"):
		m.Label, m.Better, m.OwnGames = Spaced(of), stats.Lower, true
	case kind == "accuracy" && strings.HasPrefix(of, "top"):
		m.Label, m.Better, m.Share, m.OwnGames = Spaced(of)+" accuracy", stats.Higher, true, true
	default:
		m.Source = FromHooks
		for _, t := range trials {
			if l := t.MetricLabel(name); l != (Label{}) {
				m.Label, m.Unit = cmp.Or(l.Text, m.Label), l.Unit
				break
			}
		}
	}
	return m
}

// Measure returns a metric of the trial after its last finished generation, see
// [Trial.MeasureAt]. Score and Elo are those of the final tournament, if there was one.
func (t *Trial) Measure(name string) stats.Interval {
	switch ranked := name == "score" || name == "elo"; {
	case ranked && t.Final != nil:
		return t.Final.measure(t.Name(), name)
	case ranked && t.Unranked:
		return stats.Unknown()
	}
	return t.MeasureAt(t.Done(), name)
}

// CheckMetric returns an error if a trial has no metric of this name.
func (t *Trial) CheckMetric(name string) error {
	known := append(experiment.TrialMetrics(), t.Declared.Settings.EvaluationMeasures()...)
	_, evaluated := t.evaluationMeasures(t.Done())[name]
	ofHook := func(h experiment.Hook) bool { return strings.HasPrefix(name, h.Name()+".") }
	if evaluated || slices.Contains(known, name) || slices.ContainsFunc(t.Declared.Settings.Hooks, ofHook) {
		return nil
	}
	return fmt.Errorf("a trial has no metric %q: want %s, HOOK.METRIC of a hook, or an accuracy with a phase, as in accuracy.top1_endgame", name, strings.Join(known, ", "))
}

// MeasureAt returns a metric of the trial after generation last: one of
// [experiment.TrialMetrics], a measure of the evaluation (see
// [experiment.Settings.EvaluationMeasures]) or "hook.metric". The metric is unknown if the
// stage that measures it has not run, if the experiment has no such stage, or if a script
// did not return it. See [Trial.CheckMetric] for its name.
func (t *Trial) MeasureAt(last int, name string) stats.Interval {
	switch name {
	case "seconds":
		s := 0.0
		for _, stage := range t.Manifest.Stages {
			if g, _ := stagePlace(stage.Name); g <= last || last == t.Done() && g == math.MaxInt { // those after the last generation
				s += stage.Seconds
			}
		}
		return stats.Exactly(s)
	case "games":
		return stats.Exactly(float64(t.sum(last, func(row *Generation) int { return row.Games })))
	case "samples":
		return stats.Exactly(float64(t.SamplesUntil(last)))
	case "evaluations":
		return stats.Exactly(float64(t.sum(last, func(row *Generation) int { return row.Evaluations })))
	case "score", "elo", "vs_untrained", "vs_random":
		return t.Tournament().measure(CheckpointName(last), name)
	case "white_score", "draws":
		return t.Tournament().ofColors(name)
	}
	if slices.Contains(LearningMeasures(), name) {
		return stats.Exactly(t.Learning(last)[name])
	}
	if m, known := t.evaluationMeasures(last)[name]; known {
		return m
	}
	return t.hookMeasure(name, last)
}

// Played returns the number of games that the last network played in the tournament of
// [Trial.Measure].
func (t *Trial) Played() int {
	res, name := t.Final, t.Name()
	if res == nil {
		res, name = t.Tournament(), CheckpointName(t.Done())
	}
	if i := res.Find(name); i >= 0 {
		return res.Players[i].Games()
	}
	return 0
}

// measure returns a tournament metric of a player. It is unknown if the player did not play.
func (r *Tournament) measure(player, metric string) stats.Interval {
	i := r.Find(player)
	if i < 0 {
		return stats.Unknown()
	}
	against := func(name string) stats.Interval {
		j := r.Find(name)
		if j < 0 || j == i {
			return stats.Unknown()
		}
		return r.Games.Share(i, j)
	}
	switch metric {
	case "elo":
		return r.Players[i].Elo
	case "vs_untrained":
		return against(CheckpointName(0))
	case "vs_random":
		return against(match.Random)
	}
	return r.Games.Share(i)
}

// ofColors returns White's score in all games, or the share of draws.
func (r *Tournament) ofColors(metric string) stats.Interval {
	var all stats.Record
	if r != nil {
		for _, row := range r.Games.White {
			for _, cell := range row {
				all = all.Plus(cell)
			}
		}
	}
	if metric == "draws" {
		return stats.Share(float64(all.Draws), all.Games())
	}
	return stats.Share(all.Score(), all.Games())
}

// evaluationMeasures returns the measures of the evaluation of generation g by name:
// puzzles.NAME (share of puzzles that the search solved), policy.NAME (share that the
// network alone solved), accuracy.top1, accuracy.top5 and accuracy.value_error. An accuracy
// of one phase has the phase as a suffix, as in accuracy.top1_endgame.
func (t *Trial) evaluationMeasures(g int) map[string]stats.Interval {
	all := map[string]stats.Interval{}
	e := t.Declared.Settings.Evaluation
	if e == nil {
		return all
	}
	for _, p := range e.Puzzles {
		all["puzzles."+p.Name()], all["policy."+p.Name()] = stats.Unknown(), stats.Unknown()
	}
	for _, s := range t.PuzzleScores(g) {
		all["puzzles."+s.Set] = stats.Share(float64(s.Search), s.Puzzles)
		if s.Policy != nil {
			all["policy."+s.Set] = stats.Share(float64(*s.Policy), s.Puzzles)
		}
	}
	for _, phase := range Phases {
		for _, name := range []string{"top1", "top5", "value_error"} {
			all["accuracy."+name+phaseSuffix(phase)] = stats.Unknown()
		}
	}
	for _, p := range t.Accuracy(g) {
		suffix := phaseSuffix(p.Phase)
		// Positions of a game are alike: intervals that take them as independent would be too narrow.
		all["accuracy.top1"+suffix], all["accuracy.top5"+suffix] = stats.Exactly(float64(p.Top1)), stats.Exactly(float64(p.Top5))
		all["accuracy.value_error"+suffix] = stats.Exactly(float64(p.ValueError))
	}
	return all
}

// phaseSuffix returns the end of the names of a phase's measures.
func phaseSuffix(phase string) string {
	if phase == AllPhases {
		return ""
	}
	return "_" + phase
}

// hookMeasure returns a script's metric of generation g.
func (t *Trial) hookMeasure(name string, g int) stats.Interval {
	for i, h := range t.Declared.Settings.Hooks {
		metric, ok := strings.CutPrefix(name, h.Name()+".")
		if v, measured := t.Metrics(g, i)[metric]; ok && measured {
			return stats.Exactly(float64(v))
		}
	}
	return stats.Unknown()
}

// Group is the trials of one point of a sweep. They differ only in their seeds.
type Group struct {
	Name   string // name of the trials without the seed
	Trials []*Trial
}

// Comparable returns the trials whose results compare: those that trained to their end and, while
// there is none, those with the most generations.
func Comparable(trials []*Trial) []*Trial {
	isOther := func(t *Trial) bool { return !t.Complete() }
	if !slices.ContainsFunc(trials, (*Trial).Complete) {
		most := 0
		for _, t := range trials {
			most = max(most, t.Done())
		}
		isOther = func(t *Trial) bool { return t.Done() < most }
	}
	return slices.DeleteFunc(slices.Clone(trials), isOther)
}

// Groups groups trials of equal settings. Groups are in the order of their first trials.
func Groups(trials []*Trial) (groups []Group) {
	for _, seeds := range GroupBy(trials, func(t *Trial) string { return t.Declared.Group }) {
		of := &seeds[0].Declared
		groups = append(groups, Group{Name: cmp.Or(of.Group, of.Settings.Name), Trials: seeds})
	}
	return groups
}

// GroupBy groups elements of the same name. Groups are in the order of their first elements.
func GroupBy[T any](all []T, name func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, x := range all {
		i, known := at[name(x)]
		if !known {
			i = len(groups)
			at[name(x)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// Measure returns the mean of a metric over the seeds of the group, see [Trial.Measure], and
// the value of each seed that has one, of those that are [Comparable]. A group of one trial
// returns that trial's own interval.
func (g Group) Measure(name string) (m stats.Interval, seeds []float64) {
	for _, t := range Comparable(g.Trials) {
		if m = t.Measure(name); !m.Missing() {
			seeds = append(seeds, m.Value)
		}
	}
	if len(g.Trials) == 1 {
		return m, seeds
	}
	m = stats.Mean(seeds)
	if MetricOf(name).Share && m.Known() {
		m.Low, m.High = max(0, m.Low), min(1, m.High)
	}
	return m, seeds
}
