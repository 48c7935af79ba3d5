// Command engine is a UCI engine that misbehaves: a real process with real pipes for
// tests of the packages that play against engines. Build it with
//
//	go build -o FILE alamos/pkg/uci/testdata/engine
//
// It always plays the first legal move. The name under which it is started is its
// mode: it then plays atomic chess, and misbehaves when Black is to make move 3. A
// mode in the environment variable ALAMOS_FAKE_ENGINE instead makes it play chess and
// misbehave at once.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// engine is the running engine.
type engine struct {
	mode    string
	atomic  bool // plays atomic chess, and well until move 3
	variant chess.Variant
	pos     chess.Position
	in      *bufio.Scanner
}

func main() {
	e := engine{mode: os.Getenv("ALAMOS_FAKE_ENGINE"), in: bufio.NewScanner(os.Stdin)}
	if e.mode == "" {
		e.mode, e.atomic, e.variant = filepath.Base(os.Args[0]), true, chess.Atomic
	}
	if name, ok := strings.CutPrefix(e.mode, "unlisted-"); ok {
		e.variant, _ = chess.ParseVariant(name)
	}
	e.pos = chess.StartPosition(e.variant)
	e.in.Buffer(nil, 1<<20)
	switch e.mode {
	case "no-handshake":
		time.Sleep(time.Hour)
	case "deaf":
		fmt.Println("uciok")
		fmt.Println("readyok")
		time.Sleep(time.Hour)
	}
	for e.in.Scan() {
		switch word, rest, _ := strings.Cut(e.in.Text(), " "); word {
		case "uci":
			e.handshake()
		case "isready":
			fmt.Println("readyok")
		case "position":
			e.position(rest)
		case "go":
			var depth int
			if n, _ := fmt.Sscanf(rest, "perft %d", &depth); n == 1 && e.mode != "no-perft" && e.mode != "hang" {
				fmt.Printf("\nNodes searched: %d\n\n", chess.Perft(&e.pos, depth))
			} else if e.atomic && (e.pos.FullMove() != 3 || e.pos.Turn() != chess.Black) || !e.misbehave() {
				e.play()
			}
		case "quit":
			if e.mode != "no-quit" {
				return
			}
		}
	}
	if e.mode == "no-quit" {
		time.Sleep(time.Hour)
	}
}

// handshake answers "uci".
func (e *engine) handshake() {
	switch e.mode {
	case "crash-handshake":
		fail("out of luck", 3)
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
		fmt.Println(strings.Repeat("x", 3<<20))
	}
	fmt.Println("id name Fake 1.0\nid author nobody")
	fmt.Println("option name Skill Level type spin default 20 min -20 max 20")
	fmt.Println("option name Style type combo default Solid var Solid var Very Risky")
	fmt.Println("option name Broken type")
	if e.mode != "plain" && e.mode != "classical" {
		fmt.Println("option name UCI_Chess960 type check default false")
	}
	switch {
	case e.atomic:
		fmt.Println("option name UCI_Variant type combo default chess var chess var atomic")
	case e.mode != "plain":
		fmt.Println("option name UCI_Variant type combo default chess var chess var shogi")
	}
	if e.mode == "descendant" {
		c := exec.Command("sleep", "3600")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			fail(err, 1)
		}
		fmt.Println("id name", c.Process.Pid)
	}
	fmt.Println("uciok")
}

// position reads "startpos [moves ...]" or "fen F [moves ...]".
func (e *engine) position(s string) {
	where, moves, _ := strings.Cut(s, " moves ")
	e.pos = chess.StartPosition(e.variant)
	if fen, ok := strings.CutPrefix(where, "fen "); ok {
		var err error
		if e.pos, err = chess.ParseFEN(e.variant, fen); err != nil {
			fail(err, 1)
		}
	}
	for _, w := range strings.Fields(moves) {
		m, err := e.pos.ParseUCI(w)
		if err != nil {
			fail(err, 1)
		}
		e.pos.Play(m)
	}
}

// misbehave does what the mode says, and reports whether that was the answer.
func (e *engine) misbehave() bool {
	switch e.mode {
	case "crash":
		fail("segmentation fault, as it were", 7)
	case "hang":
		time.Sleep(time.Hour)
	case "late": // answers when it is told to stop
		for e.in.Scan() && e.in.Text() != "stop" {
		}
	case "illegal":
		fmt.Println("bestmove a1a8")
		return true
	case "none":
		fmt.Println("bestmove (none)")
		return true
	case "garbage":
		fmt.Println("bestmove \x00\xff of all")
		return true
	}
	return false
}

// play answers with the first legal move.
func (e *engine) play() {
	var l chess.MoveList
	e.pos.LegalMoves(&l)
	fmt.Println("info depth 3 score cp 25 nodes 20 pv", e.pos.UCI(l.At(0)))
	fmt.Println("info string done")
	fmt.Println("bestmove", e.pos.UCI(l.At(0)))
}

func fail(message any, status int) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(status)
}
