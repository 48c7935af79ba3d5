package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Sum returns the SHA-256 of a file in hexadecimal.
func Sum(path string) (string, error) { return sumOf(context.Background(), path) }

// sumOf is Sum until ctx ends.
func sumOf(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, untilDone{ctx, f}); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// untilDone reads until ctx ends.
type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.in.Read(b)
}

// SumFS identifies the files of a folder, not of those below it: the start of a
// SHA-256 of their names and contents.
func SumFS(dir fs.FS) (string, error) {
	files, err := fs.ReadDir(dir, ".")
	h := sha256.New()
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		text, readErr := fs.ReadFile(dir, f.Name())
		err = errors.Join(err, readErr)
		fmt.Fprintf(h, "%d:%s%d:%s", len(f.Name()), f.Name(), len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], err
}
