package report

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// sweepFile is an experiment that sweeps a number, a word and seeds, and whose
// notebook has every kind of figure.
const sweepFile = `alamos: 1
name: made
about: Nothing here was played.
network: {depth: 1, width: 8}
generations: 3
training: {validation: 0.2}
hooks: [kings.go]
sweep:
  grid: {network.depth: [2, 10], training.schedule.kind: [plateau, constant]}
  seeds: 2
tournament: {rounds: 10, players: [every: 1, untrained, random]}
notebook:
  - text: "## All there is"
  - figure: {kind: score}
  - figure: {kind: score, x: generation}
  - figure: {kind: loss}
  - figure: {kind: loss, x: step}
  - figure: {kind: loss-heads}
  - figure: {kind: learning-rate}
  - figure: {kind: lengths}
  - figure: {kind: results}
  - figure: {kind: length-histogram, generation: 1}
  - figure: {kind: metric, metric: kings.alive}
  - figure: {kind: metric, metric: kl, x: samples}
  - figure: {kind: metric, metric: elo}
  - figure: {kind: series, metric: kings.pieces}
  - figure: {kind: crosstable}
  - figure: {kind: elo}
  - figure: {kind: sweep, metric: elo}
  - figure: {kind: sweep, x: training.schedule.kind, y: network.depth, metric: kings.alive}
  - figure: {kind: effects, metric: elo}
  - figure: {kind: heatmap, metric: loss}
  - figure: {kind: multiples}
  - figure: {kind: parallel, metric: score}
  - figure: {kind: policy}
  - figure: {kind: policy, boards: moves}
  - figure: {kind: policy, boards: legal-moves}
  - figure: {kind: inputs}
  - figure: {kind: network}
  - figure: {kind: tree, visits: 100}
  - figure: {kind: board, visits: 100, title: The start}
  - figure: {kind: csv, csv: {file: published.csv, by: system}}
  - table: trials
  - table: colors
  - table: standings
  - table: generations
  - table: settings
`

// load resolves an experiment file that is given as text.
func load(t *testing.T, text string, set ...string) *experiment.Experiment {
	t.Helper()
	e, err := experiment.Load("made.yaml", experiment.Options{Set: set, ReadFile: func(name string) ([]byte, error) {
		if strings.HasSuffix(name, ".yaml") {
			return []byte(text), nil
		}
		if strings.HasSuffix(name, ".csv") {
			return []byte("visits,elo,elo_low,elo_high,system\n10,50,20,80,AlphaZero\n20,90,,,AlphaZero\n10,,,,lc0\n20,70,60,80,lc0\n"), nil
		}
		return []byte("package main"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// made leaves results as a run would, with numbers that follow from the settings,
// and opens them. They are done up to so many generations.
func made(t *testing.T, e *experiment.Experiment, done int) *Report {
	t.Helper()
	dir := filepath.Join(t.TempDir(), e.Name)
	for i := range e.Trials {
		leave(t, dir, e, i, done)
	}
	x := Describe(e)
	x.Ended = true
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	return open(t, x, dir)
}

func open(t *testing.T, x *store.Experiment, dir string) *Report {
	t.Helper()
	r, err := Open(x, dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// leave leaves the results of trial i.
func leave(t *testing.T, dir string, e *experiment.Experiment, i, done int) {
	t.Helper()
	trial, err := store.Open(dir, e.Trials[i])
	if err != nil {
		t.Fatal(err)
	}
	m := trial.Manifest
	m.Trial, m.Label = trial.Declared.ID, trial.Declared.Label
	put := func(name string, in store.Inputs, outputs map[string]string, facts any) {
		b, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		m.Put(&store.Stage{Name: name, Inputs: in, Outputs: outputs, Facts: b, Seconds: 1.5})
	}
	put(store.UntrainedStage, nil, map[string]string{store.CheckpointFile(0): "sum 0"}, nil)
	depth, noise := float64(trial.Declared.Settings.Network.Depth), 0.1*float64(i%3)
	for g := 1; g <= done; g++ {
		put(store.SelfPlayStage(g), nil, nil, store.Generation{Number: g, Games: 3, Samples: 100*g + i, WhiteWins: 2, Draws: 1, Lengths: []int{20 + i, 30 + 5*g, 60}, Seconds: 0.5,
			Reasons: map[string]int{"move_limit": 1}, DistinctGames: 3, DistinctPositions: 100,
			Roots: &store.Roots{Positions: 90, KL: 1 / float64(g), PriorEntropy: 2, TargetEntropy: 1.5, ValueError: 0.75,
				Calibration: []store.CalibrationBin{{Low: -1, Positions: 30, Value: -0.9, Result: -0.5}, {Low: 0, Positions: 60, Value: 0.1, Result: 0.1}}}})
		hooks := store.HookResults{Metrics: []map[string]stats.Float{{"alive": stats.Float(float64(g) + noise)}}}
		hooks.AddSeries(0, "pieces", [][2]stats.Float{{-1, 32}, {0, stats.Float(32 - noise)}, {2.5, stats.Float(30 - float64(g))}})
		hooks.Label(0, "pieces", store.Label{Text: "pieces on the board", X: "ply"})
		put(store.HooksStage(g), store.Inputs{"hooks": `["kings"]`}, nil, hooks)
		loss := func(x float64) nn.Loss {
			x += noise - 0.01*depth
			return nn.Loss{Total: x, Policy: x * 0.75, Value: x * 0.25}
		}
		n := 2*g - 1
		curve := func(x float64) (c []float32) {
			for i := range 40 {
				c = append(c, float32(loss(x).Total+0.2*math.Sin(float64(i*i))))
			}
			return c
		}
		put(store.TrainStage(g), nil, map[string]string{store.CheckpointFile(g): fmt.Sprint("sum ", g)}, []train.Epoch{
			{Generation: g, Number: n, Rate: 0.05, Steps: 80, Curve: curve(5 / float64(n)), Train: loss(5 / float64(n)), Validation: loss(6 / float64(n))},
			{Generation: g, Number: n + 1, Rate: 0.025, Steps: 80, Curve: curve(5 / float64(n+1)), Train: loss(5 / float64(n+1)), Validation: loss(6 / float64(n+1)), Selected: true},
		})
	}
	if evaluation := e.Trials[i].Settings.Evaluation; evaluation != nil {
		for g := 1; g <= done; g++ {
			network, alone := store.Inputs{"network": fmt.Sprint("sum ", g)}, 3*g
			put(store.PuzzlesStage(g), network, nil, []store.PuzzleScore{{Set: "mates", Puzzles: 40, Policy: &alone, Search: 20 + g}})
			put(store.AccuracyStage(g), network, nil, []store.PhaseAccuracy{{Phase: "opening", Positions: 30, Top1: 0.25, Top5: 0.5, ValueError: 0.125}, {Phase: "endgame", Top1: stats.Float(math.NaN())}})
		}
	}
	if done == e.Trials[i].Settings.Generations {
		put(store.TournamentStage, nil, nil, played(done, depth, i))
		evaluatePositions(t, trial)
	}
	if err := m.Write(trial.Dir); err != nil {
		t.Fatal(err)
	}
}

// played is a tournament in which later generations win more, and deeper networks.
func played(generations int, depth float64, i int) *store.Tournament {
	names := []string{}
	strength := []int{}
	for g := 1; g <= generations; g++ {
		names, strength = append(names, store.CheckpointName(g)), append(strength, 2*g+int(depth)/5)
	}
	names, strength = append(names, store.CheckpointName(0), match.Random), append(strength, i%2, 0)
	res := &store.Tournament{Games: *match.NewResults(names), Anchor: store.CheckpointName(0), FirstMove: stats.Unknown()}
	for a := range names {
		p := store.PlayerResult{Generation: a + 1, Samples: 100 * (a + 1)}
		if p.Generation > generations {
			p.Generation, p.Samples = generations-a, 0
		}
		p.Name = names[a]
		for b := range names {
			if a == b {
				continue
			}
			wins := min(9, max(1, 5+strength[a]-strength[b]))
			res.Games.White[a][b] = stats.Record{Wins: wins / 2, Losses: 5 - wins/2}
			p.Wins, p.Losses = p.Wins+wins, p.Losses+10-wins
		}
		elo := 60 * float64(strength[a]-strength[generations])
		p.Elo = stats.Interval{Value: elo, Low: elo - 90, High: elo + 80}
		res.Players = append(res.Players, p)
	}
	return res
}

// evaluatePositions stores results for the positions of the notebook's figures.
func evaluatePositions(t *testing.T, trial *store.Trial) {
	t.Helper()
	a := store.PositionResult{Variant: "chess", FEN: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Value: 0.125, Depth: 2,
		Moves: []store.MoveResult{
			{UCI: "e2e4", SAN: "e4", Prior: 0.5, Visits: 60, Q: 0.25}, {UCI: "g1f3", SAN: "Nf3", Prior: 0.375, Visits: 40, Q: -0.001},
			{UCI: "a2a3", SAN: "a3", Prior: 0.125, Q: stats.Float(math.NaN())},
		},
	}
	for _, visits := range []int{0, 100, -1} {
		q := store.Position{Position: "start", Generation: trial.Done(), Visits: max(0, visits), All: visits < 0}
		a.All = nil
		for i := range 1968 { // moves of uci1968
			if q.All {
				a.All = append(a.All, stats.Float(float64(i)/1968/984))
			}
		}
		if a.Visits = max(0, visits); visits <= 0 {
			a.Tree = nil
		} else {
			a.Tree = []store.TreeNode{{Parent: -1, Visits: 100, Q: -0.125, Prior: stats.Float(math.NaN())}, {Move: "e4", Visits: 60, Prior: 0.5, Q: 0.25},
				{Parent: 1, Move: "e5", Visits: 59, Prior: 0.25, Q: -0.25}, {Move: "Nf3", Visits: 40, Prior: 0.375, Q: -0.001}}
		}
		path := trial.Path(q.File())
		if err := a.Write(path); err != nil {
			t.Fatal(err)
		}
		sum, err := disk.Sum(path)
		if err != nil {
			t.Fatal(err)
		}
		trial.Manifest.Put(&store.Stage{Name: q.Stage(), Inputs: store.Inputs{"network": fmt.Sprint("sum ", q.Generation)}, Outputs: map[string]string{q.File(): sum}})
	}
}
