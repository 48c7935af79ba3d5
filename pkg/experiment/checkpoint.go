package experiment

import (
	"encoding/json"
	"strconv"
)

// checkpoint is a checkpoint of the trial's own: a generation, last or untrained.
type checkpoint struct{}

var (
	checkpointWords      = enum{PlayerLast, PlayerUntrained}
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

// Checkpoint names a checkpoint of a trial: PlayerLast, PlayerUntrained, or a generation
// in decimal.
type Checkpoint string

// Generation is the number of the generation, where the last is known; 0 is untrained.
func (c Checkpoint) Generation(last int) int {
	switch c {
	case PlayerLast:
		return last
	case PlayerUntrained:
		return 0
	}
	n, _ := strconv.Atoi(string(c)) // the language lets nothing else in
	return n
}

// MarshalJSON writes a number, or the word.
func (c Checkpoint) MarshalJSON() ([]byte, error) {
	if n, err := strconv.Atoi(string(c)); err == nil {
		return json.Marshal(n)
	}
	return json.Marshal(string(c))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Checkpoint) UnmarshalJSON(b []byte) error {
	var n int
	if json.Unmarshal(b, &n) == nil {
		*c = Checkpoint(strconv.Itoa(n))
		return nil
	}
	return json.Unmarshal(b, (*string)(c))
}
