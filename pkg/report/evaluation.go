package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// The tables of what checkpoints were asked, in the folder of the trial.
const (
	puzzlesTable  = "evaluation/puzzles.csv"
	accuracyTable = "evaluation/accuracy.csv"
)

// evaluationMetric describes a measure of an evaluation, or of a hook.
func evaluationMetric(name string) metric {
	kind, of, _ := strings.Cut(name, ".")
	switch {
	case kind == "puzzles":
		return metric{name, of + " solved", "", Higher}
	case kind == "policy":
		return metric{name, of + " solved by the network alone", "", Higher}
	case kind == "accuracy" && strings.HasPrefix(of, "value_error"):
		return metric{name, inWords(of), "", Lower}
	case kind == "accuracy" && strings.HasPrefix(of, "top"):
		return metric{name, inWords(of) + " accuracy", "", Higher}
	}
	return metric{name, inWords(name), "", Neither}
}

// evaluationMetrics are the measures of the experiment's evaluation whose names begin
// with prefix. All trials have the same.
func (r *Report) evaluationMetrics(prefix string) (all []metric) {
	if len(r.Trials) == 0 {
		return nil
	}
	for _, name := range r.Trials[0].Settings.EvaluationMeasures() {
		if strings.HasPrefix(name, prefix) {
			all = append(all, evaluationMetric(name))
		}
	}
	return all
}

// evaluationTables are the tables of what checkpoints of a trial were asked.
func evaluationTables(t *store.Trial) (tables []csvTable, err error) {
	e := t.Settings.Evaluation
	if e == nil {
		return nil, nil
	}
	puzzles := csvTable{puzzlesTable, []string{"generation", "set", "puzzles", "policy_solved", "search_solved"}, nil}
	accuracy := csvTable{accuracyTable, []string{"generation", "phase", "positions", "top1", "top5", "value_error"}, nil}
	for g := 1; g <= t.Done(); g++ {
		scores, err := t.PuzzleScores(g)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			policy := any("")
			if s.Policy != nil {
				policy = *s.Policy
			}
			puzzles.rows = append(puzzles.rows, []any{g, s.Set, s.Puzzles, policy, s.Search})
		}
		rows, err := t.Accuracy(g)
		if err != nil {
			return nil, err
		}
		for _, p := range rows {
			accuracy.rows = append(accuracy.rows, []any{g, p.Phase, p.Positions, float64(p.Top1), float64(p.Top5), float64(p.ValueError)})
		}
	}
	if len(e.Puzzles) > 0 {
		tables = append(tables, puzzles)
	}
	if e.Accuracy {
		tables = append(tables, accuracy)
	}
	return tables, nil
}

// puzzles is the table of the puzzles that checkpoints solve.
func (w *pageWriter) puzzles(t *store.Trial) (Cell, error) {
	c := Table{
		Caption: "Puzzles solved by the network alone and with a search.",
		Columns: []Column{number("generation", ""), {Name: "puzzles"}, number("network alone", ""), number("", "%"), number("with search", ""), number("", "%")},
	}
	if e := t.Settings.Evaluation; e != nil {
		c.Caption = fmt.Sprintf("Puzzles solved by the network alone and with a search of %s.", english.Plural(e.Search.Visits, "visit", ""))
	}
	for g := 1; g <= t.Done(); g++ {
		scores, err := t.PuzzleScores(g)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			alone, share := "", ""
			if s.Policy != nil {
				alone, share = ratio(*s.Policy, s.Puzzles), percent(*s.Policy, s.Puzzles)
			}
			c.Rows = append(c.Rows, []string{strconv.Itoa(g), s.Set, alone, share, ratio(s.Search, s.Puzzles), percent(s.Search, s.Puzzles)})
		}
	}
	return w.asked(t, c, puzzlesTable)
}

// accuracy is the table of what checkpoints know of held-out games.
func (w *pageWriter) accuracy(t *store.Trial) (Cell, error) {
	c := Table{
		Caption: "Held-out positions by phase of the game: how often the move that was played or visited most is the network's first, and among its first five, and the mean squared error of its value. Queens, rooks, bishops and knights on the board: opening more than 10, endgame at most 6.",
		Columns: []Column{number("generation", ""), {Name: "phase"}, number("positions", ""), number("top 1", "%"), number("top 5", "%"), number("value error", "")},
	}
	for g := 1; g <= t.Done(); g++ {
		rows, err := t.Accuracy(g)
		if err != nil {
			return nil, err
		}
		for _, p := range rows {
			if p.Positions == 0 {
				continue
			}
			c.Rows = append(c.Rows, []string{
				strconv.Itoa(g), p.Phase, strconv.Itoa(p.Positions), fixed(100*float64(p.Top1), 1), fixed(100*float64(p.Top5), 1), fixed(float64(p.ValueError), 3),
			})
		}
	}
	return w.asked(t, c, accuracyTable)
}

// asked is a table of what was asked with the link to its file; nil where nothing was.
func (w *pageWriter) asked(t *store.Trial, c Table, file string) (Cell, error) {
	if len(c.Rows) == 0 {
		return nil, nil
	}
	var err error
	c.Files, err = w.links(&t.Trial, file)
	return c, err
}

func ratio(n, of int) string { return fmt.Sprintf("%d/%d", n, of) }

func percent(n, of int) string { return fixed(100*float64(n)/float64(of), 1) }

// shareText is a share in percent, a dash where it is not known.
func shareText(x stats.Float) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return fixed(100*float64(x), 1) + " %"
}

// errorText is a squared error, a dash where it is not known.
func errorText(x stats.Float) string { return cmp.Or(fixed(float64(x), 3), "–") }

// writeEvaluation writes what the last checkpoint was asked.
func (d *ShownTrialMore) writeEvaluation(w io.Writer) {
	if len(d.Puzzles) > 0 {
		fmt.Fprint(w, "\npuzzles\tnetwork alone\twith search\n")
	}
	for _, s := range d.Puzzles {
		alone := "–"
		if s.Policy != nil {
			alone = fmt.Sprintf("%s, %s %%", ratio(*s.Policy, s.Puzzles), percent(*s.Policy, s.Puzzles))
		}
		fmt.Fprintf(w, "%s\t%s\t%s, %s %%\n", s.Set, alone, ratio(s.Search, s.Puzzles), percent(s.Search, s.Puzzles))
	}
	if len(d.Accuracy) > 0 {
		fmt.Fprint(w, "\nheld-out positions\tnumber\ttop 1\ttop 5\tvalue error\n")
	}
	for _, p := range d.Accuracy {
		if p.Positions > 0 {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", p.Phase, p.Positions, shareText(p.Top1), shareText(p.Top5), errorText(p.ValueError))
		}
	}
}
