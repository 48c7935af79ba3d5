package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Opponent specifies an external engine: its program, strength and options.
type Opponent struct {
	Program string            // a name that [Find] knows, or a program
	Args    []string          // arguments of a program
	Level   int               // lichess level 1 to 8; 0 means none
	Limit   Limit             // per move; its fields override those of the level
	Options map[string]string // by name
}

// Name returns everything that distinguishes opponents except the folder of the program:
// "fairy-stockfish level 1", "stockfish 200 nodes, Hash 16".
func (o *Opponent) Name() string {
	var b strings.Builder
	name := filepath.Base(o.Program)
	if end := filepath.Ext(name); !strings.ContainsAny(end, "0123456789") { // which belong to a version, as in stockfish-16.1
		name = strings.TrimSuffix(name, end)
	}
	b.WriteString(name)
	for _, a := range o.Args {
		b.WriteString(" " + a)
	}
	if o.Level > 0 {
		fmt.Fprintf(&b, " level %d", o.Level)
	}
	if o.Limit.MoveTime > 0 {
		fmt.Fprintf(&b, " %d ms", o.Limit.MoveTime.Milliseconds())
	}
	if o.Limit.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", o.Limit.Depth)
	}
	if o.Limit.Nodes > 0 {
		fmt.Fprintf(&b, " %d nodes", o.Limit.Nodes)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		fmt.Fprintf(&b, ", %s %s", name, o.Options[name])
	}
	return b.String()
}

// Found is an installed opponent that has proved that it plays the variant.
type Found struct {
	Name string
	ID   string // determines its play: reported name and version, settings, limit
	Player
	Limit Limit
}

// Find locates the opponent and makes it prove the variant, and chess960 if games begin
// there. This prevents a tournament from failing in the middle because its engine is
// missing, refuses an option, or plays another game.
func (o *Opponent) Find(ctx context.Context, v chess.Variant, chess960 bool) (*Found, error) {
	f, err := o.resolve(v, chess960)
	if err != nil {
		return nil, err
	}
	if o.known() {
		c, err := Find(ctx, o.Program, v)
		if err != nil {
			return nil, err
		}
		c.Settings = slices.Concat(c.Settings, f.Command.Settings)
		f.Command = c
	}
	e, err := f.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	f.ID = fmt.Sprintf("%s, %v, %s", e.ID(), f.Command.Settings, f.Limit)
	return f, nil
}

// Look is [Opponent.Find] without starting anything: it checks that the program is on this
// machine, and returns no ID.
func (o *Opponent) Look(v chess.Variant, chess960 bool) (*Found, error) {
	if !o.Installed() {
		return nil, fmt.Errorf("uci: %s: %w", o.Program, ErrNotInstalled)
	}
	return o.resolve(v, chess960)
}

// resolve returns the opponent with the settings and the limit of its level.
func (o *Opponent) resolve(v chess.Variant, chess960 bool) (*Found, error) {
	f := &Found{Name: o.Name(), Player: Player{Command: Command{Path: o.Program, Args: o.Args}, Variant: v, Chess960: chess960}, Limit: o.Limit}
	if o.Level < 0 || o.Level > len(levels) {
		return nil, fmt.Errorf("uci: lichess has levels 1 to %d, not %d", len(levels), o.Level)
	}
	if o.Level != 0 {
		level := levels[o.Level-1]
		f.Limit.MoveTime = cmp.Or(f.Limit.MoveTime, level.limit.MoveTime)
		f.Limit.Depth = cmp.Or(f.Limit.Depth, level.limit.Depth)
		f.Command.Settings = append(f.Command.Settings, Setting{"Skill Level", strconv.Itoa(level.skill)})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		f.Command.Settings = append(f.Command.Settings, Setting{Name: name, Value: o.Options[name]})
	}
	return f, f.Limit.check()
}

// known reports whether the package function [Find] finds the program.
func (o *Opponent) known() bool { return o.Program == Stockfish || o.Program == FairyStockfish }

// levels are the strengths of the computer opponent on lichess, 1 to 8, as the settings of its
// client fishnet. Lichess plays all of them, even in chess, with Fairy-Stockfish. Stockfish
// itself has no skill below 0, so setting levels 1 to 3 fails there with [ErrOption].
var levels = [...]struct {
	skill int // of the option "Skill Level"
	limit Limit
}{
	{-9, Limit{MoveTime: 50 * time.Millisecond, Depth: 5}},
	{-5, Limit{MoveTime: 100 * time.Millisecond, Depth: 5}},
	{-1, Limit{MoveTime: 150 * time.Millisecond, Depth: 5}},
	{3, Limit{MoveTime: 200 * time.Millisecond, Depth: 5}},
	{7, Limit{MoveTime: 300 * time.Millisecond, Depth: 5}},
	{11, Limit{MoveTime: 400 * time.Millisecond, Depth: 8}},
	{16, Limit{MoveTime: 500 * time.Millisecond, Depth: 13}},
	{20, Limit{MoveTime: 1000 * time.Millisecond, Depth: 22}},
}

// ErrNotInstalled means that a known engine is not on this machine.
var ErrNotInstalled = errors.New("engine is not installed")

// Names of the engines that [Find] knows.
const (
	Stockfish      = "stockfish"
	FairyStockfish = "fairy-stockfish"
)

// Usual returns the known engine to take for a variant: Stockfish knows chess only.
func Usual(v chess.Variant) string {
	if v == chess.Standard {
		return Stockfish
	}
	return FairyStockfish
}

// gamesDir is where Debian installs engines. It is not on root's PATH.
const gamesDir = "/usr/games"

// wasmBuild is Fairy-Stockfish compiled to WebAssembly, which `make setup` installs in the
// repository. It is the only packaged build that knows atomic chess.
var wasmBuild = filepath.Join(".opponents", "node_modules", "fairy-stockfish-nnue.wasm", "uci.js")

// Find returns the command that runs a known engine for the variant.
//
// It searches for Stockfish on the PATH and in Debian's folder, and likewise for
// Fairy-Stockfish, which must also prove the variant (see [Client.Prove]). Otherwise it
// uses the build of `make setup`, which it searches from the working directory upward. As
// on lichess, Fairy-Stockfish plays without a neural network.
//
// It fails with [ErrNotInstalled] or [ErrVariant].
func Find(ctx context.Context, name string, v chess.Variant) (Command, error) {
	if name != Stockfish && name != FairyStockfish {
		return Command{}, fmt.Errorf("uci: no known engine is called %q, only %s and %s", name, Stockfish, FairyStockfish)
	}
	missing := fmt.Errorf("%w: neither on the PATH nor in %s", ErrNotInstalled, gamesDir)
	if path, ok := lookPath(name); ok {
		c := Command{Name: name, Path: path}
		if name == Stockfish && v == chess.Standard {
			return c, nil
		}
		e, err := (&Player{Command: c, Variant: v}).Start(ctx)
		if err == nil {
			if name == FairyStockfish && e.Option(withoutNNUE[0].Name) != nil {
				c.Settings = withoutNNUE
			}
			e.Close()
			return c, nil
		}
		missing = err
	}
	if err := context.Cause(ctx); err != nil {
		return Command{}, err
	}
	if name == Stockfish {
		return Command{}, fmt.Errorf("uci: %s: %w; install the package stockfish of your system", name, missing)
	}
	script, ok := findUpward(wasmBuild)
	if !ok {
		return Command{}, fmt.Errorf("uci: %s: %w: run `make setup`, which installs it in .opponents (the one on the PATH: %w)", name, ErrNotInstalled, missing)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return Command{}, fmt.Errorf("uci: %s: %w: its build in .opponents needs Node.js 18 or newer, and there is no node on the PATH", name, ErrNotInstalled)
	}
	return Command{
		Name: name,
		Path: node,
		// With fetch, the WebAssembly loader treats the file's path as a URL.
		Args:     []string{"--no-experimental-fetch", filepath.Base(script)},
		Dir:      filepath.Dir(script),
		Settings: withoutNNUE,
	}, nil
}

// Installed reports whether the opponent's program is on this machine. It starts nothing.
// [Opponent.Find] checks the engine and its variants.
func (o *Opponent) Installed() bool {
	if !o.known() {
		_, err := exec.LookPath(o.Program)
		return err == nil
	}
	_, found := lookPath(o.Program)
	if !found && o.Program == FairyStockfish {
		_, found = findUpward(wasmBuild)
	}
	return found
}

// withoutNNUE disables neural networks: most variants have none, and lichess plays without.
var withoutNNUE = []Setting{{"Use NNUE", "false"}}

// lookPath finds a program on the PATH or in Debian's folder of games.
func lookPath(name string) (string, bool) {
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	path, err := exec.LookPath(filepath.Join(gamesDir, name))
	return path, err == nil
}

// findUpward searches for a file in the working directory and its parents.
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
