package main

import (
	"os"
	"path/filepath"
	"testing"

	"alamos/pkg/uci"
)

func TestOpponentState(t *testing.T) {
	dir := t.TempDir()
	chess := write(t, filepath.Join(dir, "stockfish"), "#!/bin/sh\n")
	script := write(t, filepath.Join(dir, "uci.js"), "one")
	if err := os.Chmod(chess, 0o755); err != nil {
		t.Fatal(err)
	}
	fairy := uci.Command{Path: "/bin/sh", Args: []string{"--flag", script}}
	s := opponentState{Stockfish: &uci.Command{Path: chess}, Fairy: &fairy, Proof: fingerprint(&fairy)}
	if !s.complete() {
		t.Error("both engines are there")
	}
	write(t, script, "another")
	if s.complete() {
		t.Error("the script changed since it was proved")
	}
	s.Proof = fingerprint(&fairy)
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if s.complete() {
		t.Error("the script is gone")
	}
}
