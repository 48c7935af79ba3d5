package lichess

import (
	"slices"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Policy says which challenges are taken.
type Policy struct {
	Variants []chess.Variant
	Chess960 bool // and games of chess from other positions
	Rated    bool // take rated games
	Casual   bool // take others
	Humans   bool
	Bots     bool
	Shortest time.Duration // of a game's clock: limit + 40 increments, as lichess has it
	Longest  time.Duration
	Untimed  bool     // take games without a clock, and by correspondence
	Only     []string // take challenges of these users only, by their names; none: of all
	Never    []string // and never of these
	AtOnce   int      // games
}

// refuses gives the reason not to take a challenge in lichess' words, or "". There are
// so many games now.
func (p *Policy) refuses(c *challenge, games int) string {
	v, err := parseVariant(c.Variant.Key)
	bot := c.Challenger.Title == "BOT"
	is := func(name string) bool {
		return strings.EqualFold(name, c.Challenger.Name) || strings.EqualFold(name, c.Challenger.ID)
	}
	length := time.Duration(c.TimeControl.Limit+40*c.TimeControl.Increment) * time.Second
	timed := c.TimeControl.Type == "clock"
	switch {
	case slices.ContainsFunc(p.Never, is), len(p.Only) > 0 && !slices.ContainsFunc(p.Only, is):
		return "generic"
	case err != nil, !slices.Contains(p.Variants, v):
		return "variant"
	case (c.Variant.Key == "chess960" || c.Variant.Key == "fromPosition") && !p.Chess960:
		return "variant"
	case bot && !p.Bots:
		return "noBot"
	case !bot && !p.Humans:
		return "onlyBot"
	case c.Rated && !p.Rated:
		return "casual" // is asked for
	case !c.Rated && !p.Casual:
		return "rated"
	case !timed && !p.Untimed:
		return "timeControl"
	case timed && length < p.Shortest:
		return "tooFast"
	case timed && p.Longest > 0 && length > p.Longest:
		return "tooSlow"
	case games >= p.AtOnce:
		return "later"
	}
	return ""
}
