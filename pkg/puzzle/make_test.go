package puzzle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

func judge(t *testing.T, name string, v chess.Variant) *uci.Client {
	t.Helper()
	c, err := uci.Find(t.Context(), name, v)
	if errors.Is(err, uci.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := uci.Start(t.Context(), c, uci.Timeouts{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if err := e.Prove(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return e
}

// What is made is right, half White's, and the same again from the same seed, whatever
// the engine has searched before.
func TestMake(t *testing.T) {
	for _, c := range []struct {
		engine  string
		variant chess.Variant
		mate    int
		only    bool
	}{{uci.Stockfish, chess.Standard, 2, false}, {uci.Stockfish, chess.Standard, 1, true}, {uci.FairyStockfish, chess.Atomic, 1, false}} {
		t.Run(fmt.Sprintf("%s in %d", c.variant, c.mate), func(t *testing.T) {
			t.Parallel()
			e := judge(t, c.engine, c.variant)
			r := Recipe{Variant: c.variant, Mate: c.mate, Only: c.only, Count: 3, Seed: 7, ID: "made", Play: 200, Judge: 5000}
			told := 0
			first, err := Make(t.Context(), e, r, func(done int) { told = done })
			if err != nil || told != 3 {
				t.Fatalf("reported %d, %v", told, err)
			}
			faults, err := Check(t.Context(), &Set{File: "made", Puzzles: first})
			if err != nil || len(faults) > 0 {
				t.Errorf("%v, %v", faults, err)
			}
			white, ids := 0, []string{}
			for i := range first {
				if first[i].Position.Turn() == chess.White {
					white++
				}
				ids = append(ids, first[i].ID)
			}
			if white != 2 || !slices.Equal(ids, []string{"made.001", "made.002", "made.003"}) {
				t.Errorf("%d of White's, %v", white, ids)
			}
			for i := range first {
				var l chess.MoveList
				first[i].Position.LegalMoves(&l)
				other, err := e.Go(t.Context(), chess.NewGame(first[i].Position), uci.Limit{Depth: 10}, others(&l, first[i].Best)...)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(first[i].Best, other.Move) {
					t.Errorf("%s: %s is no other move", first[i].ID, first[i].Position.SAN(other.Move))
				}
				if c.only && (other.Score.IsMate && other.Score.Mate > 0 || other.Score.CP > 2*OthersMost) {
					t.Errorf("%s: %s wins too, %+v", first[i].ID, first[i].Position.SAN(other.Move), other.Score)
				}
			}
			again, err := Make(t.Context(), e, r, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range again {
				if again[i].String() != first[i].String() {
					t.Errorf("made %s, before %s", again[i].String(), first[i].String())
				}
			}
		})
	}
}

func TestBadRecipes(t *testing.T) {
	good := Recipe{Mate: 1, Count: 1, Play: 1, Judge: 1}
	for want, spoil := range map[string]func(*Recipe){
		"mate in 0: want 1 to 5":     func(r *Recipe) { r.Mate = 0 },
		"mate in 6: want 1 to 5":     func(r *Recipe) { r.Mate = 6 },
		"0 puzzles: want at least 1": func(r *Recipe) { r.Count = 0 },
		"want at least 1":            func(r *Recipe) { r.Judge = 0 },
	} {
		r := good
		spoil(&r)
		if _, err := Make(t.Context(), nil, r, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", r, err, want)
		}
	}
}

// Colors exchanged twice are as before, also with pieces in hand.
func TestExchanged(t *testing.T) {
	for board, want := range map[string]string{
		"rnb1k2r/pp3ppp/2P5/8/8/5N2/PPPP1PPP/R1BQKB1R": "r1bqkb1r/pppp1ppp/5n2/8/8/2p5/PP3PPP/RNB1K2R",
		"4k3/8/8/8/8/8/8/R3K3":                         "r3k3/8/8/8/8/8/8/4K3",
		"4k3/8/8/8/8/8/8/R3K3[QRp]":                    "r3k3/8/8/8/8/8/8/4K3[Pqr]",
		"4k3/8/8/8/8/8/8/R3K3[]":                       "r3k3/8/8/8/8/8/8/4K3[]",
	} {
		if have := exchanged(board); have != want || exchanged(want) != board {
			t.Errorf("%s: %s, want %s; and back %s", board, have, want, exchanged(want))
		}
	}
}
