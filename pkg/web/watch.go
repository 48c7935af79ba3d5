package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/report"
)

// update is an event for a page: everything at first, then the changes.
type update struct {
	ID        string          `json:"id"`
	Variant   string          `json:"variant"`
	Kinds     report.Kinds    `json:"kinds,omitempty"`
	Keep      int             `json:"keep"`      // first positions of the page that are still valid
	Positions []*position     `json:"positions"` // that follow them
	Reports   map[int]*Report `json:"reports"`   // new ones, by ply
	Legal     []legal         `json:"legal"`     // in the last position
	Seats     [2]seat         `json:"seats"`
	Paused    bool            `json:"paused"`
	Analyst   seat            `json:"analyst"`
	Outcome   *outcome        `json:"outcome"`  // null: not finished
	Thinking  string          `json:"thinking"` // "move", "review", "analysis" or ""
	Names     [2]string       `json:"names"`    // of a loaded game's players
	Marks     map[int]mark    `json:"marks"`    // new ones, by ply
	Reviewer  seat            `json:"reviewer"`
	Left      int             `json:"left"`   // positions to review
	Clocks    *clocks         `json:"clocks"` // null: none
	Failure   string          `json:"failure,omitempty"`
}

type outcome struct {
	Result string `json:"result"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// seen is what a page has received of a position.
type seen struct {
	serial int
	report *Report
	mark   mark
}

// news returns what a page has not received, and a channel that the next change closes.
func (g *game) news(all *[]seen) (update, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := update{
		ID: g.id, Variant: g.variant.String(), Kinds: report.KindsOf(g.variant), Positions: []*position{}, Reports: map[int]*Report{},
		Legal: []legal{}, Seats: g.seats, Names: g.names, Paused: g.paused, Analyst: g.analyst, Failure: g.failure,
		Marks: map[int]mark{}, Reviewer: g.reviewer, Left: len(g.unreviewed()), Clocks: g.clocks(),
	}
	for u.Keep < min(len(*all), len(g.positions)) && (*all)[u.Keep].serial == g.positions[u.Keep].serial {
		u.Keep++
	}
	*all = (*all)[:u.Keep]
	for _, p := range g.positions[u.Keep:] {
		u.Positions = append(u.Positions, &p)
		*all = append(*all, seen{serial: p.serial})
	}
	for i, m := range g.marks() {
		s, r := &(*all)[i], g.positions[i].report
		if m != s.mark {
			u.Marks[i], s.mark = m, m
		}
		if r != s.report {
			u.Reports[i], s.report = r, r
		}
	}
	if o := g.outcome(); o.Over() {
		u.Outcome = &outcome{o.Result.String(), o.Reason.String(), ending(o)}
	} else {
		u.Legal = legalOf(g.line.Position(), &g.legal)
	}
	switch {
	case g.doing.move:
		u.Thinking = "move"
	case g.doing.review:
		u.Thinking = "review"
	case g.doing != task{}:
		u.Thinking = "analysis"
	}
	return u, g.changed
}

// watch sends updates until the page is gone or ctx ends.
func (g *game) watch(ctx context.Context, w http.ResponseWriter) error {
	g.touch(1)
	defer g.touch(-1)
	var all []seen
	return stream(ctx, w, func() (any, <-chan struct{}) { return g.news(&all) })
}

// setup is what the page offers for a new game.
type setup struct {
	Variants []variantInfo `json:"variants"`
	Players  []player      `json:"players"`
	Variant  string        `json:"variant"` // offered first
}

type variantInfo struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Goal     string `json:"goal"`
	Start    string `json:"start"`    // FEN
	Chess960 bool   `json:"chess960"` // has numbered start positions
	Offered  bool   `json:"offered"`  // for new games; others are those of loaded games
}

func (s *Play) setup() setup {
	page := setup{Players: s.players, Variant: s.first.String()}
	for _, v := range s.all {
		start := chess.StartPosition(v)
		_, err := chess.Chess960(v, 0)
		title, known := titles[v]
		if !known {
			files, ranks := v.Size()
			title = [2]string{v.String(), fmt.Sprintf("%d×%d, rules of a file", files, ranks)}
		}
		page.Variants = append(page.Variants, variantInfo{v.String(), title[0], title[1], start.FEN(), err == nil, slices.Contains(s.variants, v)})
	}
	return page
}
