package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// The number of goroutines decides nothing.
func TestWorkers(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
