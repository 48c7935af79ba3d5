package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/report"
)

// game is a running game. It is safe for use by many goroutines.
type game struct {
	id      string
	variant chess.Variant
	players func(seat) *player // of valid seats
	end     context.CancelFunc

	mu        sync.Mutex
	line      *chess.Game
	positions []position // one more than moves
	legal     chess.MoveList
	serial    int // of the last position made
	seats     [2]seat
	paused    bool
	resigned  chess.Result // Unfinished: no resignation
	analyst   seat         // the player that analyzes; "": none
	analyzed  int          // the ply that is analyzed; -1: the last
	failure   string       // why an engine failed; "": none did

	watchers int
	touched  time.Time     // of the last request of a page
	changed  chan struct{} // closed at the next change
	done     task          // the analysis that has ended
	doing    task          // of the driver
	abort    context.CancelFunc
	hurry    context.CancelFunc
}

// longest is the largest number of plies of a game: crazyhouse has no fifty-move rule,
// and random players would play very long games.
const longest = 3000

func newGameAt(id string, start chess.Position, seats [2]seat, players func(seat) *player) *game {
	g := &game{
		id: id, variant: start.Variant(), players: players,
		line: chess.NewGame(start), seats: seats, resigned: chess.Unfinished, analyzed: -1,
		touched: time.Now(), changed: make(chan struct{}),
	}
	g.append(nil)
	return g
}

// append adds the line's last position, after the move m; nil: it is the first.
func (g *game) append(m *report.Played) {
	g.serial++
	v := viewOf(g.line.Position())
	v.Move, v.serial = m, g.serial
	g.positions = append(g.positions, v)
	g.line.Position().LegalMoves(&g.legal)
}

// notify announces a change to all pages, and ends a search that is no longer useful.
// g.mu is held.
func (g *game) notify() {
	close(g.changed)
	g.changed = make(chan struct{})
	if g.abort != nil && g.doing != g.nextTask() {
		g.abort()
	}
}

func (g *game) ply() int { return len(g.positions) - 1 }

// outcome returns how the game ended, or that it did not. g.mu is held.
func (g *game) outcome() chess.Outcome {
	if o := g.line.Outcome(&g.legal); o.Over() {
		return o
	}
	switch {
	case g.resigned != chess.Unfinished:
		return chess.Outcome{Result: g.resigned, Reason: chess.Resignation}
	case g.ply() >= longest:
		return chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	return chess.Outcome{Result: chess.Unfinished}
}

func (g *game) isHuman(c chess.Color) bool { return g.players(g.seats[c]).Kind == human }

// play plays the move of a human.
func (g *game) play(r *request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.line.Position()
	switch o := g.outcome(); {
	case o.Over():
		return conflict("the game is over: %s", report.Ending(o))
	case r.Ply == nil || *r.Ply != g.ply():
		return conflict("%d moves were played: the move is for another position", g.ply())
	case !g.isHuman(p.Turn()):
		return conflict("the turn belongs to %s", g.players(g.seats[p.Turn()]).Name)
	}
	m, err := parseMove(p, r.Move)
	if err != nil {
		return err
	}
	g.push(m)
	g.notify()
	return nil
}

// parseMove reads a move in UCI or SAN.
func parseMove(p *chess.Position, text string) (chess.Move, error) {
	text = strings.TrimSpace(text)
	if len(text) > 20 {
		return 0, invalid("a move of %d letters: want one such as e2e4 or Nf3", len(text))
	}
	if m, err := p.ParseUCI(text); err == nil {
		return m, nil
	}
	m, err := p.ParseSAN(text)
	if err != nil {
		return 0, invalid("%v", err)
	}
	return m, nil
}

// push plays a legal move. g.mu is held.
func (g *game) push(m chess.Move) {
	v := report.PlayedOf(g.line.Position(), m)
	g.line.Play(m)
	g.append(v)
}

// back takes moves back. It pauses a game between engines.
func (g *game) back(r *request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ply := g.ply() - 1
	switch {
	case r.Ply != nil:
		ply = *r.Ply
		if ply < 0 || ply > g.ply() {
			return invalid("ply %d: want 0 to %d", ply, g.ply())
		}
	case ply < 0:
		return conflict("no move to take back")
	case g.isHuman(chess.White) || g.isHuman(chess.Black):
		side := func(ply int) chess.Color {
			if g.positions[ply].Turn == chess.White.String() {
				return chess.White
			}
			return chess.Black
		}
		for ply > 0 && !g.isHuman(side(ply)) {
			ply--
		}
		if !g.isHuman(side(ply)) {
			return conflict("no move of yours to take back")
		}
	}
	for g.ply() > ply {
		g.line.Undo()
		g.positions = g.positions[:g.ply()]
	}
	g.line.Position().LegalMoves(&g.legal)
	g.resigned, g.analyzed, g.failure = chess.Unfinished, -1, ""
	if !g.isHuman(chess.White) && !g.isHuman(chess.Black) {
		g.paused = true
	}
	g.notify()
	return nil
}

// setSeats changes the players and their strength.
func (g *game) setSeats(seats [2]seat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats, g.failure = seats, ""
	g.notify()
}

func (g *game) pause(r *request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused, g.failure = r.Paused, ""
	g.notify()
	return nil
}

// analyze lets a player analyze a position, or ends the analysis.
func (g *game) analyze(r *request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ply := -1
	if r.Ply != nil {
		if ply = *r.Ply; ply < 0 || ply > g.ply() {
			return invalid("ply %d: want 0 to %d", ply, g.ply())
		}
		if ply == g.ply() {
			ply = -1
		}
	}
	if r.Player != "" {
		if p := g.players(r.Player); !slices.Contains([]string{match.TreeKind, match.AlphaBetaKind, match.EngineKind}, p.Kind) {
			return invalid("%s cannot analyze", p.Name)
		}
	}
	g.analyst, g.analyzed = r.Player, ply
	g.notify()
	return nil
}

// hurryUp makes the engine to move play at once.
func (g *game) hurryUp(*request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.doing.move || g.doing != g.nextTask() {
		return conflict("no engine is to move")
	}
	g.hurry()
	return nil
}

// resign resigns for the human side: the side to move if both are human.
func (g *game) resign(*request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.outcome(); o.Over() {
		return conflict("the game is over: %s", report.Ending(o))
	}
	side := g.line.Position().Turn()
	if !g.isHuman(side) {
		if side = side.Other(); !g.isHuman(side) {
			return conflict("no human player")
		}
	}
	g.resigned = chess.Win(side.Other())
	g.notify()
	return nil
}

// rest is how long searches continue after the last request of a page. Browsers let a
// hidden page send at least one request a minute.
const rest = 150 * time.Second

// watched reports whether a page shows the game. g.mu is held.
func (g *game) watched() bool { return g.watchers > 0 || time.Since(g.touched) < rest }

// touch records a request of a page, and adds to the pages that receive events.
func (g *game) touch(watchers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watchers += watchers
	g.touched = time.Now()
	g.notify()
}

// review ends the search and the engines of a game that no page shows.
func (g *game) review() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.watched() {
		g.notify()
	}
}

// report stores the report of a search.
func (g *game) report(t task, r *Report) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.ply > g.ply() || g.positions[t.ply].serial != t.serial {
		return // the move was taken back
	}
	g.positions[t.ply].report = r
	close(g.changed)
	g.changed = make(chan struct{})
}

// pgn returns the game in PGN, with the values of searches.
func (g *game) pgn(now time.Time) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := func(c chess.Color) string { return g.players(g.seats[c]).Name }
	o := g.outcome()
	f := &chess.PGN{
		Tags: []chess.Tag{
			{Name: "Event", Value: "alamos play"}, {Name: "Date", Value: now.Format("2006.01.02")},
			{Name: "White", Value: name(chess.White)}, {Name: "Black", Value: name(chess.Black)},
		},
		Variant: g.variant, Start: *g.line.Start(), Moves: slices.Clone(g.line.Moves()), Result: o.Result,
	}
	for i := range g.positions {
		if r := g.positions[i].report; r != nil {
			f.SetComment(i, match.Info{Score: &r.Value, Mate: r.mate}.Comment(chess.White))
		}
	}
	if o.Over() {
		last := g.ply()
		f.SetComment(last, strings.TrimSpace(f.Comment(last)+" "+report.Ending(o)))
	}
	var b strings.Builder
	if err := chess.WritePGN(&b, f); err != nil {
		return "", fmt.Errorf("the game cannot be written: %w", err)
	}
	return b.String(), nil
}
