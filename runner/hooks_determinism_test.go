package main

import (
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What scripts decide is the same whatever the number of workers, and after kills:
// they rate, judge, evaluate, stop and play.
func TestSameBytesWithScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of self-play")
	}
	scripted := func(results string, workers int) *exec.Cmd {
		return command("run", "testdata/scripted/scripted.yaml", "--results", results, "--workers", strconv.Itoa(workers))
	}
	undisturbed := t.TempDir()
	began := time.Now()
	if out, err := scripted(undisturbed, 2).CombinedOutput(); err != nil || !strings.Contains(string(out), "training ends after generation 2: second: enough") {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	want := fingerprint(t, undisturbed)
	for _, file := range []string{"targets/gen-0002.json", "hooks/entropy.csv", "tournament/games.pgn"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(f string) bool { return strings.HasSuffix(f, file) }) {
			t.Errorf("the run left no %s", file)
		}
	}

	t.Run("more workers", func(t *testing.T) {
		dir := t.TempDir()
		if out, err := scripted(dir, 3).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sameFiles(t, dir, want)
	})
	t.Run("killed", func(t *testing.T) {
		instants := uint64(began.UnixNano())
		t.Logf("instants of seed %d", instants)
		rng := rand.New(rand.NewPCG(instants, 0))
		dir := t.TempDir()
		for range 4 {
			runUntil(t, scripted(dir, 1+rng.IntN(3)), syscall.SIGKILL, took/8+time.Duration(rng.Int64N(int64(took/4))))
		}
		if out, err := scripted(dir, 1).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sameFiles(t, dir, want)
	})
}
