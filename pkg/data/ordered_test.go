package data

import (
	"context"
	"errors"
	"io"
	"testing"
)

// What feeds the tasks is told when nobody wants them any more.
func TestFeedEndsAtClose(t *testing.T) {
	o := inOrder(t.Context(), 2, func(ctx context.Context, put func(func() int) bool) {
		put(func() int { return 1 })
		<-ctx.Done()
	})
	if n, ok := o.next(t.Context()); n != 1 || !ok {
		t.Errorf("task %d, %v", n, ok)
	}
	o.close() // waits for it
}

// skipper is a file of so many games that calls a function after each skip.
type skipper struct {
	reader
	games, calls int
	each         func()
}

func (s *skipper) skip(n int) error {
	s.calls++
	s.each()
	if s.games -= n; s.games < 0 {
		return io.EOF
	}
	return nil
}

// Millions of games are passed over as far as that is wanted.
func TestSkipGames(t *testing.T) {
	r := &skipper{games: 1000, each: func() {}}
	if err := skipGames(t.Context(), r, 999); err != nil || r.games != 1 {
		t.Errorf("%d games are left of one, error %v", r.games, err)
	}
	if err := skipGames(t.Context(), r, 2); err != io.EOF {
		t.Errorf("past the end: error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	r = &skipper{games: 1e9, each: func() { cancel(stop) }}
	if err := skipGames(ctx, r, 1e8); !errors.Is(err, stop) || r.calls != 1 {
		t.Errorf("after %d calls: error %v", r.calls, err)
	}
}
