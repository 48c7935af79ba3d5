package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/store"
)

// queried are the trials of two experiments: a grid with seeds, and one more trial.
func queried(t *testing.T) []*store.Trial {
	t.Helper()
	grid := made(t, load(t, "alamos: 1\nname: grid\ngenerations: 2\nsweep: {grid: {network.depth: [2, 30], search.visits: [8, 16]}, seeds: 2}\ntournament: {players: [last, untrained]}"), 2)
	other := made(t, load(t, "alamos: 1\nname: other\ngenerations: 2\nnetwork: {depth: 2, width: 8}\ntournament: {players: [last, untrained]}"), 2)
	return append(grid.Trials, other.Trials...)
}

func TestQuery(t *testing.T) {
	trials := queried(t)
	for _, c := range []struct {
		query   Query
		columns string
		rows    int
		first   string
		legend  string
	}{
		{Query{}, "experiment network.depth network.width search.visits trials score Elo against untrained against random loss samples", 5, "grid 2", ""},
		{Query{Where: []string{"depth=30", "experiment=grid"}, Metrics: []string{"elo"}}, "search.visits trials Elo", 2, "8 2", "~"},
		{Query{Where: []string{"experiment=grid"}, Group: []string{"depth"}, Metrics: []string{"elo"}}, "network.depth trials Elo", 2, "2 4", "network.depth explains"},
		{Query{Group: []string{"experiment", "depth"}, Metrics: []string{"loss"}, Sort: "elo"}, "experiment network.depth trials loss", 3, "grid 30 4", ""},
		{Query{Where: []string{"experiment=grid"}, Group: []string{"visits", "depth"}, Metrics: []string{"elo"}}, "search.visits network.depth trials Elo", 4, "", "of Elo, p = "},
	} {
		a, err := c.query.Select(trials)
		if err != nil {
			t.Errorf("%+v: %v", c.query, err)
			continue
		}
		table := a.Table()
		var columns []string
		for _, column := range table.Columns {
			columns = append(columns, column.Name)
		}
		var first []string
		for _, cell := range table.Rows[0] {
			first = append(first, cell.Text)
		}
		if have := strings.Join(columns, " "); have != c.columns || len(table.Rows) != c.rows || !strings.HasPrefix(strings.Join(first, " "), c.first) || !strings.Contains(table.Legend, c.legend) {
			t.Errorf("%+v:\ncolumns %s\n%d rows, the first %q\n%s", c.query, have, len(table.Rows), first, table.Legend)
		}
	}
	for text, q := range map[string]Query{
		"want KEY=VALUE":            {Where: []string{"depth"}},
		`no trial has the key "x"`:  {Where: []string{"x=1"}},
		"no trial of 9 meets":       {Where: []string{"depth=3"}},
		"the end of several keys":   {Group: []string{"kind"}},
		`has no metric "strength"`:  {Metrics: []string{"strength"}},
		`other: a trial has no met`: {Where: []string{"experiment=other"}, Sort: "strength"},
	} {
		if _, err := q.Select(trials); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v, want %q", q, err, text)
		}
	}
}

// A table names rules of files, and does not list them.
func TestQueryRules(t *testing.T) {
	var trials []*store.Trial
	for _, game := range []string{"{variant: chess}", "{variant: chess, rules: {name: quiet, castling: false, stalemate: loss}}"} {
		e := made(t, load(t, "alamos: 1\nname: rules\ngenerations: 2\nnetwork: {input: rules, policy: rules}\ntournament: {players: [last, untrained]}\ngame: "+game), 2)
		trials = append(trials, e.Trials...)
	}
	a, err := Query{Metrics: []string{"elo"}}.Select(trials)
	if err != nil {
		t.Fatal(err)
	}
	table := a.Table()
	if len(table.Rows) != 2 || table.Columns[0].Name != "game.variant" || table.Columns[1].Name != "trials" || table.Rows[1][0].Text != "quiet" {
		t.Errorf("%+v", table)
	}
}

// Both files have a row for each trial with the same numbers.
func TestQueryFiles(t *testing.T) {
	a, err := Query{Metrics: []string{"elo", "kl"}}.Select(queried(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.File(".csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(lines) != 10 || strings.Join(lines[0], " ") != "experiment trial folder seed network.depth network.width search.visits elo elo_low elo_high kl kl_low kl_high" {
		t.Fatalf("%d lines, %v (%v)", len(lines), lines[0], err)
	}
	b, err := a.File(".parquet")
	if err != nil {
		t.Fatal(err)
	}
	r := parquet.NewReader(bytes.NewReader(b))
	defer r.Close()
	for i := 1; ; i++ {
		row := map[string]any{}
		if err := r.Read(&row); err == io.EOF {
			if i != len(lines) {
				t.Errorf("%d rows in Parquet", i-1)
			}
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for k, key := range lines[0] {
			have := formatted(row[key], func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) })
			if number, ok := row[key].(int64); ok {
				have = formatted(number, nil)
			}
			if have != lines[i][k] {
				t.Errorf("row %d, %s: %v, in the CSV %q", i, key, row[key], lines[i][k])
			}
		}
	}
	if _, err := a.File(".xlsx"); err == nil {
		t.Error("a file of an unknown kind")
	}
}
