package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Result is all that a search thinks of a position.
type Result struct {
	Network string `json:"network"`
	Variant string `json:"variant"`
	FEN     string `json:"fen"`
	Turn    string `json:"turn"` // white or black
	// Value is for the side to move, -1 to 1: of the search, or of the network where
	// there was none. Exact: it is the result by force.
	Value stats.Float `json:"value"`
	Exact bool        `json:"exact"`
	// WDL is how likely a win, a draw and a loss are for the side to move, where the
	// network tells draws: see [search.Tree.WDL].
	WDL     *[3]float64 `json:"wdl,omitempty"`
	Visits  int         `json:"visits"` // of the root's moves; 0: there was no search
	Depth   int         `json:"depth"`  // of the longest line
	Seconds float64     `json:"seconds"`
	Moves   []Move      `json:"moves"` // the best first: by visits, or else by prior
	// Policy is what the network says of all moves there are; nil where it has not
	// been asked.
	Policy *Policy `json:"policy,omitempty"`

	answer *store.Answer
}

// Move is what is thought of a move.
type Move struct {
	store.MoveAnswer
	Share stats.Float `json:"share"`         // of the visits, 0 to 1; NaN without any
	WDL   *[3]float64 `json:"wdl,omitempty"` // as the Result's, after this move; only with visits
	Exact bool        `json:"exact"`         // Q is the result by force
	Line  []string    `json:"line"`          // the moves expected, in SAN; the first is this one
}

// Of is what a finished search thinks of its root p, with the move first that it would
// play.
func Of(p chess.Position, tree *search.Tree, spent time.Duration) *Result {
	r := &Result{
		Variant: p.Variant().String(), FEN: p.FEN(), Turn: p.Turn().String(),
		Value: stats.Float(tree.Value()), Exact: tree.Exact(), Depth: tree.Depth(), Seconds: spent.Seconds(),
	}
	if wdl, ok := tree.WDL(); ok {
		r.WDL = &wdl
	}
	root := tree.Ranked()
	for i := range root {
		r.Visits += root[i].Visits
	}
	for i := range root {
		e := &root[i]
		m := Move{MoveAnswer: moveAnswer(&p, e), Share: stats.Float(float64(e.Visits) / float64(r.Visits)), Exact: e.Exact}
		if wdl, ok := tree.WDLOf(e.Move); ok {
			m.WDL = &wdl
		}
		here := p
		for _, next := range tree.PVOf(e.Move) {
			m.Line = append(m.Line, here.SAN(next))
			here.Play(next)
		}
		r.Moves = append(r.Moves, m)
	}
	r.answer = Answer(p, tree, r.Visits)
	return r
}

// Answer is the short form, of all moves, from which charts are made.
func (r *Result) Answer() *store.Answer { return r.answer }

// JSON writes the first so many moves, 0: all, for programs.
func (r *Result) JSON(w io.Writer, moves int) error {
	out := *r
	out.Moves = r.first(moves)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&out)
}

func (r *Result) first(moves int) []Move {
	if moves == 0 || moves > len(r.Moves) {
		return r.Moves
	}
	return r.Moves[:moves]
}

// lineMoves is how many moves of a line a table shows.
const lineMoves = 8

// Text writes the first so many moves, 0: all, as a table for people.
func (r *Result) Text(w io.Writer, moves int) error {
	fmt.Fprintf(w, "position  %s  (%s)\n", r.FEN, r.Variant)
	fmt.Fprintf(w, "network   %s\n", r.Network)
	of := "by the network alone"
	if r.Visits > 0 {
		of = fmt.Sprintf("after %d visits to depth %d", r.Visits, r.Depth)
		if r.Seconds > 0 {
			of += fmt.Sprintf(", in %.2g s", r.Seconds)
		}
	}
	value := Signed(r.Value)
	if r.Exact {
		value += " by force"
	}
	fmt.Fprintf(w, "value     %s for %s, %s\n", value, r.Turn, of)
	if r.WDL != nil {
		fmt.Fprintf(w, "expected  %.1f %% win, %.1f %% draw, %.1f %% loss\n", 100*r.WDL[0], 100*r.WDL[1], 100*r.WDL[2])
	}
	if p := r.Policy; p != nil {
		fmt.Fprintf(w, "policy    %.1f %% of its probability is on the %d legal moves, of %d\n", 100*p.Legal, len(r.Moves), p.Size)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	column := "" // only of networks that tell draws
	if r.WDL != nil {
		column = "draw\t"
	}
	fmt.Fprintln(t, "move\tvisits\tshare\tprior\tQ\t"+column+"  line")
	shown := r.first(moves)
	for i := range shown {
		m := &shown[i]
		share, q, draw := "", "", ""
		switch {
		case m.WDL != nil:
			draw = fmt.Sprintf("%.1f%%\t", 100*m.WDL[1])
		case r.WDL != nil:
			draw = "\t"
		}
		if r.Visits > 0 {
			share = fmt.Sprintf("%.1f%%", 100*m.Share)
		}
		if m.Visits > 0 {
			if q = Signed(m.Q); m.Exact {
				q += "!"
			}
		}
		line := ""
		if r.Visits > 0 {
			line = strings.Join(m.Line[:min(len(m.Line), lineMoves)], " ")
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%.1f%%\t%s\t%s  %s\n", m.SAN, m.Visits, share, 100*m.Prior, q, draw, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := len(r.Moves) - len(shown); n > 0 {
		_, err := fmt.Fprintf(w, "and %d more moves\n", n)
		return err
	}
	return nil
}
