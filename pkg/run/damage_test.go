package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/store"
)

// What may happen to the bytes of a file.
var damages = map[string]func([]byte) []byte{
	"a flipped bit": func(b []byte) []byte {
		b = slices.Clone(b)
		b[len(b)/2] ^= 4
		return b
	},
	"truncated": func(b []byte) []byte { return b[:len(b)/2] },
}

// damage changes a file.
func damage(t *testing.T, path string, how func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, how(b), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A run must not build on a file that has changed.
func TestDamagedFilesAreNamed(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"samples/gen-0001.parquet", "checkpoints/gen-0000.safetensors", "checkpoints/gen-0001.safetensors", "games/gen-0002.pgn",
		"tournament/games.pgn", "tournament/crosstable.csv",
	} {
		t.Run(file, func(t *testing.T) {
			s := finishedSite(t)
			path := filepath.Join(s.trial(t), file)
			for name, how := range damages {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				damage(t, path, how)
				r, err := s.try(context.Background(), nil)
				wantError(t, err, path, "checksum", "delete it")
				if len(r.ran) > 0 {
					t.Errorf("%s: ran %v", name, r.ran)
				}
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			// What the error advises helps.
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			s.run(t)
			s.same(t)
		})
	}
}

// A bit that flips on the disk, without another modification time, is found by Verify only.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	path := filepath.Join(s.trial(t), "checkpoints/gen-0001.safetensors")
	at := time.Now().Add(-time.Hour)
	set := func() {
		t.Helper()
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	set()
	s.run(t) // which keeps the time
	damage(t, path, damages["a flipped bit"])
	set()
	if r := s.run(t); len(r.ran) > 0 {
		t.Errorf("ran %v", r.ran)
	}
	r, err := s.try(t.Context(), func(o *Options) { o.Verify = true })
	wantError(t, err, path, "checksum", "delete it")
	if len(r.ran) > 0 {
		t.Errorf("ran %v", r.ran)
	}
}

// A damaged manifest stops the run. Without it everything is done again, to the same
// bytes.
func TestDamagedManifest(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	path := filepath.Join(s.trial(t), store.ManifestName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"stages": [null]}`, string(good[:len(good)/2])} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := s.try(context.Background(), nil)
		wantError(t, err, path, "is damaged", "delete it and the run starts this trial again")
		r.stages(t, map[string]string{})
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if r := s.run(t); len(r.ran) != len(allStages) {
		t.Errorf("ran %v", r.ran)
	}
	s.same(t)
}

// until runs the experiment until something is reported.
func (s site) until(t *testing.T, at func(what string) bool, set ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.try(ctx, func(o *Options) {
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			if at(what) {
				cancel()
			}
		}}
	}, set...)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a run that was to be stopped: %v", err)
	}
}

// begins waits for a report that begins so.
func begins(prefix string) func(string) bool {
	return func(what string) bool { return strings.HasPrefix(what, prefix) }
}

// secondHalf waits until more than half of a stage's work is done.
func secondHalf(stage string) func(string) bool {
	return func(what string) bool {
		var done, total int
		n, _ := fmt.Sscanf(what, stage+" %d/%d", &done, &total)
		return n == 2 && 2*done > total
	}
}

// What a stage under way has kept may be damaged: that part is done again, and
// somebody says so.
func TestDamagedJournals(t *testing.T) {
	t.Parallel()
	set := []string{"generations=1", "training.window=1", "tournament.rounds=2", "tournament.players=[last, random]"}
	plain := newSite(t)
	plain.run(t, set...)
	for _, test := range []struct{ stage, file string }{
		{"self-play 1", "games/gen-0001.journal"},
		{"training 1", "checkpoints/gen-0001.progress"}, // there are two epochs
		{"tournament", "tournament/games.journal"},
	} {
		s := newSite(t)
		s.until(t, secondHalf(test.stage), set...)
		for name, how := range damages {
			t.Run(test.stage+", "+name, func(t *testing.T) {
				s := newSiteOf(t, s.dir)
				path := filepath.Join(s.trial(t), test.file)
				damage(t, path, how)
				r := s.run(t, set...)
				if !slices.ContainsFunc(r.notes, func(n string) bool {
					return strings.HasPrefix(n, path) && strings.Contains(n, "damaged") && strings.Contains(n, "again")
				}) {
					t.Errorf("no note about the damage: %q", r.notes)
				}
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the journal was left behind (%v)", err)
				}
				s.sameAs(t, plain)
			})
		}
	}
}

// A tournament that is interrupted while it replaces its files is no damage for a run that goes
// back to the earlier settings.
func TestInterruptedReplacement(t *testing.T) {
	t.Parallel()
	set := []string{"generations=1", "training.window=1", "tournament.players=[last, random]"}
	before, after := append(set[:3:3], "tournament.rounds=2"), append(set[:3:3], "tournament.rounds=4")
	plain, s := newSite(t), newSite(t)
	plain.run(t, before...)
	s.run(t, before...)
	ratings := filepath.Join(s.trial(t), "tournament", "ratings.csv") // the last file that a tournament writes
	if err := errors.Join(os.Remove(ratings), os.MkdirAll(filepath.Join(ratings, "in the way"), 0o777)); err != nil {
		t.Fatal(err)
	}
	_, err := s.try(t.Context(), nil, after...)
	wantError(t, err, "ratings.csv")
	if err := os.RemoveAll(ratings); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ratings, []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := s.run(t, before...)
	if why := r.ran["tournament"]; !strings.HasSuffix(why, "crosstable.csv is of an interrupted run") {
		t.Errorf("the tournament ran because of %q", why)
	}
	s.sameAs(t, plain)
}

// An interrupted training continues after its last step.
func TestTrainingResumesAtItsStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := []string{"training.epochs=5", "tournament.rounds=0"}
	plain := newSite(t)
	total, steps := 0, 0
	counting := func(o *Options) {
		o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
			var done int
			if n, _ := fmt.Sscanf(what, "training 1 %d/%d", &done, &total); n == 2 {
				steps++
			}
		}}
	}
	if _, err := plain.try(context.Background(), counting, set...); err != nil {
		t.Fatal(err)
	}
	if steps != total || total%5 != 0 {
		t.Fatalf("%d steps of %d", steps, total)
	}
	steps = 0
	epoch := total / 5
	for ended := 1; ended <= 4; ended++ { // canceled in the middle of every epoch but the first
		ctx, cancel := context.WithCancel(context.Background())
		_, err := s.try(ctx, func(o *Options) {
			counting(o)
			r := o.Reporter.(*recorder)
			count := r.event
			r.event = func(what string) {
				count(what)
				if strings.HasPrefix(what, fmt.Sprintf("training 1 %d/", ended*epoch+1)) {
					cancel()
				}
			}
		}, set...)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
	}
	if _, err := s.try(context.Background(), counting, set...); err != nil {
		t.Fatal(err)
	}
	if steps != total {
		t.Errorf("%d steps, want %d", steps, total)
	}
	s.sameAs(t, plain)
}

// When the code of a stage changes, the stage runs again and gives the reason. Stages that
// read the same bytes stay cached.
func TestStagesOfOtherCode(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"untrained network", "self-play 2", "hooks 1", "training 1", "tournament"} {
		s := finishedSite(t)
		m, err := store.ReadManifest(s.trial(t))
		if err != nil {
			t.Fatal(err)
		}
		m.Stage(stage).Inputs["code"] = "0"
		if err := m.Write(s.trial(t)); err != nil {
			t.Fatal(err)
		}
		r := s.run(t)
		if len(r.ran) != 1 || !strings.Contains(r.ran[stage], "computes this in another way now (version 0 -> ") {
			t.Errorf("ran %v, want %s", r.ran, stage)
		}
		s.same(t)
	}
}
