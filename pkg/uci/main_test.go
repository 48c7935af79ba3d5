package uci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
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
	os.RemoveAll(engineDir)
	os.Exit(code)
}

// engineDir has the engine of pkg/uci/testdata/engine once buildEngine was called.
var engineDir string

var buildEngine = sync.OnceValue(func() (err error) {
	if engineDir, err = os.MkdirTemp("", "alamos-engine-"); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(engineDir, "engine"), "alamos/pkg/uci/testdata/engine").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// fakeEnv names the mode in which the misbehaving engine plays chess.
const fakeEnv = "ALAMOS_FAKE_ENGINE"

// engineProgram returns the path of the misbehaving engine.
func engineProgram(t *testing.T) string {
	t.Helper()
	if err := buildEngine(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(engineDir, "engine")
}

// fake is the command of an engine that misbehaves as its mode says.
func fake(t *testing.T, mode string) Command {
	return Command{Name: mode, Path: engineProgram(t), Env: []string{fakeEnv + "=" + mode}}
}
