package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/plots"
)

// drawCSV shows the numbers of a file.
func drawCSV(p *picture) (plots.Chart, string, error) {
	columns := p.CSV.Columns()
	c := plots.Lines{Frame: p.frame, X: plots.Axis{Label: spaced(p.CSV.XColumn())}}
	c.Series, c.X.Names = seriesOf(p.CSV)
	what := make([]string, len(columns))
	for i, name := range columns {
		what[i] = spaced(name)
	}
	if len(columns) == 1 {
		c.Y.Label = what[0]
	}
	if len(c.Series) == 1 {
		c.Series[0].Name = ""
	}
	return c, capital(english.WordSeries(what, "and")) + " over " + c.X.Label + ", of " + p.CSV.Name + ".csv.", nil
}

// seriesOf returns the lines of a file of numbers. names are the values of its horizontal axis if
// some of them are words; points are then at their indices.
func seriesOf(c *experiment.CSV) (series []plots.Series, names []string) {
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
		return err != nil
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
			i, known := at[name]
			if !known {
				i = len(series)
				at[name], series = i, append(series, plots.Series{Name: strings.ReplaceAll(name, "_", " ")})
			}
			point := plots.Point{X: number(row, c.XColumn()), Y: stats.Exactly(number(row, column))}
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
	return series, names
}
