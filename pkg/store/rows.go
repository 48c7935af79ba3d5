package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// The rows that stages leave in the manifest. Every table and figure is made from them.

// Generation is a row of generations.csv. The columns after Reasons depend on the
// machine. All others are a function of the experiment. A chunk of data has no
// evaluations, lengths or reasons.
type Generation struct {
	Number      int            `json:"number"`
	Games       int            `json:"games"`
	Thrown      int            `json:"thrown"` // games over max_moves, played again
	Samples     int            `json:"samples"`
	WhiteWins   int            `json:"white_wins"`
	Draws       int            `json:"draws"`
	BlackWins   int            `json:"black_wins"`
	Lengths     []int          `json:"lengths"` // plies of each game
	Evaluations int            `json:"evaluations"`
	Reasons     map[string]int `json:"reasons"` // how games ended
	Seconds     float64        `json:"seconds"` // of playing
	PerSecond   float64        `json:"evaluations_per_second"`
	Data        *Chunk         `json:"data,omitempty"` // nil: self-play
}

// Chunk is what is known of a chunk of data beside its games and samples.
type Chunk struct {
	Pass        int  `json:"pass"`                  // through the data, from 1
	Broken      int  `json:"broken,omitempty"`      // unreadable games, left out
	Finished    int  `json:"finished,omitempty"`    // games that an engine played to their end
	NoResult    int  `json:"no_result,omitempty"`   // games left out, without a result
	NoMoves     int  `json:"no_moves,omitempty"`    // games left out, without moves
	Unexpressed int  `json:"unexpressed,omitempty"` // positions left out: the policy has no index for their move
	Last        bool `json:"last,omitempty"`        // of its pass
}

// MeanPlies returns the mean length of a game, NaN if no lengths are known.
func (g *Generation) MeanPlies() float64 {
	n := 0
	for _, l := range g.Lengths {
		n += l
	}
	return float64(n) / float64(len(g.Lengths)) // 0/0 is NaN
}

// Generation returns the row of generation g.
func (t *Trial) Generation(g int) (*Generation, error) {
	var row Generation
	return &row, t.Manifest.Stage(t.SamplesStage(g)).Decode(&row)
}

// SamplesUntil returns the number of samples of generations 1 to g.
func (t *Trial) SamplesUntil(g int) (int, error) {
	n := 0
	for i := 1; i <= g; i++ {
		row, err := t.Generation(i)
		if err != nil {
			return 0, err
		}
		n += row.Samples
	}
	return n, nil
}

// Epoch is a row of epochs.csv.
type Epoch struct {
	Generation int         `json:"generation"`
	Epoch      int         `json:"epoch"` // over all generations
	Rate       stats.Float `json:"learning_rate"`
	Train      Loss        `json:"train"`
	Validation Loss        `json:"validation"` // NaN without held-out games
	// Accuracy is nil without held-out games or without a policy.
	Accuracy *Accuracy `json:"accuracy,omitempty"`
	Selected bool      `json:"selected"` // its network is the checkpoint
}

// Accuracy is the share of held-out positions whose best move, the one played or
// visited most, is the policy's first, and among its first five.
type Accuracy struct {
	Top1 float64 `json:"top1"`
	Top5 float64 `json:"top5"`
}

// Loss is a loss and its parts.
type Loss struct {
	Total  stats.Float `json:"total"`
	Policy stats.Float `json:"policy"`
	Value  stats.Float `json:"value"`
	// MovesLeft is 0 if the network has no such head.
	MovesLeft stats.Float `json:"moves_left,omitempty"`
}

// Epochs returns the rows of generation g.
func (t *Trial) Epochs(g int) ([]Epoch, error) {
	var rows []Epoch
	return rows, t.Manifest.Stage(TrainStage(g)).Decode(&rows)
}

// SelectedLoss returns the total of [KeptLoss].
func SelectedLoss(rows []Epoch) stats.Float { return KeptLoss(rows).Total }

// KeptLoss returns the loss of the selected epoch: on held-out games, or in training if
// none are held out.
func KeptLoss(rows []Epoch) Loss {
	e := selected(rows)
	switch {
	case e == nil:
		return Loss{Total: stats.Float(math.NaN()), Policy: stats.Float(math.NaN()), Value: stats.Float(math.NaN())}
	case math.IsNaN(float64(e.Validation.Total)):
		return e.Train
	}
	return e.Validation
}

// selected returns the selected epoch, or nil.
func selected(rows []Epoch) *Epoch {
	if i := slices.IndexFunc(rows, func(e Epoch) bool { return e.Selected }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// HookResults are the facts of a stage of hooks.
type HookResults struct {
	// Metrics has an element for each script of the experiment: nil if the script does
	// not measure this, empty if it failed.
	Metrics []map[string]stats.Float `json:"metrics"`
	// Faults are the failures of scripts: file, line and message.
	Faults []string `json:"faults,omitempty"`
}

// hookResults returns those of the games and of the checkpoint of generation g. Either
// may be missing.
func (t *Trial) hookResults(g int) (all [2]HookResults, err error) {
	for i, name := range []string{HooksStage(g), CheckpointHooksStage(g)} {
		if s := t.Manifest.Stage(name); s != nil {
			err = errors.Join(err, s.Decode(&all[i]))
		}
	}
	return all, err
}

// Metrics returns the metrics of script i over generation g, of its games and its
// checkpoint; nil if it has measured neither.
func (t *Trial) Metrics(g, i int) (map[string]stats.Float, error) {
	all, err := t.hookResults(g)
	var out map[string]stats.Float
	for _, r := range all {
		if i >= len(r.Metrics) || r.Metrics[i] == nil {
			continue
		}
		if out == nil {
			out = map[string]stats.Float{}
		}
		maps.Copy(out, r.Metrics[i])
	}
	return out, err
}

// HookFaults returns the failures of scripts in generation g.
func (t *Trial) HookFaults(g int) ([]string, error) {
	all, err := t.hookResults(g)
	return append(all[0].Faults, all[1].Faults...), err
}

// MetricNames returns the metrics of script i in any generation, sorted.
func (t *Trial) MetricNames(i int) ([]string, error) {
	all := map[string]bool{}
	for g := 1; g <= t.Last(); g++ {
		m, err := t.Metrics(g, i)
		if err != nil {
			return nil, err
		}
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// ErrUnmeasured is the error of a metric that may be that of a hook which failed in
// every generation.
var ErrUnmeasured = errors.New("no metrics")

// FindMetric finds a metric of a hook by the name of a hook with one metric, the name
// of a metric, or "hook.metric". Not every generation needs to have it.
func (t *Trial) FindMetric(name string) (script int, metric string, err error) {
	var known, silent []string
	for i, h := range t.Settings.Hooks {
		names, err := t.MetricNames(i)
		if err != nil {
			return 0, "", err
		}
		for _, n := range names {
			if name == n || name == h.Name()+"."+n || (name == h.Name() || name == "") && len(names) == 1 {
				return i, n, nil
			}
			known = append(known, n)
		}
		if len(names) == 0 {
			silent = append(silent, h.Name())
		}
	}
	switch {
	case len(silent) > 0:
		return 0, "", fmt.Errorf("%w of %s in any generation", ErrUnmeasured, strings.Join(silent, ", "))
	case len(known) == 0:
		return 0, "", fmt.Errorf("no hook has a metric %q: there are no hooks", name)
	}
	return 0, "", fmt.Errorf("no hook has a metric %q: there are %s", name, strings.Join(known, ", "))
}

// PuzzleScore is how many puzzles of a set a checkpoint solves.
type PuzzleScore struct {
	Set     string `json:"set"` // name of the file, without its extension
	Puzzles int    `json:"puzzles"`
	Policy  *int   `json:"policy"` // solved by the network alone; nil: it has no policy
	Search  int    `json:"search"` // solved with the search
}

// AllPhases is the name of the whole game among its phases.
const AllPhases = "all"

// Phases are the phases of a game in their order, and the whole game.
var Phases = []string{"opening", "middlegame", "endgame", AllPhases}

// PhaseAccuracy is how well a checkpoint predicts held-out positions of a phase.
type PhaseAccuracy struct {
	Phase     string `json:"phase"` // opening, middlegame, endgame or AllPhases
	Positions int    `json:"positions"`
	// Top1 and Top5 are as in [Accuracy]. They are NaN without a policy or positions.
	Top1 stats.Float `json:"top1"`
	Top5 stats.Float `json:"top5"`
	// ValueError is the mean squared error of the value where the result is known; NaN
	// if no result is known.
	ValueError stats.Float `json:"value_error"`
}

// Evaluates reports whether the experiment evaluates the checkpoint of generation g:
// the last, or one before.
func (t *Trial) Evaluates(g int) bool {
	e := t.Settings.Evaluation
	return e != nil && g > 0 && (g == t.Done() || e.Every > 0 && g%e.Every == 0)
}

// PuzzleScores returns those of the checkpoint of generation g, in the order of the
// experiment; nil if the checkpoint as it is now has none.
func (t *Trial) PuzzleScores(g int) (scores []PuzzleScore, err error) {
	if s := t.evaluation(PuzzlesStage(g), g); s != nil && len(t.Settings.Evaluation.Puzzles) > 0 {
		err = s.Decode(&scores)
	}
	return scores, err
}

// Accuracy returns that of the checkpoint of generation g, the phases in the order of a
// game and then AllPhases; nil if the checkpoint as it is now has none.
func (t *Trial) Accuracy(g int) (phases []PhaseAccuracy, err error) {
	if s := t.evaluation(AccuracyStage(g), g); s != nil && t.Settings.Evaluation.Accuracy {
		err = s.Decode(&phases)
	}
	return phases, err
}

// evaluation returns a stage that evaluated the present checkpoint of generation g.
func (t *Trial) evaluation(name string, g int) *Stage {
	s := t.Manifest.Stage(name)
	if s == nil || !t.Evaluates(g) || s.Inputs["network"] != t.CheckpointSum(g) || len(s.Facts) == 0 {
		return nil
	}
	return s
}

// Tournament is the result of a tournament.
type Tournament struct {
	Players   []PlayerResult   `json:"players"`    // in the order of the experiment
	Cross     [][]match.Record `json:"cross"`      // Cross[i][j]: i against j
	White     [][]match.Record `json:"white"`      // White[i][j]: i with White against j
	Anchor    string           `json:"anchor"`     // the player whose Elo is 0; empty: the mean
	FirstMove stats.Interval   `json:"first_move"` // the advantage of White, in Elo
}

// PlayerResult is one player's row.
type PlayerResult struct {
	Generation int `json:"generation"` // of a checkpoint, 0 the untrained network; -1: no checkpoint
	Samples    int `json:"samples"`    // that the checkpoint was trained on
	match.Standing
	Elo stats.Interval `json:"elo"` // unknown if no games connect the player to the others
}

// Tournament returns the result of the trial's tournament, nil if the experiment has
// none, even if it once had.
func (t *Trial) Tournament() (*Tournament, error) {
	s := t.Manifest.Stage(TournamentStage)
	if s == nil || t.Settings.Tournament.Rounds == 0 {
		return nil, nil
	}
	var out Tournament
	return &out, s.Decode(&out)
}

// Share returns the share of the points that a player scored.
func Share(s match.Standing) float64 { return s.Score() / float64(max(1, s.Games())) }

// Ranking returns the indices of the players, the best score first.
func (r *Tournament) Ranking() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(Share(r.Players[b].Standing), Share(r.Players[a].Standing))
	})
	return order
}

// Find returns the index of a player by name, or -1.
func (r *Tournament) Find(name string) int {
	return slices.IndexFunc(r.Players, func(p PlayerResult) bool { return p.Name == name })
}
