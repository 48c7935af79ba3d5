package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/match"
	"alamos/pkg/report"
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

	pairedGames = "paired games" // a [Metric.Test]
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
	missing := func(p *played) bool { return p.record(own).Games() == 0 }
	if !slices.Contains(shared, own) && !slices.ContainsFunc(all, missing) {
		out = append(out, o.score("score against "+own, a, b, []string{own}, false))
	}
	return out
}

// elo compares the ratings of the last networks: on one scale if all have the same
// opponents, otherwise each in its own tournament. One network on each side is compared by
// paired games if there are enough. ok is false if the ratings have no common zero.
func (o Options) elo(a, b []*played) (m Metric, ok bool) {
	m = Metric{Name: "elo", Better: report.Higher}
	all := slices.Concat(a, b)
	elos, games, difference := make([]stats.Interval, len(all)), make([]int, len(all)), untested(stats.Unknown())
	var basis string
	if shared := common(all); len(shared) > 0 {
		anchor := anchorOf(shared)
		scale := fmt.Sprintf("against the same %s; %s is 0", english.Plural(len(shared), "opponent", ""), anchor)
		if len(all) == 2 {
			if x, y, d, basis := pairedElo(a[0].games, b[0].games, shared, anchor); basis != "" {
				m.A, m.B, m.N, m.Test, m.Basis = x.Elo, y.Elo, [2]int{x.Games(), y.Games()}, pairedGames, basis+scale
				return m.judged(d), true
			}
		}
		if r := rate(gamesOf(all), shared, anchor); r != nil {
			for i := range all {
				elos[i], games[i] = r.List[i].Elo, r.List[i].Games()
			}
			basis, difference = "one rating of all, "+scale, untested(r.Difference(len(a), 0))
		}
	}
	if basis == "" {
		anchor := all[0].Anchor
		if anchor == "" || slices.ContainsFunc(all, func(p *played) bool { return p.Anchor != anchor }) {
			return m, false
		}
		for i, p := range all {
			player := &p.Players[p.subject]
			elos[i], games[i] = player.Elo, player.Games()
		}
		basis, difference = fmt.Sprintf("each in its own tournament, where its own %s is 0", anchor), apart(elos[0], elos[len(a)])
	}
	if len(all) == 2 {
		m.A, m.B, m.N, m.Basis = elos[0], elos[1], [2]int(games), fmt.Sprintf("%d and %d games, %s", games[0], games[1], basis)
		return m.judged(difference), true
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
	for _, name := range []string{store.CheckpointName(0), store.RandomName} {
		if slices.Contains(opponents, name) {
			return name
		}
	}
	return opponents[0]
}

// rate rates subjects by their games in one pool with their common opponents. The anchor,
// one of these opponents, is 0. The first ratings are those of the subjects. rate returns
// nil if a subject has no rating.
func rate(subjects [][]game, opponents []string, anchor string) *match.Ratings {
	var names []string
	for i := range subjects {
		names = append(names, strconv.Itoa(i))
	}
	for _, o := range opponents {
		names = append(names, "opponent "+o)
	}
	res := match.NewResults(names)
	for i, games := range subjects {
		for _, g := range games {
			if !slices.Contains(opponents, g.opponent) {
				continue
			}
			white, black := names[i], "opponent "+g.opponent
			if !g.white {
				white, black = black, white
			}
			if res.Add(white, black, g.result) != nil {
				return nil
			}
		}
	}
	r, err := match.Rate(res, "opponent "+anchor)
	if err != nil || slices.ContainsFunc(r.List[:len(subjects)], func(r match.Rating) bool { return r.Elo.Missing() }) {
		return nil
	}
	return r
}

// pairedElo rates two networks by their paired games only. The effect of an opening that
// both played is not an error of the difference, so its interval is that of the jackknife
// over openings. The intervals of x and y are those of the rating. basis describes the
// games. It is "" if there are too few.
func pairedElo(a, b []game, opponents []string, anchor string) (x, y match.Rating, d difference, basis string) {
	openings, games := openingsOf(a, b, opponents)
	if informative(openings) < leastInformative {
		return x, y, d, ""
	}
	without := func(block, blocks int) *match.Ratings {
		var subjects [2][]game
		for i, o := range openings {
			if i%blocks != block {
				subjects[0], subjects[1] = append(subjects[0], o.a...), append(subjects[1], o.b...)
			}
		}
		return rate(subjects[:], opponents, anchor)
	}
	blocks := min(mostBlocks, len(openings))
	full := without(blocks, blocks) // no block has this number
	if full == nil {
		return x, y, d, ""
	}
	parts := make([]float64, blocks)
	for i := range parts {
		r := without(i, blocks)
		if r == nil {
			return x, y, d, ""
		}
		parts[i] = r.List[1].Elo.Value - r.List[0].Elo.Value
	}
	x, y = full.List[0], full.List[1]
	basis = fmt.Sprintf("%s each of the same %s, jackknife by opening, ", english.Plural(games, "game", ""), english.Plural(len(openings), "opening", ""))
	return x, y, jackknife(y.Elo.Value-x.Elo.Value, parts), basis
}

// score compares the points against the named opponents. One network on each side is
// compared by paired games if the opponents are the same players and there are enough such
// games, otherwise by the two fractions.
func (o Options) score(name string, a, b []*played, against []string, same bool) Metric {
	m := Metric{Name: name, Unit: "%", Better: report.Higher}
	if len(a) == 1 && len(b) == 1 {
		m = scoreOfTwo(m, a[0], b[0], against, same)
	} else {
		shares := func(all []*played) (x []float64) {
			for _, p := range all {
				x = append(x, 100*p.against(against).Share())
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
	recordA, recordB := a.against(against), b.against(against)
	n, k := recordA.Games(), recordB.Games()
	m.A, m.B, m.N = recordA.Interval().Times(100), recordB.Interval().Times(100), [2]int{n, k}
	openings, games := openingsOf(a.games, b.games, against)
	if same && games == n && n == k && informative(openings) >= leastInformative {
		gains := make([]float64, len(openings))
		for i, o := range openings {
			gains[i] = 100 * o.gain * float64(len(openings)) / float64(n)
		}
		m.Test = pairedGames
		m.Basis = fmt.Sprintf("%s each of the same %s, t-test", english.Plural(n, "game", ""), english.Plural(len(openings), "opening", ""))
		return m.judged(mean(gains))
	}
	m.Basis = fmt.Sprintf("%d and %d games", n, k)
	return m.judged(apart(m.A, m.B))
}
