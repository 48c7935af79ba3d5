package uci

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
)

// The engines that misbehave are this test binary, run again with the name of a
// misbehavior in the environment: real processes with real pipes.
const fakeEnv = "ALAMOS_UCI_TEST_ENGINE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeEnv); mode != "" {
		fakeEngine(mode)
		return
	}
	os.Exit(m.Run())
}

// fake is the command of a misbehaving engine.
func fake(mode string) Command {
	return Command{Name: mode, Path: os.Args[0], Env: []string{fakeEnv + "=" + mode}}
}

// fakeEngine is a small engine that always plays the first legal move, except
// where its mode makes it misbehave. It always plays by the rules of chess, only
// in mode "unlisted-V" by those of the variant V.
func fakeEngine(mode string) {
	if mode == "no-handshake" {
		time.Sleep(time.Hour)
	}
	if mode == "deaf" {
		fmt.Println("uciok")
		fmt.Println("readyok")
		time.Sleep(time.Hour)
	}
	v := chess.Standard
	if name, ok := strings.CutPrefix(mode, "unlisted-"); ok {
		v, _ = chess.ParseVariant(name)
	}
	pos := chess.StartPosition(v)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "uci":
			fakeHandshake(mode)
		case "isready":
			fmt.Println("readyok")
		case "position":
			pos = fakePosition(v, rest)
		case "go":
			if strings.HasPrefix(rest, "perft") && mode != "no-perft" && mode != "hang" {
				var depth int
				fmt.Sscanf(rest, "perft %d", &depth)
				fmt.Printf("\nNodes searched: %d\n\n", chess.Perft(&pos, depth))
				continue
			}
			fakeGo(mode, &pos, in)
		case "quit":
			if mode != "no-quit" {
				return
			}
		}
	}
	if mode == "no-quit" {
		time.Sleep(time.Hour)
	}
}

func fakeHandshake(mode string) {
	switch mode {
	case "crash-handshake":
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
	case "garbage-handshake":
		fmt.Println("?SYNTAX ERROR")
		return
	case "flood":
		for {
			fmt.Println("spam spam spam")
		}
	case "slow":
		time.Sleep(300 * time.Millisecond)
	case "huge-line":
		fmt.Println(strings.Repeat("x", 3*maxLine))
	}
	fmt.Println("id name Fake 1.0\nid author nobody")
	fmt.Println("option name Skill Level type spin default 20 min -20 max 20")
	fmt.Println("option name Style type combo default Solid var Solid var Very Risky")
	fmt.Println("option name Broken type")
	if mode != "plain" {
		fmt.Println("option name UCI_Chess960 type check default false")
		fmt.Println("option name UCI_Variant type combo default chess var chess var shogi")
	}
	if mode == "descendant" {
		c := exec.Command("sleep", "3600")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("id author", c.Process.Pid)
	}
	fmt.Println("uciok")
}

// fakePosition reads "startpos [moves ...]" or "fen F [moves ...]".
func fakePosition(v chess.Variant, s string) chess.Position {
	where, moves, _ := strings.Cut(s, " moves ")
	p := chess.StartPosition(v)
	if fen, ok := strings.CutPrefix(where, "fen "); ok {
		var err error
		if p, err = chess.ParseFEN(v, fen); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for _, w := range strings.Fields(moves) {
		m, err := p.ParseUCI(w)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		p.Play(m)
	}
	return p
}

func fakeGo(mode string, pos *chess.Position, in *bufio.Scanner) {
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "segmentation fault, as it were")
		os.Exit(7)
	case "hang":
		time.Sleep(time.Hour)
	case "stop":
		for in.Scan() && in.Text() != "stop" {
		}
	case "illegal":
		fmt.Println("bestmove e2e5")
		return
	case "none":
		fmt.Println("bestmove (none)")
		return
	case "garbage":
		fmt.Println("bestmove \x00\xff!")
		return
	}
	var l chess.MoveList
	pos.LegalMoves(&l)
	fmt.Println("info depth 1 score cp 25 nodes 20 pv", pos.UCI(l.At(0)))
	fmt.Println("info string done")
	fmt.Println("bestmove", pos.UCI(l.At(0)))
}
