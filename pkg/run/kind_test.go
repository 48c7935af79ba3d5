package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/disk"
	"alamos/pkg/nn"
	"alamos/pkg/store"
)

// The manifest says for each stage that used a network on which kind of machine it ran, and
// --threads sets the number of threads.
func TestKindsOfStages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, err := s.try(context.Background(), func(o *Options) { o.Threads, o.Precision = 3, nn.FP32 }, quick...); err != nil {
		t.Fatal(err)
	}
	m, err := store.ReadManifest(s.trial(t))
	if err != nil {
		t.Fatal(err)
	}
	device := func(stage string) store.Kind { return m.Stage(stage).On }
	if k := device("untrained network"); k != (store.Kind{}) {
		t.Errorf("the untrained network is of kind %v", k)
	}
	if k := device("self-play 1"); k.Device != nn.CPU || k.Precision != nn.FP32 || k.Threads != 0 || len(k.Answers) != 16 {
		t.Errorf("self-play is of kind %+v", k)
	}
	if k := device("training 1"); k.Device != nn.CPU || k.Precision == "" || k.Threads != 3 {
		t.Errorf("training is of kind %+v", k)
	}
	if k := device("tournament"); k != (store.Kind{Device: nn.CPU, Precision: nn.FP32}) {
		t.Errorf("the tournament is of kind %+v", k)
	}
}

// Games of a generation, epochs of a training and games of a tournament that were made on
// another kind of machine are made again, and the run says so.
func TestAnotherKindOfMachine(t *testing.T) {
	t.Parallel()
	if _, err := nn.Precision(nn.BF16, nn.CPU); err != nil {
		t.Skip(err)
	}
	set := with(quick, "generations=2", "training.epochs=3", "selfplay.games=8")
	plain := newSite(t)
	on := func(precision string, threads int) func(*Options) {
		return func(o *Options) { o.Precision, o.Threads = precision, threads }
	}
	if _, err := plain.try(context.Background(), on(nn.BF16, 2), set...); err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	stop := func(at func(string) bool, change func(*Options)) *recorder {
		t.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r := &recorder{ran: map[string]string{}, event: func(what string) {
			if at(what) {
				cancel()
			}
		}}
		if _, err := s.try(ctx, func(o *Options) { change(o); o.Reporter = r }, set...); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: %v", err)
		}
		return r
	}
	stop(begins("self-play 1 4/8"), on(nn.FP32, 2))
	stop(secondHalf("training 1"), on(nn.BF16, 1)).says(t, "gen-0001.journal was begun on another kind of machine (cpu fp32, answers ", "is done again on this one (cpu bf16, answers ")
	stop(begins("runs training 2"), on(nn.BF16, 2)).says(t, "gen-0001.progress was begun on another kind of machine (cpu bf16, 1 thread)", "this one (cpu bf16, 2 threads)")
	stop(secondHalf("training 2"), on(nn.BF16, 1)).says(t, "training 2 runs on another kind of machine (cpu bf16, 1 thread) than the generation before (cpu bf16, 2 threads)", "--threads")
	stop(secondHalf("tournament"), func(o *Options) { o.Precision, o.Threads = nn.FP32, 2 })
	r, err := s.try(context.Background(), on(nn.BF16, 2), set...)
	if err != nil {
		t.Fatal(err)
	}
	r.says(t, "games.journal was begun on another kind of machine (cpu fp32)", "this one (cpu bf16)")
	s.sameAs(t, plain)
}

// Two jobs whose trials begin with the same stages do each of these once.
func TestJobsShareStages(t *testing.T) {
	t.Parallel()
	s, plain := newSite(t), newSite(t)
	set := with(quick, "sweep={grid: {tournament.rounds: [2, 4]}}")
	plain.run(t, set...)
	var jobs errgroup.Group
	recorders := make([]*recorder, 2)
	for i := range recorders {
		jobs.Go(func() error {
			var err error
			recorders[i], err = s.try(context.Background(), func(o *Options) { o.Trials, o.WaitLock = []int{i + 1}, true }, set...)
			return err
		})
	}
	if err := jobs.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"untrained network", "self-play 1", "training 1"} {
		ran := 0
		for _, r := range recorders {
			if _, yes := r.ran[stage]; yes {
				ran++
			}
		}
		if ran != 1 {
			t.Errorf("%s ran %d times", stage, ran)
		}
	}
	s.run(t, set...)
	locks, err := filepath.Glob(filepath.Join(s.results(), "*", ".lock")) // of the jobs
	for _, lock := range locks {
		err = errors.Join(err, os.Remove(lock))
	}
	if err != nil || len(locks) != 2 {
		t.Errorf("locks %v (%v)", locks, err)
	}
	s.sameAs(t, plain)
}

// A run waits for the holder of its folder if it shall, and needs no lock if it shall take none.
func TestWaitForALock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	l, err := disk.TakeLock(s.results())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.try(context.Background(), func(o *Options) { o.NoLock = true }, with(quick, "tournament.rounds=0")...); err != nil {
		t.Errorf("without locks: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(s.dir, "results", ".*lock")); len(files) > 0 {
		t.Errorf("without locks it made %v", files)
	}
	waits := 0
	wait := func(o *Options) {
		o.WaitLock = true
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			if strings.Contains(what, "waiting for it") {
				waits++
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		}}
	}
	if _, err := s.try(context.Background(), wait, with(quick, "tournament.rounds=0")...); err != nil || waits != 1 {
		t.Errorf("error %v after %d waits", err, waits)
	}
	if l, err = disk.TakeLock(s.results()); err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	ctx, cancel := context.WithCancel(context.Background())
	_, err = s.try(ctx, func(o *Options) {
		o.WaitLock = true
		o.Reporter = &recorder{ran: map[string]string{}, event: func(string) { cancel() }}
	}, quick...)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled while it waits: %v", err)
	}
}

// A run of one trial after a run of all leaves the end of that run as it is.
func TestATrialAfterTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := with(quick, "sweep={grid: {selfplay.games: [3, 4]}}")
	s.run(t, set...)
	again := func(set []string) store.State {
		t.Helper()
		if _, err := s.try(context.Background(), func(o *Options) { o.Trials = []int{1} }, set...); err != nil {
			t.Fatal(err)
		}
		r, err := store.ReadRun(s.results())
		if err != nil {
			t.Fatal(err)
		}
		return r.State
	}
	if state := again(set); state != store.Finished {
		t.Errorf("after a run of one trial the experiment is %s", state)
	}
	if state := again(with(quick, "sweep={grid: {selfplay.games: [3, 5]}}")); state != store.Interrupted {
		t.Errorf("after a run of one trial of another sweep the experiment is %s", state)
	}
}

// A process that may use one processor plays and trains on one, whatever the machine has.
func TestThreadsFollowGo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	workers, _, err := nn.Throughput(nn.CPU)
	if err != nil || workers != 3 || ThisMachine("").Cores != 3 {
		t.Errorf("%d workers, %d cores (%v), want 3", workers, ThisMachine("").Cores, err)
	}
}
