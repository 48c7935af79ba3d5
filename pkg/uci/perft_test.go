package uci

import (
	"context"
	"errors"
	"testing"
	"time"

	"alamos/pkg/chess"
)

func TestPerft(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, fake(t, "well"), Timeouts{})
	for depth, want := range []uint64{1: 14, 2: 191, 3: 2812} {
		if depth == 0 {
			continue
		}
		if have, err := e.Perft(t.Context(), &p, depth); err != nil || have != want {
			t.Errorf("depth %d: %d, %v, want %d", depth, have, err, want)
		}
	}
	e = start(t, fake(t, "no-perft"), Timeouts{})
	_, err = e.Perft(t.Context(), &p, 3)
	wantFault(t, err, ErrProtocol, "no-perft", "go perft 3")
}

// A count that nobody awaits ends with its engine.
func TestPerftInterrupted(t *testing.T) {
	p := chess.StartPosition(chess.Standard)
	e := start(t, fake(t, "hang"), Timeouts{Search: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Perft(ctx, &p, 9); err != context.DeadlineExceeded {
		t.Errorf("have error %v", err)
	}
	if _, err := e.Perft(t.Context(), &p, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}
