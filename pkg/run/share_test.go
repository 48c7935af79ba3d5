package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// quick makes everything as small as it can be.
var quick = []string{"generations=1", "training.window=1", "training.epochs=1", "selfplay.games=3", "tournament.rounds=2", "tournament.players=[last, untrained, random]"}

// with returns settings and more of them.
func with(set []string, more ...string) []string { return append(slices.Clone(set), more...) }

// says wants a note that has all these texts.
func (r *recorder) says(t *testing.T, texts ...string) {
	t.Helper()
	if !slices.ContainsFunc(r.notes, func(n string) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(n, s) })
	}) {
		t.Errorf("no note %q: %q", texts, r.notes)
	}
}

// labPlaying counts the games of the tournament that a run played.
type labPlaying struct{ n int }

func (p *labPlaying) watch(o *Options) {
	r := o.Reporter.(*recorder)
	r.event = func(what string) {
		var done, total int
		if n, _ := fmt.Sscanf(what, "tournament %d/%d", &done, &total); n == 2 {
			p.n++
		}
	}
}

// A tournament that grows or shrinks plays only games that are new, and ends in the
// bytes of one that was played whole.
func TestTournamentGrows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run(t, quick...)
	for _, step := range []struct {
		set  []string
		new  int
		why  string
		said string
	}{
		{[]string{"tournament.rounds=4"}, 6, "tournament.rounds 2 -> 4", "6 of 12 games are as in "},
		{[]string{"tournament.rounds=4", "tournament.players=[untrained, last]"}, 0, "players -random", ""},
		{[]string{"tournament.rounds=3", "tournament.players=[untrained, last, random]"}, 6, "players +random, tournament.rounds 4 -> 3", "3 of 9 games"},
		{[]string{"tournament.rounds=3", "tournament.players=[last, untrained, random]"}, 0, "players in another order", "9 of 9 games"},
		{[]string{"tournament.rounds=3", "tournament.temperature.power=2"}, 9, "", ""},
	} {
		set := with(quick, step.set...)
		var games labPlaying
		r, err := s.try(context.Background(), func(o *Options) { games.watch(o) }, set...)
		if err != nil {
			t.Fatal(err)
		}
		if step.why != "" {
			r.stages(t, map[string]string{"tournament": step.why})
		}
		if games.n != step.new {
			t.Errorf("%v: played %d games, want %d", step.set, games.n, step.new)
		}
		if step.said != "" {
			r.says(t, step.said, "tournament/games.pgn")
		}
		fresh := newSite(t)
		fresh.run(t, set...)
		s.sameAs(t, fresh)
	}
}

// A tournament that is changed while it is played keeps the games that it has.
func TestTournamentGrowsWhilePlayed(t *testing.T) {
	t.Parallel()
	s, plain := newSite(t), newSite(t)
	s.until(t, begins("tournament 4/6"), quick...)
	set := with(quick, "tournament.rounds=4")
	var games labPlaying
	if _, err := s.try(context.Background(), func(o *Options) { games.watch(o) }, set...); err != nil {
		t.Fatal(err)
	}
	if games.n > 8 {
		t.Errorf("played %d games, want at most 8 of 12", games.n)
	}
	plain.run(t, set...)
	s.sameAs(t, plain)
}

// A tournament that lost its files in the middle of growing has its games.
func TestTournamentGrowsThroughAKill(t *testing.T) {
	t.Parallel()
	s, plain := newSite(t), newSite(t)
	s.run(t, quick...)
	set := with(quick, "tournament.rounds=4")
	s.until(t, begins("tournament 12/12"), set...)
	// As if it had been killed just after it wrote the games.
	if err := os.WriteFile(filepath.Join(s.trial(t), "tournament", "games.pgn"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var games labPlaying
	if _, err := s.try(context.Background(), func(o *Options) { games.watch(o) }, set...); err != nil {
		t.Fatal(err)
	}
	if games.n != 0 {
		t.Errorf("played %d games again", games.n)
	}
	plain.run(t, set...)
	s.sameAs(t, plain)
}

// rename gives the experiment of a site another name, in another file.
func (s site) rename(t *testing.T, name string) site {
	t.Helper()
	other := site{s.dir}
	b, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.Replace(string(b), "name: small", "name: "+name, 1))
	if err := os.WriteFile(filepath.Join(s.dir, name+".yaml"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return other
}

// A trial in a new folder says what it changes, compared with the nearest earlier trial.
func TestNewTrialSaysWhatChanged(t *testing.T) {
	t.Parallel()
	s := quickSite(t)
	s.run(t, with(quick, "search.noise.weight=0.5", "training.epochs=2")...)
	s.run(t, with(quick, "search.noise.weight=0.5", "training.epochs=3")...).stages(t, map[string]string{
		"training 1": "training.epochs 2 -> 3: no trial has it",
		"tournament": "player gen-1 changed: no trial has it",
	})
	// Two earlier trials are equally near.
	r := s.run(t, with(quick, "search.noise.weight=0.75", "training.epochs=3")...)
	if !regexp.MustCompile(`^search.noise.weight 0.2?5 -> 0.75: no trial has it$`).MatchString(r.ran["self-play 1"]) {
		t.Errorf("ran %q", r.ran)
	}
}

// An experiment takes from another what both share, checks it, and leaves what it
// would have left alone.
func TestSharedPrefix(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run(t, quick...)
	first := s.trial(t)
	s.rename(t, "other")
	set := with(quick, "tournament.rounds=4")
	other := func() *recorder {
		t.Helper()
		e, err := experiment.LoadChecked(filepath.Join(s.dir, "other.yaml"), set)
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{ran: map[string]string{}}
		if err := Run(context.Background(), e, s.options(r)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := other()
	r.stages(t, map[string]string{"tournament": "first time"})
	if want := []string{"untrained network", "self-play 1", "hooks 1", "training 1"}; !slices.Equal(r.reused, want) {
		t.Errorf("reused %q, want %q", r.reused, want)
	}
	r.says(t, "6 of 12 games are as in "+filepath.Join(first, "tournament/games.pgn"))
	dir := filepath.Join(s.dir, "results", "other", filepath.Base(first))
	a, err := os.Stat(filepath.Join(first, store.SamplesFile(1)))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.Stat(filepath.Join(dir, store.SamplesFile(1))); err != nil || !os.SameFile(a, b) {
		t.Errorf("the samples are not the same file (%v)", err)
	}
	m, err := store.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if from := m.Stage(store.TrainStage(1)).From; from != "small/"+filepath.Base(first) || m.Machine.Alamos != "test" {
		t.Errorf("the training comes from %q, the machine is %+v", from, m.Machine)
	}

	// The same as alone.
	alone := newSite(t)
	alone.run(t, set...)
	want := alone.fingerprint(t)
	files := func(f map[string]string) map[string]string {
		out := map[string]string{}
		for name, sum := range f {
			for _, folder := range []string{"games", "samples", "checkpoints", "tournament"} {
				if strings.Contains(name, "/"+folder+"/") {
					out[name] = sum
				}
			}
		}
		return out
	}
	if err := os.Rename(s.results(), filepath.Join(s.dir, "first")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.dir, "results", "other"), s.results()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files(want), files(s.fingerprint(t))); diff != "" {
		t.Errorf("files (-alone +shared):\n%s", diff)
	}

	// What is damaged there is not taken.
	damage(t, filepath.Join(s.trial(t), store.CheckpointFile(1)), damages["a flipped bit"])
	r = other()
	if _, again := r.ran["training 1"]; !again || !slices.Contains(r.reused, "self-play 1") {
		t.Errorf("ran %v, shared %v", r.ran, r.reused)
	}
}
