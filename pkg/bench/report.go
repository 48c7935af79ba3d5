package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	humanize "github.com/dustin/go-humanize"
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
	var columns []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if f.Tag.Get("table") != "" {
			columns = append(columns, f)
		}
	}
	lines := make([]strings.Builder, 1+len(results))
	for _, f := range columns {
		texts := []string{f.Tag.Get("table")}
		for _, r := range results {
			texts = append(texts, cell(f, reflect.ValueOf(r).FieldByIndex(f.Index)))
		}
		width := 0
		for _, text := range texts {
			width = max(width, utf8.RuneCountInString(text))
		}
		if f.Type.Kind() == reflect.String {
			width = -width // to the left
		}
		for i, text := range texts {
			fmt.Fprintf(&lines[i], "%*s  ", width, text)
		}
	}
	for i := range lines {
		if _, err := fmt.Fprintln(w, strings.TrimRight(lines[i].String(), " ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", results[0].How())
	return err
}
