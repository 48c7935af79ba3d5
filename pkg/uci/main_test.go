package uci

import (
	"context"
	"fmt"
	"os"
	"testing"

	"alamos/pkg/uci/testdata/fake"
)

// clientVariable makes the test binary a client that starts the engine of this path,
// writes its process id and waits to be killed.
const clientVariable = "ALAMOS_TEST_CLIENT"

func TestMain(m *testing.M) {
	if path := os.Getenv(clientVariable); path != "" {
		e, err := Start(context.Background(), Command{Path: path}, Timeouts{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(e.proc.cmd.Process.Pid)
		select {}
	}
	code := m.Run()
	fake.Clean()
	os.Exit(code)
}

// fakeEnv names the mode in which the misbehaving engine plays chess.
const fakeEnv = "ALAMOS_FAKE_ENGINE"

// badEngine is the command of an engine that misbehaves as its mode says.
func badEngine(t *testing.T, mode string) Command {
	return Command{Name: mode, Path: "env", Args: []string{fakeEnv + "=" + mode, fake.Engine(t, "engine")}}
}
