package uci_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"

	"alamos/pkg/uci"
)

// blank is an engine without a network.
func blank() *uci.Engine { return uci.New(uci.Blank(chess.Variants()...)) }

// answers is what an engine says to commands that are piped to it.
func answers(t *testing.T, commands ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := uci.Serve(t.Context(), strings.NewReader(strings.Join(commands, "\n")+"\n"), &out, blank(), uci.Limit{}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// wantLine wants a line that matches.
func wantLine(t *testing.T, lines []string, pattern string) {
	t.Helper()
	if !slices.ContainsFunc(lines, regexp.MustCompile("^(?:"+pattern+")$").MatchString) {
		t.Errorf("no line matches %s:\n%s", pattern, strings.Join(lines, "\n"))
	}
}

func TestServe(t *testing.T) {
	for name, c := range map[string]struct {
		commands []string
		want     []string // patterns of lines that are there
	}{
		"handshake": {[]string{"uci", "isready"}, []string{
			"id name alamos blank", "id author .+", "option name UCI_Variant type combo default chess var chess var atomic .*var crazyhouse",
			"option name MultiPV type spin default 1 min 1 max 256", "option name CPuct type string default 1.5", "uciok", "readyok"}},
		"nodes": {[]string{"position startpos moves e2e4 e7e5", "go nodes 200"}, []string{
			`info depth \d+ seldepth \d+ score cp -?\d+ nodes 200 time \d+.* pv .+`, `bestmove [a-h][1-8][a-h][1-8] ponder [a-h][1-8][a-h][1-8]`}},
		"no move to ponder": {[]string{"position startpos", "go nodes 1"}, []string{`bestmove \w+`}},
		"depth":             {[]string{"position startpos", "go depth 3"}, []string{`info depth [3-9].*`, `bestmove \w+.*`}},
		"time":              {[]string{"position startpos", "go movetime 20"}, []string{`bestmove \w+.*`}},
		"clock":             {[]string{"position startpos", "go wtime 1000 btime 1 winc 10 binc 10"}, []string{`bestmove \w+.*`}},
		"no time left":      {[]string{"position startpos", "go wtime -50 btime 1"}, []string{`bestmove \w+.*`}},
		"mate in one": {[]string{"position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go mate 1 nodes 100000"}, []string{
			`info .*score mate 1 .*pv a1a8`, `bestmove a1a8`}},
		"mated in one": {[]string{"position fen k7/8/1K6/8/8/8/8/7R b - - 0 1", "go nodes 1000"}, []string{`info .*score mate -1 .*`, `bestmove a8b8 ponder h1h8`}},
		"one move only": {[]string{"position fen k7/8/1K6/8/8/8/8/7R b - - 0 1", "go wtime 100000 btime 100000"}, []string{
			`bestmove a8b8.*`}},
		"searchmoves":                    {[]string{"position startpos", "go nodes 50 searchmoves a2a3 h2h3"}, []string{`bestmove (a2a3|h2h3).*`}},
		"infinite, and the end of input": {[]string{"position startpos", "go infinite"}, []string{`bestmove \w+.*`}},
		"go alone is infinite":           {[]string{"position startpos", "go", "stop"}, []string{`bestmove \w+.*`}},
		"stop ends what waits too":       {[]string{"position startpos", "go movetime 600000", "position startpos moves e2e4", "go infinite", "stop", "go nodes 5"}, []string{`bestmove [a-h][12].*`, `bestmove [a-h][78].*`}},
		"stop at once":                   {[]string{"position startpos", "go infinite", "stop", "stop"}, []string{`bestmove \w+.*`}},
		"ponder, hit":                    {[]string{"position startpos moves e2e4", "go ponder wtime 50 btime 50", "ponderhit"}, []string{`bestmove \w+.*`}},
		"ponder, miss":                   {[]string{"position startpos moves e2e4", "go ponder nodes 10", "stop", "position startpos", "go nodes 5"}, []string{`bestmove \w+.*`}},
		"checkmated":                     {[]string{"position startpos moves f2f3 e7e5 g2g4 d8h4", "go nodes 10"}, []string{`info depth 0 score mate 0`, `bestmove \(none\)`}},
		"stalemated":                     {[]string{"position fen k7/8/1Q6/8/8/8/8/K7 b - - 0 1", "go nodes 10"}, []string{`info depth 0 score cp 0`, `bestmove \(none\)`}},
		"drawn, but searched": {[]string{"position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "go nodes 100"},
			[]string{`bestmove [a-h].*`}},
		"atomic": {[]string{"setoption name UCI_Variant value atomic", "position startpos moves g1f3 a7a6 f3g5 a6a5", "go nodes 500"},
			[]string{`info .*score mate 1.*`, `bestmove g5(f7|e6).*`}},
		"perft": {[]string{"setoption name uci_variant value ATOMIC", "position startpos", "go perft 4"}, []string{"b1c3: 9758", "Nodes searched: 197326"}},
		"chess960": {[]string{"setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1", "d"},
			[]string{"Fen: 4k3/8/8/8/8/8/8/5RK1 b - - 1 1"}},
		"castling, written by the rook": {[]string{"setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go nodes 10 searchmoves e1h1"},
			[]string{"bestmove e1h1.*"}},
		"castling, written by the king": {[]string{"position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go nodes 10 searchmoves e1g1"}, []string{"bestmove e1g1.*"}},
		"MultiPV": {[]string{"setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true", "position startpos", "go nodes 300"},
			[]string{`info .*multipv 1 score cp -?\d+ wdl \d+ 0 \d+ nodes 300.*`, `info .*multipv 3 .*`}},
		"temperature": {[]string{"setoption name Temperature value 1.5", "setoption name TemperaturePlies value 4", "position startpos", "go nodes 100"}, []string{`bestmove .*`}},

		"unknown command": {[]string{"", "   ", "castle", "isready"}, []string{`info string error: unknown command "castle"`, "readyok"}},
		"bad position": {[]string{"position startpos moves e2e5", "go nodes 10", "position startpos", "go nodes 10"}, []string{
			`info string error: position: move 1: .*e2e5.*`, `info string error: go: there is no position`, `bestmove \(none\)`, `bestmove [a-h].*`}},
		"bad FEN": {[]string{"position fen 8/8", "d"}, []string{`info string error: position: fen .*`, `info string error: no position`}},
		"bad go":  {[]string{"go nodes many", "go wtime", "go sideways", "go searchmoves e2e5"}, []string{`info string error: go: nodes: .*"many"`, `info string error: go: nothing after wtime`, `info string error: go: unknown word "sideways"`, `bestmove \(none\)`}},
		"bad options": {[]string{"setoption", "setoption name Nothing value 1", "setoption name MultiPV value 0", "setoption name CPuct value wide", "setoption name UCI_Variant value checkers", "setoption name MultiPV"},
			[]string{`info string error: setoption: want name .*`, `info string error: no option is called "Nothing"`, `info string error: option MultiPV: want 1 to 256, have 0`, `info string error: option CPuct: want a number .*"wide"`, `info string error: option UCI_Variant: "checkers".*`}},
		"bad perft": {[]string{"go perft 0", "go perft x"}, []string{`info string error: go perft: .*`}},
		"while it searches": {[]string{"position startpos", "go infinite", "position startpos", "setoption name MultiPV value 2", "ucinewgame", "go", "isready", "stop"},
			[]string{`info string error: position: a search is under way.*`, `info string error: go: a search .*`, "readyok", `bestmove .*`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := answers(t, c.commands...)
			for _, w := range c.want {
				wantLine(t, lines, w)
			}
		})
	}
}

// A search with a fixed number of visits gives the same answers again, also after
// other games.
func TestServeIsDeterministic(t *testing.T) {
	game := []string{"position startpos moves e2e4", "go nodes 400", "position startpos moves e2e4 e7e5 g1f3", "go nodes 400"}
	clean := func(lines []string) []string {
		times := regexp.MustCompile(` (time|nps) \d+`)
		var moves []string
		for _, l := range lines {
			if strings.HasPrefix(l, "bestmove") {
				moves = append(moves, times.ReplaceAllString(l, ""))
			}
		}
		return moves
	}
	first := clean(answers(t, game...))
	again := clean(answers(t, slices.Concat([]string{"position startpos moves d2d4", "go nodes 100", "ucinewgame"}, game)...))
	if len(first) != 2 || !slices.Equal(first, again[1:]) {
		t.Errorf("%v, then %v", first, again)
	}
}

// conversation is an engine that is talked to.
type conversation struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	end   chan error
}

func talk(t *testing.T) *conversation {
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	c := &conversation{t, in, make(chan string, 1000), make(chan error, 1)}
	go func() {
		c.end <- uci.Serve(t.Context(), inReader, out, blank(), uci.Limit{})
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		var b bytes.Buffer
		for buf := make([]byte, 4096); ; {
			n, err := outReader.Read(buf)
			b.Write(buf[:n])
			for {
				line, rest, found := strings.Cut(b.String(), "\n")
				if !found {
					break
				}
				b.Reset()
				b.WriteString(rest)
				c.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { in.Close() })
	return c
}

func (c *conversation) say(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

// until reads lines to the first that begins so.
func (c *conversation) until(prefix string) string {
	c.t.Helper()
	for {
		select {
		case line, more := <-c.lines:
			if !more {
				c.t.Fatalf("the engine ended before %q", prefix)
			}
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-time.After(20 * time.Second):
			c.t.Fatalf("no answer %q", prefix)
		}
	}
}

// An infinite search says nothing final until it is stopped, also where there is
// nothing left to search, and pondering continues until the hit.
func TestServeWaits(t *testing.T) {
	c := talk(t)
	for _, position := range []string{"startpos", "fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"} { // the second is soon solved
		for _, how := range []string{"go infinite", "go ponder wtime 1 btime 1", "go infinite nodes 1"} {
			c.say("position " + position)
			c.say(how)
			c.say("isready")
			for line := c.until(""); line != "readyok"; line = c.until("") {
				if strings.HasPrefix(line, "bestmove") {
					t.Errorf("%s, %s: %s before stop", position, how, line)
				}
			}
			c.say("stop")
			c.until("bestmove")
		}
	}
	c.say("go ponder wtime 1 btime 1")
	c.say("ponderhit")
	c.until("bestmove")
	c.say("quit")
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

// The end of the input stops a search that only a command can end, and deferred commands
// still run.
func TestServeEndOfInput(t *testing.T) {
	for _, commands := range [][]string{
		{"go infinite"},
		{"go ponder nodes 1"},
		{"go infinite", "ponderhit"},
		{"go ponder infinite", "ponderhit"},
		{"go ponder", "ponderhit"},
		{"go winc 1000"},
		{"go btime 1000"}, // it is White's turn
		{"go nodes 50", "go ponder nodes 1", "position startpos moves e2e4", "go nodes 50"},
	} {
		wantLine(t, answers(t, append([]string{"position startpos"}, commands...)...), `bestmove \w+.*`)
	}
}

// A user interface that has gone ends the conversation.
func TestServeBrokenPipe(t *testing.T) {
	err := uci.Serve(t.Context(), strings.NewReader("uci\ngo infinite\n"+strings.Repeat("isready\n", 1000)), brokenPipe{}, blank(), uci.Limit{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer w.Close()
	if err := uci.Serve(ctx, r, io.Discard, blank(), uci.Limit{}); err != nil {
		t.Errorf("error %v of a context that has ended", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServeLongLines(t *testing.T) {
	lines := answers(t, strings.Repeat("x", 3<<20), "isready", "position startpos moves "+strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", 2000), "go nodes 3")
	wantLine(t, lines, `info string error: unknown command .*`)
	wantLine(t, lines, "readyok")
	wantLine(t, lines, "bestmove [a-h].*")
}

// A count that would take years ends with its context.
func TestServePerftEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var out strings.Builder
	if err := uci.Serve(ctx, strings.NewReader("position startpos\ngo perft 12\n"), &out, blank(), uci.Limit{}); err != nil || strings.Contains(out.String(), "Nodes searched") {
		t.Errorf("error %v, answers %q", err, out.String())
	}
}

// A line that never ends takes no memory, and a position of which only the start was read
// is refused.
func TestServeEndlessLine(t *testing.T) {
	endless := strings.NewReader("position startpos moves " + strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", 64<<20/20) + "\ngo nodes 3\n")
	var out strings.Builder
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := uci.Serve(t.Context(), endless, &out, blank(), uci.Limit{})
	runtime.ReadMemStats(&after)
	if err != nil || !strings.Contains(out.String(), "a line of more than 1048576 bytes") || !strings.Contains(out.String(), "bestmove (none)") {
		t.Errorf("error %v, answers %q", err, out.String())
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 32 {
		t.Errorf("a line of 64 MiB took %d MiB", used)
	}
}

// sessions are valid ones, a line a command.
var sessions = []string{
	"uci\nisready\nucinewgame\nposition startpos\ngo nodes 20\nposition startpos moves e2e4 e7e5\ngo depth 2\nquit",
	"setoption name UCI_Variant value crazyhouse\nposition startpos moves e2e4 d7d5 e4d5\ngo nodes 30 searchmoves b1c3 d2d4\nstop\nd\ngo perft 2",
	"setoption name UCI_Chess960 value true\nposition fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\ngo nodes 9\nposition startpos\ngo movetime 1",
	"setoption name MultiPV value 4\nsetoption name Temperature value 2\nposition fen 8/8/8/8/8/8/8/k1K5 b - - 99 200\ngo infinite\nisready\nstop\ngo ponder nodes 4\nponderhit\nstop",
	"setoption name Hash value 1\nsetoption name Leaves value 8\nposition startpos\ngo wtime 20 btime 20 winc 1 binc 1 movestogo 3\nstop\ngo mate 2\nstop",
}

// FuzzServe talks nonsense to an engine. It must answer every go with one bestmove
// and never panic or hang.
func FuzzServe(f *testing.F) {
	for _, s := range sessions {
		f.Add([]byte(s))
	}
	f.Add([]byte("position moves\ngo\nstop"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("perft")) && regexp.MustCompile(`perft\s+0*([3-9]|\d\d)`).Match(in) {
			t.Skip("takes too long")
		}
		converse(t, string(in))
	})
}

// Valid sessions with their commands in any order.
func TestServeShuffled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		lines := strings.Split(sessions[r.IntN(len(sessions))]+"\n"+sessions[r.IntN(len(sessions))], "\n")
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		converse(t, strings.Join(lines, "\n"))
	}
}

func converse(t *testing.T, in string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out bytes.Buffer
	if err := uci.Serve(ctx, strings.NewReader(in), &out, blank(), uci.Limit{MoveTime: 50 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Errorf("it hangs:\n%s", in)
	}
	asked := 0
	for _, line := range strings.Split(in, "\n") {
		if w := strings.Fields(line); len(w) > 0 && w[0] == "go" {
			asked++
		}
	}
	if n := strings.Count(out.String(), "bestmove"); n > asked {
		t.Errorf("%d answers to %d questions:\n%s\n%s", n, asked, in, out.String())
	}
}
