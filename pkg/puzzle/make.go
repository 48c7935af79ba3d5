package puzzle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Recipe configures [Make]. The puzzles are a function of the recipe and the engine,
// because engines are limited by nodes and not by time.
type Recipe struct {
	Variant chess.Variant
	Mate    int    // moves to the win
	Count   int    // half of them with White to move, half with Black
	Seed    uint64 // seed of the games
	ID      string // prefix of names: "mate-in-2" makes "mate-in-2.001"
	Only    bool   // no other move wins

	Play  int64 // nodes for each move of the games
	Judge int64 // nodes for each puzzle
}

// OthersMost is the most that the moves which do not win in time are worth to the side to
// move, in centipawns, with [Recipe.Only].
const OthersMost = 200

// Defaults that find short mates reliably and play games quickly.
const (
	PlayNodes  = 1_000
	JudgeNodes = 50_000
)

func (r *Recipe) check() error {
	switch {
	case r.Mate < 1 || r.Mate > MaxMate:
		return fmt.Errorf("puzzle: mate in %d: want 1 to %d", r.Mate, MaxMate)
	case r.Count < 1:
		return fmt.Errorf("puzzle: %d puzzles: want at least 1", r.Count)
	case r.Play < 1 || r.Judge < 1:
		return fmt.Errorf("puzzle: %d and %d nodes: want at least 1", r.Play, r.Judge)
	}
	return nil
}

// Games begin with random moves up to one of these plies. Then the engine plays, except for
// blunders, which keep the games decisive.
const (
	leastRandomPlies = 4
	mostRandomPlies  = 24
	blunders         = 0.25 // share of random moves
	longestGame      = 240  // plies
)

// gamesEach limits the search for rare puzzles. A game gives at most one puzzle.
const gamesEach = 200

// Make finds puzzles in games of an engine whose support of the variant was checked (see
// [uci.Client.Prove]). A puzzle is the first position of its game that meets these
// conditions. With Only, games go on only while they are even, and the position need not be
// played: it may follow any legal move.
//
//   - The engine, with more nodes, sees a win in exactly Mate moves, and the rules
//     prove it. Disagreement is an error.
//   - At most a quarter of the legal moves solve it.
//   - With Only, the engine sees at most [OthersMost] for any other move.
//   - It differs from all other puzzles, also with colors exchanged and regardless
//     of the side to move.
//
// Make calls progress, unless nil, with the number of puzzles found.
func Make(ctx context.Context, e *uci.Client, r Recipe, progress func(done int)) ([]Puzzle, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	m := maker{Recipe: r, engine: e, seen: map[string]bool{}, wanted: [2]int{chess.White: (r.Count + 1) / 2, chess.Black: r.Count / 2}}
	for game := range gamesEach * r.Count {
		// Each length of mate has its own games, so that sets with the same seed do not
		// overlap.
		rng := rand.New(rand.NewPCG(r.Seed, uint64(r.Mate)<<32|uint64(game)))
		if err := m.game(ctx, rng); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(len(m.found))
		}
		if len(m.found) == r.Count {
			return m.found, nil
		}
	}
	return nil, fmt.Errorf("puzzle: %d games have only %d puzzles of mate in %d, want %d", gamesEach*r.Count, len(m.found), r.Mate, r.Count)
}

type maker struct {
	Recipe
	engine *uci.Client
	found  []Puzzle
	seen   map[string]bool // board fields of FEN
	wanted [2]int          // puzzles still to find, by the side to move
}

// game plays a game until it gives a puzzle or ends.
func (m *maker) game(ctx context.Context, rng *rand.Rand) error {
	if err := m.engine.NewGame(ctx); err != nil {
		return err
	}
	g := chess.NewGame(chess.StartPosition(m.Variant))
	opening := leastRandomPlies + rng.IntN(mostRandomPlies-leastRandomPlies+1)
	var l chess.MoveList
	for ply := range longestGame {
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			return nil
		}
		drawn := l.At(rng.IntN(l.Len()))
		if ply < opening {
			g.Play(drawn)
			continue
		}
		answer, err := m.engine.Go(ctx, g, uci.Limit{Nodes: m.Play})
		if err != nil {
			return err
		}
		if m.Only && !even(answer.Score) {
			return nil
		}
		if m.mates(&answer) {
			found, err := m.try(ctx, g.Position(), &l)
			if found || err != nil {
				return err
			}
		}
		move := answer.Move
		if rng.Float64() < blunders {
			if !m.Only {
				move = drawn
			} else if found, err := m.blunder(ctx, g.Position(), &l, rng); found || err != nil {
				return err
			}
		}
		g.Play(move)
	}
	return nil
}

// blunder looks among the moves of an even position for one that leads to a puzzle. In
// uneven games, most moves of the better side win, and Only would keep nearly nothing.
func (m *maker) blunder(ctx context.Context, at *chess.Position, l *chess.MoveList, rng *rand.Rand) (found bool, err error) {
	order := rng.Perm(l.Len())
	if m.wanted[at.Turn().Other()] == 0 {
		return false, nil
	}
	for _, i := range order {
		after := *at
		after.Play(l.At(i))
		n, err := Shortest(ctx, &after, m.Mate)
		if err != nil {
			return false, err
		}
		if n != m.Mate {
			continue
		}
		var replies chess.MoveList
		after.LegalMoves(&replies)
		if found, err := m.try(ctx, &after, &replies); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// even reports whether neither side is better by more than OthersMost.
func even(s *uci.Score) bool {
	return s != nil && !s.IsMate && max(s.CP, -s.CP) <= OthersMost
}

// mates reports whether the engine sees a win in the requested number of moves.
func (m *maker) mates(a *uci.Answer) bool {
	s := a.Info.Score
	return s != nil && s.IsMate && s.Mate == m.Mate && s.Bound == uci.Exact
}

// lateRule50 is the ply count from which the fifty-move rule may save the loser.
const lateRule50 = 80

// try adds the position to the puzzles if it meets the conditions of [Make].
func (m *maker) try(ctx context.Context, at *chess.Position, l *chess.MoveList) (found bool, err error) {
	board, _, _ := strings.Cut(at.FEN(), " ")
	if m.wanted[at.Turn()] == 0 || m.seen[board] || m.seen[exchanged(board)] || at.Rule50() >= lateRule50 {
		return false, nil
	}
	if err := m.engine.NewGame(ctx); err != nil {
		return false, err
	}
	answer, err := m.engine.Go(ctx, chess.NewGame(*at), uci.Limit{Nodes: m.Judge})
	if err != nil || !m.mates(&answer) {
		return false, err
	}
	n, err := Shortest(ctx, at, m.Mate)
	if err != nil {
		return false, err
	}
	if n != m.Mate {
		return false, fmt.Errorf("puzzle: %s sees a win in %d, the rules prove one in %d (0: none): %s", m.engine.ID(), m.Mate, n, at.FEN())
	}
	wins, err := Wins(ctx, at, m.Mate)
	if err != nil {
		return false, err
	}
	if !slices.Contains(wins, answer.Move) {
		return false, fmt.Errorf("puzzle: %s wins by %s, which the rules do not prove: %s", m.engine.ID(), at.SAN(answer.Move), at.FEN())
	}
	if 4*len(wins) > l.Len() {
		return false, nil
	}
	if m.Only {
		answer, err := m.engine.Go(ctx, chess.NewGame(*at), uci.Limit{Nodes: m.Judge}, others(l, wins)...)
		if err != nil {
			return false, err
		}
		if s := answer.Score; s == nil || s.IsMate && s.Mate > 0 || !s.IsMate && s.CP > OthersMost {
			return false, nil
		}
	}
	m.seen[board] = true
	m.wanted[at.Turn()]--
	m.found = append(m.found, Puzzle{
		Line: len(m.found) + 1, ID: fmt.Sprintf("%s.%03d", m.ID, len(m.found)+1),
		Position: *at, Best: wins, Mate: m.Mate,
	})
	return true, nil
}

// others returns the moves of a list that are not among those that win.
func others(l *chess.MoveList, wins []chess.Move) []chess.Move {
	return slices.DeleteFunc(slices.Clone(l.Slice()), func(m chess.Move) bool { return slices.Contains(wins, m) })
}

// exchanged returns the board field of a FEN with colors exchanged.
func exchanged(board string) string {
	board, pockets, _ := strings.Cut(board, "[")
	ranks := strings.Split(board, "/")
	slices.Reverse(ranks)
	swap := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsUpper(r) {
				return unicode.ToLower(r)
			}
			return unicode.ToUpper(r)
		}, text)
	}
	if pockets == "" {
		return swap(strings.Join(ranks, "/"))
	}
	black := strings.IndexFunc(pockets, func(r rune) bool { return !unicode.IsUpper(r) }) // those of White come first
	return swap(strings.Join(ranks, "/")) + "[" + swap(strings.TrimSuffix(pockets[black:], "]")+pockets[:black]) + "]"
}
