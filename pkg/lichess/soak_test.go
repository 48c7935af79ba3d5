package lichess

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"alamos/pkg/bench/testdata/soak"
	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/uci"
)

// A bot plays for as long as one wants on a server with faults of all kinds, each game
// with a network that is loaded for it, and holds no more later than earlier.
func TestSoak(t *testing.T) {
	const atOnce = 8
	var played, logged atomic.Int64
	soak.Watch(t, func(ctx context.Context) {
		path := checkpoint(t)
		s, url := newServer(t, true)
		s.worse = true
		cfg := config(url)
		cfg.Policy.AtOnce = 2 * atOnce // games that have ended may still be told apart from those that run
		cfg.Log = slog.New(slog.NewTextHandler(counter{&logged}, nil))
		cfg.Engine = func(chess.Variant) (uci.Searcher, error) {
			model, err := uci.Load(path, uci.Hardware{Threads: 1, Batch: 8, Precision: "fp32"})
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

// checkpoint writes a small network for atomic chess.
func checkpoint(t *testing.T) string {
	t.Helper()
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(nn.Spec{
		Planes: codec.Planes.Count(), Constant: codec.Planes.Constant(), PolicySize: codec.Policy.Size(), Depth: 1, Width: 8,
		PolicyHead: nn.PolicyConv, PolicyChannels: 2,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := nn.Checkpoint{Header: nn.Header{Spec: net.Spec(), Input: "atomic16", Policy: "uci1968", Variant: "atomic"}}
	if c.Network, err = net.State(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gen-0001.safetensors")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}
