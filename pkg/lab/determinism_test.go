package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// The number of goroutines decides nothing.
func TestWorkers(t *testing.T) {
	for _, workers := range []int{3, 1} { // undisturbed: 2
		if testing.Short() && workers == 1 {
			break
		}
		s := newSite(t)
		_, err := s.try(context.Background(), func(o *Options) { o.Workers = workers })
		if err != nil {
			t.Fatal(err)
		}
		s.same(t)
	}
}

// A run that is stopped by its context, at one place after another, ends in
// the files of an undisturbed run.
func TestCanceledAndResumed(t *testing.T) {
	s := newSite(t)
	resumed := map[string]int{} // stage -> games that a later process found in the journal
	for _, at := range []string{
		"runs untrained network", "self-play 1 2/6", "self-play 1 6/6", "runs hooks 1", "training 1 1/", "runs self-play 2",
		"self-play 2 4/6", "training 2 3/", "tournament 7/24", "tournament 24/24",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		hit := sync.OnceFunc(cancel)
		var r *recorder
		_, err := s.try(ctx, func(o *Options) {
			r = &recorder{ran: map[string]string{}, event: func(what string) {
				var n int
				if stage, rest, ok := strings.Cut(what, " resumes at "); ok {
					if _, err := fmt.Sscan(rest, &n); err != nil {
						t.Error(err)
					}
					resumed[stage] = max(resumed[stage], n)
				}
				if strings.HasPrefix(what, at) {
					hit()
				}
			}}
			o.Reporter = r
		})
		cancel()
		if len(r.overdone) > 0 {
			t.Errorf("done again: %s", r.overdone)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at %q: error %v", at, err)
		}
	}
	for stage, least := range map[string]int{"self-play 1": 2, "self-play 2": 4, "tournament": 7} {
		if resumed[stage] < least {
			t.Errorf("%s: %d games were not played again, want at least %d", stage, resumed[stage], least)
		}
	}
	r := s.run(t)
	if _, again := r.ran["self-play 1"]; again {
		t.Error("self-play 1 was done again")
	}
	s.same(t)
}

// So does one that is killed at any instant.
func TestKilledAndResumed(t *testing.T) {
	kills := 4
	if testing.Short() {
		kills = 1
	}
	undisturbed(t)
	s := newSite(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for done := 0; ; {
		var out bytes.Buffer
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), runVariable+"="+s.dir)
		cmd.Stderr = &out
		cmd.WaitDelay = time.Second // a script's process may hold the pipe a moment longer
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := make(chan bool, 1)
		if done < kills {
			go func() {
				time.Sleep(time.Duration(rng.IntN(1200)) * time.Millisecond)
				killed <- cmd.Process.Kill() == nil
			}()
		} else {
			killed <- false
		}
		err := cmd.Wait()
		if <-killed && err != nil {
			done++
			continue
		}
		if err != nil {
			t.Fatalf("a run that nobody killed: %v\n%s", err, &out)
		}
		break
	}
	s.same(t)
	s.run(t).stages(t, map[string]string{})
}
