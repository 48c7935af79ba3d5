package run

import (
	"alamos/pkg/match"
	"alamos/pkg/store"
)

// result is the result of a match as the store has it.
func (m *Match) result(res *match.Results, ratings *match.Ratings, anchor string) (*store.Tournament, error) {
	out := &store.Tournament{Anchor: anchor, FirstMove: ratings.Advantage}
	for i, st := range res.Standings() {
		p := store.PlayerResult{Generation: m.Players[i].generation(), Standing: st}
		if p.Generation > 0 {
			var err error
			if p.Samples, err = m.owner(&m.Players[i]).SamplesUntil(p.Generation); err != nil {
				return nil, err
			}
		}
		p.Elo = ratings.List[i].Elo
		out.Players = append(out.Players, p)
		n := len(res.Names())
		cross, white := make([]match.Record, n), make([]match.Record, n)
		for j := range n {
			if j != i {
				cross[j], white[j] = res.Against(i, j), res.AsWhite(i, j)
			}
		}
		out.Cross, out.White = append(out.Cross, cross), append(out.White, white)
	}
	return out, nil
}
