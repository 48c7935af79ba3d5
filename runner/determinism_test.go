package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/disk"
)

// How hard TestSameBytes tries; the defaults take seconds.
var (
	kills = flag.Int("same.kills", 4, "runs of experiments/tiny.yaml that are killed, and as many that are interrupted")
	seed  = flag.Uint64("same.seed", 0, "of the instants; 0: another every time")
	whole = flag.Bool("same.whole", false, "run tiny.yaml as it is, not with fewer games")
)

// asCommand in the environment makes the test binary the command.
const asCommand = "ALAMOS_TEST_COMMAND"

// Whatever the number of workers, and however often a run is killed or interrupted, an
// experiment leaves the same bytes. In the second one scripts rate, judge, evaluate, stop and
// play.
func TestSameBytes(t *testing.T) {
	instants := *seed
	if instants == 0 {
		instants = uint64(time.Now().UnixNano())
	}
	t.Logf("to repeat: go test ./runner -run TestSameBytes -same.seed %d -same.kills %d -same.whole=%v", instants, *kills, *whole)
	began := time.Now()
	if out, err := command("--version").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	startup := time.Since(began) // most of it the loading of libtorch
	for _, x := range []repeated{
		{"../experiments/tiny.yaml", *kills, "", []string{
			".parquet", ".safetensors", ".pgn", "crosstable.csv", "ratings.csv", "epochs.csv", "generations.csv", "explosions.csv", "trials.csv", ".svg",
		}},
		{"testdata/scripted/scripted.yaml", 4, "training ends after generation 2: second: enough", []string{"targets/gen-0002.json", "hooks/entropy.csv", "tournament/games.pgn"}},
	} {
		t.Run(filepath.Base(x.file), func(t *testing.T) {
			if testing.Short() && x.says != "" {
				t.Skip("seconds of self-play")
			}
			x.same(t, rand.New(rand.NewPCG(instants, 0)), startup)
		})
	}
}

// repeated is an experiment that is run often.
type repeated struct {
	file  string
	kills int      // runs that are killed, and as many that are interrupted
	says  string   // what a run prints
	files []string // what it leaves: the ends of names
}

// same stops runs of the experiment and compares what they leave with what an undisturbed one does.
func (x *repeated) same(t *testing.T, rng *rand.Rand, startup time.Duration) {
	undisturbed := t.TempDir()
	began := time.Now()
	if out, err := x.run(undisturbed, 2).CombinedOutput(); err != nil || !strings.Contains(string(out), x.says) {
		t.Fatalf("%v\n%s", err, out)
	}
	work := time.Since(began) - startup
	t.Logf("undisturbed: %.1f s", (startup + work).Seconds())
	want := fingerprint(t, undisturbed)
	for _, end := range x.files {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(f string) bool { return strings.HasSuffix(f, end) }) {
			t.Errorf("the run left no %s", end)
		}
	}

	t.Run("more workers", func(t *testing.T) {
		dir := t.TempDir()
		if out, err := x.run(dir, 5).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sameFiles(t, dir, want)
	})
	for _, test := range []struct {
		name   string
		signal syscall.Signal
	}{{"killed", syscall.SIGKILL}, {"interrupted", syscall.SIGINT}} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for stops := 0; ; {
				var instant time.Duration // 0: it may end
				if stops < x.kills {
					// With this many instants the work is done about once.
					instant = 1 + time.Duration(rng.Int64N(2*int64(startup+work/time.Duration(x.kills))))
				}
				stopped := runUntil(t, x.run(dir, 1+rng.IntN(3)), test.signal, instant)
				if stopped {
					stops++
					continue
				}
				sameFiles(t, dir, want)
				if stops == x.kills {
					break
				}
				dir = t.TempDir() // the rest of the instants are for another run
			}
		})
	}
}

// command is this test binary as the command alamos.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.WaitDelay = 20 * time.Second // a script's process may hold a pipe a moment longer
	return cmd
}

// run runs the experiment, or less of tiny.yaml.
func (x *repeated) run(results string, workers int) *exec.Cmd {
	args := []string{"run", x.file, "--results", results, "--workers", strconv.Itoa(workers)}
	if x.says == "" && !*whole {
		for _, set := range []string{"generations=2", "selfplay.games=6", "tournament.rounds=2", "tournament.players=[last, random]"} {
			args = append(args, "--set", set)
		}
	}
	return command(args...)
}

// runUntil runs the command and stops it after a while, if that is not 0. It tells
// whether the command was stopped before its end.
func runUntil(t *testing.T, cmd *exec.Cmd, with syscall.Signal, after time.Duration) (stopped bool) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		bell := time.AfterFunc(after, func() { _ = cmd.Process.Signal(with) })
		defer bell.Stop()
	}
	err := cmd.Wait()
	if err == nil {
		return false
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	byDefault := status.Signaled() && status.Signal() == with // SIGINT before the command listens
	if !ok || !byDefault && (with != syscall.SIGINT || status.ExitStatus() != 130 || !strings.Contains(out.String(), "continues from there")) {
		t.Fatalf("%v\n%s", err, &out)
	}
	return true
}

// sameFiles wants a folder of results to hold what an undisturbed run leaves.
func sameFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, fingerprint(t, dir)); diff != "" {
		t.Errorf("files (-undisturbed +these):\n%s", diff)
	}
}

// times are the times and speeds in a manifest.
var times = regexp.MustCompile(`(?ms)^ *"(ended|seconds|evaluations_per_second)": [^\n]*$|^ *"stamps": \{.*?^   \},\n`)

// fingerprint returns the SHA-256 of every file of results, without times and speeds, by its
// name. Of files that name the place of the experiment, and of the page, it has the names.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	timed := []string{"seconds", "evaluations_per_second"}
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case name == "notebook.html", name == ".lock", name == "experiment.json":
			b = nil // it exists
		case name == "manifest.json":
			b = times.ReplaceAll(b, nil)
		case strings.HasSuffix(name, ".csv"):
			rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			b = nil
			for _, row := range rows {
				for i, cell := range row {
					if !slices.Contains(timed, rows[0][i]) {
						b = fmt.Appendf(b, "%q,", cell)
					}
				}
				b = append(b, '\n')
			}
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = disk.SumOf(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
