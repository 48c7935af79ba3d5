package store

// Ended says that a trial ended before the last generation of its experiment. It
// is a complete trial all the same: what follows training was done with what
// there is.
type Ended struct {
	Generation int    `json:"generation"` // the last one
	Why        string `json:"why"`        // "5th of 8 after 2 generations"
}

// Last is the generation that the trial ends with, the last of its experiment or
// that of [Manifest.Ended]. While it runs it may not have come so far.
func (t *Trial) Last() int {
	if e := t.Manifest.Ended; e != nil {
		return min(e.Generation, t.Settings.Generations)
	}
	return t.Settings.Generations
}
