package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

type move = chess.Move

// reportEvery is how often the user hears of a search that has nothing new.
const reportEvery = time.Second

// lookEvery is how often a best move that is another one is noticed.
const lookEvery = 10 * time.Millisecond

// report tells the user where the search stands, when the best move is another one,
// when a second has gone by, and at the end.
func (t *thought) report(last bool) {
	now := time.Now()
	if !last && now.Sub(t.looked) < lookEvery {
		return
	}
	t.looked = now
	root := t.tree.Root()
	if len(root) == 0 {
		return
	}
	ranked(root)
	if !last && root[0].Move == t.toldBest && now.Sub(t.told) < reportEvery {
		return
	}
	t.told, t.toldBest = now, root[0].Move
	spent := now.Sub(t.began)
	visits := t.tree.Visits()
	common := uci.Info{
		SelDepth: t.tree.Depth(), Nodes: int64(visits), Time: spent,
		HashFull: int(min(1000, int64(t.tree.Bytes())*1000/(int64(t.settings.hash)<<20))),
	}
	if spent > 0 {
		common.NPS = int64(float64(visits-t.kept) / spent.Seconds())
	}
	for i, e := range root[:min(len(root), t.settings.multiPV)] {
		if i > 0 && e.Visits == 0 {
			break
		}
		in, line := common, t.tree.PVOf(e.Move)
		in.Depth = len(line)
		if t.settings.multiPV > 1 {
			in.MultiPV = i + 1
		}
		in.Score = t.score(&e, line)
		p := t.at
		for _, m := range line {
			text := p.UCI(m)
			if t.task.Chess960 && m.IsCastle() {
				text = m.String() // the king takes its rook
			}
			in.PV = append(in.PV, text)
			p.Play(m)
		}
		t.tell(in)
	}
}

// ranked sorts moves, the best first: by visits, then by prior.
func ranked(root []search.Edge) {
	slices.SortStableFunc(root, func(a, b search.Edge) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Prior, a.Prior))
	})
}

// score is what the search thinks of a move. The network tells an expected result
// and no draws: wins and losses are its only mixture without them.
func (t *thought) score(e *search.Edge, line []move) *uci.Score {
	value := e.Q
	if e.Visits == 0 {
		value = t.tree.Value()
	}
	s := uci.ScoreOf(value)
	if n, ok := t.mate(line, value, e.Exact); ok {
		s = uci.Score{IsMate: true, Mate: n}
	}
	if t.settings.showWDL {
		win := int(math.Round(500 * (1 + value)))
		s.WDL = &[3]int{win, 0, 1000 - win}
		if e.Exact && value == 0 {
			s.WDL = &[3]int{0, 1000, 0}
		}
	}
	return &s
}
