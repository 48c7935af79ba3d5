package arena

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// The engines that misbehave are this test binary, run again with the name of a
// misbehavior in the environment.
const fakeEnv = "ALAMOS_ARENA_TEST_ENGINE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeEnv); mode != "" {
		fakeEngine(mode)
		return
	}
	os.Exit(m.Run())
}

// fake is the command of an engine that plays atomic chess: always the first
// legal move, until it is black's turn at move 3, when it does what its mode says.
func fake(mode string) uci.Command {
	return uci.Command{Path: os.Args[0], Env: []string{fakeEnv + "=" + mode}}
}

func fakeEngine(mode string) {
	pos := chess.StartPosition(chess.Atomic)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "uci":
			fmt.Println("option name UCI_Variant type combo default chess var chess var atomic")
			if mode != "classical" {
				fmt.Println("option name UCI_Chess960 type check default false")
			}
			fmt.Println("uciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			pos = chess.StartPosition(chess.Atomic)
			where, moves, _ := strings.Cut(rest, " moves ")
			if fen, ok := strings.CutPrefix(where, "fen "); ok {
				var err error
				if pos, err = chess.ParseFEN(chess.Atomic, fen); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
			for _, w := range strings.Fields(moves) {
				m, err := pos.ParseUCI(w)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				pos.Play(m)
			}
		case "go":
			if pos.FullMove() == 3 && pos.Turn() == chess.Black {
				switch mode {
				case "crash":
					os.Exit(7)
				case "hang":
					time.Sleep(time.Hour)
				case "late":
					for in.Scan() && in.Text() != "stop" {
					}
				case "illegal":
					fmt.Println("bestmove a1a8")
					continue
				case "garbage":
					fmt.Println("bestmove of all")
					continue
				}
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
