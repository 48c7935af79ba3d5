package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/disk"
)

// Tournaments play against external engines: Stockfish for chess and Fairy-Stockfish
// for variants. Neither is needed to train, so nothing here fails a set-up: an engine
// that cannot be installed is a warning.

const (
	opponentsDir = ".opponents"
	fairyPackage = "fairy-stockfish-nnue.wasm"
	fairyVersion = "1.1.12"

	// atomicPerft4 is the number of legal move sequences of length four from the start of
	// atomic chess. Fairy-Stockfish 11.1 of Debian 12 is built without atomic, and counts
	// 197281 as in chess.
	atomicPerft4 = 197326

	// retryAfter is the time after a failed attempt before set-up tries again.
	retryAfter = time.Hour
)

// engine is how to start an engine.
type engine struct {
	Path string   `json:"path"`
	Args []string `json:"args,omitempty"`
}

// opponentState lists the engines that set-up found, in .opponents/engines.json. The next
// set-up reads it. Tournaments do not: package uci finds the engines itself.
type opponentState struct {
	Stockfish *engine   `json:"stockfish,omitempty"`
	Fairy     *engine   `json:"fairy-stockfish,omitempty"`
	Proof     string    `json:"proof,omitempty"` // of the files that the perft was counted with
	Failed    time.Time `json:"failed,omitzero"` // when installing last failed
	Why       string    `json:"why,omitempty"`
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
	install := func(what, source string, need func() (engine, error)) *engine {
		e, err := need()
		if err != nil {
			r.warn("no %s, tournaments against it will not run: %v", what, err)
			lacking = append(lacking, fmt.Sprintf("%s (%s)", what, source))
			return nil
		}
		return &e
	}
	// Debian installs games in a folder that is not in everybody's PATH.
	state.Stockfish = install("Stockfish", "apt-get install stockfish", func() (engine, error) {
		path, err := need(r, func() (string, error) { return findProgram("stockfish", "/usr/games/stockfish") }, "stockfish")
		return engine{Path: path}, err
	})
	state.Fairy = install("Fairy-Stockfish that plays atomic", "needs node, npm and a network", func() (engine, error) { return needFairy(r, root) })
	if state.Fairy != nil {
		state.Proof = state.Fairy.fingerprint()
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
	if s.Stockfish == nil || s.Fairy == nil || s.Fairy.fingerprint() != s.Proof {
		return false
	}
	_, err := exec.LookPath(s.Stockfish.Path)
	return err == nil
}

// fingerprint changes with the engine's program or script; "" when one is gone.
func (e engine) fingerprint() string {
	var parts []string
	for _, name := range append([]string{e.Path}, e.Args...) {
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
func needFairy(r *reporter, root string) (engine, error) {
	if path, err := findProgram("fairy-stockfish"); err == nil {
		if err = proveAtomic(engine{Path: path}); err == nil {
			r.step("fairy-stockfish: %s plays atomic", path)
			return engine{Path: path}, nil
		}
		r.step("%s is of no use: %v", path, err)
	}
	node, err := need(r, func() (string, error) { return findProgram("node") }, "nodejs")
	if err != nil {
		return engine{}, err
	}
	npm, err := need(r, func() (string, error) { return findProgram("npm") }, "npm")
	if err != nil {
		return engine{}, err
	}
	dir := filepath.Join(root, opponentsDir)
	script := filepath.Join(dir, "node_modules", fairyPackage, "uci.js")
	if !npmHas(filepath.Dir(script)) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return engine{}, err
		}
		done := r.long("npm install %s@%s into %s", fairyPackage, fairyVersion, opponentsDir)
		_, err := output(exec.Command(npm, "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund",
			"--ignore-scripts", "--fetch-retries=1", fairyPackage+"@"+fairyVersion))
		done()
		if err != nil {
			return engine{}, err
		}
	}
	// Node's own fetch makes the script load its module over HTTP.
	e := engine{Path: node, Args: []string{"--no-experimental-fetch", script}}
	if err := proveAtomic(e); err != nil {
		return engine{}, err
	}
	r.step("fairy-stockfish: %s@%s plays atomic (perft 4 = %d)", fairyPackage, fairyVersion, atomicPerft4)
	return e, nil
}

// npmHas reports whether the package in dir is the one we install.
func npmHas(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var info struct{ Version string }
	return err == nil && json.Unmarshal(text, &info) == nil && info.Version == fairyVersion
}

// proveAtomic makes a UCI engine count the move sequences of atomic chess, because an engine
// that does not know the variant may accept its name.
func proveAtomic(e engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.Path, e.Args...)
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		cancel()       // an engine that ignores quit is killed
		_ = cmd.Wait() // its own error is that it was killed
	}()
	nodes, err := countAtomic(stdin, stdout)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: no answer within a minute", e.Path)
	case err != nil:
		return fmt.Errorf("%s: %w", e.Path, err)
	case nodes != atomicPerft4:
		return fmt.Errorf("%s does not play atomic: perft 4 = %d, want %d", e.Path, nodes, atomicPerft4)
	}
	return nil
}

// countAtomic speaks UCI and returns the engine's perft 4 of atomic chess.
func countAtomic(in io.Writer, out io.Reader) (nodes int, err error) {
	if _, err := io.WriteString(in, "uci\nsetoption name UCI_Variant value atomic\nposition startpos\ngo perft 4\n"); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "Nodes searched:"); ok {
			if _, err := fmt.Sscan(rest, &nodes); err != nil {
				return 0, fmt.Errorf("cannot read its perft count %q", rest)
			}
			_, err = io.WriteString(in, "quit\n")
			return nodes, err
		}
	}
	return 0, errors.New("it ended before it had counted")
}
