package diff

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

const (
	// leastInformative is the minimum number of openings with different results from which
	// paired games give a reliable estimate of chance.
	leastInformative = 10
	// mostBlocks is the maximum number of blocks of openings. The jackknife rates all games
	// without each block in turn.
	mostBlocks = 200

	pairedGames   = "paired games" // a [Metric.Test]
	separateGames = "games"        // another
)

// strength compares the last networks of two groups in their tournaments.
func (o Options) strength(a, b []*played) (out []Metric) {
	if m, ok := o.elo(a, b); ok {
		out = append(out, m)
	}
	all := slices.Concat(a, b)
	shared := common(all)
	if len(shared) > 1 {
		out = append(out, o.score("score against all of these", a, b, shared, true))
	}
	for _, name := range shared {
		out = append(out, o.score("score against "+name, a, b, []string{name}, true))
	}
	// The untrained network differs between trials with other seeds or shapes, but the
	// score against it is still useful.
	own := store.CheckpointName(0)
	missing := func(p *played) bool { return p.against(own).Games() == 0 }
	if !slices.Contains(shared, own) && !slices.ContainsFunc(all, missing) {
		out = append(out, o.score("score against "+own, a, b, []string{own}, false))
	}
	return out
}

// elo compares the ratings of the last networks, each in its whole tournament. Rating 0 is a
// common opponent if there is one, otherwise each trial's own anchor. One network on each side
// is compared by paired games if there are enough. ok is false if the ratings have no common
// zero.
func (o Options) elo(a, b []*played) (m Metric, ok bool) {
	m = Metric{Name: "elo", Better: stats.Higher}
	all := slices.Concat(a, b)
	anchor, basis := all[0].Anchor, ""
	shared := common(all)
	switch {
	case len(shared) > 0:
		anchor = anchorOf(shared)
		basis = anchor + " is 0"
	case anchor == "" || slices.ContainsFunc(all, func(p *played) bool { return p.Anchor != anchor }):
		return m, false
	default:
		basis = "each in its own tournament, where its own " + anchor + " is 0"
	}
	elos, games := make([]stats.Interval, len(all)), make([]int, len(all))
	for i, p := range all {
		r := rate(&p.Games, p.subject, anchor)
		elos[i], games[i] = r.Elo, r.Games()
	}
	if len(all) == 2 {
		m.A, m.B, m.N = elos[0], elos[1], [2]int(games)
		m.Basis = fmt.Sprintf("%d and %d games, %s", games[0], games[1], basis)
		if d, openings := pairedElo(a[0], b[0], shared, anchor); openings > 0 {
			m.Test, m.Basis = pairedGames, fmt.Sprintf("%s, jackknife by opening (%d)", m.Basis, openings)
			return m.measured(d), true
		}
		m.Test = separateGames
		return m.measured(stats.Apart(elos[0], elos[1])), true
	}
	values := make([]float64, len(all))
	for i, e := range elos {
		values[i] = e.Value
	}
	m = o.seeds(m, values[:len(a)], values[len(a):])
	m.Basis += ", " + basis
	return m, true
}

// anchorOf returns the opponent with the rating 0.
func anchorOf(opponents []string) string {
	for _, name := range []string{store.CheckpointName(0), match.Random} {
		if slices.Contains(opponents, name) {
			return name
		}
	}
	return opponents[0]
}

// rate rates a player of a tournament. Its Elo is unknown if games do not connect it to the
// anchor.
func rate(r *match.Results, player int, anchor string) match.Rating {
	ratings, err := match.Rate(r, anchor)
	if err != nil {
		return match.Rating{Elo: stats.Unknown()}
	}
	return ratings.List[player]
}

// pairedElo returns the difference of the ratings of two networks that played the same openings
// against common opponents. The effect of an opening that both played is no error of the
// difference, so its interval is that of the jackknife over openings. openings is their
// number, 0 if there are too few.
func pairedElo(a, b *played, shared []string, anchor string) (d stats.Difference, openings int) {
	gains, games := openingsOf(a, b, shared)
	if games != a.against(shared...).Games() || games != b.against(shared...).Games() || informative(gains) < leastInformative {
		return d, 0
	}
	for _, g := range slices.Concat(a.games, b.games) {
		openings = max(openings, g.Number/2+1)
	}
	blocks := min(mostBlocks, openings)
	without := func(block int) float64 {
		var elos [2]float64
		for i, p := range []*played{a, b} {
			res, err := match.ResultsOf(p.Games.Names, slices.DeleteFunc(slices.Clone(p.games), func(g *match.Game) bool { return g.Number/2%blocks == block }))
			if err != nil {
				return math.NaN()
			}
			elos[i] = rate(res, p.subject, anchor).Elo.Value
		}
		return elos[1] - elos[0]
	}
	whole := without(blocks) // no block has this number
	parts := make([]float64, blocks)
	for i := range parts {
		if parts[i] = without(i); math.IsNaN(parts[i] + whole) {
			return d, 0
		}
	}
	return stats.Jackknife(whole, parts), openings
}

// score compares the points against the named opponents. One network on each side is
// compared by paired games if the opponents are the same players and there are enough such
// games, otherwise by the two fractions.
func (o Options) score(name string, a, b []*played, against []string, same bool) Metric {
	m := Metric{Name: name, Unit: "%", Better: stats.Higher}
	if len(a) == 1 && len(b) == 1 {
		m = scoreOfTwo(m, a[0], b[0], against, same)
	} else {
		shares := func(all []*played) (x []float64) {
			for _, p := range all {
				x = append(x, 100*p.against(against...).Share())
			}
			return x
		}
		m = o.seeds(m, shares(a), shares(b))
	}
	if !same {
		m.Basis += ", each against its own"
	}
	return m
}

func scoreOfTwo(m Metric, a, b *played, against []string, same bool) Metric {
	recordA, recordB := a.against(against...), b.against(against...)
	n, k := recordA.Games(), recordB.Games()
	m.A, m.B, m.N = a.share(against).Times(100), b.share(against).Times(100), [2]int{n, k}
	gains, games := openingsOf(a, b, against)
	if same && games == n && n == k && informative(gains) >= leastInformative {
		for i := range gains {
			gains[i] *= 100 * float64(len(gains)) / float64(n)
		}
		m.Test = pairedGames
		m.Basis = fmt.Sprintf("%s each of the same %s, t-test", english.Plural(n, "game", ""), english.Plural(len(gains), "opening", ""))
		return m.measured(stats.Paired(gains))
	}
	m.Basis = fmt.Sprintf("%d and %d games", n, k)
	m.Test = separateGames
	return m.measured(stats.Apart(m.A, m.B))
}
