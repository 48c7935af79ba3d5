package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	for word, draw := range map[string]func(*request, *store.Answer, string) *drawing{"policy": drawPolicy, "tree": drawTree, "board": drawBoard} {
		register(word, kind{over: eachTrial, reads: always(fromTournament), name: positionName, draw: answered(draw)})
	}
}

func positionName(f *experiment.Figure) string {
	if f.Generation == nil {
		return f.Kind
	}
	return f.Kind + "-" + store.CheckpointName(*f.Generation)
}

// answered draws what a run has computed of a position; of says in a caption whose
// answer it is.
func answered(draw func(q *request, a *store.Answer, of string) *drawing) func(*request) (*drawing, error) {
	return func(q *request) (*drawing, error) {
		t := q.only()
		question, _ := t.Question(q.Figure)
		a, err := t.Answer(question)
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, nothing("the run has not asked " + store.CheckpointName(question.Generation) + " about the position yet: alamos run does")
		}
		of := "of " + store.CheckpointName(question.Generation)
		if question.Generation == 0 {
			of = "of the untrained network"
		}
		return draw(q, a, of), nil
	}
}

// drawPolicy shows where the moves begin and end that a network would play, and
// those of each kind of piece.
func drawPolicy(q *request, a *store.Answer, of string) *drawing {
	c := plots.PolicyPlanes{Frame: q.frame, FEN: a.FEN}
	from, to := blank("from"), blank("to")
	pieces := map[byte]*plots.Plane{}
	for _, m := range a.Moves {
		if i, ok := squareOf(m.UCI[:2]); ok { // a piece from the hand comes from nowhere
			add(&from, i, m.Prior)
		}
		i, ok := squareOf(m.UCI[2:min(4, len(m.UCI))])
		if !ok {
			continue
		}
		add(&to, i, m.Prior)
		p := pieceOf(m)
		if pieces[p] == nil {
			plane := blank(pieceNames[p] + " to")
			pieces[p] = &plane
		}
		add(pieces[p], i, m.Prior)
	}
	c.Planes = []plots.Plane{from, to}
	for _, p := range []byte("PNBRQK") {
		if pieces[p] != nil {
			c.Planes = append(c.Planes, *pieces[p])
		}
	}
	return &drawing{c, fmt.Sprintf("Policy %s, before any search: the probability that a move begins or ends on a square, of all moves and of those of each kind of piece. The network's value is %s for the side to move.", of, signed(a.Value))}
}

// blank is a plane without numbers.
func blank(title string) plots.Plane {
	p := plots.Plane{Title: title}
	for i := range p.Squares {
		p.Squares[i] = math.NaN()
	}
	return p
}

func add(p *plots.Plane, square int, x store.Float) {
	if math.IsNaN(p.Squares[square]) {
		p.Squares[square] = 0
	}
	p.Squares[square] += float64(x)
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
	case strings.IndexByte("NBRQK", m.SAN[0]) >= 0:
		return m.SAN[0]
	}
	return 'P'
}

// drawTree shows what a search has looked at.
func drawTree(q *request, a *store.Answer, of string) *drawing {
	c := plots.Tree{Frame: q.frame}
	for _, n := range a.Tree {
		c.Nodes = append(c.Nodes, plots.Node{Parent: max(0, n.Parent), Move: n.Move, Visits: n.Visits, Prior: float64(n.Prior), Q: float64(n.Q)})
	}
	return &drawing{c, fmt.Sprintf("Search tree %s after %s, the most visited positions; the value of each is for the side that moved there. From %s.", of, plural(a.Visits, "visit"), a.FEN)}
}

// mostArrows is how many moves a board shows: more hide the pieces.
const mostArrows = 5

// drawBoard shows a position and the moves that a search favors.
func drawBoard(q *request, a *store.Answer, of string) *drawing {
	c := plots.Board{Frame: q.frame, FEN: a.FEN, Weight: plots.Axis{Label: "share of visits", Unit: "%"}}
	moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveAnswer) bool { return m.Visits == 0 })
	for _, m := range moves[:min(len(moves), mostArrows)] {
		arrow := plots.Arrow{From: m.UCI[:2], To: m.UCI[2:4], Label: m.SAN, Weight: math.Round(1000*float64(m.Visits)/float64(a.Visits)) / 10, Note: signed(m.Q)}
		if _, onBoard := squareOf(arrow.From); !onBoard {
			arrow.From = ""
		}
		c.Arrows = append(c.Arrows, arrow)
	}
	return &drawing{c, fmt.Sprintf("Favorite moves %s after %s, with their share of the visits and their value for the side to move.", of, plural(a.Visits, "visit"))}
}

// signed is a value between -1 and 1.
func signed(x store.Float) string {
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
