package words

import (
	"fmt"
	"strings"
)

// LeftOut says how many games gave no position, and why: "1 without a result, 2 without
// moves". It is empty where there are none.
func LeftOut(noResult, noMoves int) string {
	var parts []string
	if noResult > 0 {
		parts = append(parts, fmt.Sprintf("%s without a result", Thousands(noResult)))
	}
	if noMoves > 0 {
		parts = append(parts, fmt.Sprintf("%s without moves", Thousands(noMoves)))
	}
	return strings.Join(parts, ", ")
}
