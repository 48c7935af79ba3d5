package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// PolicyChart shows where the moves begin and end that a network would play, and
// those of each kind of piece.
func PolicyChart(a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, FEN: a.FEN}
	from, to := blank("from"), blank("to")
	for _, m := range a.Moves {
		addMove(&from, &to, m.UCI, m.Prior)
	}
	c.Planes = append([]plots.Plane{from, to}, piecePlanes(a)...)
	return c
}

// piecePlanes are where the moves of each kind of piece end.
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

// blank is a plane without numbers.
func blank(title string) plots.Plane {
	p := plots.Plane{Title: title}
	for i := range p.Squares {
		p.Squares[i] = math.NaN()
	}
	return p
}

// addMove adds the probability of a move, in UCI, to the squares where it begins and
// ends. A piece from the hand comes from nowhere.
func addMove(from, to *plots.Plane, move string, x stats.Float) {
	add := func(p *plots.Plane, square string) {
		i, ok := squareOf(square)
		if p == nil || !ok {
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

// squareOf is the index of a square, a1, b1, ..., h8.
func squareOf(s string) (int, bool) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return 0, false
	}
	return int(s[0]-'a') + 8*int(s[1]-'1'), true
}

var pieceNames = map[byte]string{'P': "pawns", 'N': "knights", 'B': "bishops", 'R': "rooks", 'Q': "queens", 'K': "kings"}

// pieceOf is the piece that moves.
func pieceOf(m store.MoveAnswer) byte {
	switch {
	case strings.HasPrefix(m.SAN, "O-O"):
		return 'K'
	case m.SAN != "" && strings.IndexByte("NBRQK", m.SAN[0]) >= 0:
		return m.SAN[0]
	}
	return 'P'
}

// TreeChart shows what a search has looked at.
func TreeChart(a *store.Answer, frame plots.Frame) plots.Tree {
	c := plots.Tree{Frame: frame}
	for _, n := range a.Tree {
		c.Nodes = append(c.Nodes, plots.Node{Parent: max(0, n.Parent), Move: n.Move, Visits: n.Visits, Prior: float64(n.Prior), Q: float64(n.Q)})
	}
	return c
}

// MostArrows is how many moves a board shows well: more hide the pieces.
const MostArrows = 5

// BoardChart shows a position and the moves that a search favors, at most so many.
func BoardChart(a *store.Answer, frame plots.Frame, most int) plots.Board {
	c := plots.Board{Frame: frame, FEN: a.FEN, Weight: plots.Axis{Label: "share of visits", Unit: "%"}}
	moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveAnswer) bool { return m.Visits == 0 })
	for _, m := range moves[:min(len(moves), most)] {
		arrow := plots.Arrow{From: m.UCI[:2], To: m.UCI[2:4], Label: m.SAN, Weight: math.Round(1000*float64(m.Visits)/float64(a.Visits)) / 10, Note: Signed(m.Q)}
		if _, onBoard := squareOf(arrow.From); !onBoard {
			arrow.From = ""
		}
		c.Arrows = append(c.Arrows, arrow)
	}
	return c
}

// Signed writes a value between -1 and 1 with its sign.
func Signed(x stats.Float) string {
	if math.IsNaN(float64(x)) {
		return "unknown"
	}
	s := strconv.FormatFloat(float64(x), 'f', 2, 64)
	if s == "-0.00" {
		s = "0.00"
	}
	if x > 0 && s != "0.00" {
		s = "+" + s
	}
	return strings.Replace(s, "-", "−", 1)
}
