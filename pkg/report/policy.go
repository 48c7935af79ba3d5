package report

import (
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// Policy is what a network says of all moves that its policy can express, before
// those that are not legal are left out: the softmax over all indices.
type Policy struct {
	Name  string  `json:"name"`
	Size  int     `json:"size"`
	Legal float64 `json:"legal"` // the probability of the legal moves together

	all   []stats.Float // of each index
	moves []string      // of each index in UCI; empty where no piece can make it
}

// AskPolicy asks a network of the current position of g about all moves.
func AskPolicy(g *chess.Game, eval search.Evaluator, policy encode.Policy) (*Policy, error) {
	p := g.Position()
	moves, err := encode.MovesOf(policy, p)
	if err != nil {
		return nil, err
	}
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
		return nil, fmt.Errorf("policy %s: %d moves, %d listed, %d answers", policy.Name(), policy.Size(), len(moves), len(leaf.Priors))
	}
	out := &Policy{Name: policy.Name(), Size: policy.Size(), moves: moves}
	for _, x := range leaf.Priors {
		out.all = append(out.all, stats.Float(x))
	}
	for _, m := range legal.Slice() {
		if i := policy.Index(p, m); i >= 0 {
			out.Legal += float64(leaf.Priors[i])
		}
	}
	return out, nil
}

// PlanesChart shows where moves begin and end: of all that the network's policy can
// express; then, after the mask, of the legal ones; and of these those of each kind
// of piece.
func PlanesChart(p *Policy, a *store.Answer, frame plots.Frame) plots.PolicyPlanes {
	c := plots.PolicyPlanes{Frame: frame, FEN: a.FEN, Columns: 2}
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
