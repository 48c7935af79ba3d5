package bench

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// badEngine, in the environment, makes the test binary a UCI engine with a fault
// that no engine has at hand when one is needed.
const badEngine = "ALAMOS_BENCH_TEST_ENGINE"

func TestMain(m *testing.M) {
	if fault := os.Getenv(badEngine); fault != "" {
		serve(fault)
		return
	}
	os.Exit(m.Run())
}

func serve(fault string) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "uci":
			fmt.Print("id name Faulty 1.0\nuciok\n")
		case "isready":
			fmt.Println("readyok")
		case "quit":
			return
		case "go":
			switch {
			case fault == "miscounts":
				fmt.Print("e2e4: 3\n\nNodes searched: 3\n")
			case fault == "searches":
				fmt.Println("info depth 1 score cp 0 pv e2e4")
			case fault == "ends":
				return
			case fault == "silent":
			default:
				fmt.Println("info string unknown fault", fault, rest)
			}
		}
	}
}
