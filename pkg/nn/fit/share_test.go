package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// A checkout shares the fitted copy while its C++ is that of the others who use it,
// or nobody else does.
func TestPlace(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "gotch-1")
	checkout := func(stamp string) fitting {
		return fitting{root: t.TempDir(), stamp: stamp}
	}
	// fit is what a set-up leaves.
	fit := func(f fitting) string {
		t.Helper()
		dir := f.place(shared)
		for _, name := range append(libraries(), "go.mod", "ts/tensor.go", "libtch/lib.go") {
			write(t, filepath.Join(dir, name), "")
		}
		write(t, filepath.Join(dir, stampName), f.stamp)
		write(t, filepath.Join(f.root, "go.work"), workFile("1.26", dir))
		if err := f.use(dir); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	a, b := checkout("old"), checkout("old")
	if fit(a) != shared || fit(b) != shared {
		t.Fatal("equal checkouts do not share")
	}
	if have := users(shared); len(have) != 2 || !slices.Contains(have, a.root) || !slices.Contains(have, b.root) {
		t.Errorf("%s is used by %q, want both checkouts, each once", shared, have)
	}
	b.stamp = "new"
	if dir := fit(b); dir == shared {
		t.Error("other C++ took the place of that which another checkout uses")
	}
	a.stamp = "newer"
	if dir := fit(a); dir != shared {
		t.Errorf("a has %s, though nobody else uses %s any more", dir, shared)
	}
	if !fitted(b.own(shared), "new") {
		t.Error("what b uses was changed")
	}
	b.stamp = "newer"
	if dir := fit(b); dir != shared {
		t.Errorf("b has %s, though %s is the same", dir, shared)
	}
}
