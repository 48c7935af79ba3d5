package experiment

import (
	"fmt"
	"strings"
)

// didYouMean returns a hint naming the candidate nearest to word, or "" when
// none is near enough to be a slip of the keyboard.
func didYouMean(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	if len(word) > 64 {
		return ""
	}
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if d < bestDistance || d == bestDistance && best == "" && d < len(c) && d < len(word) {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the optimal string alignment distance: the fewest insertions,
// deletions, substitutions and swaps of neighbors that turn a into b.
func distance(a, b string) int {
	var before []int // row i-2
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
