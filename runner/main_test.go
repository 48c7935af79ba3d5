package main

import (
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
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}
