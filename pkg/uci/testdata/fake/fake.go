// Package fake builds the misbehaving engine of alamos/pkg/uci/testdata/engine for the tests
// of the packages that play against engines.
package fake

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// dir has the engine once build was called.
var dir string

var build = sync.OnceValue(func() (err error) {
	if dir, err = os.MkdirTemp("", "alamos-engine-"); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "engine"), "alamos/pkg/uci/testdata/engine").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// Engine returns the path of an engine whose file name is its mode: how it misbehaves.
func Engine(t testing.TB, mode string) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), mode)
	if err := os.Symlink(filepath.Join(dir, "engine"), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Clean removes the engine. TestMain calls it after the tests.
func Clean() { os.RemoveAll(dir) }
