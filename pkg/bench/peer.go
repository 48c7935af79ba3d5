package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

const (
	// patience is how long an engine may take for one answer. Fairy-Stockfish's
	// WebAssembly build needs 26 s for the largest count of the speed set.
	patience = 2 * time.Minute

	// farewell is how long an engine may take to end.
	farewell = time.Second

	// hearsay is how long after an engine's end we may hear of the Ctrl-C that
	// ended it: a terminal sends it to both.
	hearsay = 200 * time.Millisecond
)

// Peer is a UCI engine that counts move sequences of one variant. It is for one
// goroutine; after an error it is gone.
type Peer struct {
	id    string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Closer
	lines *bufio.Scanner
}

// FindPeer starts the engine that people compare a variant with: Stockfish for
// chess, Fairy-Stockfish else. It fails with [uci.ErrNotInstalled] and says what
// to install.
func FindPeer(ctx context.Context, v chess.Variant) (*Peer, error) {
	name := uci.FairyStockfish
	if v == chess.Standard {
		name = uci.Stockfish
	}
	c, err := uci.Find(ctx, name, v)
	if err != nil {
		return nil, err
	}
	return startPeer(ctx, c, v)
}

// StartPeer starts the engine at a path, or of that name on the PATH. It fails
// with [uci.ErrVariant] if the engine does not prove that it knows the variant.
func StartPeer(ctx context.Context, path string, v chess.Variant) (*Peer, error) {
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("bench: no engine: %w", err)
	}
	return startPeer(ctx, uci.Command{Name: filepath.Base(path), Path: path}, v)
}

// startPeer has pkg/uci prove the variant, then runs the engine again for
// itself: pkg/uci plays games, and hands out no line of its conversation to time.
func startPeer(ctx context.Context, c uci.Command, v chess.Variant) (*Peer, error) {
	e, err := uci.Start(ctx, c, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err := e.Prove(ctx, v); err != nil {
		return nil, err
	}
	id := strings.Join(strings.Fields(e.ID()), " ")
	if id == "" {
		id = c.Name
	}
	settings := slices.Clone(c.Settings)
	if o := e.Option("UCI_Variant"); o != nil {
		settings = append(settings, uci.Setting{Name: o.Name, Value: v.String()})
	}

	p := &Peer{id: id, cmd: exec.Command(c.Path, c.Args...)}
	p.cmd.Dir = c.Dir
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = out
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("bench: %s: %w", id, err)
	}
	opening := []string{"uci"}
	for _, s := range settings {
		opening = append(opening, fmt.Sprintf("setoption name %s value %s", s.Name, s.Value))
	}
	if err := p.ask(ctx, isReady, append(opening, "isready")...); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Name is how the engine calls itself, with its version.
func (p *Peer) Name() string { return p.id }

// Perft lets the engine count the sequences of depth legal moves. The time is
// that from the command to the total: the position is set before.
func (p *Peer) Perft(ctx context.Context, pos *chess.Position, depth int) (nodes uint64, took time.Duration, err error) {
	if err := p.ask(ctx, isReady, "position fen "+pos.FEN(), "isready"); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err = p.ask(ctx, func(line string) (bool, error) {
		if strings.HasPrefix(line, "info depth") || strings.HasPrefix(line, "bestmove") {
			return false, errors.New("it does not know \"go perft\" and searches instead")
		}
		total, ok := strings.CutPrefix(line, "Nodes searched:")
		if !ok {
			return false, nil // the count behind one move, or a remark
		}
		var err error
		nodes, err = strconv.ParseUint(strings.TrimSpace(total), 10, 64)
		return true, err
	}, fmt.Sprintf("go perft %d", depth))
	return nodes, time.Since(began), err
}

func isReady(line string) (bool, error) { return line == "readyok", nil }

// ask sends lines and reads answers until one is the last. The engine is killed
// when it takes too long or ctx ends.
func (p *Peer) ask(ctx context.Context, last func(line string) (bool, error), lines ...string) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stop := context.AfterFunc(limited, p.kill)
	defer stop()
	// A write to an engine that is gone fails, and so does the read: one error is enough.
	_, _ = io.WriteString(p.in, strings.Join(lines, "\n")+"\n")
	for p.lines.Scan() {
		done, err := last(strings.TrimSpace(p.lines.Text()))
		if err != nil {
			return fmt.Errorf("bench: %s: %w", p.id, err)
		}
		if done {
			return nil
		}
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limited.Done():
		return fmt.Errorf("bench: %s: no answer to %q within %v", p.id, lines[len(lines)-1], patience)
	case <-time.After(hearsay):
	}
	if err := p.lines.Err(); err != nil {
		return fmt.Errorf("bench: %s: after %q: %w", p.id, lines[len(lines)-1], err)
	}
	return fmt.Errorf("bench: %s ended instead of answering %q", p.id, lines[len(lines)-1])
}

// Close ends the engine, asking it first. It returns when the process is gone.
func (p *Peer) Close() {
	_, _ = io.WriteString(p.in, "quit\n") // it may be gone already
	p.in.Close()
	late := time.AfterFunc(farewell, p.kill)
	defer late.Stop()
	_ = p.cmd.Wait() // how it ended tells nothing any more
}

// kill ends the process, and the reading of what it writes: were it a script,
// the program that it runs could keep the output open.
func (p *Peer) kill() {
	_ = p.cmd.Process.Kill()
	p.out.Close()
}
