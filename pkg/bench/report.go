package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
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

// A result is a flat struct. The tags of a field control its output:
//
//	json:"ratio" decimals:"3"       in JSON, rounded to the meaningful digits
//	table:"ratio" format:"%.3f"     its column in a table
//	table:"Mnodes/s" unit:"1e6"     a number in units
//	format:"thousands"              with commas
//
// A zero float64 or an empty string is a missing figure: null in JSON, "-" in a table. The
// option omitempty leaves it out of JSON.
type field struct {
	reflect.StructField
	value reflect.Value
}

func fields(result any) []field {
	v := reflect.ValueOf(result)
	var all []field
	for i := range v.NumField() {
		all = append(all, field{v.Type().Field(i), v.Field(i)})
	}
	return all
}

// missing reports whether the field is a missing figure.
func (f field) missing() bool {
	return f.value.IsZero() && (f.value.Kind() == reflect.Float64 || f.value.Kind() == reflect.String)
}

// WriteJSON writes a result as one line.
func WriteJSON(w io.Writer, result any) error {
	var b bytes.Buffer
	for _, f := range fields(result) {
		key, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || option == "omitempty" && f.value.IsZero() {
			continue
		}
		value := f.value.Interface()
		switch x := value.(type) {
		case float64:
			decimals, _ := strconv.Atoi(f.Tag.Get("decimals"))
			scale := math.Pow10(decimals)
			value = math.Round(x*scale) / scale
		case error:
			value = x.Error()
		case fmt.Stringer:
			value = x.String()
		}
		if f.missing() {
			value = nil
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, ",%q:%s", key, text)
	}
	_, err := fmt.Fprintf(w, "{%s}\n", b.Bytes()[1:])
	return err
}

// column returns the field's text in a table.
func (f field) column() string {
	format := f.Tag.Get("format")
	number := f.value
	switch {
	case f.missing():
		return "-"
	case format == "thousands" && number.CanFloat():
		return humanize.Comma(int64(number.Float()))
	case format == "thousands":
		return humanize.Comma(number.Convert(reflect.TypeFor[int64]()).Int())
	case format == "":
		return fmt.Sprint(f.value.Interface())
	}
	unit, err := strconv.ParseFloat(f.Tag.Get("unit"), 64)
	if err != nil {
		unit = 1
	}
	return fmt.Sprintf(format, number.Float()/unit)
}

// WriteTable writes results for people: one per line in aligned columns, text to the left
// and numbers to the right. Below the table it explains how the figures were measured.
func WriteTable[R interface{ How() string }](w io.Writer, results []R) error {
	if len(results) == 0 {
		return nil
	}
	var lines [][]string
	var head []string
	var left []bool
	for _, f := range fields(results[0]) {
		if name, ok := f.Tag.Lookup("table"); ok {
			head = append(head, name)
			left = append(left, f.value.Kind() == reflect.String)
		}
	}
	lines = append(lines, head)
	for _, r := range results {
		var line []string
		for _, f := range fields(r) {
			if _, ok := f.Tag.Lookup("table"); ok {
				line = append(line, f.column())
			}
		}
		lines = append(lines, line)
	}
	width := make([]int, len(head))
	for _, line := range lines {
		for c, s := range line {
			width[c] = max(width[c], utf8.RuneCountInString(s))
		}
	}
	var failed error
	for _, line := range lines {
		var b strings.Builder
		for c, s := range line {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(s))
			if left[c] {
				b.WriteString(s + pad + "  ")
			} else {
				b.WriteString(pad + s + "  ")
			}
		}
		_, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
		failed = errors.Join(failed, err)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", results[0].How())
	return errors.Join(failed, err)
}
