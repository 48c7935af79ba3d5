package report

import (
	"fmt"
	"strings"
)

// plural counts things: "1 trial", "2 trials".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inWords is a metric's name for people.
func inWords(metric string) string { return strings.ReplaceAll(metric, "_", " ") }
