package bench

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Peer is a UCI engine that counts move sequences of one variant. It is for one
// goroutine; after an error it is gone.
type Peer struct {
	id     string
	engine *uci.Client
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

func startPeer(ctx context.Context, c uci.Command, v chess.Variant) (*Peer, error) {
	e, err := uci.Start(ctx, c, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	if err := e.Prove(ctx, v); err != nil {
		e.Close()
		return nil, err
	}
	id := strings.Join(strings.Fields(e.ID()), " ")
	if id == "" {
		id = e.Name()
	}
	return &Peer{id, e}, nil
}

// Name is how the engine calls itself, with its version.
func (p *Peer) Name() string { return p.id }

// Perft lets the engine count the sequences of depth legal moves and says how
// long it took, the setting of the position included: microseconds.
func (p *Peer) Perft(ctx context.Context, pos *chess.Position, depth int) (nodes uint64, took time.Duration, err error) {
	began := time.Now()
	nodes, err = p.engine.Perft(ctx, pos, depth)
	return nodes, time.Since(began), err
}

// Close ends the engine, asking it first. It returns when the process is gone.
func (p *Peer) Close() { p.engine.Close() }
