package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
)

// Load reads an experiment and checks what its language cannot know: that
// positions are positions, that encoders can express the variant. All faults
// are [experiment.Errors].
func SetupLoad(path string, set []string) (*Experiment, error) {
	e, err := Load(path, Options{Set: set})
	if err != nil {
		return nil, err
	}
	var faults config.Errors
	seen := map[string]bool{} // a fault of several trials is one fault
	fail := func(key, hint string, err error) {
		f := e.Fault(key, hint, err.Error())
		if !seen[f.Error()] {
			seen[f.Error()] = true
			faults = append(faults, f)
		}
	}
	for i := range e.Trials {
		s := &e.Trials[i].Settings
		v, err := chess.ParseVariant(s.Game.Variant)
		if err != nil {
			fail("game.variant", "", err)
			continue
		}
		// An encoding that nobody chose is not at fault, the variant is.
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
		encoding("network.input", supports(encode.PlanesByName, s.Network.Input, v), encode.PlanesFor(v))
		encoding("network.policy", supports(encode.PolicyByName, s.Network.Policy, v), encode.PolicyFor(v))
		if _, err := chess.ParseStarts(v, s.Game.Start); err != nil {
			fail("game.start", "", err)
		}
		for j, fen := range s.SelfPlay.Opening.FENs {
			p, err := chess.ParseFEN(v, fen)
			if err == nil {
				err = chess.CheckOngoing(&p)
			}
			if err != nil {
				fail("selfplay.opening.fens", "", fmt.Errorf("position %d: %w", j+1, err))
			}
		}
		checkPositions(e, v, s, fail)
		checkData(s, v, fail)
		if _, err := ReadBook(v, s.Tournament.Openings); err != nil {
			fail("tournament.openings.file", "", err)
		}
		if _, err := SetupPuzzles(v, s.Evaluation); err != nil {
			fail("evaluation.puzzles", "", err)
		}
	}
	if h := e.Halving; h != nil && h.Metric == ByElo {
		first := &e.Trials[0].Settings.Game
		for i := range e.Trials {
			if g := &e.Trials[i].Settings.Game; g.Variant != first.Variant || !slices.Equal(g.Start, first.Start) {
				fail("game.variant", "choose sweep.halving.metric: "+ByLoss, errors.New("successive halving by Elo has the trials play each other: want one variant and start of all"))
				break
			}
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return e, nil
}

// supports is what an encoding says to a variant.
func supports[T interface{ Supports(chess.Variant) error }](byName func(string) (T, error), name string, v chess.Variant) error {
	encoding, err := byName(name)
	if err != nil {
		return err
	}
	return encoding.Supports(v)
}
