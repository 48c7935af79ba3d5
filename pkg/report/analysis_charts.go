package report

import (
	"math"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/store"
	"alamos/plots"
)

// PolicyChart shows where a network's moves begin and end, and where those of each kind of
// piece do.
func PolicyChart(a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	return plots.PolicyPlanes{Frame: frame, Position: positionOf(a), Planes: append(planes("", a.Moves), piecePlanes(a)...)}
}

// PlanesChart shows where moves begin and end: first all moves that the network's policy
// can express, then the legal ones, then the legal ones of each kind of piece.
func PlanesChart(p *Policy, a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, Position: positionOf(a), Columns: 2}
	all := make([]store.MoveAnswer, len(p.moves))
	for i, uci := range p.moves {
		all[i] = store.MoveAnswer{UCI: uci, Prior: p.all[i]}
	}
	c.Planes = slices.Concat(planes("all moves: ", all), planes("legal moves: ", a.Moves), piecePlanes(a))
	if len(c.Planes) > 4 {
		c.Columns = 4
	}
	return c
}

func positionOf(a *store.Answer) plots.Position {
	return plots.Position{Variant: a.Variant, FEN: a.FEN}
}

// planes returns the total probabilities of moves by their start and target squares. Squares
// without moves are NaN. A drop has no start square.
func planes(title string, moves []store.MoveAnswer) []plots.Plane {
	all := []plots.Plane{{Title: title + "from"}, {Title: title + "to"}}
	for end := range all {
		squares := &all[end].Squares
		for i := range squares {
			squares[i] = math.NaN()
		}
		for _, m := range moves {
			if len(m.UCI) < 4 {
				continue
			}
			i, err := chess.ParseSquare(m.UCI[2*end : 2*end+2])
			if err != nil {
				continue
			}
			if math.IsNaN(squares[i]) {
				squares[i] = 0
			}
			squares[i] += float64(m.Prior)
		}
	}
	return all
}

// piecePlanes returns the target squares of the moves of each kind of piece.
func piecePlanes(a *store.Answer) (all []plots.Plane) {
	for _, piece := range []struct{ letter, name string }{{"P", "pawns "}, {"N", "knights "}, {"B", "bishops "}, {"R", "rooks "}, {"Q", "queens "}, {"K", "kings "}} {
		moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveAnswer) bool { return pieceOf(m.SAN) != piece.letter })
		if len(moves) > 0 {
			all = append(all, planes(piece.name, moves)[1])
		}
	}
	return all
}

// pieceOf returns the piece that moves.
func pieceOf(san string) string {
	switch {
	case strings.HasPrefix(san, "O-O"):
		return "K"
	case san != "" && strings.Contains("NBRQK", san[:1]):
		return san[:1]
	}
	return "P"
}

func TreeChart(a *store.Answer, frame plots.Frame) plots.Tree {
	c := plots.Tree{Frame: frame}
	for _, n := range a.Tree {
		c.Nodes = append(c.Nodes, plots.Node{Parent: max(0, n.Parent), Move: n.Move, Visits: n.Visits, Prior: float64(n.Prior), Q: float64(n.Q)})
	}
	return c
}

// MostArrows is the number of arrows that a board has room for. More would hide the pieces.
const MostArrows = 5

// BoardChart shows a position and at most `most` moves that a search favors.
func BoardChart(a *store.Answer, frame plots.Frame, most int) plots.Board {
	c := plots.Board{Frame: frame, Position: positionOf(a), Weight: plots.Axis{Label: "share of visits", Unit: "%"}}
	moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveAnswer) bool { return m.Visits == 0 })
	for _, m := range moves[:min(len(moves), most)] {
		arrow := plots.Arrow{From: m.UCI[:2], To: m.UCI[2:4], Label: m.SAN, Weight: math.Round(1000*float64(m.Visits)/float64(a.Visits)) / 10, Note: Signed(float64(m.Q))}
		if _, err := chess.ParseSquare(arrow.From); err != nil { // a drop
			arrow.From = ""
		}
		c.Arrows = append(c.Arrows, arrow)
	}
	return c
}
