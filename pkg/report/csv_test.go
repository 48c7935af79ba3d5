package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCells(t *testing.T) {
	b, err := csvBytes([]string{"a", "b", "c", "d", "e"}, [][]any{{1, 0.5, "x, y", true, int64(-7)}, {-2, math.NaN(), `"`, false, int64(0)}})
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
