package run

import (
	"context"
	"errors"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// early are the games that are played before their stage, by the names of the stages. With
// selfplay.lag the network of a generation's games is there while an earlier generation is
// trained. The games go into the journal of their stage, and the stage takes them from there. So
// the order of the stages and all bytes are those of a run that plays the games in their stage.
type early map[string]*earlyGames

// earlyGames are the games of a generation, and the goroutine that plays them.
type earlyGames struct {
	games   *generationGames
	cancel  context.CancelFunc
	done    chan struct{}
	played  bool   // set when done is closed: they are complete
	release func() // gives back the stage's claim and lock; nil: it has none
	err     error
}

// playAhead begins to play the games of the generations after g whose network is there. A run
// plays one generation after the other. Workers of a hub begin the next one when nothing of those
// before is left to begin. It is no stage.
func (t *Trial) playAhead(ctx context.Context, g int) (*Stage, error) {
	if _, runs := t.run.executor.(execution); !runs || t.Settings.Data != nil {
		return nil, nil
	}
	for h := g + 1; h <= t.pace.until && t.Settings.PlayedBy(h) < g; h++ {
		if t.forks(h) && h > g+1 { // the games before are not written
			break
		}
		s, err := t.selfplay(ctx, h)
		if err != nil {
			return s, err
		}
		if t.early[s.Name] != nil {
			continue
		}
		d, _, err := t.decide(s)
		if err != nil {
			return s, err
		}
		if d.Does != Runs {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		e := &earlyGames{games: t.newGames(h, s.In), cancel: cancel, done: make(chan struct{})}
		e.games.unit = "games ahead"
		before := t.early[store.SelfPlayStage(h-1)]
		t.early[s.Name] = e
		go func() {
			defer close(e.done)
			if before != nil {
				if e.err = e.follow(before); e.err != nil {
					return
				}
			}
			e.err = e.play(ctx, s)
		}()
	}
	return nil, nil
}

// follow waits until the games may begin after those of the generation before.
func (e *earlyGames) follow(before *earlyGames) error {
	select {
	case e.games.before = <-before.games.begun:
	case <-before.done:
		if before.played {
			e.games.before = before.games.kind
		}
		return before.err
	}
	return nil
}

// play plays the games unless another trial has them.
func (e *earlyGames) play(ctx context.Context, s *Stage) error {
	t, found := e.games.Trial, false
	var err error
	e.release, err = t.hold(ctx, s, func() (bool, error) {
		found = t.run.cache.find(s, t.Results.Dir, t.run.Verify) != nil
		return found, nil
	})
	if err != nil || found {
		return err
	}
	err = e.games.play(ctx)
	e.played = err == nil
	return err
}

// wait waits for the games of a stage. release is nil if no games were played; otherwise the
// caller must call it.
func (a early) wait(s *Stage) (release func(), err error) {
	e := a[s.Name]
	if e == nil {
		return nil, nil
	}
	<-e.done
	release, e.release = e.release, nil
	if e.err != nil {
		if release != nil {
			release()
		}
		return nil, e.err
	}
	return release, nil
}

// take returns the complete games of a generation, and forgets them; nil: there are none.
func (a early) take(g int) *generationGames {
	stage := store.SelfPlayStage(g)
	e := a[stage]
	delete(a, stage)
	if e == nil || !e.played {
		return nil
	}
	return e.games
}

// end stops all games.
func (a early) end() {
	for _, e := range a {
		e.cancel()
	}
	for _, e := range a {
		<-e.done
		if e.played {
			_ = e.games.journal.Close() // nothing is written to it
		}
		if e.release != nil {
			e.release()
			e.release = nil
		}
	}
}

// drop stops the games of stages that will not come, because training has ended, and deletes
// them.
func (a early) drop(t *Trial) (err error) {
	a.end()
	for stage := range a {
		if t.Results.Manifest.Stage(stage) == nil {
			err = errors.Join(err, disk.Remove(t.scratch(stage)))
		}
	}
	return err
}
