package web

import (
	"cmp"
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
	names     [2]string   // of the players of a loaded game; "": that of the seat
	tags      []chess.Tag // of a loaded game that has not changed
	paused    bool
	ended     chess.Outcome // not by the rules, such as by resignation; the zero value: it was not
	analyst   seat          // the player that analyzes; "": none
	analyzed  int           // the ply that is analyzed; -1: the last
	reviewer  seat          // the player that reviews the game; "": none
	failure   string        // why an engine failed; "": none did
	clock     clock

	watchers int
	touched  time.Time     // of the last request of a page
	changed  chan struct{} // closed at the next change
	done     task          // the analysis that has ended
	doing    task          // of the driver
	abort    context.CancelFunc
	hurry    context.CancelFunc
}

// mostPlies is the largest number of plies of a game: crazyhouse has no fifty-move rule,
// and random players would play very long games.
const mostPlies = 3000

func newGameAt(id string, start chess.Position, seats [2]seat, players func(seat) *player, clock clock) *game {
	g := &game{
		id: id, variant: start.Variant(), players: players,
		line: chess.NewGame(start), seats: seats, analyzed: -1, clock: clock,
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
	if m == nil {
		v.left = [2]time.Duration{g.clock.limit, g.clock.limit}
	} else {
		v.left = *g.left()
	}
	g.positions = append(g.positions, v)
	g.line.Position().LegalMoves(&g.legal)
}

// notify announces a change to all pages, and ends a search that is no longer useful.
// g.mu is held.
func (g *game) notify() {
	g.stopClock()
	g.startClock()
	close(g.changed)
	g.changed = make(chan struct{})
	if g.abort != nil && g.doing != g.nextTask() {
		g.abort()
	}
}

func (g *game) ply() int { return len(g.positions) - 1 }

// outcome returns how the game ended, or that it did not. g.mu is held.
func (g *game) outcome() chess.Outcome {
	if g.ended.Over() {
		return g.ended
	}
	if o := g.line.Outcome(&g.legal); o.Over() {
		return o
	}
	switch {
	case g.ply() >= mostPlies:
		return chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
	}
	return chess.Outcome{Result: chess.Unfinished}
}

// ending returns why a game is over, as a sentence.
func ending(o chess.Outcome) string {
	result := map[chess.Result]string{chess.WhiteWins: "White wins.", chess.BlackWins: "Black wins.", chess.Draw: "Draw."}
	return cmp.Or(report.Ending(o), result[o.Result])
}

// name returns the name of a side's player: the one that a loaded game has, or that of its seat.
func (g *game) name(c chess.Color) string { return cmp.Or(g.names[c], g.players(g.seats[c]).Name) }

func (g *game) isHuman(c chess.Color) bool { return g.players(g.seats[c]).Kind == human }

// change lets a page change the game by one of the functions below, for which g.mu is held, and
// announces the change.
func (g *game) change(by func(*game, *request) error, r *request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.touched = time.Now()
	err := by(g, r)
	g.notify()
	return err
}

// play plays the move of a human.
func (g *game) play(r *request) error {
	p := g.line.Position()
	switch o := g.outcome(); {
	case o.Over():
		return conflict("The game is over. %s", ending(o))
	case r.Ply == nil || *r.Ply != g.ply(), r.FEN != "" && r.FEN != p.FEN():
		return conflict("The game has gone on since that position. Try again.")
	case !g.isHuman(p.Turn()):
		return conflict("It is the turn of %s.", g.name(p.Turn()))
	}
	m, err := parseMove(p, r.Move)
	if err != nil {
		return err
	}
	g.push(m)
	return nil
}

// parseMove reads a move in UCI or SAN.
func parseMove(p *chess.Position, text string) (chess.Move, error) {
	text = strings.TrimSpace(text)
	if len(text) > 20 {
		return 0, invalid("That is no move. Type one such as Nf3 or e2e4.")
	}
	if m, err := p.ParseUCI(text); err == nil {
		return m, nil
	}
	m, err := p.ParseSAN(text)
	if err != nil {
		return 0, invalid("%s.", strings.NewReplacer("san move", "The move", ": not legal in "+p.FEN(), " is not legal here", ": ambiguous in "+p.FEN(), " is ambiguous").Replace(err.Error()))
	}
	return m, nil
}

// push plays a legal move. g.mu is held.
func (g *game) push(m chess.Move) {
	g.stopClock()
	v := report.PlayedOf(g.line.Position(), m)
	side := g.line.Position().Turn()
	g.line.Play(m)
	g.append(v)
	g.tags = slices.DeleteFunc(slices.Clone(g.tags), func(t chess.Tag) bool { // of the game as it was loaded
		return slices.Contains([]string{"Termination", "PlyCount", "TimeControl"}, t.Name)
	})
	if g.ply() > untimedPlies {
		g.left()[side] += g.clock.increment
	}
}

// back takes moves back. It pauses a game between engines.
func (g *game) back(r *request) error {
	ply := g.ply() - 1
	switch {
	case r.Ply != nil:
		ply = *r.Ply
		if ply < 0 || ply > g.ply() {
			return invalid("ply %d: want 0 to %d", ply, g.ply())
		}
	case ply < 0:
		return conflict("There is no move to take back.")
	case g.isHuman(chess.White) || g.isHuman(chess.Black):
		for ply > 0 && !g.isHuman(g.positions[ply].turn) {
			ply--
		}
		if !g.isHuman(g.positions[ply].turn) {
			return conflict("There is no move of yours to take back.")
		}
	}
	g.stopClock()
	for g.ply() > ply {
		g.line.Undo()
		g.positions = g.positions[:g.ply()]
	}
	g.line.Position().LegalMoves(&g.legal)
	g.ended, g.analyzed, g.reviewer, g.failure = chess.Outcome{}, -1, "", ""
	g.names, g.tags = [2]string{}, nil
	if !g.isHuman(chess.White) && !g.isHuman(chess.Black) {
		g.paused = true
	}
	return nil
}

// setSeats changes the players and their strength.
func (g *game) setSeats(seats [2]seat) {
	for c := range seats {
		if seats[c] != g.seats[c] {
			g.names[c] = ""
		}
	}
	g.seats, g.failure = seats, ""
}

func (g *game) pause(r *request) error {
	g.stopClock()
	g.paused, g.failure = r.Paused, ""
	return nil
}

// analyze lets a player analyze a position, or ends the analysis.
func (g *game) analyze(r *request) error {
	ply := -1
	if r.Ply != nil {
		if ply = *r.Ply; ply < 0 || ply > g.ply() {
			return invalid("ply %d: want 0 to %d", ply, g.ply())
		}
		if ply == g.ply() {
			ply = -1
		}
	}
	g.analyst, g.analyzed = r.Player, ply
	return nil
}

// review lets a player analyze all positions for as long as it thinks about a move, or ends
// the review.
func (g *game) review(r *request) error {
	for i := range g.positions {
		g.positions[i].reviewer = ""
	}
	g.reviewer = r.Player
	if len(g.unreviewed()) == 0 {
		g.reviewer = ""
	}
	return nil
}

// unreviewed returns the plies that the reviewer has yet to analyze. A position without
// moves needs no analysis. g.mu is held.
func (g *game) unreviewed() (plies []int) {
	for i := range g.positions {
		if g.reviewer != "" && g.positions[i].reviewer != g.reviewer && (i < g.ply() || g.legal.Len() > 0 && !g.line.Outcome(&g.legal).Over()) {
			plies = append(plies, i)
		}
	}
	return plies
}

// mark is what the list of moves shows beside a move.
type mark struct {
	Score string `json:"score"` // of the position after it, from White's view; "": unknown
	Value int    `json:"value"` // the same as White's expected share in percent
	Lost  int    `json:"lost"`  // percent of the points that a blunder loses; 0: it is none
}

// marks returns the marks of the moves by the ply that they lead to. g.mu is held.
func (g *game) marks() []mark {
	opinions := make([]*report.Opinion, len(g.positions))
	for i := range g.positions {
		if r := g.positions[i].report; r != nil {
			opinions[i] = &report.Opinion{By: r.By, Value: report.Share(r.Value)}
		}
	}
	lost := report.Blunders(opinions, g.line.Start().Turn() == chess.White)
	marks := make([]mark, len(g.positions))
	for i := range g.positions {
		if value, mate, known := g.evaluation(i); known {
			marks[i] = mark{Score: scoreOf(value, mate), Value: report.Share(value)}
		}
		if i > 0 {
			marks[i].Lost = lost[i-1]
		}
	}
	return marks
}

// evaluation returns the evaluation of a position from White's view: that of its search, or of
// the search that found the move to it. g.mu is held.
func (g *game) evaluation(i int) (value float64, mate int, known bool) {
	p := &g.positions[i]
	if p.report != nil {
		return p.report.Value, p.report.mate, true
	}
	if i == 0 || g.positions[i-1].report == nil {
		return 0, 0, false
	}
	for _, c := range g.positions[i-1].report.Moves {
		if c.UCI != p.Move.UCI || c.Score == "" {
			continue
		}
		switch side := g.positions[i-1].turn; { // the winner has one move less to mate
		case c.mate > 0 && side == chess.White:
			return c.value, c.mate - 1, c.mate > 1
		case c.mate < 0 && side == chess.Black:
			return c.value, c.mate + 1, c.mate < -1
		}
		return c.value, c.mate, true
	}
	return 0, 0, false
}

// hurryUp makes the engine to move play at once.
func (g *game) hurryUp(*request) error {
	if !g.doing.move || g.doing != g.nextTask() {
		return conflict("No engine is to move.")
	}
	g.hurry()
	return nil
}

// resign resigns for the human side: the side to move if both are human.
func (g *game) resign(*request) error {
	if o := g.outcome(); o.Over() {
		return conflict("The game is over. %s", ending(o))
	}
	side := g.line.Position().Turn()
	if !g.isHuman(side) {
		if side = side.Other(); !g.isHuman(side) {
			return conflict("No side has a human player.")
		}
	}
	g.ended = chess.Outcome{Result: chess.Win(side.Other()), Reason: chess.Resignation}
	return nil
}

// watchTimeout is how long searches continue after the last request of a page. Browsers let a
// hidden page send at least one request a minute.
const watchTimeout = 150 * time.Second

// watched reports whether a page shows the game. g.mu is held.
func (g *game) watched() bool { return g.watchers > 0 || time.Since(g.touched) < watchTimeout }

// touch records a request of a page, and adds to the pages that receive events.
func (g *game) touch(watchers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watchers += watchers
	g.touched = time.Now()
	g.notify()
}

// endUnwatched ends the search and the engines of a game that no page shows.
func (g *game) endUnwatched() {
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

// pgn returns the game in PGN, with the values of searches, and with the comments and variations
// of the file that it was loaded from.
func (g *game) pgn(now time.Time) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.outcome()
	f := &chess.PGN{
		Tags:    slices.Clone(g.tags),
		Variant: g.variant, Start: *g.line.Start(), Moves: slices.Clone(g.line.Moves()), Result: o.Result,
	}
	if f.Tags == nil {
		f.Tags = []chess.Tag{{Name: "Event", Value: "alamos play"}, {Name: "Date", Value: now.Format("2006.01.02")}}
	}
	f.SetTag("White", g.name(chess.White))
	f.SetTag("Black", g.name(chess.Black))
	if c := &g.clock; c.limit > 0 {
		f.SetTag("TimeControl", fmt.Sprintf("%g+%g", c.limit.Seconds(), c.increment.Seconds()))
	}
	for i := range g.positions {
		comment, p := "", &g.positions[i]
		f.NAGs, f.Variations = append(f.NAGs, p.nags...), append(f.Variations, p.variations...)
		if value, mate, known := g.evaluation(i); known {
			in := match.Info{Score: &value, Mate: mate}
			if r := p.report; r != nil {
				in.Depth = r.Depth
				if r.Tree {
					in.Visits = r.Nodes
				}
			}
			comment = in.Comment(chess.White) // they are White's
		}
		comment += " " + p.comment
		if i > 0 && g.clock.limit > 0 {
			side := g.positions[i-1].turn
			comment += " [%clk " + clockText(p.left[side]) + "]"
		}
		f.SetComment(i, strings.TrimSpace(comment))
	}
	if last := g.ply(); o.Over() && !strings.Contains(f.Comment(last), ending(o)) {
		f.SetComment(last, strings.TrimSpace(f.Comment(last)+" "+ending(o)))
	}
	var b strings.Builder
	if err := chess.WritePGN(&b, f); err != nil {
		return "", fmt.Errorf("the game cannot be written: %w", err)
	}
	return b.String(), nil
}
