package match

import (
	"errors"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// A book is the same from the same seed, its openings differ, and its engine calls them even.
func TestMakeBook(t *testing.T) {
	o := uci.Opponent{Program: uci.FairyStockfish, Limit: uci.Limit{Nodes: 1000}}
	found, err := o.Find(t.Context(), chess.Atomic, false)
	if errors.Is(err, uci.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := found.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := BookRecipe{Variant: chess.Atomic, Plies: 4, Count: 10, Within: 150, Nodes: 1000, Seed: 3}
	told := 0
	book, err := MakeBook(t.Context(), e, r, func(done int) { told = done })
	if err != nil || told != r.Count || len(book) != r.Count {
		t.Fatalf("reported %d, made %d, %v", told, len(book), err)
	}
	seen := map[string]bool{}
	for _, o := range book {
		fen := o.Position.FEN()
		if seen[fen] || o.Score > r.Within || o.Score < -r.Within {
			t.Errorf("%s, score %d, seen before: %v", fen, o.Score, seen[fen])
		}
		seen[fen] = true
	}
	again, err := MakeBook(t.Context(), e, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		if again[i].Position.FEN() != book[i].Position.FEN() || again[i].Score != book[i].Score {
			t.Errorf("made %s, before %s", again[i].Position.FEN(), book[i].Position.FEN())
		}
	}
	r.Plies, r.Count = 1, 21
	if _, err := MakeBook(t.Context(), e, r, nil); err == nil {
		t.Error("21 openings of one ply")
	}
}
