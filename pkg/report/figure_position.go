package report

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
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
	return &drawing{PolicyChart(a, q.frame), fmt.Sprintf("Policy %s, before any search: the probability that a move begins or ends on a square, of all moves and of those of each kind of piece. The network's value is %s for the side to move.", of, Signed(float64(a.Value)))}
}

// drawTree shows what a search has looked at.
func drawTree(q *request, a *store.Answer, of string) *drawing {
	return &drawing{TreeChart(a, q.frame), fmt.Sprintf("Search tree %s after %s, the most visited positions; the value of each is for the side that moved there. From %s.", of, english.Plural(a.Visits, "visit", ""), a.FEN)}
}

// drawBoard shows a position and the moves that a search favors.
func drawBoard(q *request, a *store.Answer, of string) *drawing {
	return &drawing{BoardChart(a, q.frame, MostArrows), fmt.Sprintf("Favorite moves %s after %s, with their share of the visits and their value for the side to move.", of, english.Plural(a.Visits, "visit", ""))}
}
