package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"alamos/pkg/chess"

	"alamos/pkg/puzzle"
)

// Puzzles reads the puzzles of an evaluation, which may be nil. Each file must be the one
// that the experiment was loaded with, and its puzzles of the variant.
func SetupPuzzles(v chess.Variant, e *Evaluation) ([]*puzzle.Set, error) {
	if e == nil {
		return nil, nil
	}
	sets := make([]*puzzle.Set, len(e.Puzzles))
	for i, of := range e.Puzzles {
		b, err := os.ReadFile(of.File.Path)
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != of.File.SHA256 {
			return nil, fmt.Errorf("%s was changed while this ran: run again", of.File.Path)
		}
		if sets[i], err = puzzle.Read(bytes.NewReader(b), of.File.Path, v); err != nil {
			return nil, err
		}
		for j := range sets[i].Puzzles {
			p := &sets[i].Puzzles[j]
			if have := p.Position.Variant(); have != v {
				return nil, fmt.Errorf("%s:%d: the puzzle is of %s, and the experiment of %s", of.File.Path, p.Line, have, v)
			}
		}
	}
	return sets, nil
}
