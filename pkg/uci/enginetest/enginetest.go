// Package enginetest has an engine that misbehaves, for tests of what plays against
// engines: a real process with real pipes, the test's own binary run again.
//
// It plays atomic chess, always the first legal move, until it is Black's turn at
// move 3, when it does what its mode says. It thinks about nothing.
package enginetest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Modes of the engine.
const (
	Well      = "well"      // does nothing wrong
	Classical = "classical" // knows no chess960
	Crash     = "crash"     // ends with status 7
	Hang      = "hang"      // answers nothing, not even "stop"
	Late      = "late"      // answers when it is told to stop
	Illegal   = "illegal"   // plays a1a8
	Garbage   = "garbage"   // answers what is no move
)

const variable = "ALAMOS_TEST_ENGINE"

// Main is the engine, where the process is one, and tells whether it was. TestMain
// is to begin with it, in every package whose tests use [Command] or [Program].
func Main() (ran bool) {
	mode := os.Getenv(variable)
	if mode != "" {
		play(mode)
	}
	return mode != ""
}

// Command runs the engine in a mode.
func Command(mode string) uci.Command {
	return uci.Command{Path: os.Args[0], Env: []string{variable + "=" + mode}}
}

// Program makes a program of the engine in a mode, called like the mode, and returns
// its path.
func Program(t *testing.T, mode string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), mode)
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec '%s'\n", variable, mode, self)
	// A process that is started meanwhile would have the file open for writing for a moment,
	// and the kernel runs no such program.
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, []byte(script), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// play is the engine.
func play(mode string) {
	pos := chess.StartPosition(chess.Atomic)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "uci":
			fmt.Println("id name Failing", mode)
			fmt.Println("option name UCI_Variant type combo default chess var chess var atomic")
			if mode != Classical {
				fmt.Println("option name UCI_Chess960 type check default false")
			}
			fmt.Println("uciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			pos = position(rest)
		case "go":
			if pos.FullMove() == 3 && pos.Turn() == chess.Black && fail(mode, in) {
				continue
			}
			var l chess.MoveList
			pos.LegalMoves(&l)
			fmt.Println("info depth 3 score cp 0")
			fmt.Println("bestmove", pos.UCI(l.At(0)))
		case "quit":
			return
		}
	}
}

// position reads what follows "position".
func position(s string) chess.Position {
	where, moves, _ := strings.Cut(s, " moves ")
	pos := chess.StartPosition(chess.Atomic)
	if fen, ok := strings.CutPrefix(where, "fen "); ok {
		var err error
		if pos, err = chess.ParseFEN(chess.Atomic, fen); err != nil {
			die(err)
		}
	}
	for _, w := range strings.Fields(moves) {
		m, err := pos.ParseUCI(w)
		if err != nil {
			die(err)
		}
		pos.Play(m)
	}
	return pos
}

// fail does what the mode says, and reports whether that was the answer.
func fail(mode string, in *bufio.Scanner) bool {
	switch mode {
	case Crash:
		fmt.Fprintln(os.Stderr, "segmentation fault, as it were")
		os.Exit(7)
	case Hang:
		time.Sleep(time.Hour)
	case Late:
		for in.Scan() && in.Text() != "stop" {
		}
	case Illegal:
		fmt.Println("bestmove a1a8")
		return true
	case Garbage:
		fmt.Println("bestmove \x00 of all")
		return true
	}
	return false
}

func die(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
