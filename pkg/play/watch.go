package play

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"alamos/pkg/chess"
)

// update is what the page hears of a game: everything at first, then what is new.
type update struct {
	ID        string          `json:"id"`
	Variant   string          `json:"variant"`
	Keep      int             `json:"keep"`      // positions that the page has and that still are
	Positions []*position     `json:"positions"` // those that come after them
	Reports   map[int]*Report `json:"reports"`   // those that are new, by ply
	Legal     []legal         `json:"legal"`     // in the last position
	Seats     [2]seat         `json:"seats"`
	Paused    bool            `json:"paused"`
	Analyst   string          `json:"analyst"`
	Outcome   *outcome        `json:"outcome"`  // null: the game goes on
	Thinking  string          `json:"thinking"` // "move", "analysis" or ""
	Failure   string          `json:"failure,omitempty"`
}

type outcome struct {
	Result string `json:"result"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// seen is what a page has been told.
type seen struct {
	serials []int
	reports []*Report
}

// news is what a page has not been told.
func (g *game) news(s *seen) (update, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := update{
		ID: g.id, Variant: g.variant.String(), Positions: []*position{}, Reports: map[int]*Report{},
		Legal: []legal{}, Seats: g.seats, Paused: g.paused, Analyst: g.analyst, Failure: g.failure,
	}
	for u.Keep < min(len(s.serials), len(g.positions)) && s.serials[u.Keep] == g.positions[u.Keep].serial {
		u.Keep++
	}
	s.serials, s.reports = s.serials[:u.Keep], s.reports[:u.Keep]
	for i := u.Keep; i < len(g.positions); i++ {
		p := g.positions[i]
		u.Positions = append(u.Positions, &p)
		s.serials, s.reports = append(s.serials, p.serial), append(s.reports, nil)
	}
	for i := range g.positions {
		if r := g.positions[i].report; r != s.reports[i] {
			u.Reports[i], s.reports[i] = r, r
		}
	}
	if o := g.outcome(); o.Over() {
		u.Outcome = &outcome{o.Result.String(), o.Reason.String(), ending(o, g.variant)}
	} else {
		u.Legal = legalOf(g.line.Position(), &g.legal)
	}
	switch {
	case g.doing.move:
		u.Thinking = "move"
	case g.doing != task{}:
		u.Thinking = "analysis"
	}
	return u, g.changed
}

const (
	// breath is the time between two updates: what happens in it is told at once.
	breath = 40 * time.Millisecond
	// heartbeat finds pages that have gone without a word.
	heartbeat = 15 * time.Second
	// patience is for a page that does not read.
	patience = 10 * time.Second
)

// watch sends updates until the page or ctx goes away.
func (g *game) watch(ctx context.Context, w http.ResponseWriter) error {
	g.touch(1)
	defer g.touch(-1)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	send := func(format string, args ...any) error {
		if err := control.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return control.Flush()
	}
	var s seen
	for {
		u, changed := g.news(&s)
		data, err := json.Marshal(u)
		if err != nil {
			return err
		}
		if err := send("data: %s\n\n", data); err != nil {
			return err
		}
		if err := sleep(ctx, breath); err != nil {
			return nil
		}
		for waiting := true; waiting; {
			select {
			case <-changed:
				waiting = false
			case <-ctx.Done():
				return nil
			case <-time.After(heartbeat):
				if err := send(": still here\n\n"); err != nil {
					return err
				}
			}
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// setup is what the page can choose from.
type setup struct {
	Variants []variantInfo `json:"variants"`
	Players  []player      `json:"players"`
	Variant  string        `json:"variant"` // to begin with
}

type variantInfo struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Goal     string `json:"goal"`
	Start    string `json:"start"`    // FEN
	Chess960 bool   `json:"chess960"` // it can begin there
}

func setupOf(players []player, variants []chess.Variant, first chess.Variant) setup {
	s := setup{Players: players, Variant: first.String()}
	for _, v := range variants {
		start := chess.StartPosition(v)
		_, err := chess.Chess960(v, 0)
		name, goal := title(v)
		s.Variants = append(s.Variants, variantInfo{v.String(), name, goal, start.FEN(), err == nil})
	}
	return s
}
