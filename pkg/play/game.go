package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
)

// game is a game at a board. Its methods may be called by any goroutine.
type game struct {
	id      string
	variant chess.Variant
	players func(id string) *player // of ids that were checked
	end     context.CancelFunc

	mu        sync.Mutex
	line      *chess.Game
	positions []position // one more than moves
	legal     chess.MoveList
	serial    int // of the last position made
	seats     [2]seat
	paused    bool
	resigned  chess.Result // Unfinished: nobody has
	analyst   string       // the id of a player; "": nobody analyzes
	looked    int          // the ply that is analyzed; -1: the last
	failure   string       // why an engine has stopped; "": it has not

	watchers int
	touched  time.Time     // when somebody was last known to look
	changed  chan struct{} // closed at the next change
	done     task          // an analysis that has come to its end
	doing    task          // what the driver does
	abort    context.CancelFunc
	hurry    context.CancelFunc
}

// longest is how many plies a game may have: in crazyhouse, which knows no fifty
// moves, random players would go on for long.
const longest = 3000

func newGameAt(id string, start chess.Position, seats [2]seat, players func(string) *player) *game {
	g := &game{
		id: id, variant: start.Variant(), players: players,
		line: chess.NewGame(start), seats: seats, resigned: chess.Unfinished, looked: -1,
		touched: time.Now(), changed: make(chan struct{}),
	}
	g.append(nil)
	return g
}

// append takes up the line's last position, which a move has led to.
func (g *game) append(m *played) {
	g.serial++
	v := viewOf(g.line.Position())
	v.Move, v.serial = m, g.serial
	g.positions = append(g.positions, v)
	g.line.Position().LegalMoves(&g.legal)
}

// tell lets everybody know of a change, and ends a search that has no use any more.
// g.mu is held.
func (g *game) tell() {
	close(g.changed)
	g.changed = make(chan struct{})
	if g.abort != nil && g.doing != g.wanted() {
		g.abort()
	}
}

func (g *game) ply() int { return len(g.positions) - 1 }

// outcome says whether the game is over, and how. g.mu is held.
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

func (g *game) isHuman(c chess.Color) bool { return g.players(g.seats[c].Player).Kind == human }

// play plays a move of a human.
func (g *game) play(r moveRequest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.line.Position()
	switch o := g.outcome(); {
	case o.Over():
		return late("the game is over: %s", ending(o, g.variant))
	case r.Ply != g.ply():
		return late("%d moves were played, the move is for the position after %d", g.ply(), r.Ply)
	case !g.isHuman(p.Turn()):
		return late("it is the turn of %s", g.players(g.seats[p.Turn()].Player).Name)
	}
	m, err := parseMove(p, r.Move)
	if err != nil {
		return err
	}
	g.push(m)
	g.tell()
	return nil
}

// parseMove reads a move in UCI or SAN.
func parseMove(p *chess.Position, text string) (chess.Move, error) {
	text = strings.TrimSpace(text)
	if len(text) > 20 {
		return 0, refused("a move of %d letters: want one such as e2e4 or Nf3", len(text))
	}
	if m, err := p.ParseUCI(text); err == nil {
		return m, nil
	}
	m, err := p.ParseSAN(text)
	if err != nil {
		return 0, refused("%v", err)
	}
	return m, nil
}

// push plays a legal move. g.mu is held.
func (g *game) push(m chess.Move) {
	v := playedOf(g.line.Position(), m)
	g.line.Play(m)
	g.append(v)
}

// back takes moves back. Where engines play each other, they wait then.
func (g *game) back(r backRequest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ply := g.ply() - 1
	switch {
	case r.Ply != nil:
		ply = *r.Ply
		if ply < 0 || ply > g.ply() {
			return refused("ply %d: want 0 to %d", ply, g.ply())
		}
	case ply < 0:
		return late("there is no move to take back")
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
			return late("there is no move of yours to take back")
		}
	}
	for g.ply() > ply {
		g.line.Undo()
		g.positions = g.positions[:g.ply()]
	}
	g.line.Position().LegalMoves(&g.legal)
	g.resigned, g.looked, g.failure = chess.Unfinished, -1, ""
	if !g.isHuman(chess.White) && !g.isHuman(chess.Black) {
		g.paused = true
	}
	g.tell()
	return nil
}

// sit changes who plays, and how strong.
func (g *game) sit(seats [2]seat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats, g.failure = seats, ""
	g.tell()
}

func (g *game) pause(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused, g.failure = on, ""
	g.tell()
}

// analyze lets a player think about a position, or nobody.
func (g *game) analyze(r analyzeRequest) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ply := -1
	if r.Ply != nil {
		if ply = *r.Ply; ply < 0 || ply > g.ply() {
			return refused("ply %d: want 0 to %d", ply, g.ply())
		}
		if ply == g.ply() {
			ply = -1
		}
	}
	if r.Player != "" {
		if p := g.players(r.Player); p.Kind != tree && p.Kind != alphaBeta {
			return refused("%s does not think", p.Name)
		}
	}
	g.analyst, g.looked = r.Player, ply
	g.tell()
	return nil
}

// hasten makes an engine that thinks about its move play it.
func (g *game) hasten() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.doing.move || g.doing != g.wanted() {
		return late("no engine is to move")
	}
	g.hurry()
	return nil
}

// resign gives the game up for the side of a human: the one to move, where both are.
func (g *game) resign() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.outcome(); o.Over() {
		return late("the game is over: %s", ending(o, g.variant))
	}
	side := g.line.Position().Turn()
	if !g.isHuman(side) {
		if side = side.Other(); !g.isHuman(side) {
			return late("no human plays")
		}
	}
	g.resigned = chess.Win(side.Other())
	g.tell()
	return nil
}

// rest is how long a game that was looked at goes on without. Browsers let a
// hidden page speak once a minute at least.
const rest = 150 * time.Second

// attended tells whether somebody looks. g.mu is held.
func (g *game) attended() bool { return g.watchers > 0 || time.Since(g.touched) < rest }

// touch says that somebody looks, watching as long as watchers says.
func (g *game) touch(watchers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watchers += watchers
	g.touched = time.Now()
	g.tell()
}

// review ends the search of a game that nobody looks at.
func (g *game) review() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.abort != nil && g.doing != g.wanted() {
		g.abort()
	}
}

// report takes up what a search thinks.
func (g *game) report(t task, r *Report) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.ply > g.ply() || g.positions[t.ply].serial != t.serial {
		return // it was taken back
	}
	g.positions[t.ply].report = r
	close(g.changed)
	g.changed = make(chan struct{})
}

// pgn is the game as a file, with what engines thought.
func (g *game) pgn(now time.Time) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := func(c chess.Color) string { return g.players(g.seats[c].Player).Name }
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
			f.SetComment(i, chess.WithCommand("", "eval", r.eval().String()))
		}
	}
	if o.Over() {
		last := g.ply()
		f.SetComment(last, strings.TrimSpace(f.Comment(last)+" "+ending(o, g.variant)))
	}
	var b strings.Builder
	if err := chess.WritePGN(&b, f); err != nil {
		return "", fmt.Errorf("the game cannot be written: %w", err)
	}
	return b.String(), nil
}
