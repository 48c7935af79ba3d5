package run

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/puzzle"
	"alamos/pkg/report"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// The evaluation measures what checkpoints know, apart from playing strength: the puzzles
// that they solve, how well they predict the moves and results of held-out games, and what
// figures show of a position. It evaluates positions in batches. It is deterministic,
// because the output of a network for a position does not depend on the rest of the batch.

// Versions of the code of these stages.
const (
	puzzlesCode  = "5"
	accuracyCode = "5"
	positionCode = "5"
)

// checkpointInputs returns the common inputs of stages that evaluate the checkpoint of
// generation g.
func (t *Trial) checkpointInputs(g int, code string) store.Inputs {
	s := t.Settings
	return store.Inputs{
		"code": code, "network": t.Results.CheckpointSum(g), "game.variant": t.Setup.Variant.Spec(),
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
}

// puzzles returns the stage in which the checkpoint of generation g solves the puzzles. It
// writes every answer to [store.PuzzlesFile]. The facts are []store.PuzzleScore.
func (t *Trial) puzzles(_ context.Context, g int) (*Stage, error) {
	e := t.Settings.Evaluation
	if e == nil || len(e.Puzzles) == 0 || g == 0 {
		return nil, nil
	}
	sets, err := experiment.ReadPuzzles(t.Setup.Variant, e)
	if err != nil {
		return &Stage{Name: store.PuzzlesStage(g)}, err
	}
	cfg := e.Search
	cfg.TreeReuse = false // single positions
	in := t.checkpointInputs(g, puzzlesCode)
	in.Settings("search", cfg)
	names, total := make([]string, len(sets)), 0
	for i, s := range sets {
		names[i] = s.Name()
		in["puzzle "+names[i]] = e.Puzzles[i].File.SHA256
		total += len(s.Puzzles)
	}
	in.List("puzzle", names)
	return &Stage{
		Name: store.PuzzlesStage(g), In: in, Files: []string{store.PuzzlesFile(g)},
		Run: func(ctx context.Context) (any, error) { return t.solve(ctx, g, sets, cfg, total) },
		Work: func(e *estimate) error {
			e.evaluate(t, float64(total*(1+cfg.Budget())))
			return nil
		},
	}, nil
}

// solve solves all puzzles with the search and, if the network has a policy head, with the
// network alone.
func (t *Trial) solve(ctx context.Context, g int, sets []*puzzle.Set, cfg search.Config, total int) (any, error) {
	net, err := t.group(g)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	evaluator := search.NewEvaluator(t.Setup.Codec, net)
	alone, err := match.NewMCTS("network alone", match.TreeSearch{Power: math.Inf(1)}, evaluator)
	if err != nil {
		return nil, err
	}
	searching, err := match.NewMCTS("search", match.TreeSearch{Config: cfg, Power: math.Inf(1)}, evaluator)
	if err != nil {
		return nil, err
	}
	task := t.Report.Task(store.PuzzlesStage(g), "puzzles")
	defer task.End()
	scores, before := make([]store.PuzzleScore, len(sets)), 0
	rows := [][]string{{"set", "line", "id", "policy_move", "policy_solved", "search_move", "search_solved"}}
	for i, s := range sets {
		score := store.PuzzleScore{Set: s.Name(), Puzzles: len(s.Puzzles)}
		var byPolicy []puzzle.Answer
		if t.Setup.Spec().PolicySize > 0 {
			if byPolicy, err = puzzle.Solve(ctx, s.Puzzles, puzzle.AtOnce, alone, 0, nil); err != nil {
				return nil, err
			}
			score.Policy = new(puzzle.Solved(byPolicy))
		}
		bySearch, err := puzzle.Solve(ctx, s.Puzzles, puzzle.AtOnce, searching, 0, func(done int) { task.Set(before+done, total, s.Name()) })
		if err != nil {
			return nil, err
		}
		score.Search = puzzle.Solved(bySearch)
		before += len(s.Puzzles)
		for k := range s.Puzzles {
			p := &s.Puzzles[k]
			row := []string{s.Name(), strconv.Itoa(p.Line), p.ID, "", "", p.Position.SAN(bySearch[k].Move), strconv.FormatBool(bySearch[k].Solved)}
			if byPolicy != nil {
				row[3], row[4] = p.Position.SAN(byPolicy[k].Move), strconv.FormatBool(byPolicy[k].Solved)
			}
			rows = append(rows, row)
		}
		scores[i] = score
		text := fmt.Sprintf("%s, %s: %d of %d solved with search", store.CheckpointName(g), s.Name(), score.Search, score.Puzzles)
		if score.Policy != nil {
			text += fmt.Sprintf(", %d by the network alone", *score.Policy)
		}
		t.Report.Note(text)
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, err
	}
	return scores, disk.WriteBytes(t.Results.Path(store.PuzzlesFile(g)), b.Bytes())
}

// accuracy returns the stage that measures the checkpoint of generation g on the test files of the
// data, or without them on the games that its training held out, from the replay window that ends
// with generation g. Without held-out games all phases are empty. Without results there is no value error. The facts
// are []store.PhaseAccuracy.
//
// The predicted value is compared with the value of the sample: the result of the game, or
// the mixture from self-play. A script's value target is not used.
func (t *Trial) accuracy(_ context.Context, g int) (*Stage, error) {
	s := t.Settings
	if !s.MeasuresAccuracy() || g == 0 {
		return nil, nil
	}
	in := t.checkpointInputs(g, accuracyCode)
	in["training.loss.policy_mask"] = s.Training.Loss.PolicyMask
	window, tested := t.window(g), s.Data.HasTest()
	if tested {
		in["test positions"] = t.Results.Output(store.TestStage, store.TestFile)
	} else {
		in["seed"] = strconv.FormatUint(s.Seed, 10)
		in.Settings("training.validation", s.Training.Validation)
		in["training.held_out"] = s.Training.HeldOut
		window.inputs(in)
	}
	// Parquet files, or a run that has read some, may have samples without a result, unless training
	// uses values.
	lacking := s.Data != nil && (s.Data.Kind == data.Parquet || s.Data.Kind == data.Run) && s.Training.Loss.Value == 0
	return &Stage{Name: store.AccuracyStage(g), In: in, Run: func(ctx context.Context) (any, error) {
		var samples *data.Set
		var held []int32
		if tested {
			var err error
			if samples, err = data.Read(t.Results.Path(store.TestFile)); err != nil {
				return nil, err
			}
			for i := range samples.Len() {
				held = append(held, int32(i))
			}
		} else {
			_, all, closeWindow, err := window.read()
			if err != nil {
				return nil, err
			}
			defer closeWindow()
			training, seeds := t.Setup.Training(g, nil)
			samples = all
			_, held = data.Split(samples, seeds.Split, training.Validation, training.SplitsPositions())
		}
		net, err := t.group(g)
		if err != nil {
			return nil, err
		}
		defer net.Close()
		known := func(x *encode.Sample) bool { return !lacking || data.HasResult(x) }
		return t.measureAccuracy(ctx, g, net, samples, held, known)
	}}, nil
}

// atOnce is the batch size of the measurement.
const atOnce = 256

// measureAccuracy evaluates samples of a set that was not learned from. held has their
// indices. known reports whether the result of a sample is known.
func (t *Trial) measureAccuracy(ctx context.Context, g int, net *nn.Group, window *data.Set, held []int32, known func(*encode.Sample) bool) ([]store.PhaseAccuracy, error) {
	task := t.Report.Task(store.AccuracyStage(g), "positions")
	defer task.End()
	everything := make([]int32, t.Setup.Spec().PolicySize) // indices of all moves of the policy
	for i := range everything {
		everything[i] = int32(i)
	}
	samples, leaves := make([]*encode.Sample, atOnce), make([]*encode.Leaf, atOnce)
	for i := range leaves {
		leaves[i] = &encode.Leaf{Indices: everything, Priors: make([]float32, len(everything)), Sign: 1}
	}
	legal := t.Settings.Training.Loss.PolicyMask == nn.MaskLegal
	var sums [wholeGame + 1]tally
	for done := 0; done < len(held); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(atOnce, len(held)-done)
		for i, at := range held[done:][:n] {
			samples[i] = window.Sample(int(at))
			leaves[i].Planes = samples[i].Planes
		}
		if err := net.Evaluate(leaves[:n]); err != nil {
			return nil, err
		}
		for i := range n {
			phase := phaseOf(encode.Counts(t.Setup.Codec.Planes, samples[i].Planes))
			for _, p := range []int{phase, wholeGame} {
				sums[p].add(samples[i], leaves[i], known(samples[i]), legal)
			}
		}
		done += n
		task.Set(done, len(held), "")
	}
	var rows []store.PhaseAccuracy
	for p, sum := range sums {
		rows = append(rows, sum.row(store.Phases[p]))
	}
	return rows, nil
}

// tally holds counts over positions.
type tally struct {
	positions, results int // results: positions with a known result
	policy             nn.Accuracy
	squares            float64 // sum of squared value errors
}

// add counts a sample and the network's evaluation of it. legal restricts the policy's
// choice to the legal moves.
func (y *tally) add(s *encode.Sample, l *encode.Leaf, known, legal bool) {
	y.positions++
	if known {
		y.results++
		d := float64(l.Value) - float64(s.Value)
		y.squares += d * d
	}
	if len(l.Priors) > 0 {
		y.policy.Count(s.Indices, s.Policy, l.Priors, legal)
	}
}

func (y *tally) row(name string) store.PhaseAccuracy {
	top1, top5 := y.policy.Shares()
	return store.PhaseAccuracy{
		Phase: name, Positions: y.positions,
		Top1: stats.Float(top1), Top5: stats.Float(top5), ValueError: stats.Float(y.squares / float64(y.results)), // 0/0 is NaN
	}
}

// Indices of [store.Phases].
const (
	opening = iota
	middlegame
	endgame
	wholeGame
)

// Upper limits on the number of pieces other than kings and pawns, of both sides together.
// Chess starts with 14.
const (
	mostInMiddlegame = 10
	mostInEndgame    = 6
)

// phaseOf returns the phase of a position from its number of pieces of each type. It
// follows lichess (scalachess, Divider) without the rules on empty back ranks and on mixed
// pieces.
func phaseOf(n [chess.King + 1]int) int {
	switch pieces := n[chess.Knight] + n[chess.Bishop] + n[chess.Rook] + n[chess.Queen]; {
	case pieces <= mostInEndgame:
		return endgame
	case pieces <= mostInMiddlegame:
		return middlegame
	}
	return opening
}

// position returns the stage that evaluates the position of a figure, so that the figure can
// be redrawn without a network or a search.
func (t *Trial) position(q store.Position) (*Stage, error) {
	p, err := experiment.FigurePosition(t.Setup.Variant, t.Settings, q.Position)
	if err != nil {
		return &Stage{Name: q.Stage()}, err
	}
	s := t.Settings
	in := t.checkpointInputs(q.Generation, positionCode)
	in["position"], in["visits"] = p.FEN(), strconv.Itoa(q.Visits)
	if q.All {
		in["moves"] = "all"
	}
	cfg := search.Config{} // without visits: the network alone
	if q.Visits > 0 {
		cfg = s.Tournament.Search.WithoutExploration()
		cfg.Visits = q.Visits
		in.Settings("search", cfg)
	}
	return &Stage{Name: q.Stage(), In: in, Files: []string{q.File()}, Run: func(ctx context.Context) (any, error) {
		net, err := t.group(q.Generation)
		if err != nil {
			return nil, err
		}
		defer net.Close()
		tree := search.NewTree(cfg, 0) // the seed has no effect without noise
		tree.Analyze(chess.NewGame(p))
		if err := search.Run(ctx, []*search.Tree{tree}, search.NewEvaluator(t.Setup.Codec, net)); err != nil {
			return nil, err
		}
		result := report.Position(p, tree, q.Visits)
		if q.All {
			policy, err := report.FullPolicy(chess.NewGame(p), search.NewEvaluator(t.Setup.Codec, net), t.Setup.Codec.Policy)
			if err != nil {
				return nil, err
			}
			result.All = policy.Priors()
		}
		return nil, result.Write(t.Results.Path(q.File()))
	}}, nil
}
