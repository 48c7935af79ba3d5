package run

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/match"

	"alamos/pkg/experiment"

	"alamos/pkg/store"
)

// Match is a tournament whose games are kept. A game is a function of its pair,
// its number in the pair and what [gamesKey] covers. So what was played for one
// match is not played again for another: with more rounds, or with players that
// came or went, only the games are played that are new.
type Match struct {
	*Trial   // in whose folder it is played, with its tournament section
	Scripts  *Scripts
	Stage    string // its name
	Folder   string // of the files, below the trial's
	Players  []MatchPlayer
	Rounds   int // games of each pair
	Format   match.Format
	In       store.Inputs // of its stage, those that tell of its players aside
	Prospect *Prospect    // of a plan
}

// Run plays the match as a stage of its trial. The stage keeps what facts makes of the
// result. anchor is the player whose Elo is 0 if it is among the players; otherwise
// that is the mean.
func (m *Match) Run(ctx context.Context, anchor string, facts func(*store.Tournament) any) error {
	m.addPlayers()
	return m.Do(ctx, Stage{
		Name: m.Stage, In: m.In, Files: m.files(), Scratch: m.journal(), Work: m.work,
		Run: func(ctx context.Context) (any, error) {
			games, err := m.play(ctx)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(m.names(), anchor) {
				anchor = ""
			}
			result, err := m.write(games, anchor)
			if err != nil {
				return nil, err
			}
			return facts(result), nil
		},
	})
}

// Code is the version of the code of a match, see [stage.Stage].
const Code = "2"

// The files of a match.
const (
	gamesName      = "games.pgn"
	crosstableName = "crosstable.csv"
	ratingsName    = "ratings.csv"
)

// files are those that write writes.
func (m *Match) files() []string {
	return []string{path.Join(m.Folder, crosstableName), path.Join(m.Folder, gamesName), path.Join(m.Folder, ratingsName)}
}

// journal is the path of the journal of the games while they are played.
func (m *Match) journal() string { return m.Path(m.Folder, "games.journal") }

// The inputs of a match that say which of its games are played, not how they go.
const (
	RoundsInput    = "tournament.rounds"
	formatInput    = "tournament.format."
	roundsOf       = "rounds of " // and a player's name
	playerInput    = "player "    // and a player's name
	playersInput   = "players"
	SurvivorsInput = "survivors" // of a rung: what its result is used for
)

// addPlayers adds the players of a match to its inputs.
func (m *Match) addPlayers() {
	var names []string
	for i := range m.Players {
		p := &m.Players[i]
		m.In[playerInput+p.name] = m.id(p)
		if p.Rounds > 0 {
			m.In[roundsOf+p.name] = strconv.Itoa(p.Rounds)
		}
		names = append(names, p.name)
	}
	m.In.List("player", names) // the order of tables and games
}

// config is the match as package arena sees it.
func (m *Match) config() match.ArenaConfig {
	s := &m.Settings
	return match.ArenaConfig{
		Variant: m.Variant, Start: s.Game.Start, Rounds: m.Rounds, MaxMoves: s.Tournament.MaxMoves, RandomPlies: s.Tournament.RandomPlies,
		Seed: m.Seed("tournament", 0), Workers: m.Workers, Format: m.Format,
	}
}

// play plays the games that there are not yet, and returns all in the order of the
// match.
func (m *Match) play(ctx context.Context) ([]*match.Game, error) {
	var nets models
	defer nets.close()
	cfg, entrants := m.config(), m.entrants(ctx, &nets)
	c := m.collection(cfg, entrants)
	j, err := m.restore(c)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	keep := func(key string, g *match.Game) error { return m.keep(j, key, g) }
	if err := m.recall(c, keep); err != nil {
		return nil, err
	}

	task := m.Report.Task(m.Stage, "games")
	defer task.End()
	task.Resume(len(c.games))
	stands := live{task: task, results: match.NewResults(m.names())}
	for _, g := range c.games {
		if err := stands.add(g); err != nil {
			return nil, err
		}
	}
	if c.missing > 0 {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		if cfg.Book, err = experiment.ReadBook(m.Variant, m.Settings.Tournament.Openings); err != nil {
			return nil, err
		}
		var judges []judge
		if players := experiment.Judge(&m.Settings.Tournament); players != nil {
			judges = append(judges, players.Adjudicate)
		}
		if source := m.Settings.Tournament.Adjudicate; source != nil {
			judge, err := m.Scripts.Open(source, m.Workers)
			if err != nil {
				return nil, err
			}
			defer judge.Close()
			judges = append(judges, JudgeTournament(judge))
		}
		cfg.Adjudicate = inTurn(judges)
		cfg.Have = func(p match.Pair, number int) bool { return c.have[numbered{p, number}] }
		total := c.total()
		var played []*match.Game
		cfg.Done = func(g *match.Game) {
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
		err := match.Play(ctx, cfg, entrants)
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if err != nil {
			return nil, err
		}
		c.games = append(c.games, played...)
	}
	match.SortGames(c.games, m.names())
	return c.games, nil
}

// names lists the players in the order of the match.
func (m *Match) names() []string {
	names := make([]string, len(m.Players))
	for i, p := range m.Players {
		names[i] = p.name
	}
	return names
}

// entrants are the players as package arena sees them.
func (m *Match) entrants(ctx context.Context, nets *models) []match.Entry {
	var all []match.Entry
	for i := range m.Players {
		p := &m.Players[i]
		all = append(all, match.Entry{Name: p.name, Rounds: p.Rounds, New: func(int) (match.Player, error) {
			return m.newPlayer(ctx, p, nets)
		}})
	}
	return all
}

// write writes the games and tables of the match, and returns its result.
func (m *Match) write(games []*match.Game, anchor string) (*store.Tournament, error) {
	names := m.names()
	res := match.NewResults(names)
	for _, g := range games {
		if err := res.Add(g.White, g.Black, g.Outcome.Result); err != nil {
			return nil, err
		}
	}
	ratings, err := match.Rate(res, match.RatingOptions{Anchor: anchor})
	if err != nil {
		return nil, err
	}
	files := map[string]func(io.Writer) error{
		gamesName: func(w io.Writer) error {
			for _, g := range games {
				if err := chess.WritePGN(w, g.PGN(m.Stage)); err != nil {
					return err
				}
			}
			return nil
		},
		crosstableName: func(w io.Writer) error { return match.WriteCrosstable(w, res) },
		ratingsName:    func(w io.Writer) error { return match.WriteRatings(w, ratings) },
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := disk.WriteFile(m.Path(m.Folder, name), files[name]); err != nil {
			return nil, err
		}
	}
	return m.result(res, ratings, anchor)
}
