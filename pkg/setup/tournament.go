package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
)

// Format is who meets whom.
func Format(f *experiment.Format) arena.Format {
	if f == nil {
		return arena.Format{}
	}
	return arena.Format{Gauntlet: f.First, Ladder: f.Span}
}

// ReadBook reads the openings of a tournament; none without a book. The book must be
// the one that the experiment was loaded with.
func ReadBook(v chess.Variant, o *experiment.Openings) ([]arena.Opening, error) {
	if o == nil {
		return nil, nil
	}
	b, err := os.ReadFile(o.Book.File)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != o.Book.SHA256 {
		return nil, fmt.Errorf("%s was changed while this ran: run again", o.Book.File)
	}
	book, err := arena.ReadBook(bytes.NewReader(b), v, o.Plies)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Book.File, err)
	}
	return book, nil
}

// Judge ends games as their players agree to; nil where nothing may end them.
func Judge(s *experiment.Tournament) *arena.Judge {
	var j arena.Judge
	if r := s.Resign; r != nil {
		j.Resign, j.ResignMoves = r.Score, r.Moves
	}
	if d := s.Draw; d != nil {
		j.Draw, j.DrawMoves, j.DrawFrom = d.Score, d.Moves, d.From
	}
	if j == (arena.Judge{}) {
		return nil
	}
	return &j
}
