package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// try calls a script on results that are there.
type try struct {
	*Trial
	session *hook.Session
	series  []report.Block // that a function returned beside its table
}

// TryScript calls the functions of a script as a run does, on the games, the networks and the
// training that a trial has, and changes nothing. It returns a table of what each function
// returned. A fault of the script ends it.
func TryScript(ctx context.Context, script *hook.Hook, of *store.Trial, limits hook.Limits) (blocks []report.Block, err error) {
	settings := &of.Declared.Settings
	setup, err := experiment.NewSetup(settings)
	if err != nil {
		return nil, err
	}
	t := try{Trial: &Trial{Settings: settings, Setup: setup, Results: of, Workers: 1}, session: script.Open(limits)}
	defer t.session.Close()
	t.run = &run{Options: Options{Device: nn.Auto, Precision: nn.Auto}}
	if _, t.run.Batch, err = nn.Throughput(nn.Auto); err != nil {
		return nil, err
	}
	names, err := t.session.Functions(ctx)
	if err != nil {
		return nil, err
	}
	calls := map[string]func(context.Context) (report.Table, error){
		hook.Measure: t.measureGames, hook.MeasureCheckpoint: t.measureCheckpoints, hook.Evaluate: t.evaluate,
		hook.Rate: t.rate, hook.Adjudicate: t.adjudicate, hook.Stop: t.stop,
	}
	for _, name := range names {
		table, err := calls[name](ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(table.Rows) == 0 {
			blocks = append(blocks, report.Note{Text: name + ": there is nothing to call it on"})
			continue
		}
		table.Caption = name
		blocks = append(append(blocks, table), t.series...)
		t.series = nil
	}
	return blocks, nil
}

// perGeneration adds a row for each finished generation.
func (t *try) perGeneration(row func(g int) ([]any, error)) (rows [][]report.Cell, err error) {
	for g := 1; g <= t.Results.Done(); g++ {
		cells, err := row(g)
		if err != nil {
			return nil, fmt.Errorf("generation %d: %w", g, err)
		}
		rows = append(rows, report.Row(append([]any{g}, cells...)...))
	}
	return rows, nil
}

// numbers returns the heads of columns of numbers.
func numbers(names ...string) (columns []report.Column) {
	for _, name := range names {
		columns = append(columns, report.Column{Name: name, Numeric: true})
	}
	return columns
}

func shown(x float64) string { return report.Measured(stats.Exactly(x)) }

// ownGames reports whether the trial has games of self-play.
func (t *try) ownGames() bool { return t.Settings.Data == nil }

func (t *try) measureGames(ctx context.Context) (report.Table, error) {
	if !t.ownGames() {
		return report.Table{}, nil
	}
	return t.metrics(ctx, func(g int) (hook.Measured, error) {
		all, err := t.scriptGeneration(g)
		if err != nil {
			return hook.Measured{}, err
		}
		return t.session.Measure(ctx, all)
	})
}

func (t *try) measureCheckpoints(ctx context.Context) (report.Table, error) {
	return t.metrics(ctx, func(g int) (hook.Measured, error) {
		net, err := t.group(g)
		if err != nil {
			return hook.Measured{}, err
		}
		defer net.Close()
		return t.session.MeasureCheckpoint(ctx, t.scriptCheckpoint(g, net))
	})
}

// metrics has a column for each metric of any generation. Series have a table of their own.
func (t *try) metrics(ctx context.Context, of func(g int) (hook.Measured, error)) (table report.Table, err error) {
	all := map[int]hook.Measured{}
	found := map[string]bool{}
	if _, err := t.perGeneration(func(g int) (_ []any, err error) {
		all[g], err = of(g)
		for name := range all[g].Metrics {
			found[name] = true
		}
		return nil, err
	}); err != nil {
		return table, err
	}
	names := slices.Sorted(maps.Keys(found))
	labels, err := t.session.Labels(ctx)
	if err != nil {
		return table, err
	}
	table.Columns = numbers("generation")
	for _, name := range names {
		table.Columns = append(table.Columns, report.Column{Name: cmp.Or(labels[name].Text, name), Unit: labels[name].Unit, Numeric: true})
	}
	table.Rows, err = t.perGeneration(func(g int) (row []any, _ error) {
		for _, name := range names {
			value, ok := all[g].Metrics[name]
			if !ok {
				value = math.NaN()
			}
			row = append(row, shown(value))
		}
		return row, nil
	})
	t.seriesOf(all)
	return table, err
}

// seriesOf lists the ranges of the series of all generations.
func (t *try) seriesOf(all map[int]hook.Measured) {
	table := report.Table{Caption: "Series", Columns: append([]report.Column{{Name: "series"}}, numbers("generation", "points", "lowest x", "highest x", "lowest y", "highest y")...)}
	for _, g := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[g].Series)) {
			var x, y []float64
			for _, p := range all[g].Series[name] {
				x = append(x, p.X)
				if !math.IsNaN(p.Y) {
					y = append(y, p.Y)
				}
			}
			row := []any{name, g, len(x)}
			for _, values := range [][]float64{x, y} {
				if len(values) == 0 {
					row = append(row, "", "")
				} else {
					row = append(row, shown(slices.Min(values)), shown(slices.Max(values)))
				}
			}
			table.Rows = append(table.Rows, report.Row(row...))
		}
	}
	if len(table.Rows) > 0 {
		t.series = append(t.series, table)
	}
}

// evaluate compares the values of positions with the results of their games.
func (t *try) evaluate(ctx context.Context) (table report.Table, err error) {
	if !t.ownGames() {
		return table, nil
	}
	table.Columns = numbers("generation", "positions", "mean value for White", "squared error against the result")
	table.Rows, err = t.perGeneration(func(g int) ([]any, error) {
		games, err := t.games(g)
		if err != nil {
			return nil, err
		}
		values, err := evaluateGames(ctx, t.session, games, func(int, int) {})
		n, sum, wrong := 0, 0.0, 0.0
		for i := range values {
			for _, v := range values[i] {
				n, sum, wrong = n+1, sum+v, wrong+math.Pow(v-float64(games[i].Outcome.Result), 2)
			}
		}
		return []any{n, shown(sum / float64(n)), shown(wrong / float64(n))}, err
	})
	return table, err
}

// rate lists the rates of the epochs beside those of the run.
func (t *try) rate(ctx context.Context) (table report.Table, err error) {
	table.Columns = numbers("generation", "epoch", "rate of the run", "rate of the script")
	for g := 1; g <= t.Results.Done(); g++ {
		before, epochs := t.progress(g), t.Results.Epochs(g)
		for i, e := range epochs {
			rate, err := t.session.Rate(ctx, during(before, epochs[:i]))
			if err != nil {
				return table, fmt.Errorf("generation %d, epoch %d: %w", g, e.Number, err)
			}
			table.Rows = append(table.Rows, report.Row(g, e.Number, shown(e.Rate), shown(rate)))
		}
	}
	return table, nil
}

// adjudicate plays the games of self-play and of the tournament again and counts those that
// the script ends. Only those of the tournament have scores.
func (t *try) adjudicate(ctx context.Context) (table report.Table, err error) {
	table.Columns = append([]report.Column{{Name: "games of"}}, numbers("games", "ended early", "with another result", "plies saved")...)
	files := []string{store.TournamentGames}
	for g := t.Results.Done(); g > 0; g-- {
		files = append([]string{store.GamesFile(g)}, files...)
	}
	for _, file := range files {
		games, err := match.AllGames(t.Results.Path(file))
		if errors.Is(err, fs.ErrNotExist) { // of data, or of a trial without a tournament
			continue
		}
		var row []any
		if err == nil {
			row, err = t.replay(ctx, games)
		}
		if err != nil {
			return table, fmt.Errorf("%s: %w", file, err)
		}
		table.Rows = append(table.Rows, report.Row(append([]any{file, len(games)}, row...)...))
	}
	return table, nil
}

// replay calls the script after every move of games, until it ends them. It returns the number
// of games that it ends, of those with another result than they had, and of the plies saved.
func (t *try) replay(ctx context.Context, games []*match.Game) ([]any, error) {
	ended, other, saved := 0, 0, 0
	running := slices.Clone(games)
	for n := 1; len(running) > 0; n++ {
		running = slices.DeleteFunc(running, func(g *match.Game) bool { return len(g.Moves) <= n })
		parts := make([]*match.Game, len(running))
		for i, g := range running {
			part := *g
			part.Moves, part.Infos, part.Outcome = g.Moves[:n], g.Infos[:min(n, len(g.Infos))], chess.Outcome{}
			parts[i] = &part
		}
		results, err := adjudicator(t.session)(ctx, parts)
		if err != nil {
			return nil, err
		}
		var left []*match.Game
		for i, g := range running {
			switch results[i] {
			case chess.Unfinished:
				left = append(left, g)
				continue
			case g.Outcome.Result:
			default:
				other++
			}
			ended, saved = ended+1, saved+len(g.Moves)-n
		}
		running = left
	}
	return []any{ended, other, saved}, nil
}

// stop lists what the script decides after each generation.
func (t *try) stop(ctx context.Context) (table report.Table, err error) {
	table.Columns = append(numbers("generation"), report.Column{Name: "training"}, report.Column{Name: "reason"})
	table.Rows, err = t.perGeneration(func(g int) ([]any, error) {
		ends, reason, err := t.session.Stop(ctx, t.progressAfter(g))
		decision := "continues"
		if ends {
			decision = "ends"
		}
		return []any{decision, reason}, err
	})
	return table, err
}
