package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A kit has all that a compiler needs of gotch and of ours, as the checkout has it,
// and nothing that only Go reads.
func TestPack(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var said strings.Builder
	for range 2 { // over an old one too
		if err := pack(newReporter(&said), root, dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"version", "gotch/libtch/torch_api.h", "gotch/libtch/cpp/torch_api.cpp", "gotch/libtch/cpp/torch_api_generated.cpp.h"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	ours, err := filepath.Glob(filepath.Join(root, cppDir, "*"))
	if err != nil || len(ours) == 0 {
		t.Fatal(len(ours), err)
	}
	for _, name := range ours {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join(dir, kitCPP, filepath.Base(name)))
		if err != nil || string(have) != string(want) {
			t.Errorf("%s: not as in the checkout: %v", filepath.Base(name), err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "gotch/*/*.go")); len(found) > 0 {
		t.Errorf("a kit has Go files: %v", found)
	}
}

// What is no kit is said to be none, and nothing is made of it.
func TestCompileNoKit(t *testing.T) {
	dir := t.TempDir()
	err := compileKit(newReporter(new(strings.Builder)), dir)
	if err == nil || !strings.Contains(err.Error(), "no kit") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
