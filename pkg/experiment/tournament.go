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

// Format is who meets whom.
func SetupFormat(f *Format) match.Format {
	if f == nil {
		return match.Format{}
	}
	return match.Format{Gauntlet: f.First, Ladder: f.Span}
}

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

// Judge ends games as their players agree to; nil where nothing may end them.
func Judge(s *Tournament) *match.Judge {
	var j match.Judge
	if r := s.Resign; r != nil {
		j.Resign, j.ResignMoves = r.Score, r.Moves
	}
	if d := s.Draw; d != nil {
		j.Draw, j.DrawMoves, j.DrawFrom = d.Score, d.Moves, d.From
	}
	if j == (match.Judge{}) {
		return nil
	}
	return &j
}
