package match

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"alamos/pkg/stats"
)

// Summary is the state of a match from its first player's view.
type Summary struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Variant string `json:"variant"`
	Games   int    `json:"games"`
	stats.Record
	White stats.Record `json:"white"` // A's games as White
	Black stats.Record `json:"black"`

	// Pairs counts the pairs of games with the same opening by A's points in them: 0, 1/2,
	// 1, 3/2, 2.
	Pairs Pentanomial `json:"pairs"`
	Statistics

	// Advantage is White's advantage, in Elo.
	Advantage stats.Interval `json:"white_advantage"`

	SPRT *Test `json:"sprt,omitempty"`

	Ends map[string]int `json:"ends"` // number of games by the reason for their end
}

// summary returns the current state of the match.
func (m *match) summary() *Summary {
	a, b := m.players[0].Name, m.players[1].Name
	s := &Summary{A: a, B: b, Variant: m.cfg.Variant.String(), Ends: map[string]int{}}
	results := NewResults([]string{a, b})
	for _, g := range m.upTo(m.end) {
		s.Games++
		s.Ends[g.Outcome.Reason.String()]++
		_ = results.Add(g) // both players are in the list, and the game is over
	}
	one := results.Standings()[0]
	s.Record, s.White, s.Black, s.Pairs, s.Advantage = one.Record, one.White, one.Black, results.Pairs[0][1], stats.Unknown()
	var ratings *Ratings
	var err error
	if s.Statistics, ratings, err = results.statistics(); err == nil {
		s.Advantage = ratings.Advantage
	}
	if m.cfg.SPRT != nil {
		t := m.cfg.SPRT.Test(s.Pairs)
		s.SPRT = &t
	}
	return s
}

// Line returns the state of the match in one line.
func (s *Summary) Line() string {
	line := fmt.Sprintf("%s: %v, Elo %s", s.A, s.Record, signed(s.Elo))
	if t := s.SPRT; t != nil {
		line += fmt.Sprintf(", LLR %.2f (%.2f to %.2f)", t.LLR, t.Lower, t.Upper)
	}
	return line
}

// Table returns the state of the match as lines of text.
func (s *Summary) Table() []string {
	p := s.Pairs
	lines := []string{
		fmt.Sprintf("%s against %s", s.A, s.B),
		fmt.Sprintf("games                %d: %v, %s of the points", s.Games, s.Record, s.Percent(1)),
		fmt.Sprintf("as White, as Black   %v, %v", s.White, s.Black),
		fmt.Sprintf("pairs 0 ½ 1 1½ 2     %d %d %d %d %d", p[0], p[1], p[2], p[3], p[4]),
		"Elo                  " + signed(s.Elo),
		"normalized Elo       " + signed(s.Normalized),
		"superiority          " + cmp.Or(decimal(float64(s.LOS), 4), "?"),
		"White's advantage    " + signed(s.Advantage),
	}
	if t := s.SPRT; t != nil {
		lines = append(lines, fmt.Sprintf("SPRT                 %g to %g %s Elo, alpha %g, beta %g: LLR %.3f (%.3f to %.3f), %s",
			t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta, t.LLR, t.Lower, t.Upper, t.Verdict))
	}
	if len(s.Ends) > 0 {
		var ends []string
		for _, reason := range slices.SortedFunc(maps.Keys(s.Ends), func(x, y string) int {
			return cmp.Or(s.Ends[y]-s.Ends[x], strings.Compare(x, y))
		}) {
			ends = append(ends, fmt.Sprintf("%d %s", s.Ends[reason], reason))
		}
		lines = append(lines, "ends                 "+strings.Join(ends, ", "))
	}
	return lines
}

// signed formats a number with its interval. Unknown numbers are "?".
func signed(i stats.Interval) string {
	if i.Missing() {
		return "?"
	}
	return fmt.Sprintf("%+.1f (%+.1f to %+.1f)", i.Value, i.Low, i.High)
}
