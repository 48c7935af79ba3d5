package uci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/chess"
)

// times are the defaults, except where an engine is meant to run into a time-out:
// the machine may be busy, and an engine that answers must be given the time.
func times(mode string) Timeouts {
	switch mode {
	case "no-handshake":
		return Timeouts{Handshake: time.Second}
	case "garbage-handshake":
		return Timeouts{Handshake: 3 * time.Second}
	case "hang":
		return Timeouts{Search: 300 * time.Millisecond, Stop: 300 * time.Millisecond}
	case "late":
		return Timeouts{Search: 300 * time.Millisecond, Stop: 20 * time.Second}
	case "deaf":
		return Timeouts{Ready: time.Second}
	}
	return Timeouts{}
}

func start(t *testing.T, c Command, limits Timeouts) *Client {
	t.Helper()
	e, err := Start(t.Context(), c, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// newGame is a chess game after the moves.
func newGame(t *testing.T, v chess.Variant, moves ...string) *chess.Game {
	t.Helper()
	g := chess.NewGame(chess.StartPosition(v))
	for _, s := range moves {
		m, err := g.Position().ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

// wantFault checks kind, name and transcript of an engine's failure.
func wantFault(t *testing.T, err, kind error, name, inTranscript string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want kind %q", err, kind)
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *Error", err)
	}
	if e.Engine != name || !strings.Contains(err.Error(), name) {
		t.Errorf("error of engine %q does not name %q: %v", e.Engine, name, err)
	}
	if !strings.Contains(e.Transcript(), inTranscript) {
		t.Errorf("no %q in the transcript:\n%s", inTranscript, e.Transcript())
	}
}

func TestHandshakeFailures(t *testing.T) {
	for _, test := range []struct {
		mode string
		kind error
		line string // in the transcript
	}{
		{"no-handshake", ErrStall, "> uci\n"},
		{"crash-handshake", ErrCrash, "! out of luck\n"},
		{"garbage-handshake", ErrProtocol, "< ?SYNTAX ERROR\n"},
		{"flood", ErrProtocol, "< spam spam spam\n"},
		{"huge-line", ErrProtocol, "< xxxx"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			e, err := Start(t.Context(), badEngine(t, test.mode), times(test.mode))
			if e != nil {
				t.Fatal("an engine was returned")
			}
			wantFault(t, err, test.kind, test.mode, test.line)
		})
	}
}

func TestCrashTellsExitStatus(t *testing.T) {
	_, err := Start(t.Context(), badEngine(t, "crash-handshake"), Timeouts{})
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v, want the exit status", err)
	}
}

func TestStartOfWhatIsNotThere(t *testing.T) {
	_, err := Start(t.Context(), Command{Path: filepath.Join(t.TempDir(), "nothing")}, Timeouts{})
	wantFault(t, err, ErrStart, "nothing", "")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v does not say that the file is missing", err)
	}
}

func TestSlowStart(t *testing.T) {
	e := start(t, badEngine(t, "slow"), Timeouts{})
	if e.ID() != "Fake 1.0" {
		t.Errorf("engine says it is %q", e.ID())
	}
	if len(e.Options) != 4 {
		t.Errorf("%d options, want the 4 that can be read", len(e.Options))
	}
}

func TestSearchFailures(t *testing.T) {
	for _, test := range []struct {
		mode   string
		kind   error
		line   string
		usable bool // afterwards
	}{
		{"crash", ErrCrash, "! segmentation fault", false},
		{"hang", ErrStall, "> go depth 1\n", false},
		{"late", ErrTime, "> stop\n", true},
		{"garbage", ErrProtocol, "< bestmove", false},
		{"illegal", ErrIllegalMove, "< bestmove a1a8\n", true},
		{"none", ErrIllegalMove, "< bestmove (none)\n", true},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			e := start(t, badEngine(t, test.mode), times(test.mode))
			_, err := e.Go(t.Context(), newGame(t, chess.Standard), Limit{Depth: 1})
			wantFault(t, err, test.kind, test.mode, test.line)
			if usable := e.Err() == nil; usable != test.usable {
				t.Errorf("usable afterwards: %v, want %v", usable, test.usable)
			}
			if err := e.Ready(t.Context()); (err == nil) != test.usable {
				t.Errorf("Ready afterwards: %v", err)
			}
		})
	}
}

// An engine that does not read its input stalls once the pipe is full.
func TestDeafEngine(t *testing.T) {
	e := start(t, badEngine(t, "deaf"), times("deaf"))
	g := newGame(t, chess.Standard)
	for range 25 {
		for _, s := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
			m, err := g.Position().ParseUCI(s)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
	}
	var err error
	for i := 0; i < 10_000 && err == nil; i++ {
		err = e.position(g)
	}
	wantFault(t, err, ErrStall, "deaf", "> position startpos moves")
}

func TestCancel(t *testing.T) {
	for _, test := range []struct {
		mode   string
		usable bool
	}{{"late", true}, {"hang", false}} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			limits := Timeouts{}
			if test.mode == "hang" {
				limits.Stop = 200 * time.Millisecond
			}
			e := start(t, badEngine(t, test.mode), limits)
			enough := errors.New("enough")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, enough)
			defer cancel()
			if _, err := e.Go(ctx, newGame(t, chess.Standard), Limit{Depth: 1}); !errors.Is(err, enough) {
				t.Fatalf("error %v, want the cause of the context", err)
			}
			if err := e.Ready(t.Context()); (err == nil) != test.usable {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestGo(t *testing.T) {
	e := start(t, badEngine(t, "well"), Timeouts{})
	g := newGame(t, chess.Standard, "e2e4", "c7c5")
	for _, bad := range []Limit{{}, {Depth: -1}, {MoveTime: -time.Second}} {
		if _, err := e.Go(t.Context(), g, bad); err == nil {
			t.Errorf("limit %+v was accepted", bad)
		}
	}
	a, err := e.Go(t.Context(), g, Limit{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	if a.Move != l.At(0) {
		t.Errorf("move %v, want the first legal one", a.Move)
	}
	// The line after it had no score and must not hide it.
	if a.Info.Score == nil || a.Info.Score.CP != 25 || a.Info.Nodes != 20 {
		t.Errorf("info %+v", a.Info)
	}
}

func TestOptions(t *testing.T) {
	e := start(t, badEngine(t, "well"), Timeouts{})
	for _, test := range []struct {
		name, value string
		ok          bool
	}{
		{"skill level", "-9", true}, // names have no case
		{"Skill Level", "21", false},
		{"Skill Level", "4.5", false},
		{"Style", "Very Risky", true},
		{"Style", "Mad", false},
		{"Style", "Solid\nquit", false},
		{"Hash", "16", false},
	} {
		err := e.SetOption(test.name, test.value)
		if test.ok && err != nil {
			t.Errorf("%s = %q: %v", test.name, test.value, err)
		}
		if !test.ok && !errors.Is(err, ErrOption) {
			t.Errorf("%s = %q: error %v, want ErrOption", test.name, test.value, err)
		}
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProve(t *testing.T) {
	for _, test := range []struct {
		mode    string
		variant chess.Variant
		refusal string // in the message; "" when it can play
	}{
		{"well", chess.Standard, ""},
		{"plain", chess.Standard, ""},
		{"plain", chess.Atomic, "no option UCI_Variant"},
		// As Debian's fairy-stockfish 11.1.
		{"well", chess.Atomic, "197281 positions instead of 197326: it plays ordinary chess"},
		{"unlisted-atomic", chess.Atomic, ""},
		{"unlisted-antichess", chess.Antichess, ""},
		{"unlisted-kingofthehill", chess.KingOfTheHill, ""},
		{"unlisted-3check", chess.ThreeCheck, ""},
		{"unlisted-horde", chess.Horde, ""},
		{"unlisted-racingkings", chess.RacingKings, ""},
		{"unlisted-crazyhouse", chess.Crazyhouse, ""},
		{"well", chess.Antichess, "it plays ordinary chess"},
		{"well", chess.KingOfTheHill, "it plays ordinary chess"},
		{"well", chess.ThreeCheck, "it plays ordinary chess"},
		{"well", chess.Horde, "it plays ordinary chess"},
		{"well", chess.RacingKings, "it plays ordinary chess"},
		{"well", chess.Crazyhouse, "plies from e2e4 d7d5 e4d5 a7a6 it counts"},
		{"no-perft", chess.Atomic, "counts no positions"},
	} {
		t.Run(test.mode+"-"+test.variant.String(), func(t *testing.T) {
			t.Parallel()
			e := start(t, badEngine(t, test.mode), Timeouts{})
			err := e.Prove(t.Context(), test.variant)
			if test.refusal == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantFault(t, err, ErrVariant, test.mode, "option name")
			if !strings.Contains(err.Error(), test.refusal) {
				t.Errorf("%v: does not say %q", err, test.refusal)
			}
		})
	}
}

// What tells a variant from chess must do so: were the counts the same, an engine
// that plays chess would pass for one that plays the variant.
func TestProofsTell(t *testing.T) {
	for _, v := range chess.Variants() {
		p := proofOf(v)
		g, plain := p.game(v), p.game(chess.Standard)
		if g == nil || plain == nil {
			t.Errorf("%s: %q cannot be played", v, p.moves)
			continue
		}
		if n := chess.Perft(g.Position(), p.depth); v != chess.Standard && n == chess.Perft(plain.Position(), p.depth) {
			t.Errorf("%s: %d as in chess", v, n)
		}
	}
}

// In games from chess960 castling is the king taking its rook, and the engine is
// told so; in others it is not, and is told that too.
func TestChess960(t *testing.T) {
	const fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w BGbg - 0 1"
	game := func(fen, castling string) *chess.Game {
		p, err := chess.ParseFEN(chess.Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(p)
		m, err := p.ParseUCI(castling)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
		return g
	}
	const usual = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
	// One rook stands where it does in chess: its castling is still e1a1.
	const half = "r3k1r1/pppppppp/8/8/8/8/PPPPPPPP/R3K1R1 w GAga - 0 1"
	for _, c := range []struct {
		fen, castling, want string
		chess960            bool
	}{
		{usual, "e1c1", "e1c1", false},
		{fen, "e1b1", "e1b1", true},
		{half, "e1a1", "e1a1", true},
		{usual, "e1g1", "e1g1", false},
	} {
		g := game(c.fen, c.castling)
		if g.Start().CastlesAs960() != c.chess960 {
			t.Errorf("%s: chess960 is %v", c.fen, !c.chess960)
		}
		if got := positionCommand(g); !strings.HasSuffix(got, " moves "+c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}

	e := start(t, badEngine(t, "well"), Timeouts{})
	if err := e.ProveChess960(); err != nil {
		t.Error(err)
	}
	for _, f := range []string{usual, fen, fen, usual} {
		p, err := chess.ParseFEN(chess.Standard, f)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.position(chess.NewGame(p)); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	for _, line := range e.Transcript() {
		if strings.Contains(line, "setoption") {
			told = append(told, line)
		}
	}
	want := []string{"> setoption name UCI_Chess960 value true", "> setoption name UCI_Chess960 value false"}
	if !slices.Equal(told, want) {
		t.Errorf("it received %q, want %q", told, want)
	}

	plain := start(t, badEngine(t, "plain"), Timeouts{})
	wantFault(t, plain.ProveChess960(), ErrVariant, "plain", "option name")
	wantFault(t, plain.position(game(fen, "e1b1")), ErrOption, "plain", "option name")
	if err := plain.position(game(usual, "e1g1")); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsTheWholeGroup(t *testing.T) {
	e := start(t, badEngine(t, "descendant"), Timeouts{})
	pid, err := strconv.Atoi(e.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the engine's child is not running: %v", err)
	}
	e.Close()
	e.Close() // twice is fine
	if !goneSoon(pid) {
		t.Error("the engine's child outlives it")
	}
	if err := e.Ready(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// An engine that ignores "quit" and the end of its input is killed.
func TestCloseKills(t *testing.T) {
	e := start(t, badEngine(t, "no-quit"), Timeouts{Quit: 100 * time.Millisecond})
	pid := e.proc.cmd.Process.Pid
	e.Close()
	if !goneSoon(pid) {
		t.Error("the engine is still running")
	}
}

// The kernel kills an engine whose client was killed, even one that ignores the end of
// its input.
func TestEngineDiesWithItsClient(t *testing.T) {
	client := exec.Command(os.Args[0])
	client.Env = append(os.Environ(), clientVariable+"="+fake.Engine(t, "engine"), fakeEnv+"=no-quit")
	out, err := client.StdoutPipe()
	if err == nil {
		err = client.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = fmt.Fscan(out, &pid)
	_ = client.Process.Kill()
	_ = client.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if !goneSoon(pid) {
		t.Error("the engine outlives its client")
	}
}

// goneSoon waits for a killed process to vanish or to be a zombie.
func goneSoon(pid int) bool {
	for range 2000 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestTranscriptKeepsTheEnd(t *testing.T) {
	var log transcript
	for i := range 1000 {
		log.add("> ", strconv.Itoa(i))
	}
	log.add("< ", strings.Repeat("é", transcriptWidth))
	lines := log.tail()
	if len(lines) != transcriptLines || lines[0] != "> 801" || lines[198] != "> 999" {
		t.Errorf("%d lines from %q to %q", len(lines), lines[0], lines[198])
	}
	if last := lines[199]; len(last) > transcriptWidth+10 || strings.Contains(last, "\uFFFD") {
		t.Errorf("a long line became %d bytes", len(last))
	}
}

func TestPositionCommand(t *testing.T) {
	g := newGame(t, chess.Atomic)
	if got := positionCommand(g); got != "position startpos" {
		t.Error(got)
	}
	g = newGame(t, chess.Standard, "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1")
	if got, want := positionCommand(g), "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const fen = "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"
	p, err := chess.ParseFEN(chess.Atomic, fen)
	if err != nil {
		t.Fatal(err)
	}
	g = chess.NewGame(p)
	m, err := g.Position().ParseUCI("e5d5")
	if err != nil {
		t.Fatal(err)
	}
	g.Play(m)
	if got, want := positionCommand(g), "position fen "+fen+" moves e5d5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPerft(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	e := start(t, badEngine(t, "well"), Timeouts{})
	for depth, want := range []uint64{1: 14, 2: 191, 3: 2812} {
		if depth == 0 {
			continue
		}
		if have, err := e.Perft(t.Context(), &p, depth); err != nil || have != want {
			t.Errorf("depth %d: %d, %v, want %d", depth, have, err, want)
		}
	}
	e = start(t, badEngine(t, "no-perft"), Timeouts{})
	_, err = e.Perft(t.Context(), &p, 3)
	wantFault(t, err, ErrProtocol, "no-perft", "go perft 3")
}

// A count that nobody awaits ends with its engine.
func TestPerftInterrupted(t *testing.T) {
	p := chess.StartPosition(chess.Standard)
	e := start(t, badEngine(t, "hang"), Timeouts{Search: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Perft(ctx, &p, 9); err != context.DeadlineExceeded {
		t.Errorf("have error %v", err)
	}
	if _, err := e.Perft(t.Context(), &p, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}
