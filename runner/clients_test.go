package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Programs of other people play `alamos uci` against Stockfish. `make clients` installs
// them; where they are missing these tests say what they need.

// engineProgram makes a program that is `alamos uci`.
func engineProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "alamos-uci")
	if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\n%s=1 exec '%s' uci\n", asCommand, self), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func stockfish(t *testing.T) string {
	t.Helper()
	c, err := uci.Find(t.Context(), uci.Stockfish, chess.Standard)
	if err != nil {
		t.Skip(err)
	}
	return c.Path
}

// TestXboard has a match of two games under xboard, which speaks UCI through polyglot,
// by the clock.
func TestXboard(t *testing.T) {
	if testing.Short() {
		t.Skip("a match takes a quarter of a minute")
	}
	env := append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/games") // of Debian
	for _, tool := range []string{"xboard", "polyglot", "xvfb-run"} {
		if _, err := exec.LookPath(tool); err != nil {
			if _, err := exec.LookPath("/usr/games/" + tool); err != nil {
				t.Skipf("no %s: `make clients` installs it (Debian: apt-get install xboard polyglot xvfb xauth)", tool)
			}
		}
	}
	// Its clock is not to run while libtorch is read from the disk for the first time.
	if out, err := command("--version").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, said := xboardMatch(t, env)
	if list == nil { // polyglot was seen to stop in the middle of what Stockfish says
		t.Logf("the match has not ended; once more, as xboard has heard and said\n%s", said)
		if list, said = xboardMatch(t, env); list == nil {
			t.Fatalf("the match has not ended; xboard has heard and said\n%s", said)
		}
	}
	whites := ""
	for _, g := range list {
		whites += g.Tag("White") + ", "
		end := chess.NewGame(g.Start)
		for _, m := range g.Moves {
			end.Play(m)
		}
		var l chess.MoveList
		end.Position().LegalMoves(&l)
		if out := end.Outcome(&l); !out.Over() || out.Result != g.Result {
			t.Errorf("%s - %s: %s, and by the rules %s", g.Tag("White"), g.Tag("Black"), g.Result, out)
		}
	}
	if !strings.HasPrefix(whites, "alamos blank, Stockfish") {
		t.Errorf("played by %s", whites)
	}
}

// xboardMatch plays the match and gives its games, nil with the end of what was said where
// it does not end within a minute.
func xboardMatch(t *testing.T, env []string) (list []*chess.PGN, said []byte) {
	t.Helper()
	dir := t.TempDir()
	games, log := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "debug")
	cmd := exec.Command("xvfb-run", "-a", "xboard", "-noGUI", "-matchMode", "true", "-matchGames", "2", "-tc", "0:02", "-inc", "0",
		"-fcp", engineProgram(t), "-fUCI", "-scp", stockfish(t), "-sUCI", "-polyglotDir", dir, "-debug", "-nameOfDebugFile", log, "-saveGameFile", games)
	cmd.Env, cmd.Dir = append(env, "HOME="+dir), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // it stays to show the result
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // the display
		time.Sleep(200 * time.Millisecond)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // and who does not care
		_ = cmd.Wait()
	}()
	read := func() (list []*chess.PGN) {
		f, err := os.Open(games)
		if err != nil {
			return nil
		}
		defer f.Close()
		for r := chess.NewPGNReader(f); ; {
			g, err := r.Next()
			if err == io.EOF {
				return list
			}
			if err != nil { // half written
				return nil
			}
			list = append(list, g)
		}
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if list := read(); len(list) == 2 {
			return list, nil
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(log)
			return nil, said[max(0, len(said)-4000):]
		}
	}
}

// TestNodeUCI has a game under node-uci, by nodes.
func TestNodeUCI(t *testing.T) {
	modules, err := filepath.Abs("../.opponents/clients/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "node-uci")); err != nil {
		t.Skip("no node-uci: `make clients` installs it")
	}
	const plies = 400
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "testdata/clients/match.js", engineProgram(t), stockfish(t), fmt.Sprint(plies))
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || lines[1] != "alamos blank" || !strings.HasPrefix(lines[2], "Stockfish") {
		t.Fatalf("%s", out)
	}
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	for i, word := range strings.Fields(lines[0]) {
		m, err := g.Position().ParseUCI(word)
		if err != nil {
			t.Fatalf("ply %d: %v", i+1, err)
		}
		g.Play(m)
	}
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	if out := g.Outcome(&l); !out.Over() && g.Ply() < plies {
		t.Errorf("the game ended after %d plies and is not over", g.Ply())
	}
}
