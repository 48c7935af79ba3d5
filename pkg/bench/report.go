package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/report"
)

// Reporter receives the events of a benchmark. Its functions may be nil.
type Reporter[R any] struct {
	Begin  func(done, all int, next string) // before each measurement
	Result func(R)                          // after each
	Note   func(text string)
}

// each measures the things in order and reports the results.
func each[T fmt.Stringer, R any](r *Reporter[R], things []T, measure func(T) (R, error)) error {
	for i, thing := range things {
		if r.Begin != nil {
			r.Begin(i, len(things), thing.String())
		}
		result, err := measure(thing)
		if err != nil {
			return fmt.Errorf("bench: %s: %w", thing, err)
		}
		if r.Result != nil {
			r.Result(result)
		}
	}
	return nil
}

// A result is a flat struct with tags for JSON and for its columns in a table:
//
//	table:"ratio" format:"%.3f"     a number, formatted
//	table:"Mnodes/s" unit:"1e6"     a number in units
//	table:"nodes"                   a whole number with commas, or text
//
// A Figure of 0 or an empty string is missing, which a table shows as "-".

// Figure is a measured number. 0 means that it is missing.
type Figure float64

// MarshalJSON writes four significant digits, or null if the figure is missing.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f == 0 {
		return []byte("null"), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', 4, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rounded)
}

// cell returns the text of a field in a table.
func cell(f reflect.StructField, v reflect.Value) string {
	format := f.Tag.Get("format")
	switch {
	case v.IsZero() && (v.CanFloat() || v.Kind() == reflect.String):
		return "-"
	case format != "":
		unit, err := strconv.ParseFloat(f.Tag.Get("unit"), 64)
		if err != nil {
			unit = 1
		}
		return fmt.Sprintf(format, v.Float()/unit)
	case v.CanFloat():
		return humanize.Comma(int64(v.Float()))
	case v.CanInt():
		return humanize.Comma(v.Int())
	default:
		return v.String()
	}
}

// WriteTable writes results for people: one per line in aligned columns, text to the left
// and numbers to the right. Below the table it explains how the figures were measured.
func WriteTable[R interface{ How() string }](w io.Writer, results []R) error {
	if len(results) == 0 {
		return nil
	}
	table := report.Table{Rows: make([][]report.Cell, len(results))}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		name := f.Tag.Get("table")
		if name == "" {
			continue
		}
		table.Columns = append(table.Columns, report.Column{Name: name, Numeric: f.Type.Kind() != reflect.String})
		for i, r := range results {
			table.Rows[i] = append(table.Rows[i], report.Cell{Text: cell(f, reflect.ValueOf(r).FieldByIndex(f.Index))})
		}
	}
	return report.WriteText(w, false, table, report.Text{Markdown: results[0].How()})
}
