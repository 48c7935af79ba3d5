package web

import (
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

func TestClockLimits(t *testing.T) {
	minute := clock{limit: time.Minute, increment: time.Second}
	of := minute.of(&[2]time.Duration{30 * time.Second, 0})
	if of.Clock != [2]time.Duration{30 * time.Second, time.Millisecond} || of.Increment != [2]time.Duration{time.Second, time.Second} {
		t.Errorf("%+v", of)
	}
	if none := (&clock{}).of(&[2]time.Duration{}); none != (uci.Limit{}) {
		t.Errorf("without a clock: %+v", none)
	}
}

// The clocks run after the first move of each side, get the increment, stop with the game,
// and are in the file.
func TestClock(t *testing.T) {
	h := open(t, PlayConfig{})
	for _, bad := range []string{`{"minutes": 0, "seconds": 3}`, `{"minutes": 601, "seconds": 0}`, `{"minutes": 5, "seconds": -1}`} {
		if status, v := h.ask("/api/games", `{"variant": "chess", `+people+`, "clock": `+bad+`}`); status != 400 || !strings.Contains(v["error"], "want a clock") {
			t.Errorf("%s: %d %v", bad, status, v)
		}
	}
	game := h.begin(`{"variant": "chess", ` + people + `, "clock": {"minutes": 3, "seconds": 60}}`)
	const all = 180_000
	for ply, m := range []string{"e4", "e5", "Nf3"} {
		if c := h.at(game, ply).Clocks; c.Left != [2]int64{all, all} && ply < 2 || c.Running != (ply >= 2) {
			t.Errorf("ply %d: %+v", ply, c)
		}
		h.must(game+"/move", move(ply, m))
	}
	if c := h.at(game, 3).Clocks; c.Left[0] <= all || c.Left[0] > all+60_000 || c.Left[1] > all || !c.Running {
		t.Errorf("%+v", c)
	}
	f := h.pgn(game)
	if f.Tag("TimeControl") != "180+60" || f.Comment(1) != "[%clk 0:03:00]" || f.Comment(3) <= "[%clk 0:03:00]" || f.Comment(3) > "[%clk 0:04:00]" {
		t.Errorf("%+v %q", f.Tags, f.Comments)
	}
	h.must(game+"/resign", `{}`)
	if c := h.over(game).Clocks; c.Running {
		t.Errorf("the game is over, and the clock runs: %+v", c)
	}
}

// A side without time loses. A move that is taken back, or a game that waits, has its time.
func TestFlag(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `, "clock": {"minutes": 0.05, "seconds": 0}}`)
	h.must(game+"/move", move(0, "e4"))
	h.must(game+"/move", move(1, "e5"))
	know := h.over(game)
	if know.Outcome.Text != "Black wins: White has no time left." || know.Clocks.Left[0] != 0 || know.Clocks.Left[1] != 3000 {
		t.Errorf("%+v %+v", know.Outcome, know.Clocks)
	}
	if status, v := h.ask(game+"/move", move(2, "Nf3")); status != 409 || !strings.Contains(v["error"], "The game is over. Black wins") {
		t.Errorf("%d %v", status, v)
	}
	h.must(game+"/back", `{}`)
	if know := h.at(game, 1); know.Outcome != nil || know.Clocks.Left != [2]int64{3000, 3000} {
		t.Errorf("%+v %+v", know.Outcome, know.Clocks)
	}
}

// A side without time does not lose to one that cannot win.
func TestFlagAgainstABareKing(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", "fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ` + people + `, "clock": {"minutes": 0.05, "seconds": 0}}`)
	h.must(game+"/move", move(0, "e4"))
	h.must(game+"/move", move(1, "Ke7"))
	if know := h.over(game); know.Outcome.Result != "1/2-1/2" || !strings.HasPrefix(know.Outcome.Text, "Draw: one side has no time left") {
		t.Errorf("%+v", know.Outcome)
	}
}

// Engines that would think for longer move within their time.
func TestEnginesKeepTheirTime(t *testing.T) {
	h := open(t, PlayConfig{Pace: time.Hour})
	game := h.begin(`{"variant": "chess", "white": "uniform,visits=10000000", "black": "material,depth=100,movetime=600000", "clock": {"minutes": 0.2, "seconds": 0}}`)
	know := h.watch(game, func(k *heard) bool { return len(k.Positions) > 12 || k.Outcome != nil })
	if know.Outcome != nil && know.Outcome.Reason == chess.TimeForfeit.String() {
		t.Errorf("%+v after %d plies", know.Outcome, len(know.Positions)-1)
	}
	h.must(game+"/pause", `{"paused": true}`)
	if c := h.watch(game, func(k *heard) bool { return k.Paused }).Clocks; c.Running {
		t.Errorf("the game waits, and the clock runs: %+v", c)
	}
	h.must(game+"/seats", `{`+people+`}`)
	h.watch(game, func(k *heard) bool { return k.Clocks.Running || k.Outcome != nil }) // nobody has to end the pause
}
