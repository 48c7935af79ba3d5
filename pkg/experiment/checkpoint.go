package experiment

import "alamos/pkg/match"

// checkpoint is a checkpoint of the trial's own: a generation, last or untrained.
type checkpoint struct{}

var (
	checkpointWords      = enum{match.Last, match.Untrained}
	checkpointGeneration = atLeast(1)
)

func (checkpoint) want() string { return "last, untrained or the number of a generation" }

func (x checkpoint) read(c *checker, path string, t *tree) (any, bool) {
	if _, hint, ok := number(t); ok {
		return checkpointGeneration.read(c, path, t)
	} else if hint != "" {
		return c.refuse(t, path, x, hint)
	}
	if _, ok := checkpointWords.read(&checker{bad: map[string]bool{}}, path, t); ok {
		return t.text, true
	}
	return c.refuse(t, path, x, didYouMean(t.text, checkpointWords))
}
