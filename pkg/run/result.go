package run

import (
	"math"

	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// result is the result of a match as the store has it.
func (m *Match) result(res *match.Results, ratings *match.Ratings, anchor string) (*store.Tournament, error) {
	out := &store.Tournament{Anchor: anchor, FirstMove: &store.Advantage{
		Elo: stats.Float(ratings.Advantage), Low: stats.Float(ratings.AdvantageLower), High: stats.Float(ratings.AdvantageUpper),
	}}
	for i, st := range res.Standings() {
		p := store.PlayerResult{Generation: m.Players[i].generation, ArenaStanding: st}
		if p.Generation > 0 {
			var err error
			if p.Samples, err = m.owner(&m.Players[i]).SamplesUntil(p.Generation); err != nil {
				return nil, err
			}
		}
		nan := stats.Float(math.NaN())
		p.Elo, p.EloLow, p.EloHigh = nan, nan, nan
		if r := ratings.List[i]; r.Rated {
			p.Elo, p.EloLow, p.EloHigh = stats.Float(r.Elo), stats.Float(r.Lower), stats.Float(r.Upper)
		}
		out.Players = append(out.Players, p)
		n := len(res.Names())
		cross, white := make([]match.ArenaRecord, n), make([]match.ArenaRecord, n)
		for j := range n {
			if j != i {
				cross[j], white[j] = res.Against(i, j), res.AsWhite(i, j)
			}
		}
		out.Cross, out.White = append(out.Cross, cross), append(out.White, white)
	}
	return out, nil
}
