package match

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
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
	Record
	White Record `json:"white"` // A's games as White
	Black Record `json:"black"`

	// Pairs counts the pairs of games with the same opening by A's points in them: 0, 1/2,
	// 1, 3/2, 2.
	Pairs Pentanomial `json:"pairs"`

	// Estimates from the pairs; unknown if all pairs have the same result.
	Score      stats.Interval `json:"score"`
	Elo        stats.Interval `json:"elo"`
	Normalized stats.Interval `json:"normalized_elo"`
	LOS        stats.Float    `json:"los"`

	// Advantage is White's advantage, in Elo.
	Advantage stats.Interval `json:"white_advantage"`

	SPRT *Test `json:"sprt,omitempty"`

	Ends map[string]int `json:"ends"` // number of games by the reason for their end
}

// count returns how many counts equal n.
func count(p Pentanomial, n int) (kinds int) {
	for _, have := range p {
		if have == n {
			kinds++
		}
	}
	return kinds
}

// Test is the state of a sequential test.
type Test struct {
	Elo0    float64     `json:"elo0"`
	Elo1    float64     `json:"elo1"`
	Model   string      `json:"elo_model"` // "logistic" or "normalized"
	Alpha   float64     `json:"alpha"`
	Beta    float64     `json:"beta"`
	LLR     stats.Float `json:"llr"`
	Lower   float64     `json:"lower"`
	Upper   float64     `json:"upper"`
	Verdict string      `json:"verdict"` // "undecided", "H0 accepted", "H1 accepted"
}

// summary returns the current state of the match.
func (m *match) summary() *Summary {
	a, b := m.players[0].Name, m.players[1].Name
	s := &Summary{A: a, B: b, Variant: m.variant.String(), Ends: map[string]int{}}
	results := NewResults([]string{a, b})
	points := map[int]float64{}
	for _, g := range m.upTo(m.end) {
		s.Games++
		s.Ends[g.Outcome.Reason.String()]++
		points[g.Number] = m.points(g)
		_ = results.Add(g.White, g.Black, g.Outcome.Result) // both players are in the list, and the game is over
	}
	one := results.Standings()[0]
	s.Record, s.White, s.Black = one.Record, one.White, one.Black
	for number, first := range points {
		if second, both := points[number+1]; both && number%2 == 0 {
			_ = s.Pairs.Add(first, second) // points of two games
		}
	}
	s.Score, s.Elo, s.Normalized, s.LOS, s.Advantage = stats.Unknown(), stats.Unknown(), stats.Unknown(), stats.Float(math.NaN()), stats.Unknown()
	if kinds := 5 - count(s.Pairs, 0); kinds > 1 {
		of := s.Pairs.Statistics()
		s.Score, s.Elo, s.Normalized = of.Score, of.Elo, of.Normalized
		s.LOS = stats.Float(of.LOS)
	}
	if r, err := Rate(results, RatingOptions{}); err == nil && s.Games > 0 {
		s.Advantage = r.Advantage
	}
	if t := m.cfg.SPRT; t != nil {
		llr, verdict := t.Test(s.Pairs)
		lower, upper := t.Bounds()
		s.SPRT = &Test{t.Elo0, t.Elo1, "logistic", t.Alpha, t.Beta, stats.Float(llr), lower, upper, verdict.String()}
		if t.Normalized {
			s.SPRT.Model = "normalized"
		}
	}
	return s
}

// Line returns the state of the match in one line.
func (s *Summary) Line() string {
	return fmt.Sprintf("%s: +%d =%d -%d, %s", s.A, s.Wins, s.Draws, s.Losses, s.strength())
}

func (s *Summary) strength() string {
	text := "Elo " + text("%+.1f", s.Elo)
	if s.SPRT != nil {
		text += fmt.Sprintf(", LLR %.2f (%.2f to %.2f)", float64(s.SPRT.LLR), s.SPRT.Lower, s.SPRT.Upper)
	}
	return text
}

// Table returns the state of the match as lines of text.
func (s *Summary) Table() []string {
	p := s.Pairs
	record := func(r Record) string { return fmt.Sprintf("+%d =%d -%d", r.Wins, r.Draws, r.Losses) }
	lines := []string{
		fmt.Sprintf("%s against %s", s.A, s.B),
		fmt.Sprintf("games                %d: %s, %s %% of the points", s.Games, record(s.Record), percent(s.Record.Score(), s.Games)),
		fmt.Sprintf("as White, as Black   %s, %s", record(s.White), record(s.Black)),
		fmt.Sprintf("pairs 0 ½ 1 1½ 2     %d %d %d %d %d", p[0], p[1], p[2], p[3], p[4]),
		fmt.Sprintf("Elo                  %s", text("%+.1f", s.Elo)),
		fmt.Sprintf("normalized Elo       %s", text("%+.1f", s.Normalized)),
		fmt.Sprintf("superiority          %s", number("%.4f", float64(s.LOS))),
		fmt.Sprintf("White's advantage    %s", text("%+.1f", s.Advantage)),
	}
	if t := s.SPRT; t != nil {
		lines = append(lines, fmt.Sprintf("SPRT                 %g to %g %s Elo, alpha %g, beta %g: LLR %.3f (%.3f to %.3f), %s",
			t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta, float64(t.LLR), t.Lower, t.Upper, t.Verdict))
	}
	if len(s.Ends) > 0 {
		var ends []string
		for _, why := range slices.SortedFunc(maps.Keys(s.Ends), func(x, y string) int {
			if n := s.Ends[y] - s.Ends[x]; n != 0 {
				return n
			}
			return strings.Compare(x, y)
		}) {
			ends = append(ends, fmt.Sprintf("%d %s", s.Ends[why], why))
		}
		lines = append(lines, "ends                 "+strings.Join(ends, ", "))
	}
	return lines
}

func (s *Summary) Write(w io.Writer) error {
	var errs []error
	for _, line := range s.Table() {
		_, err := fmt.Fprintln(w, line)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func percent(points float64, games int) string {
	if games == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*points/float64(games))
}

func number(format string, x float64) string {
	if math.IsNaN(x) {
		return "?"
	}
	return fmt.Sprintf(format, x)
}

// text formats a number with its interval. Unknown numbers are "?".
func text(format string, i stats.Interval) string {
	if i.Missing() {
		return "?"
	}
	return fmt.Sprintf("%s (%s to %s)", number(format, i.Value), number(format, i.Low), number(format, i.High))
}
