package main

import (
	"net"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"alamos/pkg/hook"
)

func TestMain(m *testing.M) {
	if hook.IsChild() {
		os.Exit(hook.RunChild())
	}
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"alamos": main})
}

// TestScripts runs the scripts in testdata/script: one a behavior of a command.
func TestScripts(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root+"/..")
			return nil
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"address": freeAddress},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// freeAddress is the command address NAME of scripts: the variable becomes an address on which
// nothing listens.
func freeAddress(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], l.Addr().String())
	ts.Check(l.Close())
}
