package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// drawCSV shows the numbers of a file.
func drawCSV(p *picture) (plots.Chart, string, error) {
	columns := p.CSV.Columns()
	c := plots.Lines{Frame: p.frame, X: plots.Axis{Label: store.Spaced(p.CSV.XColumn())}}
	c.Series, c.References, c.X.Names = seriesOf(p.CSV)
	what := make([]string, len(columns))
	for i, name := range columns {
		what[i] = store.Spaced(name)
	}
	if len(columns) == 1 {
		c.Y.Label = what[0]
	}
	if len(c.Series) == 1 {
		c.Series[0].Name = ""
	}
	return c, capital(english.WordSeries(what, "and")) + " over " + c.X.Label + ", of " + p.CSV.Name + ".csv.", nil
}

// beside adds the numbers of a file to a chart. Of panels, a column belongs to the one that is
// called like it (learning_rate, value_loss), all others to the last.
func beside(c plots.Chart, file *experiment.CSV) (plots.Chart, error) {
	wrong := func() error { return fmt.Errorf("csv: %s has words, the figure's axis numbers", file.XColumn()) }
	switch c := c.(type) {
	case plots.Lines:
		series, levels, names := seriesOf(file)
		if len(names) > 0 {
			return nil, wrong()
		}
		c.Series, c.References = append(c.Series, series...), append(c.References, levels...)
		return c, nil
	case plots.Stack:
		for _, column := range file.Columns() {
			one := *file
			one.Y = []string{column}
			series, levels, names := seriesOf(&one)
			if len(names) > 0 {
				return nil, wrong()
			}
			i := slices.IndexFunc(c.Panels, func(p plots.Panel) bool { return p.Y.Label == store.Spaced(column) })
			called := i >= 0
			if !called {
				i = len(c.Panels) - 1
			}
			panel := &c.Panels[i]
			levels = slices.DeleteFunc(levels, func(l plots.Reference) bool { return panel.Y.Log && l.Y <= 0 })
			panel.References = append(panel.References, levels...)
			ticks := []float64{}
			for _, l := range levels {
				ticks = append(ticks, l.Y)
			}
			for _, s := range placed(series, false, panel.Y.Log) {
				known := slices.DeleteFunc(slices.Clone(s.Points), func(p plots.Point) bool { return p.Y.Missing() })
				if len(known) == 0 {
					continue
				}
				for _, p := range known {
					ticks = append(ticks, p.Y.Value)
				}
				if called && file.By == "" {
					s.Name = file.Name
				}
				s.Step = panel.Y.Log
				panel.Series = append(panel.Series, s)
			}
			if len(panel.Y.Ticks) > 0 {
				panel.Y.Ticks = slices.Compact(slices.Sorted(slices.Values(append(panel.Y.Ticks, ticks...))))
			}
		}
		return c, nil
	}
	return c, nil
}

// seriesOf returns the lines of a file of numbers, and its levels, which have no place. names are the
// values of its horizontal axis if some of them are words; points are then at their indices.
func seriesOf(c *experiment.CSV) (series []plots.Series, levels []plots.Reference, names []string) {
	rows, x := c.Rows[1:], c.Column(c.XColumn())
	number := func(row []string, column string) float64 {
		v := math.NaN()
		if i := c.Column(column); i >= 0 && row[i] != "" {
			v, _ = strconv.ParseFloat(row[i], 64) // the file was checked
		}
		return v
	}
	words := slices.ContainsFunc(rows, func(row []string) bool {
		_, err := strconv.ParseFloat(row[x], 64)
		return row[x] != "" && err != nil
	})
	at := map[string]int{} // index of a line by its name
	for _, column := range c.Columns() {
		for _, row := range rows {
			name := column
			if c.By != "" {
				name = row[c.Column(c.By)]
				if len(c.Columns()) > 1 {
					name += ", " + column
				}
			}
			name = strings.ReplaceAll(name, "_", " ")
			point := plots.Point{X: number(row, c.XColumn()), Y: stats.Exactly(number(row, column))}
			if row[x] == "" {
				if !point.Y.Missing() {
					levels = append(levels, plots.Reference{Name: name, Y: point.Y.Value})
				}
				continue
			}
			i, known := at[name]
			if !known {
				i = len(series)
				at[name], series = i, append(series, plots.Series{Name: name})
			}
			if words {
				k := slices.Index(names, row[x])
				if k < 0 {
					k, names = len(names), append(names, row[x])
				}
				point.X = float64(k)
			}
			if low, high := number(row, column+"_low"), number(row, column+"_high"); low <= high {
				point.Y.Low, point.Y.High = low, high
			}
			series[i].Points = append(series[i].Points, point)
		}
	}
	return series, levels, names
}
