package store

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
)

// Live follows the results of a trial while a run writes them. It only reads, and only what
// has changed.
type Live struct {
	*Trial
	// Stage is the next stage of the trial, which a run may be working on; empty: none is left,
	// or the trial has not begun.
	Stage string
	// Games is the number of games of this stage that have ended. PerSecond is the number of
	// evaluations of self-play per second.
	Games     int
	PerSecond float64
	// Latest is the latest game of self-play or of the tournament; nil: none was seen.
	Latest *match.Game
	// Changed is when the results last changed.
	Changed time.Time

	final       bool       // it is the final tournament of a sweep, not a trial
	stamp       disk.Stamp // of the manifest
	journal     *disk.Tail // nil: the stage has no games
	evaluations int
	tournament  []*match.Game
}

// NewLive returns the state of a trial before its results are read. dir is the folder of its
// experiment.
func NewLive(dir string, t experiment.Trial) *Live {
	return &Live{Trial: &Trial{Declared: t, Dir: filepath.Join(dir, t.Folder), Manifest: &Manifest{}}}
}

// NewLiveFinal returns the state of a sweep's final tournament before it is read. dir is the
// folder of its experiment.
func NewLiveFinal(dir string) *Live {
	l := NewLive(dir, experiment.Trial{Folder: ComparisonsFolder})
	l.final = true
	return l
}

// Read reads what has changed, and reports whether something has. After an error it keeps
// what it knows.
func (l *Live) Read() (changed bool, err error) {
	stamp, err := disk.StampOf(l.Path(ManifestName))
	if err == nil && stamp != l.stamp {
		m, err := ReadManifest(l.Dir)
		if err != nil {
			return false, err
		}
		l.Trial = &Trial{Declared: l.Declared, Dir: l.Dir, Manifest: m}
		l.stamp, l.Changed, changed = stamp, time.Unix(0, stamp.Nanos), true
	}
	if stage := l.next(); stage != l.Stage {
		l.Stage, l.journal = stage, nil
		l.reset()
		if _, g := SplitStage(stage); stage == SelfPlayStage(g) || l.isTournament() {
			l.journal = &disk.Tail{Path: l.Path(ScratchFile(stage))}
		}
	}
	if l.journal == nil {
		return changed, nil
	}
	before := l.Games
	err = l.journal.Read(l.reset, l.add)
	if l.Games != before {
		l.Changed, changed = time.Now(), true
	}
	return changed, err
}

// next returns the stage that a run may be working on; empty: none.
func (l *Live) next() string {
	switch {
	case l.final && l.Manifest.Stage(FinalStage) == nil:
		return FinalStage
	case l.final || len(l.Manifest.Stages) == 0:
		return ""
	}
	return l.Next()
}

func (l *Live) isTournament() bool { return l.Stage == TournamentStage || l.Stage == FinalStage }

func (l *Live) reset() { l.Games, l.PerSecond, l.evaluations, l.tournament = 0, 0, 0, nil }

// add adds a game of the journal.
func (l *Live) add(entry []byte) error {
	if l.isTournament() {
		return match.ReadEntry(entry, func(_ string, g *match.Game) error {
			l.Games++
			l.Latest, l.tournament = g, append(l.tournament, g)
			return nil
		})
	}
	var e struct { // a part of what the run writes
		Record struct {
			Number      int
			Start       string
			Moves       []chess.Move
			Outcome     chess.Outcome
			RootValues  []float64
			Evaluations int
		}
		Seconds float64
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	l.Games++
	l.evaluations += e.Record.Evaluations
	l.PerSecond = float64(l.evaluations) / e.Seconds
	v, err := chess.ParseVariant(l.Declared.Settings.Game.Variant)
	if err != nil {
		return err
	}
	start, err := chess.ParseFEN(v, e.Record.Start)
	if err != nil {
		return err
	}
	name := CheckpointName(l.Done())
	l.Latest = &match.Game{Variant: v, White: name, Black: name, Number: e.Record.Number, Start: start, Moves: e.Record.Moves, Outcome: e.Record.Outcome}
	for i := range e.Record.RootValues {
		l.Latest.Infos = append(l.Latest.Infos, match.Info{Score: &e.Record.RootValues[i]})
	}
	return nil
}

// Table returns the results of the tournament so far. It is nil without games.
func (l *Live) Table() (*match.Results, error) {
	var names []string
	for _, g := range l.tournament {
		for _, name := range []string{g.White, g.Black} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	r := match.NewResults(names)
	for _, g := range l.tournament {
		if err := r.Add(g); err != nil {
			return nil, err
		}
	}
	return r, nil
}
