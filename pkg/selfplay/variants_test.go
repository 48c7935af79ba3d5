package selfplay_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/selfplay"
)

// The games of a seed are part of published results: those of settings that
// were there first are pinned.
func TestGamesStayWhatTheyWere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*selfplay.Config)
		want   string
	}{
		"openings":       {func(*selfplay.Config) {}, "fc5fc0e80b6e7a08"},
		"random plies":   {func(c *selfplay.Config) { c.Opening.FENs = nil }, "61e51ee0377d277b"},
		"from the start": {func(c *selfplay.Config) { c.Opening = selfplay.Opening{Share: 1} }, "33256e57d4a34285"},
	} {
		cfg := config()
		c.change(&cfg)
		records := play(t, cfg, 1)
		h := fnv.New64a()
		for _, r := range records {
			fmt.Fprintln(h, r.Number, r.Start, r.Moves, r.Outcome, r.Thrown)
		}
		if have := fmt.Sprintf("%016x", h.Sum64()); have != c.want {
			t.Errorf("%s: the games have become others (%s, not %s)", name, have, c.want)
		}
	}
}

// replay plays a record again: every move is legal, the game continues until its
// end, and the end is what it says.
func replay(t *testing.T, v chess.Variant, r *selfplay.Record) {
	t.Helper()
	p, err := chess.ParseFEN(v, r.Start)
	if err != nil {
		t.Fatal(err)
	}
	g := chess.NewGame(p)
	var l chess.MoveList
	for i, m := range r.Moves {
		g.Position().LegalMoves(&l)
		if o := g.Outcome(&l); o.Over() || !l.Contains(m) {
			t.Fatalf("%s, game %d, ply %d: %s cannot be played (%s)", v, r.Number, i, m, o)
		}
		if n := len(r.Samples[i].Indices); n != l.Len() {
			t.Fatalf("%s, game %d, ply %d: a target of %d moves, %d are legal", v, r.Number, i, n, l.Len())
		}
		g.Play(m)
	}
	g.Position().LegalMoves(&l)
	if o := g.Outcome(&l); o != r.Outcome || !o.Over() {
		t.Fatalf("%s, game %d ended as %s, recorded as %s", v, r.Number, o, r.Outcome)
	}
}

// Every variant is played to its own ends, and the samples tell who won.
func TestVariants(t *testing.T) {
	own := map[chess.Variant]chess.Reason{
		chess.Antichess: chess.PiecesLost, chess.KingOfTheHill: chess.KingInCenter, chess.ThreeCheck: chess.ThreeChecks,
		chess.Horde: chess.HordeDestroyed, chess.RacingKings: chess.RaceFinished, chess.Atomic: chess.KingExploded,
	}
	for _, v := range chess.Variants() {
		c, err := encode.NewCodec("variants31", "uci2206-mover", v)
		if err != nil {
			t.Fatal(err)
		}
		cfg := config()
		cfg.Variant, cfg.Games, cfg.MaxMoves = v, 16, 200
		cfg.Opening.FENs = nil
		cfg.Search.Visits = 12
		reasons := map[chess.Reason]int{}
		err = selfplay.Play(context.Background(), cfg, c, nets(2), func(r *selfplay.Record) {
			replay(t, v, r)
			reasons[r.Outcome.Reason]++
			p, _ := chess.ParseFEN(v, r.Start)
			turn := p.Turn()
			for i, s := range r.Samples {
				want := float32(0)
				switch r.Outcome.Result {
				case chess.Win(turn):
					want = 1
				case chess.Win(turn.Other()):
					want = -1
				}
				if s.Value != want {
					t.Fatalf("%s, game %d, ply %d, %s to move: value %v of %s", v, r.Number, i, turn, s.Value, r.Outcome)
				}
				turn = turn.Other()
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		if reason, ok := own[v]; ok && reasons[reason] == 0 {
			t.Errorf("%s: no game of 16 ended by %s: %v", v, reason, reasons)
		}
	}
}

// Games start where the settings say, each from a position of its own.
func TestStart(t *testing.T) {
	const ending = "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"
	cfg := config()
	cfg.Variant, cfg.MaxMoves, cfg.Games = chess.Standard, 200, 12
	cfg.Opening = selfplay.Opening{Share: 0.5, RandomPlies: 2}
	cfg.Start = []string{chess.AnyChess960}
	starts := map[string]bool{}
	records := play(t, cfg, 2)
	for _, r := range records {
		replay(t, cfg.Variant, r)
		starts[r.Start] = true
	}
	if again := play(t, cfg, 1); !slices.EqualFunc(records, again, func(a, b *selfplay.Record) bool { return a.Start == b.Start && slices.Equal(a.Moves, b.Moves) }) {
		t.Error("the positions drawn depend on the workers")
	}
	if len(starts) != len(records) {
		t.Errorf("%d starts of %d games of chess960", len(starts), len(records))
	}
	cfg.Start, cfg.Opening.RandomPlies = []string{ending}, 0
	records = play(t, cfg, 2)
	for _, r := range records {
		if r.Start != ending {
			t.Errorf("game %d starts from %s", r.Number, r.Start)
		}
	}
	cfg.Start = []string{"nonsense"}
	if err := selfplay.Play(context.Background(), cfg, codec(t, cfg.Variant), nets(1), func(*selfplay.Record) {}); err == nil || !strings.Contains(err.Error(), "start position 1") {
		t.Errorf("a start that is none: %v", err)
	}
}
