package data

import (
	"context"
	"errors"
	"testing"
)

// The feed of tasks ends when the loop over their results ends.
func TestFeedEndsWithTheLoop(t *testing.T) {
	ended := false
	feed := func(ctx context.Context, put func(func() int) bool) {
		put(func() int { return 1 })
		<-ctx.Done()
		ended = !put(func() int { return 2 })
	}
	for n := range inOrder(t.Context(), 2, feed) {
		if n != 1 {
			t.Errorf("task %d", n)
		}
		break
	}
	if !ended {
		t.Error("the loop did not wait for its feed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range inOrder(ctx, 2, feed) {
		cancel()
	}
}

// Skipping games stops when the context ends.
func TestSkippingStops(t *testing.T) {
	s := open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := s.Seek(ctx, 7, nil); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	far := First
	far.Game = 1e9
	if _, err := s.Chunk(ctx, far, codecOf(t, "mover15", "uci1968-mover"), t.TempDir()+"/x", nil, nil); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Seek(t.Context(), 0, nil); err == nil {
		t.Error("there is a chunk 0")
	}
}
