package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCells(t *testing.T) {
	table := dataset{fields: keys("a", "b", "c", "d", "e"),
		rows: [][]any{{1, 0.5, "x, y", true, int64(-7)}, {-2, math.NaN(), `"`, false, 0}}}
	b, err := table.bytes()
	if err != nil {
		t.Fatal(err)
	}
	have, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "b", "c", "d", "e"}, {"1", "0.5", "x, y", "true", "-7"}, {"-2", "", `"`, "false", "0"}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}
