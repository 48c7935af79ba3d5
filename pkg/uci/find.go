package uci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"alamos/pkg/chess"
)

// ErrNotInstalled says that a known engine is not on this machine.
var ErrNotInstalled = errors.New("engine is not installed")

// Names of the engines that [Find] knows.
const (
	Stockfish      = "stockfish"
	FairyStockfish = "fairy-stockfish"
)

// gamesDir is where Debian installs engines; it is not on root's PATH.
const gamesDir = "/usr/games"

// wasmBuild is Fairy-Stockfish compiled to WebAssembly, as `make setup` installs
// it under the repository: the only packaged build that knows atomic chess.
var wasmBuild = filepath.Join(".opponents", "node_modules", "fairy-stockfish-nnue.wasm", "uci.js")

// Find says how to run a known engine so that it plays the variant.
//
// Stockfish is looked for on the PATH and where Debian installs it. So is
// Fairy-Stockfish, which must also prove the variant (see [Engine.Prove]); else
// the build that `make setup` installs is taken, looked for from the working
// directory upward. As on lichess, Fairy-Stockfish plays without a neural network.
//
// It fails with [ErrNotInstalled] or [ErrVariant].
func Find(ctx context.Context, name string, v chess.Variant) (Command, error) {
	switch name {
	case Stockfish:
		return findStockfish(ctx, v)
	case FairyStockfish:
		return findFairyStockfish(ctx, v)
	}
	return Command{}, fmt.Errorf("uci: no known engine is called %q, only %s and %s", name, Stockfish, FairyStockfish)
}

// Installed tells whether the program of an opponent is on this machine. It starts
// nothing: what the program is, and what it plays, [Opponent.Find] finds out.
func (o *Opponent) Installed() bool {
	var found bool
	switch o.Program {
	case Stockfish:
		_, found = lookPath(o.Program)
	case FairyStockfish:
		if _, found = lookPath(o.Program); !found {
			_, found = findUpward(wasmBuild)
		}
	default:
		_, err := exec.LookPath(o.Program)
		found = err == nil
	}
	return found
}

func findStockfish(ctx context.Context, v chess.Variant) (Command, error) {
	path, ok := lookPath(Stockfish)
	if !ok {
		return Command{}, fmt.Errorf("uci: %s: %w: neither on the PATH nor in %s; install the package stockfish of your system", Stockfish, ErrNotInstalled, gamesDir)
	}
	c := Command{Name: Stockfish, Path: path}
	if v == chess.Standard {
		return c, nil
	}
	_, err := try(ctx, c, v)
	return c, err
}

func findFairyStockfish(ctx context.Context, v chess.Variant) (Command, error) {
	var refused error
	if path, ok := lookPath(FairyStockfish); ok {
		c := Command{Name: FairyStockfish, Path: path}
		var hasNetwork bool
		if hasNetwork, refused = try(ctx, c, v); refused == nil {
			if hasNetwork {
				c.Settings = handmade
			}
			return c, nil
		}
		if err := context.Cause(ctx); err != nil {
			return Command{}, err
		}
	}
	script, ok := findUpward(wasmBuild)
	if !ok {
		err := fmt.Errorf("uci: %s: %w: run `make setup`, which installs it in .opponents", FairyStockfish, ErrNotInstalled)
		if refused != nil {
			err = fmt.Errorf("%w (the one on the PATH was refused: %w)", err, refused)
		}
		return Command{}, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return Command{}, fmt.Errorf("uci: %s: %w: its build in .opponents needs Node.js 18 or newer, and there is no node on the PATH", FairyStockfish, ErrNotInstalled)
	}
	return Command{
		Name: FairyStockfish,
		Path: node,
		// With fetch, the WebAssembly loader takes the file's path for an address.
		Args:     []string{"--no-experimental-fetch", filepath.Base(script)},
		Dir:      filepath.Dir(script),
		Settings: handmade,
	}, nil
}

// handmade switches neural networks off: there is none for most variants, and
// lichess plays without.
var handmade = []Setting{{"Use NNUE", "false"}}

// try starts an engine only to see whether it proves the variant, and whether it
// can evaluate with a neural network.
func try(ctx context.Context, c Command, v chess.Variant) (network bool, err error) {
	e, err := Start(ctx, c, Timeouts{})
	if err != nil {
		return false, err
	}
	defer e.Close()
	return e.Option(handmade[0].Name) != nil, e.Prove(ctx, v)
}

// lookPath finds a program on the PATH or in Debian's directory of games.
func lookPath(name string) (string, bool) {
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	path, err := exec.LookPath(filepath.Join(gamesDir, name))
	return path, err == nil
}

// findUpward looks for a file in the working directory and those above it.
func findUpward(name string) (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
