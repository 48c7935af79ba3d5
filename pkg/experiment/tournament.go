package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// ReadBook reads the openings of a tournament; none without a book. The book must be
// the one that the experiment was loaded with.
func ReadBook(v chess.Variant, o *Openings) ([]match.Opening, error) {
	if o == nil {
		return nil, nil
	}
	b, err := os.ReadFile(o.Book.Path)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != o.Book.SHA256 {
		return nil, fmt.Errorf("%s was changed while this ran: run again", o.Book.Path)
	}
	book, err := match.ReadBook(bytes.NewReader(b), v, o.Plies)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Book.Path, err)
	}
	return book, nil
}
