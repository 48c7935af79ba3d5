package bench

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// Position is a position of the speed set.
type Position struct {
	Variant chess.Variant
	Name    string // lower-case letters, digits and hyphens; unique in its variant
	FEN     string
	Counts  []uint64 // Counts[d-1] is the number of sequences of d legal moves
}

func (s Position) String() string { return s.Variant.String() + " " + s.Name }

func (s *Position) parse() (chess.Position, error) {
	p, err := chess.ParseFEN(s.Variant, s.FEN)
	if err != nil {
		return p, fmt.Errorf("bench: %s: %w", s, err)
	}
	return p, nil
}

// at returns the smallest depth with at least the given number of sequences, or else the
// deepest.
func (s *Position) at(nodes uint64) int {
	for i, n := range s.Counts {
		if n >= nodes {
			return i + 1
		}
	}
	return len(s.Counts)
}

//go:embed speedset.txt
var speedSet string

// SpeedSet lists the positions with timed perfts by variant, the start position first. It
// is small and changes rarely, so that speeds stay comparable.
//
// Counts of chess are from Stockfish 15.1, those of variants from Fairy-Stockfish (the npm
// package fairy-stockfish-nnue.wasm 1.1.12). The positions have three sources:
//
//   - the Perft Results page of the Chess Programming Wiki: kiwipete, and the
//     middlegame and endgame of chess;
//   - tests/perft.sh of Fairy-Stockfish and examples/perft of python-chess:
//     atomic programfox-1, programfox-2 (python-chess' names) and evasion,
//     three-check kiwipete, the horde middlegame, crazyhouse empty-pockets and
//     full-pockets;
//   - our own random games: all others.
func SpeedSet() []Position {
	var set []Position
	for line := range strings.Lines(speedSet) {
		id, suite, found := strings.Cut(line, ": ")
		if !found || line[0] == '#' {
			continue
		}
		variant, name, _ := strings.Cut(id, " ")
		v, noVariant := chess.ParseVariant(variant)
		entries, err := chess.ReadSuite(strings.NewReader(suite), id, v)
		if err := errors.Join(noVariant, err); err != nil {
			panic(fmt.Errorf("bench: speedset.txt: %s: %w", id, err))
		}
		fen, _, _ := strings.Cut(suite, " ;")
		p := Position{Variant: v, Name: name, FEN: fen}
		for _, c := range entries[0].Counts {
			p.Counts = append(p.Counts, c.Nodes)
		}
		set = append(set, p)
	}
	return set
}
