package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
)

// csvBytes is a table as CSV; cells are int, int64, float64 (NaN: empty), string or
// bool.
func csvBytes(head []string, rows [][]any) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(head); err != nil {
		return nil, err
	}
	for _, row := range rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = cell(v)
		}
		if err := w.Write(line); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func cell(v any) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return v.(string)
}
