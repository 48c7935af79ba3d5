package report

import "strings"

// inWords is a metric's name for people.
func inWords(metric string) string { return strings.ReplaceAll(metric, "_", " ") }
