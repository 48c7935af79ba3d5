package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"alamos/pkg/disk"
)

// writeCSV writes a table; cells are int, float64 (NaN: empty), string or bool.
func writeCSV(path string, head []string, rows [][]any) error {
	return disk.WriteFile(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		if err := c.Write(head); err != nil {
			return err
		}
		for _, row := range rows {
			line := make([]string, len(row))
			for i, v := range row {
				line[i] = cell(v)
			}
			if err := c.Write(line); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	})
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
