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
	// pairs give a reliable estimate of chance.
	leastInformative = 10
	// mostBlocks is the maximum number of blocks of openings. The jackknife rates all games
	// without each block in turn.
	mostBlocks = 200
)

// rate rates subjects by their games in one pool with their common opponents. The anchor,
// one of these opponents, is 0. The first ratings are those of the subjects.
func rate(subjects [][]game, opponents []string, anchor string) (*match.Ratings, error) {
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
			if err := res.Add(white, black, g.result); err != nil {
				return nil, err
			}
		}
	}
	return match.Rate(res, "opponent "+anchor)
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

// eloOf compares the ratings of two networks by the best method that their tournaments
// allow: by paired games, by games against the same opponents, or by the rating of each in
// its own tournament.
func eloOf(a, b *played) (m Metric, ok bool) {
	m = Metric{Name: "elo", Better: report.Higher}
	if shared := common([]*played{a, b}); len(shared) > 0 && a.games != nil && b.games != nil {
		anchor := anchorOf(shared)
		all := pairs(a.games, b.games, shared)
		openings := byOpening(all)
		if x, y, d, err := pairedElo(openings, shared, anchor); err == nil && informative(openings) >= leastInformative {
			m.A, m.B = estimate(x, len(all)), estimate(y, len(all))
			m.Test = "paired games"
			m.Basis = fmt.Sprintf("%s each of the same %s against the same %s, jackknife by opening; %s is 0",
				english.Plural(len(all), "game", ""), english.Plural(len(openings), "opening", ""), english.Plural(len(shared), "opponent", ""), anchor)
			return m.judged(d), true
		}
		if r, err := rate([][]game{a.games, b.games}, shared, anchor); err == nil && !r.Difference(1, 0).Missing() {
			m.A, m.B = estimate(r.List[0].Elo, r.List[0].Games()), estimate(r.List[1].Elo, r.List[1].Games())
			d := r.Difference(1, 0)
			m.Basis = fmt.Sprintf("%d and %d games against the same %s, unpaired; %s is 0",
				r.List[0].Games(), r.List[1].Games(), english.Plural(len(shared), "opponent", ""), anchor)
			return m.judged(untested(d)), true
		}
	}
	if a.Anchor == "" || a.Anchor != b.Anchor {
		return m, false
	}
	x, y := &a.Players[a.subject], &b.Players[b.subject]
	m.A, m.B = estimate(x.Elo, x.Games()), estimate(y.Elo, y.Games())
	m.Basis = fmt.Sprintf("from the two intervals: each in its own tournament, where its own %s is 0", a.Anchor)
	return m.judged(apart(x.Elo, y.Elo)), true
}

// informative counts the openings in which the two scored differently.
func informative(openings [][]gamesPair) (n int) {
	for _, games := range openings {
		if gain(games) != 0 {
			n++
		}
	}
	return n
}

// gain returns the points of b minus those of a.
func gain(games []gamesPair) (points float64) {
	for _, p := range games {
		points += p.b.points() - p.a.points()
	}
	return points
}

// pairedElo rates a and b by their paired games only. The effect of an opening that both
// played is not an error of the difference, so its interval is that of the jackknife over
// openings. The intervals of a and b are those of the rating.
func pairedElo(openings [][]gamesPair, opponents []string, anchor string) (a, b stats.Interval, d difference, err error) {
	without := func(block, blocks int) (*match.Ratings, error) {
		var subjects [2][]game
		for i, games := range openings {
			if i%blocks == block {
				continue
			}
			for _, p := range games {
				subjects[0], subjects[1] = append(subjects[0], p.a), append(subjects[1], p.b)
			}
		}
		r, err := rate(subjects[:], opponents, anchor)
		if err == nil && r.Difference(1, 0).Missing() {
			err = fmt.Errorf("diff: no games against %s", anchor)
		}
		return r, err
	}
	blocks := min(mostBlocks, len(openings))
	if blocks < 2 {
		return a, b, d, fmt.Errorf("diff: %s cannot be compared", english.Plural(len(openings), "opening", ""))
	}
	full, err := without(blocks, blocks) // no block has this number
	if err != nil {
		return a, b, d, err
	}
	parts := make([]float64, blocks)
	for i := range parts {
		r, err := without(i, blocks)
		if err != nil {
			return a, b, d, err
		}
		parts[i] = r.List[1].Elo.Value - r.List[0].Elo.Value
	}
	return full.List[0].Elo, full.List[1].Elo, jackknife(full.List[1].Elo.Value-full.List[0].Elo.Value, parts), nil
}

// eloOfSeeds returns the ratings of the networks of several seeds on each side: on one
// scale if all have the same opponents, otherwise each from its own tournament.
func eloOfSeeds(a, b []*played) (x, y []float64, basis string) {
	all := slices.Concat(a, b)
	if shared := common(all); len(shared) > 0 && !slices.ContainsFunc(all, func(p *played) bool { return p.games == nil }) {
		var subjects [][]game
		for _, p := range all {
			subjects = append(subjects, p.games)
		}
		anchor := anchorOf(shared)
		if r, err := rate(subjects, shared, anchor); err == nil && !slices.ContainsFunc(r.List[:len(all)], func(r match.Rating) bool { return r.Elo.Missing() }) {
			for i := range all {
				if i < len(a) {
					x = append(x, r.List[i].Elo.Value)
				} else {
					y = append(y, r.List[i].Elo.Value)
				}
			}
			return x, y, fmt.Sprintf("one rating of all, against the same %s; %s is 0", english.Plural(len(shared), "opponent", ""), anchor)
		}
	}
	anchor := all[0].Anchor
	if anchor == "" || slices.ContainsFunc(all, func(p *played) bool { return p.Anchor != anchor }) {
		return nil, nil, ""
	}
	for i, p := range all {
		if elo := p.Players[p.subject].Elo.Value; i < len(a) {
			x = append(x, elo)
		} else {
			y = append(y, elo)
		}
	}
	return x, y, fmt.Sprintf("each in its own tournament, where its own %s is 0", anchor)
}

// scoreOf compares the points of two networks against the named opponents: by paired games
// if the opponents are the same players and such games exist, otherwise by the two
// fractions.
func scoreOf(name string, a, b *played, against []string, same bool) Metric {
	m := Metric{Name: name, Unit: "%", Better: report.Higher}
	points, n := a.against(against)
	x := percent(points, n)
	points, k := b.against(against)
	y := percent(points, k)
	m.A, m.B = estimate(x, n), estimate(y, k)
	if all := pairs(a.games, b.games, against); same && len(all) == n && n == k {
		openings := byOpening(all)
		if informative(openings) >= leastInformative {
			gains := make([]float64, len(openings))
			games := float64(n) / float64(len(openings))
			for i, o := range openings {
				gains[i] = 100 * gain(o) / games
			}
			m.Test = "paired games"
			m.Basis = fmt.Sprintf("%s each of the same %s, t-test", english.Plural(n, "game", ""), english.Plural(len(openings), "opening", ""))
			return m.judged(mean(gains))
		}
	}
	m.Basis = fmt.Sprintf("%d and %d games", n, k)
	return m.judged(apart(x, y))
}

// percent returns points as a percentage of n games.
func percent(points float64, n int) stats.Interval {
	m := stats.Share(points, n)
	return stats.Interval{Value: 100 * m.Value, Low: 100 * m.Low, High: 100 * m.High}
}
