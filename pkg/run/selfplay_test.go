package run

import (
	"math"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/selfplay"
)

// Games and positions are counted once, and only the roots with a full search are measured.
func TestGameMeasures(t *testing.T) {
	game := func(result chess.Result, uci ...string) (*match.Game, *selfplay.Record) {
		g := &match.Game{Start: chess.StartPosition(chess.Standard), Outcome: chess.Outcome{Result: result}}
		r := &selfplay.Record{}
		at := g.Start
		for _, text := range uci {
			m, err := at.ParseUCI(text)
			if err != nil {
				t.Fatal(err)
			}
			g.Moves = append(g.Moves, m)
			r.RootValues = append(r.RootValues, 0.5)
			at.Play(m)
		}
		r.Roots = []selfplay.Root{{Ply: len(uci) - 1, KL: 1, PriorEntropy: 3, TargetEntropy: 2}}
		return g, r
	}
	var m gameMeasures
	add := func(known bool, result chess.Result, uci ...string) {
		g, r := game(result, uci...)
		m.add(g, r, known)
	}
	add(true, chess.WhiteWins, "e2e4", "e7e5")         // the root is Black's, who loses
	add(true, chess.WhiteWins, "e2e4", "e7e5")         // the same game
	add(true, chess.BlackWins, "e2e4", "e7e6")         // another last move
	add(false, chess.Draw, "d2d4", "d7d5", "g1f3")     // no result
	add(true, chess.WhiteWins, "g1f3", "d7d5", "d2d4") // transposes, but is another game
	if games, positions := distinct(m.games), distinct(m.positions); games != 4 || positions != 1+1+2+2 {
		t.Errorf("%d games, %d positions", games, positions)
	}
	r := m.roots.Roots()
	want := (1.5*1.5*2 + 0.5*0.5*2) / 4
	if r.Positions != 5 || r.KL != 1 || r.PriorEntropy != 3 || r.TargetEntropy != 2 || math.Abs(float64(r.ValueError)-want) > 1e-12 {
		t.Errorf("%+v, want a value error of %v", r, want)
	}
	if len(r.Calibration) != 1 || r.Calibration[0].Positions != 4 || r.Calibration[0].Result != 0 {
		t.Errorf("bins %+v", r.Calibration)
	}
}
