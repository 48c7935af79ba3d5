package web

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alamos/pkg/bench/testdata/soak"
	"alamos/pkg/match"
	"alamos/pkg/uci/testdata/fake"
)

// Fifty visitors play for as long as one wants: the server answers all of them, and
// holds no more later than earlier.
func TestSoak(t *testing.T) {
	const visitors = 50
	engine, err := match.ParseSpec("uci:" + fake.Engine(t, "well") + ",depth=1")
	if err != nil {
		t.Fatal(err)
	}
	var games, moves atomic.Int64
	soak.Watch(t, func(ctx context.Context) {
		s, err := NewPlay(PlayConfig{Players: []*match.Opened{network(t), {Spec: *engine}}})
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Error(err)
			return
		}
		serving, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- Serve(serving, s, l, slog.New(slog.DiscardHandler)) }()
		var wait sync.WaitGroup
		for i := range visitors {
			wait.Go(func() {
				v := visitor{&house{t, s, "http://" + l.Addr().String()}, rand.New(rand.NewPCG(uint64(i), 1))}
				for ctx.Err() == nil && !t.Failed() {
					moves.Add(int64(v.play(ctx)))
					games.Add(1)
				}
			})
		}
		wait.Wait()
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d games, %d moves of visitors", games.Load(), moves.Load())
}

// visitor is a person at a page, who plays at random.
type visitor struct {
	*house
	chance *rand.Rand
}

func (v *visitor) pick(of ...string) string { return of[v.chance.IntN(len(of))] }

// play plays a game for some moves, and leaves it in one of the ways in which people do.
// It returns the number of moves that the visitor made.
func (v *visitor) play(ctx context.Context) (moves int) {
	opponent := func() string {
		// A tree search without a limit of visits reserves 256 MiB: chance would hide growth.
		return v.pick("random", "player-1,visits=20", "player-1-policy", "player-1-alphabeta,depth=1", "player-2", "material,depth=2", "uniform,visits=50,temperature=1")
	}
	seats := fmt.Sprintf(`"white": "human", "black": %q`, opponent())
	if v.chance.IntN(2) == 0 {
		seats = fmt.Sprintf(`"white": %q, "black": "human"`, opponent())
	}
	game := v.begin(`{"variant": "atomic", ` + seats + `}`)
	ours := func(k *heard) bool {
		ply := len(k.Positions) - 1
		seat := 0
		if k.Positions[ply].Turn == "black" {
			seat = 1
		}
		return k.Outcome != nil || k.Failure != "" || k.Seats[seat] == "human"
	}
	for range 4 + v.chance.IntN(20) {
		know := v.watch(game, ours)
		if know.Failure != "" {
			v.Errorf("%s: %s", game, know.Failure)
		}
		if know.Outcome != nil || ctx.Err() != nil || v.Failed() {
			break
		}
		ply := len(know.Positions) - 1
		switch v.chance.IntN(12) {
		case 0:
			v.ask(game+"/back", `{}`) // refused before the first move
		case 1:
			analyst := v.pick("player-1-alphabeta", "player-2", "material")
			v.must(game+"/analyze", fmt.Sprintf(`{"player": %q, "ply": %d}`, analyst, v.chance.IntN(ply+1)))
			v.watch(game, func(k *heard) bool { return string(k.Analyst) == analyst })
			v.must(game+"/analyze", `{"player": ""}`)
		case 2:
			if status, _ := v.ask(game+"/"+v.pick("move", "seats", "back", "nonsense"), v.pick(`{"ply"`, `[]`, ``, strings.Repeat("x", mostBytes+1), `{"ply": -1, "move": "a1a1"}`)); status/100 != 4 {
				v.Errorf("nonsense: %d", status)
			}
		case 3:
			v.get("/" + v.pick("", "main.js", "api/setup"))
		default:
			v.must(game+"/move", move(ply, know.Legal[v.chance.IntN(len(know.Legal))].UCI))
			moves++
			if v.chance.IntN(8) == 0 {
				v.ask(game+"/hurry", `{}`) // refused when no engine thinks
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(v.chance.IntN(500)) * time.Millisecond):
		}
	}
	v.pgn(game)
	switch v.chance.IntN(4) {
	case 0:
		if status, _ := v.ask(game+"/resign", `{}`); !slices.Contains([]int{http.StatusOK, http.StatusConflict}, status) {
			v.Errorf("resigning: %d", status)
		}
	case 1: // two engines play on until no page shows them
		v.must(game+"/seats", `{"white": "player-1,visits=50", "black": "player-2"}`)
	}
	return moves
}
