package match

import (
	"io"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// Tournaments of every variant, from its start and from chess960: legal games to
// ends of the variant's own, and files that read back as what was played.
func TestVariants(t *testing.T) {
	own := map[chess.Variant]chess.Reason{
		chess.Atomic: chess.KingExploded, chess.Antichess: chess.PiecesLost, chess.KingOfTheHill: chess.KingInCenter,
		chess.ThreeCheck: chess.ThreeChecks, chess.RacingKings: chess.RaceFinished,
	}
	for _, v := range chess.Variants() {
		starts := [][]string{nil}
		if _, err := chess.Chess960(v, 0); err == nil {
			starts = append(starts, []string{chess.AnyChess960})
		}
		for _, words := range starts {
			cfg := Tournament{Variant: v, Start: words, Rounds: 12, MaxMoves: 150, RandomPlies: 2, Seed: 3}
			games := play(t, cfg, randomEntry("random"), mctsEntry("mcts", 60, 4))
			reasons := map[chess.Reason]int{}
			begins := map[string]bool{}
			for i, g := range games {
				checkGame(t, g, cfg.MaxMoves)
				reasons[g.Outcome.Reason]++
				begins[g.Start.FEN()] = true
				if i%2 == 1 && games[i-1].Start != g.Start {
					t.Errorf("%s: the games %d and %d of a pair begin differently", v, i-1, i)
				}
			}
			if reason, ok := own[v]; ok && reasons[reason] == 0 {
				t.Errorf("%s: no game ended by %s: %v", v, reason, reasons)
			}
			if want := map[bool]int{true: 6, false: 1}[words != nil]; len(begins) != want {
				t.Errorf("%s from %v: %d starts, want %d", v, words, len(begins), want)
			}
			file := pgn(t, games)
			var back []*Game
			for r := chess.NewPGNReader(strings.NewReader(file)); ; {
				p, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", v, err)
				}
				g, err := fromPGN(p)
				if err != nil {
					t.Fatalf("%s: %v", v, err)
				}
				back = append(back, g)
			}
			if pgn(t, back) != file {
				t.Errorf("%s from %v: the file reads back as other games", v, words)
			}
		}
	}
}

// A position where black is to move: who is white plays second.
func TestStartWithBlackToMove(t *testing.T) {
	const fen = "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"
	cfg := Tournament{Variant: chess.Standard, Start: []string{fen}, Rounds: 4, MaxMoves: 5, Seed: 1}
	for _, g := range play(t, cfg, randomEntry("a"), randomEntry("b")) {
		checkGame(t, g, cfg.MaxMoves)
		if g.Start.FEN() != fen {
			t.Errorf("it began with %s", g.Start.FEN())
		}
	}
	cfg.Start = []string{"nonsense"}
	err := gamesOf(cfg, []Entry{randomEntry("a"), randomEntry("b")}).Play(t.Context(), ignore)
	if err == nil || !strings.Contains(err.Error(), "start position 1") {
		t.Errorf("a start that is none: %v", err)
	}
}
