package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/store"
)

// Kinship is between matches whose games may be the same.
var TournamentKinship = Kinship{Input: playersInput, Key: matchKey}

// matchKey is equal for two matches that differ at most in their players and in
// the numbers of games.
func matchKey(in store.Inputs) string {
	common := maps.Clone(in)
	maps.DeleteFunc(common, func(k, _ string) bool {
		return k == RoundsInput || k == SurvivorsInput || k == playersInput ||
			strings.HasPrefix(k, formatInput) || strings.HasPrefix(k, roundsOf) || strings.HasPrefix(k, playerInput)
	})
	return common.Hash()
}

// gamesKey is equal for two matches, of these keys and inputs, where the games of a
// pair are the same. It is empty where the pair does not meet.
func gamesKey(match string, in store.Inputs, pair match.Pair) string {
	a, b := in[playerInput+pair.A], in[playerInput+pair.B]
	if a == "" || b == "" {
		return ""
	}
	return experiment.Hash(match, a, b)
}

// collection is the games of a match that there are.
type collection struct {
	wanted  map[match.Pair]fixture
	games   []*match.Game
	have    map[numbered]bool
	missing int
}

// fixture is what a match wants of a pair.
type fixture struct {
	key   string // gamesKey
	games int
}

type numbered struct {
	match.Pair
	number int
}

func (m *Match) collection(cfg match.ArenaConfig, entrants []match.Entry) *collection {
	c := &collection{wanted: map[match.Pair]fixture{}, have: map[numbered]bool{}}
	common := matchKey(m.In)
	for _, f := range match.Fixtures(cfg, entrants) {
		c.wanted[f.Pair] = fixture{gamesKey(common, m.In, f.Pair), f.Games}
		c.missing += f.Games
	}
	return c
}

// add adds a game that was played under a key, unless it is none of the match or
// there already.
func (c *collection) add(key string, g *match.Game) bool {
	at := numbered{g.Pair(), g.Number}
	if f := c.wanted[g.Pair()]; f.key != key || g.Number >= f.games || c.have[at] {
		return false
	}
	c.games = append(c.games, g)
	c.have[at] = true
	c.missing--
	return true
}

// total is the number of games of the match.
func (c *collection) total() int { return len(c.games) + c.missing }

// journaled is a game in the journal of a match. The journal has games of any key:
// those of a match that was changed before it ended serve the next one.
type journaled struct{ Key, PGN string }

// keep adds a game to the journal.
func (m *Match) keep(j *Journal, key string, g *match.Game) error {
	var b bytes.Buffer
	if err := chess.WritePGN(&b, g.PGN(m.Stage)); err != nil {
		return err
	}
	return j.Keep(journaled{key, b.String()})
}

// journalHead names what the journal of a match has; the match is not part of it.
var journalHead = store.Inputs{"code": Code, "games": "with their keys"}

// restore opens the journal and adds what it has to the collection.
func (m *Match) restore(c *collection) (*Journal, error) {
	return m.OpenJournal(m.journal(), journalHead, c.replay)
}

// replay adds an entry of the journal.
func (c *collection) replay(b []byte) error {
	var e journaled
	if err := json.Unmarshal(b, &e); err != nil {
		return err
	}
	p, err := chess.NewPGNReader(strings.NewReader(e.PGN)).Next()
	if err != nil {
		return err
	}
	g, err := match.FromPGN(p)
	if err != nil {
		return err
	}
	c.add(e.Key, g)
	return nil
}

// recall adds to the collection what earlier matches left, of this trial or of
// others, and gives it to keep. With all games in the journal the files of the
// match may be written over.
func (m *Match) recall(c *collection, keep func(key string, g *match.Game) error) error {
	if old := m.Manifest.Stage(m.Stage); old != nil {
		if err := m.recallFrom(c, keep, m.Dir, old); err != nil {
			return err
		}
	}
	if c.missing == 0 {
		return nil
	}
	for dir, other := range m.Shelf.Kin(m.In, m.Dir) {
		if err := m.recallFrom(c, keep, dir, other); err != nil {
			return err
		}
	}
	return nil
}

// recallFrom is recall from one match, in the folder of its trial.
func (m *Match) recallFrom(c *collection, keep func(key string, g *match.Game) error, dir string, s *store.Stage) error {
	keys := map[match.Pair]string{}
	common := matchKey(s.Inputs)
	for pair, f := range c.wanted {
		if gamesKey(common, s.Inputs, pair) == f.key {
			keys[pair] = f.key
		}
	}
	file := ""
	for name := range s.Outputs {
		if path.Base(name) == gamesName {
			file = filepath.Join(dir, name)
		}
	}
	if len(keys) == 0 || c.missing == 0 || file == "" {
		return nil
	}
	sum, err := disk.Sum(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, file); err != nil || sum != s.Outputs[filepath.ToSlash(rel)] {
		m.Report.Note(fmt.Sprintf("%s: %s is not what the run wrote (its checksum differs): its games are not used", m.Stage, file))
		return err
	}
	before := len(c.games)
	if err := eachGame(file, func(g *match.Game) error {
		if !c.add(keys[g.Pair()], g) {
			return nil
		}
		return keep(keys[g.Pair()], g)
	}); err != nil {
		return err
	}
	if n := len(c.games) - before; n > 0 {
		m.Report.Note(fmt.Sprintf("%s: %s of %s games are as in %s", m.Stage, humanize.Comma(int64(n)), humanize.Comma(int64(c.total())), file))
	}
	return nil
}

// eachGame reads the games of a match.
func eachGame(file string, f func(*match.Game) error) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	for pgn := chess.NewPGNReader(r); ; {
		p, err := pgn.Next()
		if err == io.EOF {
			return nil
		}
		var g *match.Game
		if err == nil {
			g, err = match.FromPGN(p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := f(g); err != nil {
			return err
		}
	}
}
