package store

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"alamos/pkg/stats"
)

// PuzzleScore is how many puzzles of a set a checkpoint solves.
type PuzzleScore struct {
	Set     string `json:"set"`     // name of the file, without its ending
	Puzzles int    `json:"puzzles"` // in it
	Policy  *int   `json:"policy"`  // solved by the network alone; nil: it has no policy
	Search  int    `json:"search"`  // solved with the search
}

// AllPhases is the name of the whole game among its phases.
const AllPhases = "all"

// PhaseAccuracy is what a checkpoint knows of held-out positions of a phase of the game.
type PhaseAccuracy struct {
	Phase     string `json:"phase"` // opening, middlegame, endgame or AllPhases
	Positions int    `json:"positions"`
	// Top1 and Top5 are the shares of the positions in which the move that was played or
	// visited most is the policy's first, and among its first five; NaN without a policy,
	// or positions.
	Top1 stats.Float `json:"top1"`
	Top5 stats.Float `json:"top5"`
	// ValueError is the mean squared error of the value where the result is known; NaN
	// where it is of no position.
	ValueError stats.Float `json:"value_error"`
}

// Evaluates reports whether the trial's experiment asks the checkpoint of generation g,
// which is the last or one on the way.
func (t *Trial) Evaluates(g int) bool {
	e := t.Settings.Evaluation
	return e != nil && g > 0 && (g == t.Done() || e.Every > 0 && g%e.Every == 0)
}

// PuzzleScores are those of the checkpoint of generation g, in the order of the
// experiment; nil where it has not been asked as it is now.
func (t *Trial) PuzzleScores(g int) ([]PuzzleScore, error) {
	var scores []PuzzleScore
	s := t.evaluation(PuzzlesStage(g), g)
	if s == nil || len(t.Settings.Evaluation.Puzzles) == 0 {
		return nil, nil
	}
	return scores, s.Decode(&scores)
}

// Accuracy is that of the checkpoint of generation g, the phases in the order of a game
// and then AllPhases; nil where it has not been asked as it is now.
func (t *Trial) Accuracy(g int) ([]PhaseAccuracy, error) {
	var phases []PhaseAccuracy
	s := t.evaluation(AccuracyStage(g), g)
	if s == nil || !t.Settings.Evaluation.Accuracy {
		return nil, nil
	}
	return phases, s.Decode(&phases)
}

// evaluation is a stage that has asked the checkpoint that there is now.
func (t *Trial) evaluation(name string, g int) *Stage {
	if !t.Evaluates(g) {
		return nil
	}
	s := t.Manifest.Stage(name)
	if s == nil || s.Inputs["network"] != t.sumOf(g) || len(s.Facts) == 0 {
		return nil
	}
	return s
}

// evaluationMeasure is a measure of an evaluation by its name: puzzles.NAME and
// policy.NAME, the shares solved with the search and by the network alone, with the
// interval of as many tosses of a coin; accuracy.top1, accuracy.top5 and
// accuracy.value_error, of a phase also as accuracy.top1_endgame. known is false for
// other names.
func (t *Trial) evaluationMeasure(name string, g int) (m stats.Interval, known bool, err error) {
	e := t.Settings.Evaluation
	kind, of, ok := strings.Cut(name, ".")
	if e == nil || !ok {
		return stats.Unknown(), false, nil
	}
	switch kind {
	case "puzzles", "policy":
		var names []string
		for _, p := range e.Puzzles {
			names = append(names, p.Name())
		}
		if !slices.Contains(names, of) {
			return stats.Unknown(), true, fmt.Errorf("a trial has no metric %q: the puzzles are %s", name, strings.Join(names, ", "))
		}
		m, err = t.solved(kind, of, g)
		return m, true, err
	case "accuracy":
		m, err = t.accuracyMeasure(name, of, g)
		return m, true, err
	}
	return stats.Unknown(), false, nil
}

func (t *Trial) solved(kind, set string, g int) (stats.Interval, error) {
	scores, err := t.PuzzleScores(g)
	if err != nil {
		return stats.Unknown(), err
	}
	for _, s := range scores {
		switch {
		case s.Set != set:
		case kind == "puzzles":
			return stats.Share(float64(s.Search), s.Puzzles), nil
		case s.Policy != nil:
			return stats.Share(float64(*s.Policy), s.Puzzles), nil
		}
	}
	return stats.Unknown(), nil
}

func (t *Trial) accuracyMeasure(name, of string, g int) (stats.Interval, error) {
	what, phase := of, AllPhases
	for _, w := range []string{"top1", "top5", "value_error"} {
		if rest, ok := strings.CutPrefix(of, w+"_"); ok {
			what, phase = w, rest
		}
	}
	known := slices.Contains([]string{"top1", "top5", "value_error"}, what) &&
		slices.Contains([]string{"opening", "middlegame", "endgame", AllPhases}, phase)
	if !known {
		return stats.Unknown(), fmt.Errorf("a trial has no metric %q: want accuracy.top1, accuracy.top5 or accuracy.value_error, of a phase with _opening, _middlegame or _endgame behind", name)
	}
	phases, err := t.Accuracy(g)
	if err != nil {
		return stats.Unknown(), err
	}
	for _, p := range phases {
		if p.Phase != phase {
			continue
		}
		switch {
		case what == "value_error":
			return stats.Exactly(float64(p.ValueError)), nil
		case math.IsNaN(float64(p.Top1)):
		case what == "top1":
			return stats.Share(float64(p.Top1)*float64(p.Positions), p.Positions), nil
		default:
			return stats.Share(float64(p.Top5)*float64(p.Positions), p.Positions), nil
		}
	}
	return stats.Unknown(), nil
}
