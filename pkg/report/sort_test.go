package report

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"12": 12, "-3.5": -3.5, "−3.5": -3.5, "+191 ± 60": 191, "−424 ± 96": -424, "33,100": 33100, "1\u202f234\u202f567.5": 1234567.5,
		"61.5 %": 61.5, "61.5%": 61.5, "0.5 (0.4 … 0.6)": 0.5, "118 −9/+13": 118, "1.2e-3": 1.2e-3, "∞": math.Inf(1), "−∞": math.Inf(-1),
		"~3": 3, "≤ 4": 4, ".5": 0.5, " 7 ": 7, "12..34": 12, "5 ★": 5,
	} {
		if have, ok := notebookNumber(text); !ok || have != want {
			t.Errorf("%q is read as %g, %v; want %g", text, have, ok, want)
		}
	}
	// What only begins with a number would be sorted wrongly by it.
	for _, text := range []string{"", "–", "133/4/43", "3 h 12 min", "45 min", "8_5", "abc", "1.2.3", "v1", "2, 5, 10 and more", "12abc", "0x10", "2,5"} {
		if x, ok := notebookNumber(text); ok {
			t.Errorf("%q is read as the number %g", text, x)
		}
	}
}

func TestSortKeys(t *testing.T) {
	cells, numbers := sortKeys([]string{"10", "9,100", "", "–", "−2 ± 1", "+∞"})
	want := []sortable{{"10", "", false}, {"9,100", "9100", true}, {"", "", false}, {"–", "", true}, {"−2 ± 1", "-2", true}, {"+∞", "+Infinity", true}}
	if !numbers {
		t.Error("a column of numbers and blanks is not one of numbers")
	}
	for i := range want {
		if cells[i] != want[i] {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want[i])
		}
	}
	cells, numbers = sortKeys([]string{"10", "–", "atomic"})
	if numbers || cells[0].Keyed || !cells[1].Keyed {
		t.Errorf("a column with a word: numbers %v, cells %+v", numbers, cells)
	}
	if _, numbers := sortKeys([]string{"", "–"}); numbers {
		t.Error("a column of nothing is one of numbers")
	}
}
