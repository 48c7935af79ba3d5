package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A kit has all that a compiler needs of gotch and of ours, as the checkout has it.
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
}

// What is not a kit is said to be none, and nothing is made of it.
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

// gpu-check.sh leaves a report whatever happens: which steps failed, with what they
// said, and which tests. It is tried with programs that only say something.
func TestGPUCheck(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(root, "pkg/nn/fit/kit/gpu-check.sh"))
	if err != nil {
		t.Fatal(err)
	}
	type report struct {
		Libtorch, Machine, Quickstart string
		Steps                         []struct {
			Step, Error string
			Exit        int
		}
		Tests       map[string]int
		TestsFailed string           `json:"tests_failed"`
		NotFused    string           `json:"not_fused"`
		Network     []map[string]any `json:"network"`
	}
	for _, c := range []struct {
		fit    string // what compiles
		args   []string
		failed bool
		check  func(r *report) bool
	}{
		{"echo 'a \"fault\" \\ of g++' >&2; exit 1", nil, true, func(r *report) bool {
			return len(r.Steps) == 1 && r.Steps[0].Step == "compile" && r.Steps[0].Error == "a \"fault\" \\ of g++"
		}},
		{"echo set up: libtorch 2.6.0", nil, true, func(r *report) bool {
			return r.Libtorch == "libtorch 2.6.0" && len(r.Steps) == 8 && r.Machine == "machine --device cuda" &&
				r.Tests["passed"] == 1 && r.Tests["failed"] == 1 && r.TestsFailed == "TestB" && r.NotFused == "cuDNN cannot fuse" &&
				len(r.Network) == 1 && r.Network[0]["speed"] == 1.0 && strings.Contains(r.Quickstart, "--skip-missing-engines")
		}},
		{"exit 1", []string{"network"}, false, func(r *report) bool { return len(r.Steps) == 1 && len(r.Network) == 1 }},
		{"exit 1", []string{"nonsense"}, true, func(r *report) bool { return len(r.Steps) == 0 }},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"gpu-check.sh": string(script),
			"fit":          "#!/bin/sh\n" + c.fit + "\n",
			"alamos":       "#!/bin/sh\ncase $2 in network) echo '{\"speed\": 1}'; echo 'cuDNN cannot fuse' >&2 ;; *) echo \"$@\" ;; esac\n",
			"nn.test":      "#!/bin/sh\ntest \"$ALAMOS_TEST_DEVICE\" = cuda && echo '--- PASS: TestA (0.1s)'; echo '--- FAIL: TestB (0.1s)'; exit 1\n",
			"nn/spec":      "",
		} {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command("sh", append([]string{filepath.Join(dir, "gpu-check.sh")}, c.args...)...).CombinedOutput()
		if (err != nil) != c.failed {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "gpu-report/report.json"))
		if err != nil {
			t.Errorf("%v: %v\n%s", c.args, err, out)
			continue
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil || !c.check(&r) {
			t.Errorf("%v: %v\n%s", c.args, err, text)
		}
	}
}
