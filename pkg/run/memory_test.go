package run

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
)

func TestMemoryIn(t *testing.T) {
	const meminfo = "MemTotal:       1024 kB\nMemFree:         1 kB\nSwapTotal:      100 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"not Linux":         {nil, 0},
		"no limit":          {map[string]string{"proc/meminfo": meminfo}, 1124 << 10},
		"a container":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "2048\n"}, 2048 + 100<<10},
		"without limit":     {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 1124 << 10},
		"a group around it": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/memory.max": "4096\n", "sys/fs/cgroup/job/step/memory.max": "max\n"}, 4096 + 100<<10},
		"no swap for it":    {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "2048\n", "sys/fs/cgroup/memory.swap.max": "0\n"}, 2048},
		"version 1, both":   {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "8192\n", "sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes": "9000\n"}, 9000},
		"version 1":         {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu:/x\n4:memory:/job\n", "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "8192\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8192 + 100<<10},
	} {
		root := fstest.MapFS{}
		for file, text := range test.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if have := memoryIn(root); have != test.want {
			t.Errorf("%s: %d, want %d", name, have, test.want)
		}
	}
}

// The estimate of a window knows the boards that a network's samples have.
func TestPlannedNeed(t *testing.T) {
	of := func(future int) float64 {
		settings := &experiment.Settings{Game: experiment.Game{Variant: "atomic"}, Network: experiment.Network{Input: "atomic16", Policy: "uci1968", Spec: nn.Spec{FutureBoard: future}}}
		setup, err := experiment.NewSetup(settings)
		if err != nil {
			t.Fatal(err)
		}
		return window{&Trial{Settings: settings, Setup: setup}, 1, 1}.planned(10).bytes
	}
	if more := of(8) - of(0); more != 10*4*8 {
		t.Errorf("boards of 10 positions take %v bytes", more)
	}
}

// A window that does not fit into the memory is read from a file, and trains the same network. A
// plan says so.
func TestWindowLargerThanMemory(t *testing.T) {
	t.Parallel()
	set := []string{"generations=2", "tournament.rounds=0", "evaluation={every: 1, accuracy: true}"}
	plain, s := newSite(t), newSite(t)
	plain.run(t, set...)
	r, err := s.try(t.Context(), func(o *Options) { o.memory = 20_000 }, set...)
	if err != nil {
		t.Fatal(err)
	}
	const text = "the replay window of 1 generation has"
	if n := strings.Count(strings.Join(r.notes, "\n"), "the replay window"); n != 1 {
		t.Errorf("%d notes of it: %q", n, r.notes)
	}
	r.says(t, text, "this machine has 20 KiB of memory: training reads them from a temporary file")
	s.sameAs(t, plain)

	opt := s.options(nil)
	opt.memory = 1 << 20
	e := s.load(t, "generations=40", "training.window={from: 2, to: 30, over: 9}", "selfplay.games={from: 6, to: 9, over: 3}")
	plans, err := MakePlans(t.Context(), []*experiment.Experiment{e}, PlanOptions{Options: opt})
	if err != nil {
		t.Fatal(err)
	}
	large := regexp.MustCompile(`^the replay window of \d+ generations has`)
	if notes := slices.DeleteFunc(plans[0].Notes, func(n string) bool { return !large.MatchString(n) }); len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
}
