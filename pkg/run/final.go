package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/store"
)

// finalCode is the version of the code of the final tournament, see [Stage].
const finalCode = "1"

// final plays the final tournament of the sweep. Trials that failed or were dropped do not
// play. A run of some trials leaves it to the run of all.
func (r *run) final(ctx context.Context, all []*candidate) error {
	f := r.experiment.Final
	failed := func(c *candidate) bool { return c.err != nil }
	if f == nil || len(r.Trials) > 0 || r.experiment.Pending > 0 || r.FailFast && slices.ContainsFunc(all, failed) {
		return nil
	}
	t, err := r.comparison(ctx, "in the final tournament")
	if err == nil {
		if s := t.finalTournament(ctx, f, slices.DeleteFunc(slices.Clone(all), failed)); s != nil {
			err = r.executor.stage(ctx, t, s)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(r.dir, store.ComparisonsFolder), err)
	}
	return nil
}

// finalTournament returns the stage of the final tournament, or nil if fewer than two trials are left.
func (t *Trial) finalTournament(ctx context.Context, f *experiment.Final, all []*candidate) *Stage {
	var players roster
	for _, c := range all {
		if c.trial.Results.Dropped() {
			continue
		}
		players.add(c.trial.entrant(c.trial.Results.Name(), c.trial.finalist(f)))
	}
	networks := len(players)
	if networks < 2 {
		t.Report.Note("no final tournament: fewer than two trials are left")
		return nil
	}
	for _, spec := range f.Anchors {
		if p, err := t.run.opponent(ctx, t.Setup, spec); err == nil { // a missing one was reported before
			p.trial = t
			players.add(p)
		}
	}
	anchor, format := "", match.Format{}
	if f.Pairs == experiment.AnchorPairs && len(players) == networks {
		t.Report.Note("no final tournament: none of its anchors is here")
		return nil
	}
	if len(players) > networks {
		anchor = players[networks].name
		if f.Pairs == experiment.AnchorPairs {
			format = match.Format{First: networks}
		}
	}
	return t.pool(store.FinalStage, store.FinalStage, finalCode, players, f.Rounds, format).stage(anchor, func(r *store.Tournament) any {
		for _, line := range r.Games.Table() {
			t.Report.Note(line)
		}
		return r
	})
}

// finalist returns the generation of the trial's network that plays in the final tournament.
func (t *Trial) finalist(f *experiment.Final) int {
	if own := t.Results.Tournament(); f.Network == experiment.BestNetwork && own != nil { // in a plan it may be unknown
		for _, i := range own.Ranking() {
			if g := own.Players[i].Generation; g > 0 {
				return g
			}
		}
	}
	return t.Results.Done()
}
