package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/chess"
)

// Questions are the games of a chunk about which engines are asked. A process without the files of
// the source can answer them: [Questions.Write] writes the games that are from files, and
// [Source.ReadQuestions] reads them there.
type Questions struct {
	source *Source
	chunk  int
	games  map[int32]game // by their numbers
}

// Questions returns those of the chunk at a cursor. It asks no engine.
func (s *Source) Questions(ctx context.Context, from Cursor) (*Questions, error) {
	q := &Questions{source: s, chunk: from.Chunk, games: map[int32]game{}}
	_, err := s.take(ctx, from, func(it item) error {
		if it.positions != nil {
			q.games[it.number] = it.game
		}
		return nil
	})
	s.discard()
	return q, err
}

// Numbers returns the numbers of the games that have no answer yet, in order.
func (q *Questions) Numbers(a *Answers) (numbers []int) {
	for _, n := range slices.Sorted(maps.Keys(q.games)) {
		if a.known[n] == nil {
			numbers = append(numbers, int(n))
		}
	}
	return numbers
}

// Len returns the number of games.
func (q *Questions) Len() int { return len(q.games) }

// seedTag is a tag of a game about which an engine is asked: the seed of its drawn positions. Its
// number is in the tag Round.
const seedTag = "Seed"

// Write writes the games in PGN. Games of an engine against itself need no text.
func (q *Questions) Write(w io.Writer) error {
	for _, n := range slices.Sorted(maps.Keys(q.games)) {
		g := q.games[n].read
		if g == nil {
			continue
		}
		p := chess.PGN{Variant: q.source.cfg.Variant, Start: g.start, Moves: g.moves, Result: g.result}
		p.SetTag("Round", strconv.Itoa(int(n)))
		p.SetTag(seedTag, strconv.FormatUint(g.seed, 10))
		if err := chess.WritePGN(w, &p); err != nil {
			return err
		}
	}
	return nil
}

// ReadQuestions reads the games of a chunk that Write wrote.
func (s *Source) ReadQuestions(chunk int, r io.Reader) (*Questions, error) {
	q := &Questions{source: s, chunk: chunk, games: map[int32]game{}}
	pgn := chess.NewPGNReader(r)
	pgn.SetVariant(s.cfg.Variant)
	for {
		p, err := pgn.Next()
		if err == io.EOF {
			return q, nil
		}
		if err != nil {
			return nil, fmt.Errorf("data: games to label: %w", err)
		}
		n, err := strconv.ParseInt(p.Tag("Round"), 10, 32)
		seed, bad := strconv.ParseUint(p.Tag(seedTag), 10, 64)
		if err := errors.Join(err, bad); err != nil {
			return nil, fmt.Errorf("data: games to label: %w", err)
		}
		g := &played{where: fmt.Sprintf("game %d to label", n+1), seed: seed, start: p.Start, moves: p.Moves, result: p.Result}
		q.games[int32(n)] = game{positions: g.positions, read: g}
	}
}

// game returns the game of a number.
func (q *Questions) game(number int) (game, error) {
	s := q.source
	if s.cfg.Kind == Engine && number >= 0 && number < s.cfg.Games {
		return s.selfPlayed((q.chunk-1)*s.cfg.Games + number), nil
	}
	g, ok := q.games[int32(number)]
	if !ok {
		return g, fmt.Errorf("data: chunk %d has no game %d", q.chunk, number)
	}
	return g, nil
}

// Answer answers the questions about games as they come, until todo is closed, in as many goroutines
// as the source has workers. It calls done with each entry for [Answers.Replay]; several
// goroutines may call it at once.
func (q *Questions) Answer(ctx context.Context, todo <-chan int, done func(number int, entry []byte)) error {
	group, ctx := errgroup.WithContext(ctx)
	for range q.source.workers {
		group.Go(func() error {
			w := q.worker()
			for {
				select {
				case <-ctx.Done():
					return context.Cause(ctx)
				case n, more := <-todo:
					if !more {
						return nil
					}
					entry, err := q.answer(ctx, w, n)
					if err != nil {
						return err
					}
					done(n, entry)
				}
			}
		})
	}
	return group.Wait()
}

func (q *Questions) worker() *worker {
	w := q.source.newWorker()
	w.asking = true
	return w
}

func (q *Questions) answer(ctx context.Context, w *worker, number int) ([]byte, error) {
	g, err := q.game(number)
	if err != nil {
		return nil, err
	}
	err = retried(ctx, func() error {
		return w.positions(ctx, g, nil, func(*Position) error { return nil })
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(answered{int32(number), append([]answer{}, w.given...)})
}

// Check refuses an entry that cannot be the answers to the questions about a game: they must be for
// its positions, with legal moves and possible values.
func (q *Questions) Check(ctx context.Context, number int, entry []byte) error {
	g, err := q.game(number)
	if err != nil {
		return err
	}
	var x answered
	switch err := json.Unmarshal(entry, &x); {
	case err != nil:
		return err
	case int(x.Game) != number || x.Answers == nil:
		return fmt.Errorf("data: the answers are for game %d, want game %d", x.Game, number)
	}
	for _, a := range x.Answers {
		if !(math.Abs(float64(a.Value)) <= 1 && a.Draw >= 0 && a.Draw <= 1) {
			return fmt.Errorf("data: game %d: value %v with draw probability %v", number, a.Value, a.Draw)
		}
	}
	w := q.worker()
	if err := w.positions(ctx, g, x.Answers, func(*Position) error { return nil }); err != nil {
		return err
	}
	if n := len(w.known); n > 0 {
		return fmt.Errorf("data: game %d has %d answers too many", number, n)
	}
	return nil
}
