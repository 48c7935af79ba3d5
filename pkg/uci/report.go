package uci

import (
	"cmp"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Report is where a search stands. Values are from the view of the side to move.
type Report struct {
	Value  float64 // of the position, -1 to 1
	Mate   int     // moves to the end that Value is by force: below 0 where the side to move loses, 0: none is known
	Visits int     // of the root's moves, with those kept from before
	Depth  int     // plies of the longest line
	Time   time.Duration
	Speed  float64 // visits a second
	Full   float64 // share of the memory that the tree may have
	Lines  []Line  // the best first, as many as Settings.MultiPV
	Last   bool    // there is nothing more to search, or the search was ended
}

// Line is what is thought of a move.
type Line struct {
	search.Edge
	Moves []chess.Move // those expected; the first is this one
	Mate  int          // as in Report
}

// lookEvery is how often a best move that is another one is noticed.
const lookEvery = 10 * time.Millisecond

// report tells where the search stands, if it is time to.
func (t *thought) report(last bool) {
	now := time.Now()
	if t.tell == nil || !last && now.Sub(t.looked) < lookEvery {
		return
	}
	t.looked = now
	root := t.tree.Ranked()
	if len(root) == 0 || !last && root[0].Move == t.toldBest && now.Sub(t.told) < t.Every {
		return
	}
	t.told, t.toldBest = now, root[0].Move
	r := &Report{
		Value: t.tree.Value(), Visits: t.tree.Visits(), Depth: t.tree.Depth(), Last: last,
		Mate: mate(t.tree.PV(), t.tree.Value(), t.tree.Exact()),
		Time: now.Sub(t.began), Full: min(1, float64(t.tree.Bytes())/float64(t.cfg.Bytes)),
	}
	r.Speed = float64(r.Visits-t.kept) / max(r.Time, time.Microsecond).Seconds()
	for _, e := range root[:min(len(root), t.MultiPV)] {
		line := t.tree.PVOf(e.Move)
		r.Lines = append(r.Lines, Line{Edge: e, Moves: line, Mate: mate(line, e.Q, e.Exact)})
	}
	t.tell(r)
}

// mate is the number of moves to a result by force at the end of a line, positive
// where the side to move wins; 0: there is none but perhaps a draw.
func mate(line []chess.Move, value float64, exact bool) int {
	if !exact {
		return 0
	}
	return (len(line) + 1) / 2 * cmp.Compare(value, 0)
}
