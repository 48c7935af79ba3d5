package uci

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// Opponent is an engine as people ask for one: a program, how strong it is to be, and
// its options.
type Opponent struct {
	Program string            // a name that [Find] knows, or a program
	Args    []string          // of a program
	Level   int               // of lichess, 1 to 8; 0: none
	Limit   Limit             // for each move; what it sets takes the place of the level's
	Options map[string]string // by name
}

// Name tells all that tells one opponent from another but the folder of its program:
// "fairy-stockfish level 1", "stockfish 200 nodes, Hash 16".
func (o *Opponent) Name() string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(filepath.Base(o.Program), filepath.Ext(o.Program)))
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

// Found is an opponent that has been found and has proved that it plays the variant.
type Found struct {
	Name    string
	ID      string // what decides its play: name and version as it tells, settings, limit
	Command Command
	Limit   Limit
}

// Find finds the opponent and has it prove the variant, and chess960 where games may
// begin there, so that a tournament does not find out in the middle that its engine
// is missing, refuses an option, or plays another game.
func (o *Opponent) Find(ctx context.Context, v chess.Variant, chess960 bool) (*Found, error) {
	f := &Found{Name: o.Name(), Command: Command{Path: o.Program, Args: o.Args}}
	if slices.Contains([]string{Stockfish, FairyStockfish}, o.Program) {
		var err error
		if f.Command, err = Find(ctx, o.Program, v); err != nil {
			return nil, err
		}
	}
	if o.Level != 0 {
		level, err := LichessLevel(o.Level)
		if err != nil {
			return nil, err
		}
		f.Limit = level.Limit
		f.Command.Settings = append(slices.Clone(f.Command.Settings), level.Settings()...)
	}
	f.Limit = o.Limit.over(f.Limit)
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		f.Command.Settings = append(slices.Clone(f.Command.Settings), Setting{Name: name, Value: o.Options[name]})
	}
	if _, err := f.Limit.command(); err != nil {
		return nil, err
	}
	e, err := Start(ctx, f.Command, Timeouts{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err := e.Prove(ctx, v); err != nil {
		return nil, err
	}
	if chess960 {
		if err := e.ProveChess960(); err != nil {
			return nil, err
		}
	}
	f.ID = fmt.Sprintf("%s, %v, %+v", e.ID(), f.Command.Settings, f.Limit)
	return f, nil
}

// over is the limit l, and where it sets nothing the other one.
func (l Limit) over(other Limit) Limit {
	return Limit{
		MoveTime: cmp.Or(l.MoveTime, other.MoveTime),
		Depth:    cmp.Or(l.Depth, other.Depth),
		Nodes:    cmp.Or(l.Nodes, other.Nodes),
	}
}
