package puzzle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// Answer is a player's answer to a puzzle.
type Answer struct {
	Move   chess.Move // 0 if the player has no move, see Err
	Solved bool
	Err    error // why there is no move, such as a failed engine
}

// Solved counts the answers that solve their puzzles.
func Solved(answers []Answer) int {
	n := 0
	for _, a := range answers {
		if a.Solved {
			n++
		}
	}
	return n
}

// AtOnce is a number of puzzles to solve at once that fills a network's batch and keeps the memory
// for search trees small. A player with a time limit searches one tree after another, and its
// trees may be large: it should solve one puzzle at a time.
const AtOnce = 128

// Solve lets a player solve puzzles, so many at once, and judges its moves. Answers have the
// order of the puzzles. The player's random numbers depend on the seed and the number of the puzzle.
// Solve calls progress, unless nil, with the number of puzzles answered.
func Solve(ctx context.Context, puzzles []Puzzle, atOnce int, player match.Player, seed uint64, progress func(done int)) ([]Answer, error) {
	answers := make([]Answer, 0, len(puzzles))
	for some := range slices.Chunk(puzzles, atOnce) {
		turns := make([]*match.Turn, len(some))
		for i := range some {
			number := len(answers) + i
			turns[i] = &match.Turn{
				Number: number, Game: chess.NewGame(some[i].Position),
				Seed: rand.New(rand.NewPCG(seed, uint64(number))).Uint64(),
			}
		}
		if err := player.Moves(ctx, turns); err != nil {
			return nil, err
		}
		for i, t := range turns {
			player.GameOver(t.Game)
			a := Answer{Move: t.Move, Err: t.Err}
			if t.Err == nil {
				var err error
				if a.Solved, err = some[i].SolvedBy(ctx, t.Move); err != nil {
					return nil, err
				}
			}
			answers = append(answers, a)
		}
		if progress != nil {
			progress(len(answers))
		}
	}
	return answers, nil
}

// SolvedBy reports whether a move solves the puzzle. If Mate is set, the win in that many
// moves must still be forced after the move; otherwise the move must be in Best. An illegal
// move solves nothing.
func (p *Puzzle) SolvedBy(ctx context.Context, m chess.Move) (bool, error) {
	var l chess.MoveList
	p.Position.LegalMoves(&l)
	switch {
	case !l.Contains(m):
		return false, nil
	case p.Mate > 0:
		return StillWins(ctx, &p.Position, m, p.Mate)
	}
	return slices.Contains(p.Best, m), nil
}

// Check returns the faults of a set as lines of text that begin with file and line. Faults
// are repeated positions, forced wins that do not exist or take fewer moves, and best moves
// that differ from the winning moves.
func Check(ctx context.Context, s *Set) ([]string, error) {
	var faults []string
	lines := map[uint64]int{}
	for i := range s.Puzzles {
		p := &s.Puzzles[i]
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s:%d: %s", s.File, p.Line, fmt.Sprintf(format, args...)))
		}
		key := p.Position.Key()
		if first, twice := lines[key]; twice {
			fault("the position of line %d", first)
		} else {
			lines[key] = p.Line
		}
		if p.Mate == 0 {
			continue
		}
		n, err := Shortest(ctx, &p.Position, p.Mate)
		if err != nil {
			return nil, err
		}
		switch {
		case n == 0:
			fault("dm %d: no move wins by force in %d", p.Mate, p.Mate)
			continue
		case n < p.Mate:
			fault("dm %d: there is a win in %d", p.Mate, n)
			continue
		case len(p.Best) == 0:
			continue
		}
		wins, err := Wins(ctx, &p.Position, p.Mate)
		if err != nil {
			return nil, err
		}
		for _, m := range p.Best {
			if !slices.Contains(wins, m) {
				fault("bm %s does not win in %d", p.Position.SAN(m), p.Mate)
			}
		}
		for _, m := range wins {
			if !slices.Contains(p.Best, m) {
				fault("bm lacks %s, which wins in %d as well", p.Position.SAN(m), p.Mate)
			}
		}
	}
	return faults, nil
}
