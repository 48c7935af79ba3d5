package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"alamos/pkg/chess"
)

// Serve is the engine's side of the Universal Chess Interface. It reads commands from in
// and writes to out until "quit", the end of in, or the end of ctx. At the end of in it
// waits for a search that ends by itself, so that commands can be piped to it.
//
// A command that is impossible during a search waits for its end. It is refused if only
// "stop" ends the search.
//
// Beside the protocol, Serve knows "d", which shows the position, and "go perft N". It
// reports an unknown command with an "info string" and ignores it. It never searches
// another position than the one that the user set. The error is that of in or out.
//
// The limit ends each search that is not infinite, beside the limits of its command.
func Serve(ctx context.Context, in io.Reader, out io.Writer, e Searcher, limit Limit) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{engine: e, limit: limit, out: out, variant: e.Variants()[0], broken: cancel}
	s.newGame()
	lines := make(chan string)
	var readErr error
	go func() {
		defer close(lines)
		for r := bufio.NewReader(in); ; {
			line, err := s.read(r)
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if err == io.EOF {
				return
			}
			if readErr = err; err != nil {
				return
			}
		}
	}()
	for !s.quit && ctx.Err() == nil && (lines != nil || s.search != nil || len(s.waiting) > 0) {
		if lines == nil && s.search != nil && s.search.task.endless() {
			s.stop() // no command can end it any more
			continue
		}
		var done chan struct{} // closed at the end of the running search
		if s.search != nil {
			done = s.search.done
		} else if len(s.waiting) > 0 {
			line := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.command(ctx, line)
			continue
		}
		select {
		case line, more := <-lines:
			if s.command(ctx, line); !more {
				lines = nil // wait for the end of the running search
			}
		case <-done:
			s.search = nil
		case <-ctx.Done():
		}
	}
	s.stop()
	if lines != nil { // the goroutine may still read
		return s.writeErr()
	}
	return errors.Join(readErr, s.writeErr())
}

// server is a conversation.
type server struct {
	engine Searcher
	limit  Limit // of each search

	variant  chess.Variant
	chess960 bool
	wdl      bool        // show wins, draws and losses
	game     *chess.Game // nil if the last position command was wrong

	search  *served  // the running search, or nil
	waiting []string // commands deferred to the end of the search
	quit    bool

	mu     sync.Mutex // guards the fields below
	out    io.Writer
	err    error
	broken func() // ends the conversation
}

// served is a running search.
type served struct {
	cancel context.CancelFunc
	done   chan struct{}
	hit    chan struct{} // closed by ponderhit
	task   Task          // without Ponder after ponderhit

	answered atomic.Bool // its move is said, or will be at once
}

// read reads a line. It complains about one that is too long, and returns its start with
// dots, which no position accepts.
func (s *server) read(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > maxLine:
			s.complain("%v", errLineTooLong)
			return fmt.Sprintf("%.40s ...", line), err
		default:
			return string(line), err
		}
	}
}

// say writes a line. A failed write ends the conversation.
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

// complain reports an error to the user.
func (s *server) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.say("info string error: %s", strings.Join(strings.Fields(text), " ")) // on one line
}

func (s *server) newGame() {
	s.game = chess.NewGame(chess.StartPosition(s.variant))
	s.engine.NewGame()
}

// stop ends the running search, if any, and waits for its move.
func (s *server) stop() {
	if t := s.search; t != nil {
		t.cancel()
		<-t.done
		s.search = nil
	}
}

// command executes a line or defers it.
func (s *server) command(ctx context.Context, line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	rest := words[1:]
	switch words[0] {
	case "setoption", "ucinewgame", "position", "go", "d":
		if t := s.search; t != nil && t.task.endless() && !t.answered.Load() {
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
		for len(s.waiting) > 0 { // it comes after these, and ends their searches too
			next := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.command(ctx, next)
			s.stop()
		}
	case "ponderhit":
		if t := s.search; t != nil && t.task.Ponder {
			close(t.hit)
			t.task.Ponder = false
		}
	case "quit":
		s.quit = true
	case "d":
		s.show()
	case "debug", "register": // no effect
	default:
		s.complain("unknown command %q", clip(words[0]))
	}
}

const (
	ponderOption = "Ponder"
	wdlOption    = "UCI_ShowWDL"
)

// options returns the server's own options and then those of the engine.
func (s *server) options() []Option {
	variants := s.engine.Variants()
	own := []Option{{Name: variantOption, Type: "combo", Default: variants[0].String()}}
	for _, v := range variants {
		own[0].Vars = append(own[0].Vars, v.String())
	}
	for _, name := range []string{chess960Option, ponderOption, wdlOption} {
		own = append(own, Option{Name: name, Type: "check", Default: "false"})
	}
	return append(own, slices.DeleteFunc(s.engine.Options(), func(o Option) bool {
		return slices.ContainsFunc(own, func(mine Option) bool { return strings.EqualFold(o.Name, mine.Name) })
	})...)
}

func (s *server) introduce() {
	s.say("id name alamos %s", s.engine.Name())
	s.say("id author the alamos authors")
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
		value = o.spelled(value)
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
	case wdlOption:
		s.wdl = value == "true"
		if !slices.ContainsFunc(s.engine.Options(), func(o Option) bool { return o.Name == name }) {
			return nil
		}
	case ponderOption: // informs user interfaces only: "go ponder" starts to ponder
		return nil
	}
	return s.engine.Set(name, value)
}

func (s *server) position(words []string) {
	g, err := parsePosition(s.variant, words)
	if err != nil {
		s.complain("position: %v", err)
	}
	s.game = g // nil: no move is better than one for another position
}

func (s *server) show() {
	if s.game == nil {
		s.complain("no position")
		return
	}
	p := s.game.Position()
	for i := 0; i < 64; i += 8 {
		s.say("%d  %s", 8-i/8, strings.Join(strings.Split(p.Board()[i:i+8], ""), " "))
	}
	s.say("   a b c d e f g h")
	s.say("Fen: %s", p.FEN())
	s.say("Variant: %s", s.variant)
}

// think starts a search.
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
	if turn := s.game.Position().Turn(); !task.Infinite {
		if task.Clock[turn] == 0 { // that of the other side ends no search
			task.Clock, task.Increment, task.MovesToGo = [2]time.Duration{}, [2]time.Duration{}, 0
		}
		task.Limit = task.Limit.ForPlayer(s.limit, turn)
		task.Infinite = task.Limit == Limit{} && !task.Ponder
	}
	var l chess.MoveList
	if s.game.Position().LegalMoves(&l); l.Len() == 0 {
		s.say("info depth 0 score %s", endScore(s.game.Position()))
		s.say("bestmove (none)")
		return
	}
	searchCtx, cancel := context.WithCancel(ctx)
	t := &served{cancel: cancel, done: make(chan struct{}), hit: make(chan struct{})}
	task.Hit, task.WDL = t.hit, s.wdl
	t.task = task
	s.search = t
	game, chess960 := s.game.Clone(), s.chess960
	go func() {
		defer close(t.done)
		defer cancel()
		p := game.Position()
		best, ponder, err := s.engine.Think(searchCtx, game, task, func(r *Report) {
			for _, in := range r.infos(p, chess960, s.wdl) {
				s.say("%s", in.line())
			}
		})
		t.answered.Store(true)
		if err != nil {
			s.complain("%v", err)
		}
		if best == 0 {
			s.say("bestmove (none)")
			return
		}
		answer := "bestmove " + moveText(p, best, chess960)
		if ponder != 0 {
			next := *p
			next.Play(best)
			answer += " ponder " + moveText(&next, ponder, chess960)
		}
		s.say("%s", answer)
	}()
}

// infos returns a report about the position p as "info" lines, one for each of its lines.
func (r *Report) infos(p *chess.Position, chess960, wdl bool) []Info {
	var all []Info
	for i := range r.Lines {
		line := &r.Lines[i]
		if i > 0 && line.Visits == 0 {
			break
		}
		depth := r.Depth
		if r.Tree {
			depth = len(line.Moves)
		}
		in := Info{
			Depth: depth, SelDepth: r.Depth, Nodes: int64(r.Visits), Time: r.Time,
			NPS: int64(r.Speed), HashFull: int(1000 * r.Full), Score: r.score(line, wdl),
		}
		if len(r.Lines) > 1 && r.Tree {
			in.MultiPV = i + 1
		}
		here := *p
		for _, m := range line.Moves {
			in.PV = append(in.PV, moveText(&here, m, chess960))
			here.Play(m)
		}
		all = append(all, in)
	}
	return all
}

// score returns the score of a line. If the network predicts only an expected result,
// without draws, the score has the corresponding mixture of wins and losses.
func (r *Report) score(line *Line, showWDL bool) *Score {
	value, wdl := line.Q, line.WDL
	if line.Visits == 0 {
		value, wdl = r.Value, r.WDL
	}
	s := ScoreOf(value)
	if line.Mate != 0 {
		s = Score{IsMate: true, Mate: line.Mate}
	}
	if !showWDL {
		return &s
	}
	shares := [3]float64{(1 + value) / 2, 0, (1 - value) / 2}
	switch {
	case wdl != nil:
		shares = *wdl
	case line.Exact && value == 0:
		shares = [3]float64{0, 1, 0}
	}
	win, loss := int(math.Round(1000*shares[0])), int(math.Round(1000*shares[2]))
	loss = min(loss, 1000-win)
	s.WDL = &[3]int{win, 1000 - win - loss, loss}
	return &s
}

// endScore returns the score of a position without moves.
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

// perft counts positions by root move, as other engines do, until ctx ends.
func (s *server) perft(ctx context.Context, depth string) {
	n, err := strconv.Atoi(depth)
	if err != nil || n < 1 || n > 20 || s.game == nil {
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
		count, err := chess.PerftUntil(ctx, &next, n-1)
		if err != nil {
			return
		}
		total += count
		s.say("%s: %d", moveText(p, m, s.chess960), count)
	}
	s.say("Nodes searched: %d", total)
}
