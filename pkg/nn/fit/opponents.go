package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/uci"
)

// Tournaments play against external engines: Stockfish for chess and Fairy-Stockfish
// for variants. Neither is needed to train, so nothing here fails a set-up: an engine
// that cannot be installed is a warning.

const (
	opponentsDir = ".opponents"
	fairyPackage = "fairy-stockfish-nnue.wasm"
	fairyVersion = "1.1.12"

	// retryAfter is the time after a failed attempt before set-up tries again.
	retryAfter = time.Hour
)

// opponentState lists the engines that set-up found, in .opponents/engines.json. The next
// set-up reads it. Tournaments do not: package uci finds the engines itself.
type opponentState struct {
	Stockfish *uci.Command `json:"stockfish,omitempty"`
	Fairy     *uci.Command `json:"fairy-stockfish,omitempty"`
	Proof     string       `json:"proof,omitempty"` // of the files of the Fairy-Stockfish that was proved
	Failed    time.Time    `json:"failed,omitzero"` // when installing last failed
	Why       string       `json:"why,omitempty"`
}

// installOpponents installs and proves the engines that are missing.
func installOpponents(r *reporter, root string) {
	name := filepath.Join(root, opponentsDir, "engines.json")
	var state opponentState
	if text, err := os.ReadFile(name); err == nil {
		if json.Unmarshal(text, &state) != nil {
			state = opponentState{}
		}
	}
	if state.complete() {
		return
	}
	if !state.Failed.IsZero() && time.Since(state.Failed) < retryAfter {
		r.warn("%s; another try at %s, or at once after rm -r %s", state.Why, state.Failed.Add(retryAfter).Format("15:04"), opponentsDir)
		return
	}
	state = opponentState{}
	var lacking []string
	install := func(what, source string, need func() (uci.Command, error)) *uci.Command {
		e, err := need()
		if err != nil {
			r.warn("no %s, tournaments against it will not run: %v", what, err)
			lacking = append(lacking, fmt.Sprintf("%s (%s)", what, source))
			return nil
		}
		return &e
	}
	// Debian installs games in a folder that is not in everybody's PATH.
	state.Stockfish = install("Stockfish", "apt-get install stockfish", func() (uci.Command, error) {
		path, err := need(r, func() (string, error) { return findProgram("stockfish", "/usr/games/stockfish") }, "stockfish")
		return uci.Command{Path: path}, err
	})
	state.Fairy = install("Fairy-Stockfish that plays atomic", "needs node, npm and a network", func() (uci.Command, error) { return needFairy(r, root) })
	if state.Fairy != nil {
		state.Proof = fingerprint(state.Fairy)
	}
	if len(lacking) > 0 {
		state.Failed = time.Now().Truncate(time.Second)
		state.Why = "missing opponents: " + strings.Join(lacking, ", ")
	}
	text, err := json.MarshalIndent(state, "", "  ")
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), disk.WriteBytes(name, append(text, '\n')))
	}
	if err != nil {
		r.warn("%v", err)
	}
}

// complete reports whether both engines are there, unchanged since the proof.
func (s opponentState) complete() bool {
	if s.Stockfish == nil || s.Fairy == nil || fingerprint(s.Fairy) != s.Proof {
		return false
	}
	_, err := exec.LookPath(s.Stockfish.Path)
	return err == nil
}

// fingerprint changes with the engine's program or script; "" when one is gone.
func fingerprint(c *uci.Command) string {
	var parts []string
	for _, name := range append([]string{c.Path}, c.Args...) {
		if !filepath.IsAbs(name) {
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return ""
		}
		parts = append(parts, fmt.Sprintf("%s %d %d", name, info.Size(), info.ModTime().UnixNano()))
	}
	return digest(parts...)
}

// needFairy returns a Fairy-Stockfish that plays atomic chess: the one on the
// PATH if it proves that it does, else the WebAssembly build from npm.
func needFairy(r *reporter, root string) (uci.Command, error) {
	if path, err := findProgram("fairy-stockfish"); err == nil {
		c := uci.Command{Path: path}
		if err = proveAtomic(c); err == nil {
			r.step("fairy-stockfish: %s plays atomic", path)
			return c, nil
		}
		r.step("%s is of no use: %v", path, err)
	}
	node, err := need(r, func() (string, error) { return findProgram("node") }, "nodejs")
	if err != nil {
		return uci.Command{}, err
	}
	npm, err := need(r, func() (string, error) { return findProgram("npm") }, "npm")
	if err != nil {
		return uci.Command{}, err
	}
	dir := filepath.Join(root, opponentsDir)
	script := filepath.Join(dir, "node_modules", fairyPackage, "uci.js")
	if !npmHas(filepath.Dir(script)) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return uci.Command{}, err
		}
		done := r.long("npm install %s@%s into %s", fairyPackage, fairyVersion, opponentsDir)
		_, err := output(exec.Command(npm, "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund",
			"--ignore-scripts", "--fetch-retries=1", fairyPackage+"@"+fairyVersion))
		done()
		if err != nil {
			return uci.Command{}, err
		}
	}
	// Node's own fetch makes the script load its module over HTTP.
	c := uci.Command{Path: node, Args: []string{"--no-experimental-fetch", script}}
	if err := proveAtomic(c); err != nil {
		return uci.Command{}, err
	}
	r.step("fairy-stockfish: %s@%s plays atomic", fairyPackage, fairyVersion)
	return c, nil
}

// npmHas reports whether the package in dir is the one we install.
func npmHas(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var info struct{ Version string }
	return err == nil && json.Unmarshal(text, &info) == nil && info.Version == fairyVersion
}

// proveAtomic makes an engine prove that it plays atomic chess. Fairy-Stockfish 11.1 of Debian
// 12, which is built without atomic, accepts the name and plays chess.
func proveAtomic(c uci.Command) error {
	player := uci.Player{Command: c, Variant: chess.Atomic, Timeouts: uci.Timeouts{Ready: time.Minute}}
	e, err := player.Start(context.Background())
	if err == nil {
		e.Close()
	}
	return err
}
