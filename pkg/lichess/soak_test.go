package lichess

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"alamos/pkg/bench/testdata/soak"
	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/nn/testdata/small"
	"alamos/pkg/uci"
)

// A bot plays for as long as one wants on a server with faults of all kinds, each game
// with a network that is loaded for it, and holds no more later than earlier.
func TestSoak(t *testing.T) {
	const atOnce = 8
	var played, logged atomic.Int64
	soak.Watch(t, func(ctx context.Context) {
		path := small.Checkpoint(t, 1)
		s, url := newServer(t, true)
		s.worse = true
		cfg := config(url)
		cfg.Policy.AtOnce = 2 * atOnce // games that have ended may still be told apart from those that run
		cfg.Log = slog.New(slog.NewTextHandler(counter{&logged}, nil))
		cfg.Engine = func(chess.Variant) (uci.Searcher, error) {
			model, err := match.Load(path, match.Hardware{Threads: 1, Batch: 8, Precision: "fp32"})
			if err != nil {
				return nil, err
			}
			e := uci.New(model)
			return e, e.Set("Hash", "1")
		}
		running, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- Run(running, running, cfg) }()
		for n := 0; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
			for s.forget(&played) < atOnce {
				id := fmt.Sprintf("game%d", n)
				s.prepare(id, "atomic", "startpos", chess.Color(n%2), 4+n%30)
				s.challenge(id, nil)
				n++
				s.challenge("gone", nil)
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d games, %d bytes of log", played.Load(), logged.Load())
	if played.Load() == 0 {
		t.Error("no game was played to its end")
	}
}

// forget removes the games that are over or whose challenge was lost, counts those that
// were played to an end, and returns the number of the others.
func (s *server) forget(played *atomic.Int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.requests)
	clear(s.declined)
	for id, g := range s.games {
		if lost := g.status == "created" && time.Since(g.since) > 5*time.Second; lost || over(g.status) {
			if g.status == "resign" || g.status == "mate" {
				played.Add(1)
			}
			delete(s.games, id)
		}
	}
	return len(s.games)
}

// counter counts what is written to it.
type counter struct{ bytes *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return len(b), nil
}
