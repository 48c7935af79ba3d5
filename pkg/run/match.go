package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/store"
)

// Match is a tournament as a stage of a trial. A game is a function of its pair, its number
// and its [gamesKey], so matches share games. More rounds or additional players add only
// the new games.
type Match struct {
	Trial   *Trial // its folder and tournament section are those of the match
	Stage   string // name of the stage
	Folder  string // folder of the files, relative to the trial's
	Players []MatchPlayer
	Rounds  int // games per pair
	Format  match.Format
	In      store.Inputs // inputs of the stage, without the players
}

// stage returns the stage that plays the match. facts converts the result to the facts of
// the stage. anchor is the player with Elo 0. If it does not play, the mean is 0.
func (m *Match) stage(anchor string, facts func(*store.Tournament) any) *Stage {
	m.addPlayers()
	return &Stage{
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
	}
}

func (t *Trial) tournament(context.Context, int) (*Stage, error) {
	s := t.Settings
	if s.Tournament.Rounds == 0 {
		return nil, nil // an earlier tournament stays in the manifest
	}
	players := t.run.opponents.Players(t)
	if len(players) < 2 { // missing opponents were left out
		t.drop(store.TournamentStage)
		return nil, nil
	}
	in := store.Inputs{
		"code": Code, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	if len(s.Game.Start) > 0 {
		in.Settings("game.start", s.Game.Start)
	}
	settings := s.Tournament
	settings.Players = nil // the match adds their identities
	in.Settings("tournament", settings)
	m := &Match{Trial: t, Stage: store.TournamentStage, Folder: "tournament", In: in}
	m.Players, m.Rounds, m.Format = players, s.Tournament.Rounds, s.Tournament.Format
	return m.stage(store.CheckpointName(0), func(r *store.Tournament) any {
		reportStandings(t.Report, r)
		return r
	}), nil
}

// Code is the version of the code of a match, see [Stage].
const Code = "2"

const (
	gamesName      = "games.pgn"
	crosstableName = "crosstable.csv"
	ratingsName    = "ratings.csv"
)

// files returns the paths that write creates.
func (m *Match) files() []string {
	return []string{path.Join(m.Folder, crosstableName), path.Join(m.Folder, gamesName), path.Join(m.Folder, ratingsName)}
}

func (m *Match) journal() string { return m.Trial.Results.Path(m.Folder, "games.journal") }

// Inputs of a match that select its games but do not affect how they are played.
const (
	RoundsInput    = "tournament.rounds"
	formatInput    = "tournament.format."
	roundsOf       = "rounds of " // followed by a player's name
	playerInput    = "player "    // followed by a player's name
	playersInput   = "players"
	SurvivorsInput = "survivors" // of a rung: number of trials that continue
)

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
	m.In.List("player", names) // determines the order of tables and games
}

func (m *Match) names() []string {
	names := make([]string, len(m.Players))
	for i, p := range m.Players {
		names[i] = p.name
	}
	return names
}

// matchKey returns equal keys for matches that differ at most in their players and in the
// numbers of games.
func matchKey(in store.Inputs) string {
	common := maps.Clone(in)
	maps.DeleteFunc(common, func(k, _ string) bool {
		return k == RoundsInput || k == SurvivorsInput || k == playersInput ||
			strings.HasPrefix(k, formatInput) || strings.HasPrefix(k, roundsOf) || strings.HasPrefix(k, playerInput)
	})
	return common.Hash()
}

// gamesKey returns a function that identifies the games of a pair. Matches with equal keys
// have the same games. The key of a pair that is not in the match is empty.
func gamesKey(in store.Inputs) func(match.Pair) string {
	common := matchKey(in)
	return func(p match.Pair) string {
		a, b := in[playerInput+p.A], in[playerInput+p.B]
		if a == "" || b == "" {
			return ""
		}
		return experiment.Hash(common, a, b)
	}
}

// games returns the schedule of the match before any game is played or recalled.
func (m *Match) games(t match.Tournament, newPlayer func(p *MatchPlayer) (match.Player, error)) *match.Games {
	var entries []match.Entry
	for i := range m.Players {
		p := &m.Players[i]
		entries = append(entries, match.Entry{Name: p.name, Rounds: p.Rounds, New: func(int) (match.Player, error) { return newPlayer(p) }})
	}
	return match.NewGames(t, entries, m.Stage, gamesKey(m.In))
}

// rules returns the rules of the match, without opening book and scripts.
func (m *Match) rules() match.Tournament {
	s := m.Trial.Settings
	return match.Tournament{
		Variant: m.Trial.Setup.Variant, Start: s.Game.Start, Rounds: m.Rounds, MaxMoves: s.Tournament.MaxMoves, RandomPlies: s.Tournament.RandomPlies,
		Seed: m.Trial.Setup.Seed("tournament", 0), Workers: m.Trial.Hardware.Workers, Format: m.Format,
	}
}

// play plays the missing games and returns all games.
func (m *Match) play(ctx context.Context) ([]*match.Game, error) {
	s := &m.Trial.Settings.Tournament
	t := m.rules()
	var err error
	if t.Book, err = experiment.ReadBook(m.Trial.Setup.Variant, s.Openings); err != nil {
		return nil, err
	}
	var judges []match.Adjudicator
	if players := &s.Judge; *players != (match.Judge{}) {
		judges = append(judges, players.Adjudicate)
	}
	if s.Adjudicate != nil {
		judge, err := m.Trial.run.scripts.open(s.Adjudicate, m.Trial.Hardware.Workers, nil)
		if err != nil {
			return nil, err
		}
		defer judge.Close()
		judges = append(judges, judgeTournament(judge))
	}
	t.Adjudicate = match.InTurn(judges...)
	var nets models
	defer nets.close()
	games := m.games(t, func(p *MatchPlayer) (match.Player, error) { return m.newPlayer(ctx, p, &nets) })
	damaged, err := games.Open(m.journal())
	if err != nil {
		return nil, err
	}
	defer games.Close()
	if damaged > 0 {
		m.Trial.Report.Note(fmt.Sprintf("%s: %s bytes are torn or damaged; what they held is done again", m.journal(), humanize.Comma(damaged)))
	}
	if err := m.recall(games); err != nil {
		return nil, err
	}

	task := m.Trial.Report.Task(m.Stage, "games")
	defer task.End()
	task.Resume(games.Len())
	results, err := m.results(games.All())
	if err != nil {
		return nil, err
	}
	var shown time.Time
	err = games.Play(ctx, func(g *match.Game) (enough bool, err error) {
		if g.Fault != nil {
			m.Trial.Report.Note(match.FaultText(g) + " (see " + m.Trial.Results.Path(faultLog) + ")")
			err = match.LogFault(m.Trial.Results.Path(faultLog), g)
		}
		err = errors.Join(err, results.Add(g.White, g.Black, g.Outcome.Result))
		task.Set(games.Len(), games.Total(), fmt.Sprintf("%s - %s %s", g.White, g.Black, g.Outcome.Result))
		if time.Since(shown) > standingsEvery {
			task.Standings(results.ScoreLine(), results.Table())
			shown = time.Now()
		}
		return false, err
	})
	return games.All(), err
}

// standingsEvery is the minimum time between two updates of the standings.
const standingsEvery = 200 * time.Millisecond

// faultLog is the file, in the folder of a trial, that lists the faults by which engines
// lost games. It contains times, so no stage has it as an output.
const faultLog = "tournament/faults.log"

// recall adds games from earlier matches, of this or other trials, to the journal. Once
// the journal has all games, the files of the match may be overwritten.
func (m *Match) recall(games *match.Games) error {
	t := m.Trial
	if old := t.Results.Manifest.Stage(m.Stage); old != nil {
		if err := m.recallFrom(games, t.Results.Dir, old); err != nil {
			return err
		}
	}
	if games.Len() == games.Total() {
		return nil
	}
	key := matchKey(m.In)
	for folder, other := range t.run.cache.manifests(t.Results.Dir) {
		for _, s := range other.Stages {
			if s.Inputs[playersInput] == "" || matchKey(s.Inputs) != key {
				continue
			}
			if err := m.recallFrom(games, filepath.Join(t.run.Results, folder), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// recallFrom adds the games of one match. dir is the folder of its trial.
func (m *Match) recallFrom(games *match.Games, dir string, s *store.Stage) error {
	key := gamesKey(s.Inputs)
	useful := games.Len() < games.Total() && slices.ContainsFunc(games.Fixtures(), func(f match.Fixture) bool { return games.Key(f.Pair) == key(f.Pair) })
	name := ""
	for output := range s.Outputs {
		if path.Base(output) == gamesName {
			name = output
		}
	}
	if !useful || name == "" {
		return nil
	}
	file := filepath.Join(dir, name)
	sum, err := disk.Sum(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if sum != s.Outputs[name] {
		m.Trial.Report.Note(fmt.Sprintf("%s: %s is not what the run wrote (its checksum differs): its games are not used", m.Stage, file))
		return nil
	}
	before := games.Len()
	if err := match.ReadGames(file, func(_ string, g *match.Game) error {
		_, err := games.Add(key(g.Pair()), g)
		return err
	}); err != nil {
		return err
	}
	if n := games.Len() - before; n > 0 {
		m.Trial.Report.Note(fmt.Sprintf("%s: %s of %s games are as in %s", m.Stage, humanize.Comma(int64(n)), humanize.Comma(int64(games.Total())), file))
	}
	return nil
}

func (m *Match) results(games []*match.Game) (*match.Results, error) {
	results := match.NewResults(m.names())
	for _, g := range games {
		if err := results.Add(g.White, g.Black, g.Outcome.Result); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// write writes the games and tables of the match and returns the result.
func (m *Match) write(games []*match.Game, anchor string) (*store.Tournament, error) {
	results, err := m.results(games)
	if err != nil {
		return nil, err
	}
	ratings, err := match.Rate(results, anchor)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{crosstableName, func(w io.Writer) error { return match.WriteCrosstable(w, results) }},
		{gamesName, func(w io.Writer) error { return match.WriteGames(w, m.Stage, games) }},
		{ratingsName, func(w io.Writer) error { return match.WriteRatings(w, ratings) }},
	} {
		if err := disk.WriteFile(m.Trial.Results.Path(m.Folder, f.name), f.write); err != nil {
			return nil, err
		}
	}
	out := &store.Tournament{Games: *results, Anchor: anchor, FirstMove: ratings.Advantage}
	for i, r := range ratings.List {
		p := store.PlayerResult{Generation: m.Players[i].generation(), Rating: r}
		if p.Generation > 0 {
			if p.Samples, err = m.owner(&m.Players[i]).Results.SamplesUntil(p.Generation); err != nil {
				return nil, err
			}
		}
		out.Players = append(out.Players, p)
	}
	return out, nil
}

// reportStandings reports the final standings of a tournament.
func reportStandings(to Report, r *store.Tournament) {
	to.Note(r.Games.ScoreLine())
	for _, line := range r.Games.Table() {
		to.Note("  " + line)
	}
}

// work adds the games to play. It excludes games that can be recalled and games of earlier
// matches of the plan.
func (m *Match) work(e *estimate) error {
	games := m.games(m.rules(), nil)
	if err := games.Peek(m.journal()); err != nil {
		return err
	}
	if err := m.recall(games); err != nil {
		return err
	}
	missing := map[string]int{} // by player
	for _, f := range games.Fixtures() {
		key, n := games.Key(f.Pair), 0
		planned := m.Trial.run.plannedGames[key] // by earlier matches of the plan
		for i := range f.Games {
			if i >= planned && !games.Has(f.Pair, i) {
				n++
			}
		}
		m.Trial.run.plannedGames[key] = max(planned, f.Games)
		e.work.Games += n
		missing[f.A] += n
		missing[f.B] += n
	}
	for i := range m.Players {
		p := &m.Players[i]
		n := float64(missing[p.name]) / 2 // the player moves in half of the plies
		switch {
		case p.generation() >= 0 || p.external != nil:
			of := m.owner(p)
			e.search(of, n, float64(of.Settings.Tournament.Search.Budget()))
		case p.engine != nil:
			e.think(m.Trial, time.Duration(n*float64(p.engine.Limit.MoveTime)))
		}
	}
	return nil
}
