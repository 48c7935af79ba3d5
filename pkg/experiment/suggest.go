package experiment

import (
	"fmt"
	"strings"
)

// didYouMean returns a hint naming the candidate nearest to word, or "" when
// none is near enough to be a slip of the keyboard.
func didYouMean(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	slips := min(max(len(word)/4, 1), 3, len(word)-1)
	best, bestDistance := "", slips+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// suggestPath returns a hint for a key path that does not exist: a path spelled
// nearly so, or the same key in another section, the own section first.
func suggestPath(path string) string {
	if hint := didYouMean(path, allPaths()); hint != "" {
		return hint
	}
	section, _, _ := strings.Cut(path, ".")
	paths := pathsOf(path[strings.LastIndexByte(path, '.')+1:])
	best := ""
	for _, p := range paths {
		if best == "" || strings.HasPrefix(p, section+".") {
			best = p
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
