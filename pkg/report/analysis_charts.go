package report

import (
	"math"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// PolicyChart shows where a network's moves begin and end, and where those of each kind of
// piece do.
func PolicyChart(a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, Position: positionOf(a)}
	from, to := blank("from"), blank("to")
	for _, m := range a.Moves {
		addMove(&from, &to, m.UCI, m.Prior)
	}
	c.Planes = append([]plots.Plane{from, to}, piecePlanes(a)...)
	return c
}

func positionOf(a *store.Answer) plots.Position {
	return plots.Position{Variant: a.Variant, FEN: a.FEN}
}

// piecePlanes returns the target squares of the moves of each kind of piece.
func piecePlanes(a *store.Answer) []plots.Plane {
	pieces := map[byte]*plots.Plane{}
	for _, m := range a.Moves {
		p := pieceOf(m)
		if pieces[p] == nil {
			plane := blank(pieceNames[p] + " to")
			pieces[p] = &plane
		}
		addMove(nil, pieces[p], m.UCI, m.Prior)
	}
	var planes []plots.Plane
	for _, p := range []byte("PNBRQK") {
		if pieces[p] != nil {
			planes = append(planes, *pieces[p])
		}
	}
	return planes
}

// blank returns a plane without numbers.
func blank(title string) plots.Plane {
	p := plots.Plane{Title: title}
	for i := range p.Squares {
		p.Squares[i] = math.NaN()
	}
	return p
}

// addMove adds the probability of a move, in UCI, to its start and target squares. A drop
// has no start square.
func addMove(from, to *plots.Plane, move string, x stats.Float) {
	add := func(p *plots.Plane, square string) {
		i, err := chess.ParseSquare(square)
		if p == nil || err != nil {
			return
		}
		if math.IsNaN(p.Squares[i]) {
			p.Squares[i] = 0
		}
		p.Squares[i] += float64(x)
	}
	if len(move) >= 4 {
		add(from, move[:2])
		add(to, move[2:4])
	}
}

var pieceNames = map[byte]string{'P': "pawns", 'N': "knights", 'B': "bishops", 'R': "rooks", 'Q': "queens", 'K': "kings"}

// pieceOf returns the piece that moves.
func pieceOf(m store.MoveAnswer) byte {
	switch {
	case strings.HasPrefix(m.SAN, "O-O"):
		return 'K'
	case m.SAN != "" && strings.IndexByte("NBRQK", m.SAN[0]) >= 0:
		return m.SAN[0]
	}
	return 'P'
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

// PlanesChart shows where moves begin and end: first all moves that the network's policy
// can express, then the legal ones, then the legal ones of each kind of piece.
func PlanesChart(p *Policy, a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, Position: positionOf(a), Columns: 2}
	from, to := blank("all moves: from"), blank("all moves: to")
	for i, m := range p.moves {
		addMove(&from, &to, m, p.all[i])
	}
	legalFrom, legalTo := blank("legal moves: from"), blank("legal moves: to")
	for _, m := range a.Moves {
		addMove(&legalFrom, &legalTo, m.UCI, m.Prior)
	}
	c.Planes = append([]plots.Plane{from, to, legalFrom, legalTo}, piecePlanes(a)...)
	if len(c.Planes) > 4 {
		c.Columns = 4
	}
	return c
}
