package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/experiment"
)

// formatOf is who meets whom.
func formatOf(f *experiment.Format) arena.Format {
	if f == nil {
		return arena.Format{}
	}
	return arena.Format{Gauntlet: f.First, Ladder: f.Span}
}

// readBook reads the openings of a tournament; none without a book. The book must be
// the one that the experiment was loaded with.
func readBook(v chess.Variant, o *experiment.Openings) ([]arena.Opening, error) {
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

// judge is what may end the games of a tournament.
type judge = func(context.Context, []*arena.Game) ([]chess.Result, error)

// playersJudge ends games as their players agree to.
func playersJudge(s *experiment.Tournament) []judge {
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
	return []judge{j.Adjudicate}
}

// inTurn asks judges one after the other; the first that ends a game has the say. It
// is nil without any.
func inTurn(judges []judge) judge {
	switch len(judges) {
	case 0:
		return nil
	case 1:
		return judges[0]
	}
	return func(ctx context.Context, games []*arena.Game) ([]chess.Result, error) {
		var results []chess.Result
		for _, j := range judges {
			next, err := j(ctx, games)
			if err != nil {
				return nil, err
			}
			for i := range results {
				if results[i] != chess.Unfinished {
					next[i] = results[i]
				}
			}
			results = next
		}
		return results, nil
	}
}
