package bench

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	humanize "github.com/dustin/go-humanize"
)

// RulesTable writes results for people: a line a position, columns aligned, and
// below it how the figures were made.
func RulesTable(w io.Writer, results []RulesResult) error {
	t := table{
		head: []string{"variant", "position", "depth", "nodes", "Mnodes/s", "engine's", "ratio", "engine"},
		text: []bool{true, true, false, false, false, false, false, true},
	}
	for _, r := range results {
		row := []string{r.Position.Variant.String(), r.Position.Name, strconv.Itoa(r.Depth), humanize.Comma(int64(r.Nodes())), "-", "-", "-", "-"}
		if r.Speed > 0 {
			row[4] = fmt.Sprintf("%.1f", r.Speed/1e6)
		}
		if r.EngineSpeed > 0 {
			row[5] = fmt.Sprintf("%.1f", r.EngineSpeed/1e6)
			row[6] = fmt.Sprintf("%.2f", r.Ratio())
		}
		if r.Engine != "" {
			row[7] = r.Engine
		}
		t.rows = append(t.rows, row)
	}
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nOne thread; the best of %d turns of each side; ratio: our speed in units of the engine's.\n", turns)
	return err
}

// table is columns of text, aligned to the left, and of numbers, to the right.
type table struct {
	head []string
	text []bool // by column
	rows [][]string
}

func (t *table) write(w io.Writer) error {
	lines := append([][]string{t.head}, t.rows...)
	width := make([]int, len(t.head))
	for _, row := range lines {
		for c, s := range row {
			width[c] = max(width[c], utf8.RuneCountInString(s))
		}
	}
	for _, row := range lines {
		var b strings.Builder
		for c, s := range row {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(s))
			if t.text[c] {
				b.WriteString(s + pad + "  ")
			} else {
				b.WriteString(pad + s + "  ")
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
