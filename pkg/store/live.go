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
	"alamos/pkg/selfplay"
	"alamos/pkg/stats"
	"alamos/pkg/train"
)

// Live follows the results of a trial while a run writes them. It only reads, and only what
// has changed.
type Live struct {
	*Trial
	// Stage is the next stage of the trial, which a run may be working on; empty: none is left,
	// or the trial has not begun.
	Stage string
	// Parts is the number of games of this stage that have ended, or of steps of training. Of is
	// how many there will be, 0 if that is unknown.
	Parts, Of int
	PerSecond float64 // evaluations of self-play
	// Steps are the losses in the training that runs, and Epochs those of its finished epochs.
	Steps  []TrainingEntry
	Epochs []train.Epoch
	// Latest is the latest game of self-play or of the tournament; nil: none was seen.
	Latest *match.Game
	// Changed is when the results last changed.
	Changed time.Time

	final       bool       // it is the final tournament of a sweep, not a trial
	stamp       disk.Stamp // of the manifest
	journal     *disk.Tail // nil: the stage has no games
	evaluations int
	tournament  match.Watched
	games       map[int]bool // numbers of the games of self-play

	// When the first part was seen, and how many there were then.
	began time.Time
	first int
}

// TrainingEntry is an entry of the journal of a training: a finished epoch, or the mean loss of
// the steps since the last such entry.
type TrainingEntry struct {
	Done  int          `json:"done"`
	Of    int          `json:"of"`
	At    float64      `json:"at"` // epochs of the trial
	Loss  stats.Float  `json:"loss"`
	Epoch *train.Epoch `json:"epoch,omitempty"`
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
		switch _, g := SplitStage(stage); {
		case stage == SelfPlayStage(g) || l.isTournament():
			l.journal = &disk.Tail{Path: l.Path(ScratchFile(stage))}
		case stage == TrainStage(g):
			l.journal = &disk.Tail{Path: l.Path(StepsFile(g))}
		}
	}
	if l.journal == nil {
		return changed, nil
	}
	before := l.Parts
	err = l.journal.Read(l.reset, l.add)
	if l.isTournament() {
		games := l.tournament.Games()
		l.Parts, l.Of = len(games), l.tournament.Plan.Total
		if len(games) > 0 {
			l.Latest = games[len(games)-1]
		}
	}
	if l.Parts != before {
		l.Changed, changed = time.Now(), true
		if stamp, err := disk.StampOf(l.journal.Path); err == nil { // a killed run may have left it long ago
			l.Changed = time.Unix(0, stamp.Nanos)
		}
	}
	if l.Parts > 0 && l.began.IsZero() {
		l.began, l.first = l.Changed, l.Parts
	}
	return changed, err
}

// Left returns the time until the stage ends, at the pace that was seen; 0: unknown.
func (l *Live) Left() time.Duration {
	did := l.Parts - l.first
	if did <= 0 || l.Of <= l.Parts {
		return 0
	}
	return l.Changed.Sub(l.began) / time.Duration(did) * time.Duration(l.Of-l.Parts)
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

func (l *Live) reset() {
	l.Parts, l.Of, l.PerSecond, l.evaluations, l.tournament, l.games = 0, 0, 0, 0, match.Watched{}, map[int]bool{}
	l.Steps, l.Epochs, l.began, l.first = nil, nil, time.Time{}, 0
	if _, g := SplitStage(l.Stage); l.Stage == SelfPlayStage(g) {
		l.Of = l.Declared.Settings.At(g).SelfPlay.Games
	}
}

// add adds an entry of the journal.
func (l *Live) add(entry []byte) error {
	_, g := SplitStage(l.Stage)
	switch {
	case l.isTournament():
		return l.tournament.Add(entry)
	case l.Stage == TrainStage(g):
		return l.addStep(entry)
	}
	return l.addGame(entry)
}

// addStep adds an entry of the journal of training. A training that was interrupted repeats
// the steps since its last progress.
func (l *Live) addStep(entry []byte) error {
	var e TrainingEntry
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	if e.Epoch != nil {
		l.Epochs = append(slices.DeleteFunc(l.Epochs, func(old train.Epoch) bool { return old.Number >= e.Epoch.Number }), *e.Epoch)
		return nil
	}
	l.Parts, l.Of = e.Done, e.Of
	l.Steps = append(slices.DeleteFunc(l.Steps, func(old TrainingEntry) bool { return old.At >= e.At }), e)
	return nil
}

// GameEntry is a game of self-play in the journal of its stage. Seconds is the total playing time
// when the game ended, so that times add up over interruptions.
type GameEntry struct {
	Record  json.RawMessage // see [selfplay.Record.Pack]
	Seconds float64
}

// addGame adds a game of self-play.
func (l *Live) addGame(entry []byte) error {
	var e GameEntry
	if err := json.Unmarshal(entry, &e); err != nil {
		return err
	}
	r, err := selfplay.Peek(e.Record)
	if err != nil {
		return err
	}
	l.games[r.Number] = true // a game of a worker that was put out is played again
	l.Parts = len(l.games)
	l.evaluations += r.Evaluations
	l.PerSecond = float64(l.evaluations) / e.Seconds
	v, err := l.Declared.Settings.Game.Of()
	if err != nil {
		return err
	}
	_, g := SplitStage(l.Stage)
	l.Latest, err = SelfPlayGame(v, CheckpointName(l.Declared.Settings.PlayedBy(g)), r)
	return err
}

// SelfPlayGame returns a game that a network of this name played with itself in the form of a
// tournament's games, with the values of its searches.
func SelfPlayGame(v chess.Variant, name string, r *selfplay.Record) (*match.Game, error) {
	start, err := chess.ParseFEN(v, r.Start)
	if err != nil {
		return nil, err
	}
	out := &match.Game{Variant: v, White: name, Black: name, Number: r.Number, Start: start, Moves: r.Moves, Outcome: r.Outcome}
	for _, value := range r.RootValues {
		score := float64(value)
		out.Infos = append(out.Infos, match.Info{Score: &score})
	}
	return out, nil
}

// Table returns the results of the tournament so far. It is nil without games.
func (l *Live) Table() (*match.Results, error) {
	var names []string
	games := l.tournament.Games()
	for _, g := range games {
		for _, name := range []string{g.White, g.Black} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return match.ResultsOf(names, games)
}
