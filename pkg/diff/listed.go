package diff

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// listedTrials are the folders that the column "trial" of a trials.csv names, in
// its order; none where there is no such file.
func listedTrials(path string) ([]string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	column := slices.Index(rows[0], "trial")
	var names []string
	for _, row := range rows[1:] {
		if column >= 0 && column < len(row) {
			names = append(names, row[column])
		}
	}
	return names, nil
}
