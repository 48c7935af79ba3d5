package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/config"
)

// Script is a Go script, or another file, that has a part in the result of a trial:
// what it says is part of the trial's identity, its name and folder are not.
type Script = config.File

const sumPrefix = "sha256:"

// Hook is a script that measures something on the games or the checkpoint of each
// generation.
type Hook struct {
	File   string `json:"file"`             // path from the working directory
	Metric string `json:"metric,omitempty"` // name of what it measures
	// OnError is "stop", or "empty" or nothing for leaving its metrics empty.
	OnError string `json:"on_error,omitempty"`
	SHA256  string `json:"sha256"` // of the source as Load found it: part of the identity of the hook's stage, not of the trial
}

// Name returns the name of what the hook measures: Metric, or else the name of
// the file.
func (h Hook) Name() string {
	if h.Metric != "" {
		return h.Metric
	}
	return strings.TrimSuffix(filepath.Base(h.File), ".go")
}

// NamedScript is a script with the key that names it.
type NamedScript struct {
	Key string // "selfplay.adjudicate", "tournament.players[2].hook", "hooks[0].file"
	Script
}

// Scripts returns every script that the settings name, hooks last.
func (s *Settings) Scripts() []NamedScript {
	var all []NamedScript
	s.withFiles(func(path string, x Script) Script {
		if path != bookPath && !strings.HasPrefix(path, puzzlesPath) {
			all = append(all, NamedScript{path, x})
		}
		return x
	})
	return all
}

// The keys of the files that are no scripts.
const (
	bookPath    = "tournament.openings.file"
	puzzlesPath = "evaluation.puzzles["
)

// withFiles returns a copy in which every script and other file is what change makes
// of it.
func (s *Settings) withFiles(change func(path string, x Script) Script) Settings {
	c := *s
	one := func(path string, x *Script) *Script {
		if x == nil {
			return nil
		}
		changed := change(path, *x)
		return &changed
	}
	c.SelfPlay.Adjudicate = one("selfplay.adjudicate", s.SelfPlay.Adjudicate)
	c.Stop = one("stop", s.Stop)
	c.Training.Schedule.Script = one("training.schedule.file", s.Training.Schedule.Script)
	if v := s.Training.ValueTarget; v != nil {
		c.Training.ValueTarget = &ValueTarget{change("training.value_target.file", v.Script), v.Weight}
	}
	if o := s.Tournament.Openings; o != nil {
		c.Tournament.Openings = &Openings{change(bookPath, o.Book), o.Plies}
	}
	c.Tournament.Adjudicate = one("tournament.adjudicate", s.Tournament.Adjudicate)
	c.Tournament.Players = slices.Clone(s.Tournament.Players)
	for i := range c.Tournament.Players {
		p := &c.Tournament.Players[i]
		p.Hook = one("tournament.players["+strconv.Itoa(i)+"].hook", p.Hook)
	}
	if e := s.Evaluation; e != nil {
		changed := *e
		changed.Puzzles = slices.Clone(e.Puzzles)
		for i := range changed.Puzzles {
			p := &changed.Puzzles[i]
			x := change(puzzlesPath+strconv.Itoa(i)+"].file", Script{Path: p.File, SHA256: p.SHA256})
			p.File, p.SHA256 = x.Path, x.SHA256
		}
		c.Evaluation = &changed
	}
	c.Hooks = slices.Clone(s.Hooks)
	for i := range c.Hooks {
		h := &c.Hooks[i]
		x := change("hooks["+strconv.Itoa(i)+"].file", Script{Path: h.File, SHA256: h.SHA256})
		h.File, h.SHA256 = x.Path, x.SHA256
	}
	return c
}

// identified returns the settings with what stands for files in the identity of a
// trial: the hash of each, and for those of data where they lie beside the experiment.
func (l *loader) identified(s *Settings) Settings {
	c := s.withData(func(f Files) Files {
		f.Beside = besideFolder(l.dir, f.Pattern)
		return f
	})
	return c.withFiles(func(_ string, x Script) Script {
		if data, err := l.files.read(x.Path); err == nil { // it was read before
			sum := sha256.Sum256(data)
			x.SHA256 = hex.EncodeToString(sum[:])
		}
		return x
	})
}
