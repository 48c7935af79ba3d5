package alamos_test

import (
	"fmt"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/hook/alamos"
)

// A script sees how games of every variant end, and what is not on the board.
func TestVariants(t *testing.T) {
	for _, c := range []struct {
		v      chess.Variant
		start  string
		moves  []string
		ended  string
		pocket string // counts of "P", "pnbrq", and checks left of white and black
	}{
		{chess.Standard, "", []string{"f2f3", "e7e5", "g2g4", "d8h4"}, "checkmate", "0 0 0 0"},
		{chess.Atomic, "", []string{"g1f3", "a7a6", "f3g5", "a6a5", "g5f7"}, "king_exploded", "0 0 0 0"},
		{chess.Antichess, "8/8/8/6p1/8/8/7P/8 w - - 0 1", []string{"h2h4", "g5h4"}, "pieces_lost", "0 0 0 0"},
		{chess.KingOfTheHill, "4k3/8/8/8/8/3K4/8/8 w - - 0 1", []string{"d3d4"}, "king_in_center", "0 0 0 0"},
		{chess.ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", []string{"a1a8"}, "three_checks", "0 0 0 3"},
		{chess.Horde, "4k3/8/8/8/8/8/3r4/3P4 b - - 0 1", []string{"d2d1"}, "horde_destroyed", "0 0 0 0"},
		{chess.RacingKings, "8/7K/8/8/8/8/k7/8 w - - 0 1", []string{"h7h8"}, "race_finished", "0 0 0 0"},
		{chess.Crazyhouse, "6k1/5ppp/8/8/8/8/8/4K3[RPPp] w - - 0 1", []string{"R@a8"}, "checkmate", "2 1 0 0"},
	} {
		start := chess.StartPosition(c.v)
		game := alamos.Game{Variant: c.v.String(), Start: start.FEN(), Moves: c.moves}
		if c.start != "" {
			game.Start = c.start
		}
		all := game.Positions()
		for i, p := range all[:len(all)-1] {
			if how := p.Ended(); how != "" {
				t.Errorf("%s: ended by %s after %d of %d moves", c.v, how, i, len(c.moves))
			}
		}
		last := all[len(all)-1]
		if how := last.Ended(); how != c.ended {
			t.Errorf("%s: ended by %q, want %s", c.v, how, c.ended)
		}
		if have := fmt.Sprint(last.Pocket("P"), last.Pocket("pnbrq"), last.ChecksLeft("white"), last.ChecksLeft("black")); have != c.pocket {
			t.Errorf("%s: in hand and checks left %s, want %s", c.v, have, c.pocket)
		}
	}
}

// A game that cannot be played ends the script with the game's number.
func TestGameThatCannotBePlayed(t *testing.T) {
	start := alamos.StartPosition("chess").FEN()
	for _, g := range []alamos.Game{
		{Number: 7, Variant: "checkers", Start: start},
		{Number: 7, Variant: "chess", Start: "8/8"},
		{Number: 7, Variant: "chess", Start: start, Moves: []string{"e2e5"}},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "game 7") {
					t.Errorf("%+v: panic %q", g, text)
				}
			}()
			g.Positions()
		}()
	}
}
