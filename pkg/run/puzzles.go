package run

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/puzzle"
	"alamos/pkg/search"

	"alamos/pkg/store"
)

// puzzlesCode is the version of the code that solves puzzles, see [stage.Stage].
const puzzlesCode = "1"

// Puzzles lets the checkpoint of generation g solve the puzzles of the trial. It writes
// every answer to [store.PuzzlesFile]; the facts are []store.PuzzleScore.
func Puzzles(ctx context.Context, t *Trial, g int, work Estimate) error {
	e := t.Settings.Evaluation
	if e == nil || len(e.Puzzles) == 0 {
		return nil
	}
	sets, err := experiment.SetupPuzzles(t.Variant, e)
	if err != nil {
		return err
	}
	// A search is of one position, and to find a move, not to explore.
	settings := e.Search
	settings.Noise, settings.Root.Noise, settings.ForcedPlayouts, settings.TreeReuse = search.Noise{}, 0, 0, false
	cfg := settings
	in := askedOf(t, g)
	in["code"] = puzzlesCode
	in.Settings("search", settings)
	names, total := make([]string, len(sets)), 0
	for i, s := range sets {
		names[i] = s.Name()
		in["puzzle "+names[i]] = e.Puzzles[i].File.SHA256
		total += len(s.Puzzles)
	}
	in.List("puzzle", names)
	return t.Do(ctx, Stage{
		Name: store.PuzzlesStage(g), In: in, Files: []string{store.PuzzlesFile(g)},
		Work: func(ctx context.Context) (Work, error) { return work(ctx, total*(1+cfg.Budget())) },
		Run:  func(ctx context.Context) (any, error) { return solve(ctx, t, g, sets, cfg, total) },
	})
}

// solve lets the network alone, where it has a policy, and the search answer all
// puzzles.
func solve(ctx context.Context, t *Trial, g int, sets []*puzzle.Set, cfg search.Config, total int) (any, error) {
	net, err := open(t, g)
	if err != nil {
		return nil, err
	}
	defer net.close()
	evaluator := search.NewEvaluator(t.Codec, net)
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
	table := answers{rows: [][]string{{"set", "line", "id", "policy_move", "policy_solved", "search_move", "search_solved"}}}
	for i, s := range sets {
		score := store.PuzzleScore{Set: s.Name(), Puzzles: len(s.Puzzles)}
		var byPolicy []puzzle.Answer
		if net.policy {
			if byPolicy, err = puzzle.Solve(ctx, s.Puzzles, alone, 0, nil); err != nil {
				return nil, err
			}
			n := puzzle.Solved(byPolicy)
			score.Policy = &n
		}
		bySearch, err := puzzle.Solve(ctx, s.Puzzles, searching, 0, func(done int) { task.Set(before+done, total, s.Name()) })
		if err != nil {
			return nil, err
		}
		score.Search = puzzle.Solved(bySearch)
		before += len(s.Puzzles)
		table.add(s, byPolicy, bySearch)
		scores[i] = score
		t.Report.Note(fmt.Sprintf("%s, %s: %s", store.CheckpointName(g), s.Name(), describe(&score)))
	}
	b, err := table.csv()
	if err != nil {
		return nil, err
	}
	return scores, disk.WriteBytes(t.Path(store.PuzzlesFile(g)), b)
}

// describe says how many puzzles were solved.
func describe(s *store.PuzzleScore) string {
	text := fmt.Sprintf("%d of %d solved with search", s.Search, s.Puzzles)
	if s.Policy != nil {
		text += fmt.Sprintf(", %d by the network alone", *s.Policy)
	}
	return text
}

// answers is a table of answers, a row a puzzle.
type answers struct{ rows [][]string }

// add adds the answers to a set; those of the policy may be missing.
func (a *answers) add(s *puzzle.Set, policy, search []puzzle.Answer) {
	for i := range s.Puzzles {
		p := &s.Puzzles[i]
		row := []string{s.Name(), strconv.Itoa(p.Line), p.ID, "", ""}
		if policy != nil {
			row = append(row[:3], answer(p, policy[i])...)
		}
		a.rows = append(a.rows, append(row, answer(p, search[i])...))
	}
}

func answer(p *puzzle.Puzzle, a puzzle.Answer) []string {
	return []string{p.Position.SAN(a.Move), strconv.FormatBool(a.Solved)}
}

func (a *answers) csv() ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(a.rows)
	return b.Bytes(), err
}
