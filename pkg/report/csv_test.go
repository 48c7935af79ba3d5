package report

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	err := writeCSV(path, []string{"a", "b", "c", "d", "e"}, [][]any{{1, 0.5, "x, y", true, int64(-7)}, {-2, math.NaN(), `"`, false, int64(0)}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	have, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "b", "c", "d", "e"}, {"1", "0.5", "x, y", "true", "-7"}, {"-2", "", `"`, "false", "0"}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}
