package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/uci"
	"alamos/plots"
)

// Analysis is a finished search of a position. Its value is that of the search, or of the
// network without a search.
type Analysis struct {
	Network string `json:"network"`
	Turn    string `json:"turn"` // white or black
	store.PositionResult
	Exact bool `json:"exact"` // the value is a proven result
	// WDL holds the probabilities of a win, a draw and a loss for the side to move, if the
	// network predicts draws; see [search.Tree.WDL].
	WDL     *[3]float64 `json:"wdl,omitempty"`
	Seconds float64     `json:"seconds"`
	// Policy is the network's policy over all moves, or nil if unknown.
	Policy *Policy `json:"policy,omitempty"`

	plain bool // moves have no visits and priors; Visits are evaluated positions
}

// Analyze describes the last report r of a search of p. tree is the search tree, or nil if
// the search has none. The move that the search would play comes first.
func Analyze(p chess.Position, r *uci.Report, tree *search.Tree) *Analysis {
	a := &Analysis{
		PositionResult: store.PositionResult{Variant: p.Variant().Spec(), FEN: p.FEN(), Value: stats.Float(r.Value), Depth: r.Depth},
		Turn:           p.Turn().String(), Exact: r.Exact, WDL: r.WDL, Seconds: r.Time.Seconds(), plain: !r.Tree,
	}
	for i := range r.Lines {
		a.Visits += r.Lines[i].Visits
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		m := moveResult(&p, &l.Edge)
		m.Share, m.WDL, m.Exact = stats.Float(float64(l.Visits)/float64(a.Visits)), l.WDL, l.Exact
		if a.plain {
			m.Prior, m.Q = stats.Float(math.NaN()), stats.Float(l.Q)
		}
		here := p
		for _, next := range l.Moves {
			m.Line = append(m.Line, here.SAN(next))
			here.Play(next)
		}
		a.Moves = append(a.Moves, m)
	}
	if tree != nil && a.Visits > 0 {
		a.Tree = nodes(p, tree, a.Visits)
	}
	if a.plain {
		a.Visits = r.Visits
	}
	return a
}

// First returns the analysis of the first moves without the search tree. 0 means all moves.
func (a *Analysis) First(moves int) *Analysis {
	out := *a
	out.Tree = nil
	if moves > 0 {
		out.Moves = a.Moves[:min(moves, len(a.Moves))]
	}
	return &out
}

// lineMoves is the number of moves of a line in a table.
const lineMoves = 8

// Text writes the first moves as a table for people. 0 means all moves.
func (a *Analysis) Text(w io.Writer, moves int) error {
	head := facts(Row("position", fmt.Sprintf("%s  (%s)", a.FEN, variantName(a.Variant))), Row("network", a.Network))
	of, unit := "by the network alone", "visits"
	if a.plain {
		unit = "positions"
	}
	if a.Visits > 0 || a.plain {
		of = fmt.Sprintf("after %d %s to depth %d", a.Visits, unit, a.Depth)
		if a.Seconds > 0 {
			of += fmt.Sprintf(", in %.2g s", a.Seconds)
		}
	}
	value := signed(float64(a.Value))
	if a.Exact {
		value += " by force"
	}
	head.Rows = append(head.Rows, Row("value", fmt.Sprintf("%s for %s, %s", value, a.Turn, of)))
	if a.WDL != nil {
		head.Rows = append(head.Rows, Row("expected", fmt.Sprintf("%.1f %% win, %.1f %% draw, %.1f %% loss", 100*a.WDL[0], 100*a.WDL[1], 100*a.WDL[2])))
	}
	if p := a.Policy; p != nil {
		head.Rows = append(head.Rows, Row("policy", fmt.Sprintf("%.1f %% of its probability is on the %d legal moves, of %d", 100*p.Legal, len(a.Moves), p.Size)))
	}
	shown := a.First(moves).Moves
	table := a.table(shown)
	if n := len(a.Moves) - len(shown); n > 0 {
		table.Legend = fmt.Sprintf("and %d more moves", n)
	}
	return WriteText(w, false, head, table)
}

// table has a row for each move. Networks that predict draws add a column.
func (a *Analysis) table(moves []store.MoveResult) Table {
	if a.plain {
		return plainTable(moves)
	}
	t := Table{Columns: []Column{number("move", ""), number("visits", ""), number("share", ""), number("prior", ""), number("Q", "")}}
	if a.WDL != nil {
		t.Columns = append(t.Columns, number("draw", ""))
	}
	t.Columns = append(t.Columns, Column{Name: "line"})
	for i := range moves {
		m := &moves[i]
		share, q, draw, line := "", "", "", ""
		if a.Visits > 0 {
			share = fmt.Sprintf("%.1f%%", 100*m.Share)
			line = strings.Join(m.Line[:min(len(m.Line), lineMoves)], " ")
		}
		if m.Visits > 0 {
			q = signed(float64(m.Q))
			if m.Exact {
				q += "!"
			}
		}
		row := Row(m.SAN, strconv.Itoa(m.Visits), share, fmt.Sprintf("%.1f%%", 100*m.Prior), q)
		if m.WDL != nil {
			draw = fmt.Sprintf("%.1f%%", 100*m.WDL[1])
		}
		if a.WDL != nil {
			row = append(row, Cell{Text: draw})
		}
		t.Rows = append(t.Rows, append(row, Cell{Text: line}))
	}
	return t
}

// plainTable has a row for each move of a search without a tree.
func plainTable(moves []store.MoveResult) Table {
	t := Table{Columns: []Column{number("move", ""), number("value", ""), {Name: "line"}}}
	for i := range moves {
		m := &moves[i]
		t.Rows = append(t.Rows, Row(m.SAN, signed(float64(m.Q)), strings.Join(m.Line[:min(len(m.Line), lineMoves)], " ")))
	}
	return t
}

// treeShare is the inverse of the smallest fraction of visits of a kept position. Figures
// have no room for less visited ones.
const treeShare = 500

// Position returns the stored form of a finished search of its root p. Without visits it is
// the network's policy and value.
func Position(p chess.Position, tree *search.Tree, visits int) *store.PositionResult {
	out := &store.PositionResult{Variant: p.Variant().Spec(), FEN: p.FEN(), Value: stats.Float(tree.Value()), Visits: visits, Depth: tree.Depth()}
	for _, e := range tree.Ranked() {
		out.Moves = append(out.Moves, moveResult(&p, &e))
	}
	if visits > 0 {
		out.Tree = nodes(p, tree, visits)
	}
	return out
}

func moveResult(p *chess.Position, e *search.Edge) store.MoveResult {
	m := store.MoveResult{UCI: p.UCI(e.Move), SAN: p.SAN(e.Move), Prior: stats.Float(e.Prior), Visits: e.Visits, Q: stats.Float(e.Q)}
	if e.Visits == 0 {
		m.Q = stats.Float(math.NaN())
	}
	return m
}

// nodes returns the part of the tree with enough visits to be shown.
func nodes(p chess.Position, tree *search.Tree, visits int) []store.TreeNode {
	list := []store.TreeNode{{Parent: -1, Visits: visits, Prior: stats.Float(math.NaN()), Q: stats.Float(-tree.Value())}}
	line := []int{0} // the nodes before the next one
	tree.Walk(func(path []chess.Move, e search.Edge) bool {
		if e.Visits*treeShare < visits {
			return false
		}
		here := p
		for _, m := range path[:len(path)-1] {
			here.Play(m)
		}
		parent := line[len(path)-1]
		line = append(line[:len(path)], len(list))
		list = append(list, store.TreeNode{Parent: parent, Move: here.SAN(e.Move), Visits: e.Visits, Prior: stats.Float(e.Prior), Q: stats.Float(e.Q)})
		return true
	})
	return list
}

// Policy holds the probabilities of all moves that a network's policy can express, before
// illegal moves are masked: the softmax over all indices.
type Policy struct {
	Name  string  `json:"name"`
	Size  int     `json:"size"`
	Legal float64 `json:"legal"` // total probability of the legal moves

	all []store.MoveResult // of each index, with an empty UCI if no piece can make the move
}

// Priors returns the probability of each index.
func (p *Policy) Priors() []stats.Float {
	priors := make([]stats.Float, len(p.all))
	for i := range p.all {
		priors[i] = p.all[i].Prior
	}
	return priors
}

// FullPolicy evaluates the current position of g for all moves of a policy.
func FullPolicy(g *chess.Game, eval search.Evaluator, policy *encode.Policy) (*Policy, error) {
	p := g.Position()
	moves := encode.MovesOf(policy, p)
	var legal chess.MoveList
	p.LegalMoves(&legal)
	var leaf encode.Leaf
	eval.Prepare(&leaf, g, legal.Slice())
	leaf.Indices = leaf.Indices[:0]
	for i := range policy.Size() {
		leaf.Indices = append(leaf.Indices, int32(i))
	}
	if err := eval.Evaluate([]*encode.Leaf{&leaf}); err != nil {
		return nil, err
	}
	if len(leaf.Priors) != policy.Size() || len(moves) != policy.Size() {
		return nil, fmt.Errorf("policy %s: %d moves, %d listed, %d priors", policy.Name(), policy.Size(), len(moves), len(leaf.Priors))
	}
	out := &Policy{Name: policy.Name(), Size: policy.Size()}
	for i, prior := range leaf.Priors {
		out.all = append(out.all, store.MoveResult{UCI: moves[i], Prior: stats.Float(prior)})
	}
	for _, m := range legal.Slice() {
		if i := policy.Index(p, m); i >= 0 {
			out.Legal += float64(leaf.Priors[i])
		}
	}
	return out, nil
}

// PlanesChart shows where moves begin and end: first all moves that the network's policy
// can express, then the legal ones, then the legal ones of each kind of piece.
func PlanesChart(p *Policy, a *store.PositionResult, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, Position: positionOf(a), Columns: 2}
	c.Planes = slices.Concat(planes("all moves: ", p.all), planes("legal moves: ", a.Moves), piecePlanes(a))
	if len(c.Planes) > 4 {
		c.Columns = 4
	}
	return c
}

func positionOf(a *store.PositionResult) plots.Position {
	return plots.Position{Variant: a.Variant, FEN: a.FEN}
}

// planes returns the total probabilities of moves by their start and target squares. Squares
// without moves are NaN. A drop has no start square.
func planes(title string, moves []store.MoveResult) []plots.Plane {
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
func piecePlanes(a *store.PositionResult) (all []plots.Plane) {
	v, err := chess.ParseVariant(a.Variant)
	if err != nil {
		return nil // the analysis has no position of it
	}
	for _, piece := range chess.RulesOf(v).Pieces {
		moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveResult) bool { return pieceOf(m.SAN) != strings.ToUpper(piece.Letter) })
		if len(moves) > 0 {
			all = append(all, planes(piece.Name+"s ", moves)[1])
		}
	}
	return all
}

// pieceOf returns the letter of the piece that moves.
func pieceOf(san string) string {
	switch {
	case strings.HasPrefix(san, "O-O"):
		return "K"
	case san != "" && 'A' <= san[0] && san[0] <= 'Z':
		return san[:1]
	}
	return "P"
}

func TreeChart(a *store.PositionResult, frame plots.Frame) plots.Tree {
	c := plots.Tree{Frame: frame}
	for _, n := range a.Tree {
		q := n.Q
		if n.Parent < 0 { // no side has moved to it in the tree
			q = a.Value
		}
		c.Nodes = append(c.Nodes, plots.Node{Parent: max(0, n.Parent), Move: n.Move, Visits: n.Visits, Prior: float64(n.Prior), Q: float64(q)})
	}
	return c
}

// MostArrows is the number of arrows that a board has room for. More would hide the pieces.
const MostArrows = 5

// BoardChart shows a position and at most `most` moves that a search favors.
func BoardChart(a *store.PositionResult, frame plots.Frame, most int) plots.Board {
	c := plots.Board{Frame: frame, Position: positionOf(a), Weight: plots.Axis{Label: "share of visits", Unit: "%"}}
	moves := slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveResult) bool { return m.Visits == 0 })
	if len(moves) == 0 { // alpha-beta and engines give values of their best moves, and no visits
		c.Weight = plots.Axis{}
		moves = slices.DeleteFunc(slices.Clone(a.Moves), func(m store.MoveResult) bool { return math.IsNaN(float64(m.Q)) })
	}
	for _, m := range moves[:min(len(moves), most)] {
		arrow := plots.Arrow{From: m.UCI[:2], To: m.UCI[2:4], Label: m.SAN, Weight: math.Round(1000*float64(m.Visits)/float64(max(1, a.Visits))) / 10, Note: signed(float64(m.Q))}
		if _, err := chess.ParseSquare(arrow.From); err != nil { // a drop
			arrow.From = ""
		}
		c.Arrows = append(c.Arrows, arrow)
	}
	return c
}

// variantName returns the name of a variant of which a file has the rules or the name.
func variantName(spec string) string {
	v, err := chess.ParseVariant(spec)
	if err != nil {
		return spec
	}
	return v.String()
}
