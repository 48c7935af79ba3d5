package store

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/train"
)

// The rows that stages store in the manifest. All tables and figures are made from them.

// Generation is a row of generations.csv. The columns after Reasons depend on the machine;
// the others are a function of the experiment. For a chunk of data Evaluations, Lengths and
// Reasons are empty.
type Generation struct {
	Number      int            `json:"number"`
	Games       int            `json:"games"`
	Thrown      int            `json:"thrown"` // games that exceeded max_moves, discarded and played again
	Samples     int            `json:"samples"`
	WhiteWins   int            `json:"white_wins"`
	Draws       int            `json:"draws"`
	BlackWins   int            `json:"black_wins"`
	Lengths     []int          `json:"lengths"` // plies per game
	Evaluations int            `json:"evaluations"`
	Reasons     map[string]int `json:"reasons"` // number of games by how they ended
	// DistinctGames counts equal games once, DistinctPositions equal positions in which a
	// move was played, regardless of the clocks. They are 0 for a chunk of data.
	DistinctGames     int     `json:"distinct_games,omitempty"`
	DistinctPositions int     `json:"distinct_positions,omitempty"`
	Roots             *Roots  `json:"roots,omitempty"` // nil: data, or no full search
	Seconds           float64 `json:"seconds"`         // spent playing
	PerSecond         float64 `json:"evaluations_per_second"`
	Data              *Chunk  `json:"data,omitempty"` // nil: self-play
}

// Chunk describes a chunk of imported data.
type Chunk struct {
	Pass        int  `json:"pass"`                  // number of the pass through the data, from 1
	Broken      int  `json:"broken,omitempty"`      // unreadable games, skipped
	Finished    int  `json:"finished,omitempty"`    // games that an engine played to the end
	NoResult    int  `json:"no_result,omitempty"`   // games skipped because they have no result
	NoMoves     int  `json:"no_moves,omitempty"`    // games skipped because they have no moves
	Unexpressed int  `json:"unexpressed,omitempty"` // positions skipped because the policy cannot encode their move
	Last        bool `json:"last,omitempty"`        // last chunk of its pass
}

// MeanPlies returns the mean length of a game, or NaN if no lengths are known.
func (g *Generation) MeanPlies() float64 {
	return float64(g.plies()) / float64(len(g.Lengths)) // 0/0 is NaN
}

// plies returns the total length of the games.
func (g *Generation) plies() (n int) {
	for _, l := range g.Lengths {
		n += l
	}
	return n
}

// LongGames returns how many of all games reached the move limit, including discarded ones.
func (g *Generation) LongGames() (long, all int) {
	return g.Thrown + g.Reasons[chess.MoveLimit.String()], g.Thrown + g.Games
}

// check tests whether the facts of a stage are its rows.
func (s *Stage) check() error {
	if s == nil {
		return errors.New("a stage is null")
	}
	for file := range s.Outputs {
		if !filepath.IsLocal(file) {
			return fmt.Errorf("stage %s: the output %q is outside of the trial's folder", s.Name, file)
		}
	}
	_, place := stagePlace(s.Name)
	if place == len(stageKinds) || stageKinds[place].rows == nil || len(s.Facts) == 0 {
		return nil
	}
	rows := stageKinds[place].rows()
	if err := s.Decode(rows); err != nil {
		return err
	}
	if r, ok := rows.(*Rung); ok && len(r.Ranking) == 0 {
		return fmt.Errorf("stage %q: a comparison of no trials", s.Name)
	}
	if r, ok := rows.(*Tournament); ok {
		n := len(r.Games.Names)
		square := len(r.Players) == n && len(r.Games.White) == n && len(r.Games.Pairs) == n
		for i := 0; square && i < n; i++ {
			square = len(r.Games.White[i]) == n && len(r.Games.Pairs[i]) == n
		}
		if !square {
			return fmt.Errorf("stage %q: %d players have the results of %d", s.Name, len(r.Players), n)
		}
	}
	return nil
}

// facts returns the rows of a stage, or the zero value if the stage has not run. The caller
// must not change them, because all that read the trial share them.
func facts[T any](t *Trial, s *Stage) (rows T) {
	if s == nil || len(s.Facts) == 0 {
		return rows
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.rows[s].(T); ok {
		return known
	}
	if err := s.Decode(&rows); err != nil {
		panic(err) // ReadManifest has checked them
	}
	if r, ok := any(&rows).(*HookResults); ok {
		r.hooks = s.Inputs.list("hook")
	}
	if t.rows == nil {
		t.rows = map[*Stage]any{}
	}
	t.rows[s] = rows
	return rows
}

// Generation returns the row of generation g. It is zero if the generation has not begun.
func (t *Trial) Generation(g int) *Generation {
	row := facts[Generation](t, t.Manifest.Stage(t.SamplesStage(g)))
	return &row
}

// SamplesUntil returns the number of samples of the generations up to g.
func (t *Trial) SamplesUntil(g int) int {
	return t.sum(g, func(row *Generation) int { return row.Samples })
}

// sum adds up a number of the generations up to g.
func (t *Trial) sum(g int, of func(*Generation) int) (n int) {
	for i := 1; i <= g; i++ {
		n += of(t.Generation(i))
	}
	return n
}

// Epochs returns the rows of generation g.
func (t *Trial) Epochs(g int) []train.Epoch {
	return facts[[]train.Epoch](t, t.Manifest.Stage(TrainStage(g)))
}

// HookResults is the result of a stage that runs hooks.
type HookResults struct {
	// Metrics has one element per script of the experiment: nil if the script has no
	// function for this stage, empty if it failed.
	Metrics []map[string]stats.Float `json:"metrics"`
	// Series are the curves that scripts returned, as points of x and y; nil if there are none.
	Series []map[string][][2]stats.Float `json:"series,omitempty"`
	// Labels are the labels of metrics and series by name, for each script; nil if no script
	// states any.
	Labels []map[string]Label `json:"labels,omitempty"`
	// Faults are the failures of scripts, with file, line and message. Limit is the time that a call
	// had then, in seconds.
	Faults []string `json:"faults,omitempty"`
	Limit  float64  `json:"limit,omitempty"`

	hooks []string // names of the scripts, from the inputs of the stage
}

// Label sets the label of a metric or a series of script i.
func (r *HookResults) Label(i int, name string, l Label) { put(&r.Labels, len(r.Metrics), i, name, l) }

// AddSeries adds a series of script i.
func (r *HookResults) AddSeries(i int, name string, points [][2]stats.Float) {
	put(&r.Series, len(r.Metrics), i, name, points)
}

// put sets an element of the map of script i, of n scripts.
func put[T any](all *[]map[string]T, n, i int, name string, v T) {
	if *all == nil {
		*all = make([]map[string]T, n)
	}
	if (*all)[i] == nil {
		(*all)[i] = map[string]T{}
	}
	(*all)[i][name] = v
}

// hookResults returns the results for the games and for the checkpoint of generation g. A
// stage that has not run leaves its element empty.
func (t *Trial) hookResults(g int) [2]HookResults {
	return [2]HookResults{facts[HookResults](t, t.Manifest.Stage(HooksStage(g))), facts[HookResults](t, t.Manifest.Stage(CheckpointHooksStage(g)))}
}

// ofHook returns what the hook of a name has in a list of r; nil if it has nothing. The run may have
// had the hooks in another order than the trial has now.
func ofHook[T any](r *HookResults, all []map[string]T, name string) map[string]T {
	if i := slices.Index(r.hooks, name); i >= 0 && i < len(all) {
		return all[i]
	}
	return nil
}

// Metrics returns the metrics of script i for generation g, of its games and of its
// checkpoint. It returns nil if the script measured neither.
func (t *Trial) Metrics(g, i int) map[string]stats.Float {
	return ofScript(t, g, i, func(r *HookResults) []map[string]stats.Float { return r.Metrics })
}

// Series returns the series of script i for generation g, as [Trial.Metrics].
func (t *Trial) Series(g, i int) map[string][][2]stats.Float {
	return ofScript(t, g, i, func(r *HookResults) []map[string][][2]stats.Float { return r.Series })
}

// ofScript returns what script i measured of the games and of the checkpoint of generation g.
func ofScript[T any](t *Trial, g, i int, of func(*HookResults) []map[string]T) (out map[string]T) {
	for _, r := range t.hookResults(g) {
		measured := ofHook(&r, of(&r), t.Declared.Settings.Hooks[i].Name())
		if measured == nil {
			continue
		}
		if out == nil {
			out = map[string]T{}
		}
		maps.Copy(out, measured)
	}
	return out
}

// Label says how figures and tables show a metric or a series, as a script states it.
type Label struct {
	Text string `json:"text,omitempty"`
	Unit string `json:"unit,omitempty"`
	X    string `json:"x,omitempty"` // of a series: the horizontal axis
}

// MetricLabel returns the label that a script gives to a metric or a series, "hook.name", in the newest
// generation that has one. It is empty if there is none.
func (t *Trial) MetricLabel(name string) Label {
	for _, h := range t.Declared.Settings.Hooks {
		metric, ok := strings.CutPrefix(name, h.Name()+".")
		for g := t.Last(); ok && g > 0; g-- {
			for _, r := range t.hookResults(g) {
				if l := ofHook(&r, r.Labels, h.Name())[metric]; l != (Label{}) {
					return l
				}
			}
		}
	}
	return Label{}
}

// HookLimit returns the time that a call of a script had when one failed in a stage, in seconds;
// 0: none failed.
func (t *Trial) HookLimit(stage string) float64 {
	return facts[HookResults](t, t.Manifest.Stage(stage)).Limit
}

// HookFaults returns the failures of scripts in generation g.
func (t *Trial) HookFaults(g int) []string {
	all := t.hookResults(g)
	return slices.Concat(all[0].Faults, all[1].Faults)
}

// MeasureNames returns the names of the measures of the trial's evaluation and of its scripts.
func (t *Trial) MeasureNames() []string {
	names := t.Declared.Settings.EvaluationMeasures()
	for i, h := range t.Declared.Settings.Hooks {
		for _, metric := range t.MetricNames(i) {
			names = append(names, h.Name()+"."+metric)
		}
	}
	return names
}

// MetricNames returns the sorted names of the metrics of script i in all generations.
func (t *Trial) MetricNames(i int) []string { return namesOf(t, i, t.Metrics) }

// SeriesNames returns the sorted names of the series of script i in all generations.
func (t *Trial) SeriesNames(i int) []string { return namesOf(t, i, t.Series) }

func namesOf[T any](t *Trial, i int, of func(g, i int) map[string]T) []string {
	all := map[string]bool{}
	for g := 1; g <= t.Last(); g++ {
		for name := range of(g, i) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// ErrUnmeasured means that no metric or series of a name was found, but that some hook has
// measured nothing yet, so the name may be one of its.
var ErrUnmeasured = errors.New("no metrics")

// FindMetric finds a metric by "hook.metric", by its own name, or by the name of a hook
// with one metric. It need not be present in every generation.
func (t *Trial) FindMetric(name string) (script int, metric string, err error) {
	return t.findMeasured("metric", name, t.MetricNames)
}

// FindSeries finds a series as [Trial.FindMetric] a metric.
func (t *Trial) FindSeries(name string) (script int, series string, err error) {
	return t.findMeasured("series", name, t.SeriesNames)
}

func (t *Trial) findMeasured(what, name string, namesOf func(i int) []string) (script int, found string, err error) {
	var known, silent []string
	for i, h := range t.Declared.Settings.Hooks {
		names := namesOf(i)
		for _, n := range names {
			if name == n || name == h.Name()+"."+n || (name == h.Name() || name == "") && len(names) == 1 {
				return i, n, nil
			}
			known = append(known, n)
		}
		if len(t.MetricNames(i))+len(t.SeriesNames(i)) == 0 {
			silent = append(silent, h.Name())
		}
	}
	switch {
	case len(silent) > 0:
		return 0, "", fmt.Errorf("%w of %s in any generation", ErrUnmeasured, strings.Join(silent, ", "))
	case len(t.Declared.Settings.Hooks) == 0:
		known = []string{"no hooks"}
	case len(known) == 0:
		known = []string{"none"}
	}
	return 0, "", fmt.Errorf("no hook has a %s %q: there are %s", what, name, strings.Join(known, ", "))
}

// PuzzleScore is the number of puzzles of a set that a checkpoint solves.
type PuzzleScore struct {
	Set     string `json:"set"` // name of the file, without its extension
	Puzzles int    `json:"puzzles"`
	Policy  *int   `json:"policy"` // solved by the network alone; nil without a policy head
	Search  int    `json:"search"` // solved with the search
}

// AllPhases names the whole game in the list of phases.
const AllPhases = "all"

// Phases are the phases of a game in order, followed by the whole game.
var Phases = append(slices.Clone(experiment.Phases), AllPhases)

// PhaseAccuracy is the accuracy of a checkpoint on the held-out positions of a phase.
type PhaseAccuracy struct {
	Phase     string `json:"phase"` // opening, middlegame, endgame or AllPhases
	Positions int    `json:"positions"`
	// Top1 and Top5 are as in [nn.Accuracy]. They are NaN without a policy head or positions.
	Top1 stats.Float `json:"top1"`
	Top5 stats.Float `json:"top5"`
	// ValueError is the mean squared error of the value over the positions with a known
	// result. It is NaN if there are none.
	ValueError stats.Float `json:"value_error"`
}

// Evaluates reports whether the experiment evaluates the checkpoint of generation g. It
// always evaluates the last one.
func (t *Trial) Evaluates(g int) bool {
	e := t.Declared.Settings.Evaluation
	return e != nil && g > 0 && (g == t.Done() || e.Every > 0 && g%e.Every == 0)
}

// PuzzleScores returns the puzzle scores of generation g in the order of the experiment. It
// returns nil if the present checkpoint has not been scored.
func (t *Trial) PuzzleScores(g int) []PuzzleScore {
	if e := t.Declared.Settings.Evaluation; e == nil || len(e.Puzzles) == 0 {
		return nil
	}
	return facts[[]PuzzleScore](t, t.evaluation(PuzzlesStage(g), g))
}

// Accuracy returns the accuracy of generation g by phase, and AllPhases last. It returns
// nil if the present checkpoint has not been measured.
func (t *Trial) Accuracy(g int) []PhaseAccuracy {
	if e := t.Declared.Settings.Evaluation; e == nil || !e.Accuracy {
		return nil
	}
	return facts[[]PhaseAccuracy](t, t.evaluation(AccuracyStage(g), g))
}

// evaluation returns the named stage if it evaluated the present checkpoint of generation
// g, otherwise nil.
func (t *Trial) evaluation(name string, g int) *Stage {
	s := t.Manifest.Stage(name)
	if s == nil || !t.Evaluates(g) || s.Inputs["network"] != t.CheckpointSum(g) {
		return nil
	}
	return s
}

// Tournament is the result of a tournament.
type Tournament struct {
	Players   []PlayerResult `json:"players"`    // in the order of the experiment
	Games     match.Results  `json:"games"`      // of the players in the same order
	Anchor    string         `json:"anchor"`     // player with Elo 0; empty: the mean is 0
	FirstMove stats.Interval `json:"first_move"` // advantage of White in Elo
}

type PlayerResult struct {
	Generation int `json:"generation"` // 0: untrained network; -1: not a checkpoint
	Samples    int `json:"samples"`    // number that the checkpoint was trained on
	match.Rating
}

// Tournament returns the result of the trial's tournament. It returns nil if the experiment
// has none, even if the manifest still has an earlier one.
func (t *Trial) Tournament() *Tournament {
	if t.Declared.Settings.Tournament.Rounds == 0 {
		return nil
	}
	return t.played(TournamentStage)
}

// played returns the result of a tournament by its stage. It returns nil if the stage has not run.
func (t *Trial) played(stage string) *Tournament {
	return facts[*Tournament](t, t.Manifest.Stage(stage))
}

// Mutual returns the share of the games of the player a that it played against b; 0 if one of them
// did not play.
func (r *Tournament) Mutual(a, b string) float64 {
	i, j := r.Find(a), r.Find(b)
	if i < 0 || j < 0 {
		return 0
	}
	return float64(r.Games.Against(i, j).Games()) / float64(max(1, r.Players[i].Games()))
}

// SameOpponents reports whether all checkpoints of a tournament met the same players, apart
// from one another. In a ladder they do not, and only their ratings compare.
func (r *Tournament) SameOpponents() bool {
	return r.comparable(func(p *PlayerResult) bool { return p.Generation >= 0 })
}

// comparable reports whether players of a kind met the same players, apart from one another.
func (r *Tournament) comparable(of func(*PlayerResult) bool) bool {
	met := func(i, j int) bool { return r.Games.Against(i, j).Games() > 0 }
	var some []int
	for i := range r.Players {
		if of(&r.Players[i]) {
			some = append(some, i)
		}
	}
	for at, i := range some {
		for _, j := range some[:at] {
			for k := range r.Players {
				if k != i && k != j && met(i, k) != met(j, k) {
					return false
				}
			}
		}
	}
	return true
}

// Ranking returns the indices of the players, the best first: by score, or by rating where scores
// do not compare. Players without games come last.
func (r *Tournament) Ranking() []int {
	same := r.comparable(func(p *PlayerResult) bool { return p.Games() > 0 })
	return match.Descending(len(r.Players), func(i int) float64 {
		if p := &r.Players[i]; same || p.Games() == 0 {
			return p.Share()
		}
		return r.Players[i].Elo.Value
	})
}

// Find returns the index of the named player, or -1. Without a tournament it is -1.
func (r *Tournament) Find(name string) int {
	if r == nil {
		return -1
	}
	return slices.IndexFunc(r.Players, func(p PlayerResult) bool { return p.Name == name })
}
