package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Answers are what engines have answered in the games of a chunk that are done: nearly
// all the time that such a chunk takes. A chunk that was interrupted asks only for the
// rest, see [Set.Recall].
type Answers struct {
	// Keep keeps an entry, which Replay takes; it must be safe for use by many
	// goroutines. nil: nothing is kept.
	Keep func(entry []byte) error

	known map[int32][]answer
	mutex sync.Mutex
}

// answer is what an engine thinks of a position. A move alone has no value.
type answer struct {
	Of     uint32     `json:"p"` // the key of the position, cut short
	Move   chess.Move `json:"m"`
	Scored bool       `json:"s,omitempty"`
	Value  float32    `json:"v,omitempty"` // expected score -1 to 1 for the side to move
	Draw   float32    `json:"d,omitempty"` // share of draws
}

// answered is the entry of a game.
type answered struct {
	Game    int32    `json:"game"`
	Answers []answer `json:"answers"`
}

// Replay takes an entry that was kept for the same chunk, of the same files, settings
// and engines.
func (a *Answers) Replay(entry []byte) error {
	var x answered
	if err := json.Unmarshal(entry, &x); err != nil {
		return err
	}
	if a.known == nil {
		a.known = map[int32][]answer{}
	}
	a.known[x.Game] = x.Answers
	return nil
}

// Games is how many games are known.
func (a *Answers) Games() int {
	if a == nil {
		return 0
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return len(a.known)
}

// of takes the answers of a game out, nil when they are not known.
func (a *Answers) of(game int32) []answer {
	if a == nil {
		return nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	known := a.known[game]
	delete(a.known, game)
	return known
}

// keep keeps those of a game that is done.
func (a *Answers) keep(game int32, given []answer) error {
	if a == nil || a.Keep == nil || len(given) == 0 {
		return nil
	}
	entry, err := json.Marshal(answered{game, given})
	if err != nil {
		return err
	}
	return a.Keep(entry)
}

// Recall gives the set what is known of the next chunk, and where the rest is kept.
func (s *SourceSet) Recall(a *Answers) { s.answers = a }

// talk is what a game asks engines: known answers are not asked for again.
type talk struct {
	known  []answer // to be given, in order
	replay bool     // every answer is known
	given  []answer
}

// begin begins the talk of a game of which this is known.
func (t *talk) begin(known []answer) {
	t.known, t.replay, t.given = known, known != nil, t.given[:0]
}

var errOtherGame = errors.New("the journal has answers of another game: delete it")

// engine lends a process of p to the talk, unless all answers are known.
func (t *talk) engine(ctx context.Context, p *engines, where string, f func(*uci.Client) error) error {
	if t.replay {
		return f(nil)
	}
	return p.use(ctx, where, f)
}

// ask gives the engine's answer to the position of a game.
func (t *talk) ask(ctx context.Context, where string, e *uci.Client, g *chess.Game, l Limit) (answer, error) {
	fault := func(err error) error { return fmt.Errorf("data: %s, ply %d: %w", where, g.Ply(), err) }
	of := uint32(g.Position().Key())
	if t.replay {
		if len(t.known) == 0 || t.known[0].Of != of {
			return answer{}, fault(errOtherGame)
		}
		a := t.known[0]
		t.known = t.known[1:]
		return a, nil
	}
	err := e.Position(g)
	var told uci.Answer
	if err == nil {
		told, err = e.Go(ctx, l.uci())
	}
	if err != nil {
		if e.Err() != nil {
			err = &engineEnded{err}
		}
		return answer{}, fault(err)
	}
	a := answer{Of: of, Move: told.Move}
	if s := told.Score; s != nil {
		value := s.Expected()
		a.Scored, a.Value, a.Draw = true, float32(value), float32(1-max(value, -value))
		if d := s.WDL; d != nil {
			if sum := d[0] + d[1] + d[2]; sum > 0 {
				a.Draw = float32(d[1]) / float32(sum)
			}
		}
	}
	t.given = append(t.given, a)
	return a, nil
}

// engineEnded is an error after which an engine has to be started again.
type engineEnded struct{ error }

func (e *engineEnded) Unwrap() error { return e.error }

// Asks reports whether chunks ask an engine.
func (s *SourceSet) Asks() bool { return s.players != nil || s.labels != nil }

// Question identifies what engines are asked in chunk g: answers kept under the same
// name are those to the same questions. An engine is known by its command only.
func (s *SourceSet) Question(g int) string {
	question := fmt.Sprintf("%s %d %+v %+v", s.key, g, s.cfg.Player, s.cfg.Label)
	if len(s.cfg.Start) > 0 {
		question += fmt.Sprintf(" %q", s.cfg.Start)
	}
	return question
}
