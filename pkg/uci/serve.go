package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"alamos/pkg/chess"
)

// Brain is what thinks behind [Serve]. Its methods are called by one goroutine at a
// time.
type Brain interface {
	// Name and Author are told to the user.
	Name() string
	Author() string

	// Variants are the rules that it can play, the first unless told otherwise.
	Variants() []chess.Variant

	// Options are the settings that it offers beside UCI_Variant, UCI_Chess960 and
	// Ponder, which are Serve's. Set is given values that Option.check accepts, by
	// the option's own name.
	Options() []Option
	Set(name, value string) error

	// Ready returns when all that takes time before a search has been done, or an
	// error that says why there can be none.
	Ready() error

	// NewGame says that the next position is of another game.
	NewGame()

	// Think searches the current position of g, which has legal moves, and returns
	// the move to play and the reply that it expects (0: none). It returns when the
	// task says so, at the latest soon after ctx has ended, when the answer is what
	// it knows then; and not before ctx ends or Hit is closed where the task is to
	// ponder, or is infinite. What it tells is written for the user.
	Think(ctx context.Context, g *chess.Game, task Task, tell func(Info)) (best, ponder chess.Move, err error)
}

// Serve speaks the engine's side of the Universal Chess Interface: it reads commands
// from in and answers on out until "quit", the end of in, or the end of ctx. At the
// end of in it lets a search that has an end come to it, so that commands can be
// piped to it.
//
// A command that cannot be obeyed during a search waits for the end of it, or is
// refused where only "stop" ends the search.
//
// Beside the protocol it knows "d", which shows the position, and "go perft N". What
// it does not understand it answers with an "info string" and forgets; it never
// searches another position than the one it was asked about. The error is that of
// in or out.
func Serve(ctx context.Context, in io.Reader, out io.Writer, b Brain) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{brain: b, out: out, variant: b.Variants()[0], broken: cancel}
	s.newGame()
	lines := make(chan string)
	var readErr error
	go func() {
		defer close(lines)
		readErr = readLines(in, func(line string) bool {
			select {
			case lines <- line:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	for {
		if s.quit {
			s.stop()
			return s.writeErr()
		}
		if lines == nil && (s.thinking == nil || s.thinking.endless) {
			s.stop()
			return errors.Join(readErr, s.writeErr())
		}
		var done chan struct{} // of a search under way
		if s.thinking != nil {
			done = s.thinking.done
		}
		select {
		case line, more := <-lines:
			if !more {
				lines = nil // and on, to the end of what is under way
				continue
			}
			s.command(ctx, line)
		case <-done:
			s.thinking = nil
		case <-ctx.Done():
			s.stop()
			return s.writeErr()
		}
		s.catchUp(ctx)
	}
}

// longest is how long a line may be: a game of a thousand moves is 6 kB.
const longest = 1 << 20

// readLines gives f the lines of r until it returns false. A line that is too long
// is given as one that no command begins with.
func readLines(r io.Reader, f func(string) bool) error {
	b := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for {
		part, more, err := b.ReadLine()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(line) <= longest {
			line = append(line, part...)
		}
		if more {
			continue
		}
		text := string(line)
		if len(line) > longest {
			text = fmt.Sprintf("(a line of more than %d bytes)", longest)
		}
		if !f(text) {
			return nil
		}
		line = line[:0]
	}
}

// server is a conversation.
type server struct {
	brain Brain

	variant  chess.Variant
	chess960 bool
	game     *chess.Game // nil: the last position command was wrong

	thinking *thinking // nil: idle
	waiting  []string  // commands for the end of the search
	quit     bool

	mu     sync.Mutex // of what follows
	out    io.Writer
	err    error
	broken func() // ends the conversation
}

// thinking is a search under way.
type thinking struct {
	cancel  context.CancelFunc
	done    chan struct{}
	hit     chan struct{} // closed by ponderhit
	hitOnce sync.Once
	endless bool // see Task.endless
}

// say writes a line. When nobody reads any more the conversation is over.
func (s *server) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if _, err := fmt.Fprintf(s.out, format+"\n", args...); err != nil {
		s.err = err
		s.broken()
	}
}

func (s *server) writeErr() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// complain tells the user what was wrong.
func (s *server) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.say("info string error: %s", strings.Join(strings.Fields(text), " ")) // on one line
}

func (s *server) newGame() {
	s.game = chess.NewGame(chess.StartPosition(s.variant))
	s.brain.NewGame()
}

// stop ends the search under way, if there is one, and waits for its answer.
func (s *server) stop() {
	if t := s.thinking; t != nil {
		t.cancel()
		<-t.done
		s.thinking = nil
	}
}

// catchUp obeys the commands that have waited for the end of a search.
func (s *server) catchUp(ctx context.Context) {
	for len(s.waiting) > 0 && s.thinking == nil {
		line := s.waiting[0]
		s.waiting = s.waiting[1:]
		s.command(ctx, line)
	}
}

// mostWaiting is more commands than a user sends without waiting for answers.
const mostWaiting = 1000

// command obeys a line, or lets it wait.
func (s *server) command(ctx context.Context, line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	rest := words[1:]
	switch words[0] {
	case "setoption", "ucinewgame", "position", "go", "d":
		if t := s.thinking; t != nil && (t.endless || len(s.waiting) == mostWaiting) {
			s.complain("%s: a search is under way: stop it first", words[0])
			return
		} else if t != nil {
			s.waiting = append(s.waiting, line)
			return
		}
	}
	switch words[0] {
	case "uci":
		s.introduce()
	case "isready":
		if s.thinking == nil { // else it has been
			if err := s.brain.Ready(); err != nil {
				s.complain("%v", err)
			}
		}
		s.say("readyok")
	case "setoption":
		s.setOption(rest)
	case "ucinewgame":
		s.newGame()
	case "position":
		s.position(rest)
	case "go":
		s.think(ctx, rest)
	case "stop":
		s.stop()
	case "ponderhit":
		if t := s.thinking; t != nil {
			t.hitOnce.Do(func() { close(t.hit) })
			t.endless = false
		}
	case "quit":
		s.quit = true
	case "d":
		s.show()
	case "debug", "register": // nothing to do
	default:
		s.complain("unknown command %q", clip(words[0]))
	}
}

// The options that are not the brain's.
const (
	variantOption = "UCI_Variant"
	ponderOption  = "Ponder"
)

func (s *server) options() []Option {
	variants := s.brain.Variants()
	o := Option{Name: variantOption, Type: "combo", Default: variants[0].String()}
	for _, v := range variants {
		o.Vars = append(o.Vars, v.String())
	}
	return append([]Option{
		o,
		{Name: chess960Option, Type: "check", Default: "false"},
		{Name: ponderOption, Type: "check", Default: "false"},
	}, s.brain.Options()...)
}

func (s *server) introduce() {
	s.say("id name %s", s.brain.Name())
	s.say("id author %s", s.brain.Author())
	for _, o := range s.options() {
		s.say("%s", o.line())
	}
	s.say("uciok")
}

func (s *server) setOption(words []string) {
	name, value, err := parseSetOption(words)
	if err != nil {
		s.complain("setoption: %v", err)
		return
	}
	for _, o := range s.options() {
		if !strings.EqualFold(o.Name, name) {
			continue
		}
		if value == "<empty>" && o.Type == "string" {
			value = ""
		}
		if o.Type == "check" || o.Type == "combo" {
			value = o.spelled(value)
		}
		err := o.check(value)
		if err == nil {
			err = s.set(o.Name, value)
		}
		if err != nil {
			s.complain("option %s: %v", o.Name, err)
		}
		return
	}
	s.complain("no option is called %q", clip(name))
}

func (s *server) set(name, value string) error {
	switch name {
	case variantOption:
		v, err := chess.ParseVariant(value)
		if err == nil && v != s.variant {
			s.variant = v
			s.newGame()
		}
		return err
	case chess960Option:
		s.chess960 = value == "true"
		return nil
	case ponderOption: // the user's own: whether to ponder is asked by "go ponder"
		return nil
	}
	return s.brain.Set(name, value)
}

func (s *server) position(words []string) {
	g, err := parsePosition(s.variant, words)
	if err != nil {
		s.complain("position: %v", err)
	}
	s.game = g // nil: no answer is better than one about another position
}

func (s *server) show() {
	if s.game == nil {
		s.complain("no position")
		return
	}
	p := s.game.Position()
	for rank := 7; rank >= 0; rank-- {
		var b strings.Builder
		for file := range 8 {
			letter := "."
			if t, c := p.PieceAt(chess.NewSquare(file, rank)); t != chess.NoPieceType {
				letter = string("PNBRQK"[t-chess.Pawn])
				if c == chess.Black {
					letter = strings.ToLower(letter)
				}
			}
			b.WriteString(" " + letter)
		}
		s.say("%d %s", rank+1, b.String())
	}
	s.say("   a b c d e f g h")
	s.say("Fen: %s", p.FEN())
	s.say("Variant: %s", s.variant)
}

// think begins a search.
func (s *server) think(ctx context.Context, words []string) {
	if len(words) == 2 && words[0] == "perft" {
		s.perft(ctx, words[1])
		return
	}
	if s.game == nil {
		s.complain("go: there is no position")
		s.say("bestmove (none)")
		return
	}
	task, err := parseTask(s.game.Position(), words)
	if err != nil {
		s.complain("go: %v", err)
		s.say("bestmove (none)")
		return
	}
	if err := s.brain.Ready(); err != nil {
		s.complain("%v", err)
		s.say("bestmove (none)")
		return
	}
	var l chess.MoveList
	if s.game.Position().LegalMoves(&l); l.Len() == 0 {
		s.say("info depth 0 score %s", endScore(s.game.Position()))
		s.say("bestmove (none)")
		return
	}
	thinkCtx, cancel := context.WithCancel(ctx)
	t := &thinking{cancel: cancel, done: make(chan struct{}), hit: make(chan struct{}), endless: task.endless()}
	task.Hit, task.Chess960 = t.hit, s.chess960
	s.thinking = t
	game := s.game.Clone()
	go func() {
		defer close(t.done)
		defer cancel()
		best, ponder, err := s.brain.Think(thinkCtx, game, task, func(in Info) { s.say("%s", in.line()) })
		if err != nil {
			s.complain("%v", err)
		}
		if best == 0 {
			s.say("bestmove (none)")
			return
		}
		answer := "bestmove " + s.write(game.Position(), best)
		if ponder != 0 {
			next := *game.Position()
			next.Play(best)
			answer += " ponder " + s.write(&next, ponder)
		}
		s.say("%s", answer)
	}()
}

// write writes a move as the option UCI_Chess960 asks for it, or the position needs.
func (s *server) write(p *chess.Position, m chess.Move) string {
	if s.chess960 && m.IsCastle() {
		return m.String() // the king takes its rook
	}
	return p.UCI(m)
}

// endScore is the score of a position without moves.
func endScore(p *chess.Position) string {
	var l chess.MoveList
	switch o := p.Ended(&l); o.Result {
	case chess.Win(p.Turn()):
		return "mate 1"
	case chess.Win(p.Turn().Other()):
		return "mate 0"
	}
	return "cp 0"
}

// perft counts positions, as other engines do, move by move.
func (s *server) perft(ctx context.Context, depth string) {
	n := 0
	if _, err := fmt.Sscan(depth, &n); err != nil || n < 1 || n > 20 || s.game == nil {
		s.complain("go perft: want a depth from 1 to 20 and a position")
		return
	}
	p := s.game.Position()
	var l chess.MoveList
	p.LegalMoves(&l)
	var total uint64
	for _, m := range l.Slice() {
		next := *p
		next.Play(m)
		count := uint64(1)
		if n > 1 {
			count = chess.Perft(&next, n-1)
		}
		if total += count; ctx.Err() != nil {
			return
		}
		s.say("%s: %d", s.write(p, m), count)
	}
	s.say("Nodes searched: %d", total)
}
