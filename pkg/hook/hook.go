package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"

	"alamos/pkg/hook/alamos"
)

// What a script gets and returns; see package alamos for the fields.
type (
	Generation = alamos.Generation
	Game       = alamos.Game
	Metrics    = alamos.Metrics
)

// Limits are what a script may use up, and where its log goes.
type Limits struct {
	Time   time.Duration // of the script itself, without the start of its process; 0: DefaultTime
	Memory int64         // bytes of its process; 0: DefaultMemory
	Log    io.Writer     // what the script prints, at most MaxLog bytes; nil: nowhere
}

// Limits of scripts, unless told otherwise.
const (
	DefaultTime   = time.Minute
	DefaultMemory = 1 << 30
	MaxLog        = 1 << 20
)

// Hook is a script in memory: what was read is what is checked, run and hashed,
// whatever happens to the file.
type Hook struct {
	path   string
	source []byte
}

// Read reads a script. It does not look at its content.
func Read(path string) (*Hook, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hook: %w", err)
	}
	return &Hook{path, source}, nil
}

// SHA256 returns the hash of the source in hexadecimal.
func (h *Hook) SHA256() string {
	sum := sha256.Sum256(h.source)
	return hex.EncodeToString(sum[:])
}

// Check compiles the script and sets its package variables, without calling
// Measure.
func (h *Hook) Check(ctx context.Context, l Limits) error {
	_, err := h.run(ctx, l, nil)
	return err
}

// Measure calls the script's Measure. A fault of the script is an *Error; ctx
// ends the script early, with ctx's error.
func (h *Hook) Measure(ctx context.Context, l Limits, g Generation) (Metrics, error) {
	return h.run(ctx, l, &g)
}
