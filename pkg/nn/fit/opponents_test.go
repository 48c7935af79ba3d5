package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Stockfish plays chess only: it must be rejected, by its count and not by a
// crash.
func TestProveAtomicRejectsChess(t *testing.T) {
	path, err := exec.LookPath("stockfish")
	if err != nil {
		if path, err = exec.LookPath("/usr/games/stockfish"); err != nil {
			t.Skip("no stockfish")
		}
	}
	if err := proveAtomic(engine{Path: path}); err == nil || !strings.Contains(err.Error(), "perft 4 = 197281") {
		t.Errorf("Stockfish: %v", err)
	}
}

func TestProveAtomicRejectsPrograms(t *testing.T) {
	for _, path := range []string{"/bin/true", "/bin/cat", "/no/such/engine"} {
		e := engine{Path: path}
		if path == "/bin/cat" {
			e.Args = []string{"/dev/null"} // ends without a word
		}
		if err := proveAtomic(e); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The engine that set-up installed plays atomic.
func TestProveAtomic(t *testing.T) {
	script, err := filepath.Abs("../../../" + opponentsDir + "/node_modules/" + fairyPackage + "/uci.js")
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil || engine.fingerprint(engine{Path: script}) == "" {
		t.Skip("Fairy-Stockfish is not installed (make setup)")
	}
	e := engine{Path: node, Args: []string{"--no-experimental-fetch", script}}
	if err := proveAtomic(e); err != nil {
		t.Error(err)
	}
}

func TestOpponentState(t *testing.T) {
	dir := t.TempDir()
	chess := write(t, filepath.Join(dir, "stockfish"), "#!/bin/sh\n")
	script := write(t, filepath.Join(dir, "uci.js"), "one")
	if err := os.Chmod(chess, 0o755); err != nil {
		t.Fatal(err)
	}
	fairy := engine{Path: "/bin/sh", Args: []string{"--flag", script}}
	s := opponentState{Stockfish: &engine{Path: chess}, Fairy: &fairy, Proof: fairy.fingerprint()}
	if !s.complete() {
		t.Error("both engines are there")
	}
	write(t, script, "another")
	if s.complete() {
		t.Error("the script changed since it was proved")
	}
	s.Proof = fairy.fingerprint()
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if s.complete() {
		t.Error("the script is gone")
	}
}
