package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"alamos/pkg/match"
	"alamos/pkg/store"
)

// With a lag games are played while an earlier generation is trained, by an older network. The
// files do not show it: they are the same when the run is stopped and when workers play.
func TestLag(t *testing.T) {
	t.Parallel()
	set := []string{"generations=3", "selfplay.lag=1", "tournament.rounds=0"}
	plain := newSite(t)
	var events []string
	var mu sync.Mutex
	see := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, what)
	}
	if _, err := plain.try(context.Background(), func(o *Options) { o.Reporter = &recorder{ran: map[string]string{}, event: see} }, set...); err != nil {
		t.Fatal(err)
	}
	begins := func(prefix string) int {
		return slices.IndexFunc(events, func(e string) bool { return strings.HasPrefix(e, prefix) })
	}
	for g, by := range []string{"untrained", "untrained", "gen-1"} {
		err := match.ReadGames(filepath.Join(plain.trial(t), store.GamesFile(g+1)), func(_ string, game *match.Game) error {
			if game.White != by {
				t.Errorf("generation %d: %s plays", g+1, game.White)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []string{"2", "3"} {
		if begins("self-play "+g+" resumes") > begins("runs self-play "+g) {
			t.Errorf("the games of generation %s were not played ahead: %q", g, events)
		}
	}

	stopped := newSite(t)
	for _, at := range []string{"self-play 2 2/", "training 1 1/", "self-play 3 4/", "training 2 3/", "runs self-play 3"} {
		stopped.stop(t, at, nil, set...)
	}
	stopped.run(t, set...)
	stopped.sameAs(t, plain)

	away := newSite(t)
	ctx, cancel := context.WithCancel(context.Background())
	h := away.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil, nil)
	if _, err := away.try(ctx, func(o *Options) { o.Hub = h }, set...); err != nil {
		t.Error(err)
	}
	cancel()
	away.sameAs(t, plain)
}

// Games that a longer lag played ahead are kept when training goes on later, and deleted when a
// rule ends it.
func TestLagAndEnds(t *testing.T) {
	t.Parallel()
	set := []string{"training.window=1", "training.epochs=1", "selfplay.lag=3", "selfplay.opening.fork_share=0", "tournament.rounds=0", "hooks=[]"}
	plain, longer := newSite(t), newSite(t)
	plain.run(t, with(set, "generations=5")...)
	for _, g := range []string{"1", "2", "4", "5"} {
		longer.run(t, with(set, "generations="+g)...)
	}
	longer.sameAs(t, plain)

	away := newSite(t) // where workers have games of several generations at once
	ctx, cancel := context.WithCancel(context.Background())
	h := away.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil, nil)
	if _, err := away.try(ctx, func(o *Options) { o.Hub = h }, with(set, "generations=5")...); err != nil {
		t.Error(err)
	}
	cancel()
	away.sameAs(t, plain)

	s := newSite(t)
	rule := filepath.Join(s.dir, "enough.go")
	text := "package main\n\nimport \"alamos/pkg/hook/alamos\"\n\nfunc Stop(p alamos.Progress) (stop bool, reason string) { return p.Generation == 2, \"enough\" }\n"
	if err := os.WriteFile(rule, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s.run(t, with(set, "generations=6", "stop="+rule)...)
	if b, err := os.ReadFile(filepath.Join(s.trial(t), store.SamplesFile(2))); err != nil || len(b) == 0 {
		t.Error(err)
	}
	for g := 3; g <= 6; g++ {
		for _, file := range []string{store.ScratchFile(store.SelfPlayStage(g)), store.SamplesFile(g), store.GamesFile(g)} {
			if _, err := os.Stat(filepath.Join(s.trial(t), file)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there (%v)", file, err)
			}
		}
	}
}
