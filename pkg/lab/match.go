package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// match is a tournament whose games are kept. A game is a function of its pair,
// its number in the pair and what [gamesKey] covers. So what was played for one
// match is not played again for another: with more rounds, or with players that
// came or went, only the games are played that are new.
type match struct {
	*trial
	name    string // of the stage
	folder  string // of the files, below the trial's
	players []contestant
	rounds  int // games of each pair
	format  arena.Format
	in      store.Inputs
}

// The files of a match.
const (
	gamesName      = "games.pgn"
	crosstableName = "crosstable.csv"
	ratingsName    = "ratings.csv"
)

func (m *match) files() []string {
	return []string{path.Join(m.folder, crosstableName), path.Join(m.folder, gamesName), path.Join(m.folder, ratingsName)}
}

func (m *match) journal() string { return m.Path(m.folder, "games.journal") }

// The inputs of a match that say which of its games are played, not how they go.
const (
	roundsInput    = "tournament.rounds"
	formatInput    = "tournament.format."
	roundsOf       = "rounds of " // and a player's name
	playerInput    = "player "    // and a player's name
	playersList    = "players"
	survivorsInput = "survivors" // of a rung: what its result is used for
)

// addPlayers adds the players of a match to its inputs.
func (m *match) addPlayers() {
	var names []string
	for i := range m.players {
		p := &m.players[i]
		m.in[playerInput+p.name] = m.id(p)
		if p.rounds > 0 {
			m.in[roundsOf+p.name] = strconv.Itoa(p.rounds)
		}
		names = append(names, p.name)
	}
	m.in.List("player", names) // the order of tables and games
}

// matchKey is equal for two matches that differ at most in their players and in
// the numbers of games.
func matchKey(in store.Inputs) string {
	common := maps.Clone(in)
	maps.DeleteFunc(common, func(k, _ string) bool {
		return k == roundsInput || k == survivorsInput || k == playersList ||
			strings.HasPrefix(k, formatInput) || strings.HasPrefix(k, roundsOf) || strings.HasPrefix(k, playerInput)
	})
	return common.Hash()
}

// gamesKey is equal for two matches, of these keys and inputs, where the games of a
// pair are the same. It is empty where the pair does not meet.
func gamesKey(match string, in store.Inputs, pair arena.Pair) string {
	a, b := in[playerInput+pair.A], in[playerInput+pair.B]
	if a == "" || b == "" {
		return ""
	}
	return experiment.Hash(match, a, b)
}

// collection is the games of a match that there are.
type collection struct {
	wanted  map[arena.Pair]fixture
	games   []*arena.Game
	have    map[numbered]bool
	missing int
}

// fixture is what a match wants of a pair.
type fixture struct {
	key   string // gamesKey
	games int
}

type numbered struct {
	arena.Pair
	number int
}

func (m *match) collection(cfg arena.Config, entrants []arena.Entrant) *collection {
	c := &collection{wanted: map[arena.Pair]fixture{}, have: map[numbered]bool{}}
	common := matchKey(m.in)
	for _, f := range arena.Fixtures(cfg, entrants) {
		c.wanted[f.Pair] = fixture{gamesKey(common, m.in, f.Pair), f.Games}
		c.missing += f.Games
	}
	return c
}

// add adds a game that was played under a key, unless it is none of the match or
// there already.
func (c *collection) add(key string, g *arena.Game) bool {
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
func (m *match) keep(j *journal, key string, g *arena.Game) error {
	var b bytes.Buffer
	if err := chess.WritePGN(&b, g.PGN(m.name)); err != nil {
		return err
	}
	return j.add(journaled{key, b.String()})
}

// journalHead names what the journal of a match has; the match is not part of it.
var journalHead = store.Inputs{"code": tournamentCode, "games": "with their keys"}

// restore opens the journal and adds what it has to the collection.
func (m *match) restore(c *collection) (*journal, error) {
	return m.openJournal(m.journal(), journalHead, c.replay)
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
	g, err := arena.FromPGN(p)
	if err != nil {
		return err
	}
	c.add(e.Key, g)
	return nil
}

// recall adds to the collection what earlier matches left, of this trial or of
// others, and gives it to keep. With all games in the journal the files of the
// match may be written over.
func (m *match) recall(c *collection, keep func(key string, g *arena.Game) error) error {
	if old := m.Manifest.Stage(m.name); old != nil {
		if err := m.recallFrom(c, keep, m.Dir, old); err != nil {
			return err
		}
	}
	if c.missing == 0 {
		return nil
	}
	for _, d := range m.shelf.matches(m.in, m.Dir) {
		dir := filepath.Join(m.shelf.root, d.dir)
		other, _, err := store.ReadManifest(dir)
		if err != nil {
			continue // what is damaged there is told by its own run
		}
		if s := other.Stage(d.stage); s != nil {
			if err := m.recallFrom(c, keep, dir, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// recallFrom is recall from one match, in the folder of its trial.
func (m *match) recallFrom(c *collection, keep func(key string, g *arena.Game) error, dir string, s *store.Stage) error {
	keys := map[arena.Pair]string{}
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
		m.Reporter.Note(fmt.Sprintf("%s: %s is not what the run wrote (its checksum differs): its games are not used", m.name, file))
		return err
	}
	before := len(c.games)
	if err := eachGame(file, func(g *arena.Game) error {
		if !c.add(keys[g.Pair()], g) {
			return nil
		}
		return keep(keys[g.Pair()], g)
	}); err != nil {
		return err
	}
	if n := len(c.games) - before; n > 0 {
		m.Reporter.Note(fmt.Sprintf("%s: %s of %s games are as in %s", m.name, thousands(n), thousands(c.total()), file))
	}
	return nil
}

// eachGame reads the games of a match.
func eachGame(file string, f func(*arena.Game) error) error {
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
		var g *arena.Game
		if err == nil {
			g, err = arena.FromPGN(p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := f(g); err != nil {
			return err
		}
	}
}

// config is the match as package arena sees it.
func (m *match) config() arena.Config {
	s := &m.Settings
	return arena.Config{
		Variant: m.variant, Start: s.Game.Start, Rounds: m.rounds, MaxMoves: s.Tournament.MaxMoves, RandomPlies: s.Tournament.RandomPlies,
		Seed: seed(s.Seed, "tournament", 0), Workers: m.workers, Format: m.format,
	}
}

// play plays the games that there are not yet, and returns all in the order of the
// match.
func (m *match) play(ctx context.Context) ([]*arena.Game, error) {
	var nets models
	defer nets.close()
	cfg, entrants := m.config(), m.entrants(ctx, &nets)
	c := m.collection(cfg, entrants)
	j, err := m.restore(c)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	keep := func(key string, g *arena.Game) error { return m.keep(j, key, g) }
	if err := m.recall(c, keep); err != nil {
		return nil, err
	}

	task := m.Reporter.Task(m.name, "games")
	defer task.End()
	task.Resume(len(c.games))
	stands := live{task: task, results: arena.NewResults(m.names())}
	for _, g := range c.games {
		if err := stands.add(g); err != nil {
			return nil, err
		}
	}
	if c.missing > 0 {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		if cfg.Book, err = readBook(m.variant, m.Settings.Tournament.Openings); err != nil {
			return nil, err
		}
		judges := playersJudge(&m.Settings.Tournament)
		if script := m.Settings.Tournament.Adjudicate; script != nil {
			judge, err := m.openScript(script, m.workers)
			if err != nil {
				return nil, err
			}
			defer judge.Close()
			judges = append(judges, judgeTournament(judge))
		}
		cfg.Adjudicate = inTurn(judges)
		cfg.Have = func(p arena.Pair, number int) bool { return c.have[numbered{p, number}] }
		total := c.total()
		var played []*arena.Game
		cfg.Done = func(g *arena.Game) {
			err := m.keep(j, c.wanted[g.Pair()].key, g)
			if err == nil && g.Fault != nil {
				err = m.logFault(g)
			}
			if err == nil {
				err = stands.add(g)
			}
			if err != nil {
				stop(err) // a full disk: games that cannot be kept are not worth playing
			}
			played = append(played, g)
			task.Set(len(c.games)+len(played), total, fmt.Sprintf("%s - %s %s", g.White, g.Black, g.Outcome.Result))
			stands.tell()
		}
		err := arena.Play(ctx, cfg, entrants)
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if err != nil {
			return nil, err
		}
		c.games = append(c.games, played...)
	}
	arena.SortGames(c.games, m.names())
	return c.games, nil
}

// names lists the players in the order of the match.
func (m *match) names() []string {
	names := make([]string, len(m.players))
	for i, p := range m.players {
		names[i] = p.name
	}
	return names
}

// entrants are the players as package arena sees them.
func (m *match) entrants(ctx context.Context, nets *models) []arena.Entrant {
	var all []arena.Entrant
	for i := range m.players {
		p := &m.players[i]
		all = append(all, arena.Entrant{Name: p.name, Rounds: p.rounds, New: func(int) (arena.Player, error) {
			return m.enter(ctx, p, nets)
		}})
	}
	return all
}

// write writes the games and tables of the match, and returns its result.
func (m *match) write(games []*arena.Game, anchor string) (*store.Tournament, error) {
	names := m.names()
	res := arena.NewResults(names)
	for _, g := range games {
		if err := res.Add(g.White, g.Black, g.Outcome.Result); err != nil {
			return nil, err
		}
	}
	ratings, err := arena.Rate(res, arena.RatingOptions{Anchor: anchor})
	if err != nil {
		return nil, err
	}
	files := map[string]func(io.Writer) error{
		gamesName: func(w io.Writer) error {
			for _, g := range games {
				if err := chess.WritePGN(w, g.PGN(m.name)); err != nil {
					return err
				}
			}
			return nil
		},
		crosstableName: func(w io.Writer) error { return arena.WriteCrosstable(w, res) },
		ratingsName:    func(w io.Writer) error { return arena.WriteRatings(w, ratings) },
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := disk.WriteFile(m.Path(m.folder, name), files[name]); err != nil {
			return nil, err
		}
	}
	return m.result(res, ratings, anchor)
}
