package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/disk"
)

// A run that is killed before every single step that changes the disk, one after
// the other, ends in the files of an undisturbed run. Between two kills there is
// only what the first killed run left. So a kill at any instant is tried: what
// later runs find does not change between two steps.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	small := []string{"generations=1", "training.window=1", "hooks=[]"}
	const games = "selfplay.games=2"
	engine := fake.Engine(t, "well")
	for _, test := range []struct {
		name  string
		set   []string
		begun func(t *testing.T, s site) // what has been done before; nil: nothing
		steps []string                   // some of those where it must have been killed
		never string                     // one where it must not have been
		hub   bool                       // two workers play the games
	}{
		{"training", []string{games, "tournament.rounds=0", "notebook=[{text: Short}]"}, nil, []string{
			"begin: rename experiment.yaml", "untrained network: rename gen-0000.safetensors",
			"self-play 1: append gen-0001.journal 0", "self-play 1: append gen-0001.journal 2", "self-play 1: rename gen-0001.parquet",
			"self-play 1: rename gen-0001.pgn", "self-play 1: rename manifest.json",
			"self-play 1: remove gen-0001.journal", "training 1: rename gen-0001.progress", "training 1: rename gen-0001.safetensors",
			"training 1: remove gen-0001.progress", "training 1: rename epochs.csv",
		}, "self-play 1: append gen-0001.journal 3", false},
		{"workers", []string{games, "tournament.rounds=2", "tournament.players=[last, untrained]", "notebook=[{text: Short}]"}, nil, []string{
			"self-play 1: append gen-0001.journal 0", "self-play 1: append gen-0001.journal 2", "self-play 1: remove gen-0001.journal",
			"tournament: append games.journal 2", "tournament: remove games.journal",
		}, "self-play 1: append gen-0001.journal 3", true},
		{"games ahead", []string{"generations=2", games, "selfplay.lag=1", "training.epochs=1", "tournament.rounds=0", "notebook=[{text: Short}]"}, nil, []string{
			"self-play 2: rename gen-0002.parquet", "self-play 2: remove gen-0002.journal",
		}, ": append gen-0002.journal 3", false},
		{"tournament", []string{games, "tournament.rounds=2", "tournament.players=[last, random]"}, func(t *testing.T, s site) {
			s.run(t, append(small, games, "tournament.rounds=0")...) // the kills in training have been tried
		}, []string{
			"tournament: append games.journal 1", "tournament: rename games.pgn", "tournament: rename crosstable.csv",
			"tournament: remove games.journal", "tournament: rename loss.svg", "tournament: rename notebook.html",
		}, "", false},
		{"tournament that grows", []string{games, "tournament.rounds=4", "tournament.players=[last, random]", "notebook=[{text: Short}]"}, func(t *testing.T, s site) {
			s.run(t, append(small, games, "tournament.rounds=2", "tournament.players=[last, random]")...)
		}, []string{
			"tournament: append games.journal 2", "tournament: append games.journal 4", "tournament: rename games.pgn",
			"tournament: rename manifest.json", "tournament: remove games.journal",
		}, "", false},
		{"taken from another trial", []string{games, "tournament.rounds=2", "tournament.players=[last, random]", "notebook=[{text: Short}]"}, func(t *testing.T, s site) {
			s.run(t, append(small, games, "tournament.rounds=2", "tournament.players=[last, random]")...)
			if err := os.Rename(s.results(), filepath.Join(s.dir, "results", "elsewhere")); err != nil {
				t.Fatal(err)
			}
		}, []string{
			"begin: rename gen-0000.safetensors", "reused untrained network: rename manifest.json", "self-play 1: rename gen-0001.safetensors",
			"training 1: rename crosstable.csv", "training 1: rename games.pgn", "reused tournament: rename manifest.json",
		}, "", false},
		{"evaluation and a tree", []string{games, "tournament.rounds=0", "evaluation={every: 1, accuracy: true}", "notebook=[{figure: {kind: tree, visits: 20}}]"}, func(t *testing.T, s site) {
			s.run(t, append(small, games, "tournament.rounds=0", "notebook=[{text: Short}]")...)
		}, []string{
			"accuracy 1: rename manifest.json", "position start, 20 visits of gen-1: rename manifest.json", "position start, 20 visits of gen-1: rename tree.svg",
		}, "", false},
		{"final tournament", []string{games, "tournament.rounds=0", "notebook=[{text: Short}]", "sweep={seeds: 2, final: {rounds: 2, anchors: [random]}}"}, func(t *testing.T, s site) {
			s.run(t, append(small, games, "tournament.rounds=0", "notebook=[{text: Short}]", "sweep={seeds: 2}")...)
		}, []string{
			"final: append games.journal 1", "final: rename manifest.json",
		}, "", false},
		{"data", []string{"tournament.rounds=0", "notebook=[{text: Short}]"}, func(t *testing.T, s site) {
			s.edit(t, "small.yaml", "selfplay: {games: 6, opening: {random_plies: 4, share: 0.5, fork_share: 0.3}, decided: {value: 0.1, visits: 3, weight: 0.8}}",
				fmt.Sprintf("data: {kind: engine, games: 3, engine: {uci: %[1]s, depth: 1, random_plies: 8}, label: {uci: %[1]s, depth: 1}}", engine))
		}, []string{
			"data 1: append gen-0001.journal 0", "data 1: append gen-0001.journal 3", "data 1: rename gen-0001.parquet",
			"data 1: rename manifest.json", "data 1: remove gen-0001.journal", "training 1: rename gen-0001.safetensors",
		}, "data 1: append gen-0001.journal 4", false}, // a game that the journal has is not evaluated again
		{"search by TPE", []string{games, "tournament.rounds=0", "notebook=[{text: Short}]",
			"sweep.random={trials: 5, draw: {training.schedule.initial: {log_uniform: [1e-3, 1]}, search.visits: {int: [4, 9]}}, tpe: {startup: 2, batch: 2, metric: loss}}"}, nil, []string{
			"begin: rename experiment.json", "training 1: rename experiment.json", "training 1: rename trials.csv",
		}, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.name != "training" {
				t.Skip("many processes, each of which is killed")
			}
			t.Parallel()
			plain, s := newSite(t), newSite(t)
			if test.begun != nil {
				test.begun(t, plain)
				s = newSiteOf(t, plain.dir)
			}
			set := append(slices.Clone(small), test.set...)
			plain.run(t, set...)
			steps := filepath.Join(t.TempDir(), "steps")
			if err := os.WriteFile(steps, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			env := []string{killVariable + "=" + steps}
			if test.hub {
				address := freeAddress(t)
				env = append(env, hubVariable+"="+address)
				for _, token := range s.tokens(t, address, 2) {
					s.worker(t, token)
				}
			}
			kills := 0
			for ; ; kills++ {
				cmd := s.command(t, env, set...)
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
					t.Fatalf("after %d kills: %v\n%s", kills, err, out)
				}
				if b, err := os.ReadFile(steps); err != nil || test.never != "" && strings.Contains(string(b), test.never+"\n") {
					t.Fatalf("what a journal has was done again (%v):\n%s", err, b)
				}
			}
			b, err := os.ReadFile(steps)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(b)), "\n")
			t.Logf("%d kills", kills)
			if len(lines) != kills {
				t.Errorf("%d steps for %d kills", len(lines), kills)
			}
			for _, step := range test.steps {
				if !slices.Contains(lines, step) {
					t.Errorf("nothing was killed before %q; it was before\n%s", step, b)
					break
				}
			}
			s.sameAs(t, plain)
			s.run(t, set...).stages(t, map[string]string{})
		})
	}
}

// temporary matches the random part in the name of a temporary file.
var temporary = regexp.MustCompile(`\.~[^~]*~[0-9]+~[0-9]+\.part$`)

// killAtNewStep kills this process before the first step on the disk that the
// file does not name, having added it there.
func killAtNewStep(file string) *recorder {
	var mu sync.Mutex
	stage := "begin"
	disk.Watch(func(step, path string) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprintf("%s: %s %s", stage, step, temporary.ReplaceAllString(filepath.Base(path), ".part"))
		if step == "append" {
			line += fmt.Sprintf(" %d", entries(path))
		}
		seen, err := os.ReadFile(file)
		if err == nil && !bytes.Contains(seen, []byte(line+"\n")) {
			if err = os.WriteFile(file, append(seen, line+"\n"...), 0o644); err == nil {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	})
	return &recorder{ran: map[string]string{}, event: func(what string) {
		for _, begin := range []string{"runs ", "cached ", "reused "} {
			if name, ok := strings.CutPrefix(what, begin); ok {
				mu.Lock()
				if stage = name; begin == "reused " {
					stage = what
				}
				mu.Unlock()
			}
		}
	}}
}

// entries counts the entries of a journal, its head among them.
func entries(path string) (n int) {
	b, _ := os.ReadFile(path)
	for ; len(b) >= 8; n++ {
		b = b[8+binary.LittleEndian.Uint32(b):]
	}
	return n
}
