package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/puzzle"
	"alamos/pkg/uci"
	"alamos/plots"
)

// LoadChecked reads an experiment like [Load], and also checks what the language cannot:
// that positions are valid, and that encoders support the variant. All faults are
// [config.Errors].
func LoadChecked(path string, set []string) (*Experiment, error) {
	e, err := Load(path, Options{Set: set})
	if err != nil {
		return nil, err
	}
	var faults config.Errors
	failIn := func(trial *Trial, key, hint string, err error) {
		faults = append(faults, e.faultIn(trial, key, hint, err.Error()))
	}
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		fail := func(key, hint string, err error) { failIn(&e.Trials[i], key, hint, err) }
		v, err := s.Game.Of()
		if err != nil {
			key := "game.variant"
			if s.Game.Rules != nil { // whose error names a key
				key = "game.rules"
				if _, text, found := strings.Cut(err.Error(), ": "); found {
					if rule, _, _ := strings.Cut(text, ": "); schema().Lookup(config.Join(key, rule)) != nil {
						key = config.Join(key, rule)
					}
				}
			}
			fail(key, "", err)
			continue
		}
		// A default encoding is not at fault; the variant is.
		encoding := func(key string, err error, instead []string) {
			if err == nil {
				return
			}
			hint := fmt.Sprintf("set %s: %s", key, strings.Join(instead, " or "))
			if e.Origin(key).Default() {
				key = "game.variant"
			}
			fail(key, hint, err)
		}
		encoding("network.input", supports(encode.PlanesOf, s.Network.Input, v), encode.PlanesFor(v))
		encoding("network.policy", supports(encode.PolicyOf, s.Network.Policy, v), encode.PolicyFor(v))
		if _, err := chess.ParseStarts(v, s.Game.Start); err != nil {
			fail("game.start", "", err)
		}
		for j, fen := range s.SelfPlay.Opening.FENs {
			if _, err := chess.ParseOngoing(v, fen); err != nil {
				fail("selfplay.opening.fens", "", fmt.Errorf("position %d: %w", j+1, err))
			}
		}
		for j, cell := range e.Notebook {
			if cell.Figure == nil || cell.Figure.Position == "" {
				continue
			}
			_, err := FigurePosition(v, s, cell.Figure.Position)
			if err != nil && !(len(cell.Figure.Only) > 0 && e.someTrialHas(cell.Figure.Position)) {
				fail("notebook", "write start, or a FEN", fmt.Errorf("cell %d: %w", j+1, err))
			}
		}
		checkData(s, v, fail)
		book, err := ReadBook(v, s.Tournament.Openings)
		if err != nil {
			fail("tournament.openings.file", "", err)
		}
		t, longest := &s.Tournament, 0
		for _, o := range book {
			longest = max(longest, len(o.Moves))
		}
		if n := longest + t.RandomPlies; t.Rounds > 0 && n >= 2*t.MaxMoves {
			key := "tournament.random_plies"
			if longest > t.RandomPlies {
				key = "tournament.openings"
			}
			fail(key, "shorten the openings, or raise tournament.max_moves", fmt.Errorf("an opening of %d plies leaves nothing of a game of %d moves", n, t.MaxMoves))
		}
		if _, err := ReadPuzzles(v, s.Evaluation); err != nil {
			fail("evaluation.puzzles", "", err)
		}
	}
	for j, cell := range e.Notebook {
		if cell.Figure == nil {
			continue
		}
		if err := e.checkFigure(cell.Figure); err != nil {
			failIn(nil, "notebook", "", fmt.Errorf("cell %d: %w", j+1, err))
		}
	}
	if h := e.Halving; h != nil && h.Metric == ByElo {
		first := &e.Trials[0].Settings.Game
		for i := range e.Trials {
			if g := &e.Trials[i].Settings.Game; !g.same(first) {
				failIn(nil, "game.variant", "choose sweep.halving.metric: "+ByLoss, errors.New("successive halving by Elo has the trials play each other: want one variant and start of all"))
				break
			}
		}
	}
	if len(faults) > 0 {
		return nil, faults.Sorted() // a fault of several trials is reported once
	}
	return e, nil
}

// someTrialHas reports whether a position is valid in the game of some trial.
func (e *Experiment) someTrialHas(position string) bool {
	return slices.ContainsFunc(e.Trials, func(t Trial) bool {
		v, err := t.Settings.Game.Of()
		if err == nil {
			_, err = FigurePosition(v, &t.Settings, position)
		}
		return err == nil
	})
}

// checkFigure returns why no trial of the experiment can have a figure.
func (e *Experiment) checkFigure(f *Figure) error {
	some := func(is func(*Settings) bool) bool {
		return slices.ContainsFunc(e.Trials, func(t Trial) bool { return is(&t.Settings) })
	}
	for i, axis := range []*FigureAxis{f.XAxis, f.YAxis} {
		if axis == nil {
			continue
		}
		name := []string{"x_axis", "y_axis"}[i]
		from, to := axis.From, axis.To
		if from != nil && to != nil && *from >= *to {
			return fmt.Errorf("%s is from %g to %g: write the low end first", name, *from, *to)
		}
		for _, place := range slices.Sorted(maps.Keys(axis.Ticks)) {
			if v, err := strconv.ParseFloat(place, 64); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				return fmt.Errorf("%s has a tick at %s: want a number", name, config.Printable(place))
			}
		}
		if axis.Scale == "log" && (from != nil && *from <= 0 || to != nil && *to <= 0) {
			return fmt.Errorf("%s is logarithmic: its ends must be above 0", name)
		}
	}
	switch {
	case f.Generation != nil && !some(func(s *Settings) bool { return s.Generations >= *f.Generation }):
		return fmt.Errorf("it shows generation %d, which no trial has", *f.Generation)
	case f.Kind == "policy" && f.ShowsWays() && !some(func(s *Settings) bool { return s.Network.Policy != NoPolicy }):
		return errors.New("it shows a policy, and the network has none")
	}
	return nil
}

// supports returns the error of an encoding that does not support a variant.
func supports[T interface{ Supports(chess.Variant) error }](of func(string, chess.Variant) (T, error), name string, v chess.Variant) error {
	encoding, err := of(name, v)
	if err != nil {
		return err
	}
	return encoding.Supports(v)
}

// Missing lists the data files and UCI engines that a run of an experiment needs and this
// machine lacks. They are not faults, because the experiment may run elsewhere or later.
// Missing starts no engine, so it does not check whether an engine plays the variant.
func Missing(e *Experiment) config.Errors {
	var all config.Errors
	lack := func(key, hint, what string) { all = append(all, e.Fault(key, hint, what)) }
	const needed = "a run needs it"
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		if d := s.Data; d != nil {
			find := func(key string, patterns []string) {
				for _, pattern := range patterns {
					if found, err := filepath.Glob(pattern); err == nil && len(found) == 0 {
						lack(key, needed, "there is no file "+config.Printable(pattern))
					}
				}
			}
			find("data.files", d.Files)
			find("data.test", d.Test)
		}
		for _, engine := range e.engines(s) {
			hint := needed
			if !strings.HasPrefix(engine.Key, "data.") {
				hint += ", or --skip-missing-engines"
			}
			if o := (uci.Opponent{Program: engine.Program}); !o.Installed() {
				lack(engine.Key, hint, "no engine is called "+config.Printable(engine.Program)+" on this machine")
			}
		}
	}
	return all.Sorted()
}

// namedEngine is a UCI engine and the key that names it.
type namedEngine struct {
	Key     string // "data.engine.uci", "tournament.players[2].uci"
	Program string
}

// engines returns every UCI engine that a run of a trial starts, with those of the final
// tournament.
func (e *Experiment) engines(s *Settings) (all []namedEngine) {
	if d := s.Data; d != nil && d.Kind == data.Engine {
		all = append(all, namedEngine{"data.engine.uci", d.Player.UCI})
	}
	if d := s.Data; d != nil && d.Label != nil && d.Label.UCI != "" {
		all = append(all, namedEngine{"data.label.uci", d.Label.UCI})
	}
	add := func(key string, players []match.Spec) {
		for i, p := range players {
			if p.UCI != "" {
				all = append(all, namedEngine{fmt.Sprintf("%s[%d].uci", key, i), p.UCI})
			}
		}
	}
	if s.Tournament.Rounds > 0 {
		add("tournament.players", s.Tournament.Players)
	}
	if e.Final != nil {
		add("sweep.final.anchors", e.Final.Anchors)
	}
	return all
}

// Starts lists the places of an experiment that have a run start a UCI engine, if engines is
// set, or a Go script, if scripts is set. They are the faults of an experiment that may not.
func Starts(e *Experiment, engines, scripts bool) (all config.Errors) {
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		for _, x := range e.engines(s) {
			if engines {
				all = append(all, e.Fault(x.Key, "leave out --no-engines if you trust it", "a run starts the engine "+config.Printable(x.Program)))
			}
		}
		for _, x := range s.Scripts() {
			if scripts {
				all = append(all, e.Fault(x.Key, "leave out --no-hooks if you trust it", "a run starts the script "+config.Printable(x.Path)))
			}
		}
	}
	return all.Sorted()
}

// FigurePosition returns the position that a figure names. start means the first start
// position of the experiment's games.
func FigurePosition(v chess.Variant, s *Settings, name string) (chess.Position, error) {
	switch {
	case name != "start":
		return chess.ParseOngoing(v, name)
	case len(s.Game.Start) == 0:
		return chess.StartPosition(v), nil
	case s.Game.Start[0] == chess.AnyChess960:
		return chess.Chess960(v, 518) // the standard position among 0 to 959
	}
	return chess.ParseFEN(v, s.Game.Start[0])
}

// ReadPuzzles reads the puzzles of an evaluation, which may be nil. Each file must be
// unchanged since the experiment was loaded, and its puzzles must be of the variant.
func ReadPuzzles(v chess.Variant, e *Evaluation) ([]*puzzle.Set, error) {
	if e == nil {
		return nil, nil
	}
	sets := make([]*puzzle.Set, len(e.Puzzles))
	for i, of := range e.Puzzles {
		b, err := of.File.Read()
		if err != nil {
			return nil, err
		}
		if sets[i], err = puzzle.Read(bytes.NewReader(b), of.File.Path, v); err != nil {
			return nil, err
		}
		for j := range sets[i].Puzzles {
			p := &sets[i].Puzzles[j]
			if have := p.Position.Variant(); have != v {
				return nil, fmt.Errorf("%s:%d: the puzzle is of %s, and the experiment of %s", of.File.Path, p.Line, have, v)
			}
		}
	}
	return sets, nil
}

// ReadStyle reads a file with the keys of style.
func ReadStyle(file string) (*plots.Style, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	node, errs := config.Parse(config.Position{File: file}, data, "write, for example, preset: column")
	if node != nil {
		style, more := config.Decode[plots.Style](node)
		if errs = append(errs, more...); len(errs) == 0 {
			return &style, nil
		}
	}
	return nil, errs.Sorted()
}

// ReadBook reads the openings of a tournament. Without a book it returns none. The book
// must be unchanged since the experiment was loaded.
func ReadBook(v chess.Variant, o *Openings) ([]match.Opening, error) {
	if o == nil {
		return nil, nil
	}
	b, err := o.Book.Read()
	if err != nil {
		return nil, err
	}
	return match.ReadBook(bytes.NewReader(b), o.Book.Path, v, o.Plies)
}
