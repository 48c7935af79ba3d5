package experiment

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/config"
)

// CSV is a file of numbers that a figure shows as lines.
type CSV struct {
	_ struct{} `short:"file"`

	File config.File `key:"file" ext:".csv" flags:"required" doc:"CSV file with the names of its columns in the first line. Of a column c, the columns c_low and c_high are the ends of intervals. The path is relative to the folder of the experiment file."`
	X    string      `key:"x" absent:"the first column" doc:"Column of the horizontal axis: numbers, or words in the order of the file. Where it is empty, the numbers of the line are levels, drawn across."`
	Y    []string    `key:"y" want:"the name of a column" pattern:"." flags:"single" absent:"all others" doc:"Columns of numbers, one line each. An empty number leaves a gap."`
	By   string      `key:"by" absent:"one line" doc:"Column with one line for each of its values."`

	// Name and Rows are the name of the file without its ending, and its contents, which are read
	// with the experiment.
	Name string
	Rows [][]string
}

// mostOfCSV is the maximum size in bytes of a CSV file of a figure, which the results keep.
const mostOfCSV = 1 << 20

// readCSV reads the CSV files of figures, and checks that they have the columns. t is the merged
// tree.
func (l *loader) readCSV(t *config.Node, cells []Cell) {
	for i, cell := range cells {
		if cell.Figure == nil || cell.Figure.CSV == nil {
			continue
		}
		c := cell.Figure.CSV
		at, here := t.Get("notebook").Items[i].Get("figure").Get("csv").At, fmt.Sprintf("notebook[%d].figure.csv", i)
		b, err := l.files.Read(c.File.Path)
		if err != nil { // a lenient reader notes that it is missing
			continue
		}
		if len(b) > mostOfCSV {
			l.fault(at, here, "%s has %s: want at most %s", c.File.Path, humanize.IBytes(uint64(len(b))), humanize.IBytes(mostOfCSV))
			continue
		}
		c.Name = c.File.Name()
		c.Rows, err = csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff")))).ReadAll() // spreadsheets begin a file with a mark of its byte order
		if err == nil {
			err = c.check()
		}
		if err != nil {
			l.fault(at, here, "%s: %v", c.File.Path, err)
		}
	}
}

// check reports whether the file has the columns, and numbers in those of Y.
func (c *CSV) check() error {
	if len(c.Rows) < 2 {
		return errors.New("want a line with the names of the columns, and lines of numbers")
	}
	for _, name := range append(c.Columns(), c.XColumn(), cmp.Or(c.By, c.XColumn())) {
		if c.Column(name) < 0 {
			return fmt.Errorf("no column is called %q: there are %s", name, strings.Join(c.Rows[0], ", "))
		}
	}
	if len(c.Columns()) == 0 {
		return errors.New("there is no column of numbers beside that of the horizontal axis")
	}
	for _, name := range c.Columns() {
		for _, end := range []string{"", "_low", "_high"} {
			for i := 1; i < len(c.Rows) && c.Column(name+end) >= 0; i++ {
				if text := c.Rows[i][c.Column(name+end)]; text != "" {
					if x, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(x, 0) {
						return fmt.Errorf("line %d: %s is %q: want a number", i+1, name+end, text)
					}
				}
			}
		}
	}
	return nil
}

// Column returns the index of a column, or -1.
func (c *CSV) Column(name string) int { return slices.Index(c.Rows[0], name) }

// XColumn returns the name of the column of the horizontal axis.
func (c *CSV) XColumn() string { return cmp.Or(c.X, c.Rows[0][0]) }

// Columns returns the names of the columns with a line each.
func (c *CSV) Columns() []string {
	if len(c.Y) > 0 {
		return c.Y
	}
	return slices.DeleteFunc(slices.Clone(c.Rows[0]), func(name string) bool {
		of := strings.TrimSuffix(strings.TrimSuffix(name, "_low"), "_high")
		return name == c.XColumn() || name == c.By || of != name && c.Column(of) >= 0
	})
}
