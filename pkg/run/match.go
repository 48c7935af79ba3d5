package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
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
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// tournament is a stage that plays games between players. A game is a function of its pair,
// its number and its [gamesKey], so tournaments share games. More rounds or additional
// players add only the new games.
type tournament struct {
	*Trial         // its folder and its rules of games
	name    string // of the stage
	folder  string // of the files, relative to the trial's
	players []player
	rounds  int // games per pair
	format  match.Format
	in      store.Inputs
}

// tournamentCode is the version of the code of a tournament, see [Stage].
const tournamentCode = "14"

// newTournament returns a tournament with these players and settings. Its inputs have the
// identities of the players in place of their settings.
func (t *Trial) newTournament(name, folder, code string, players []player, settings experiment.Tournament) *tournament {
	m := &tournament{Trial: t, name: name, folder: folder, players: players, rounds: settings.Rounds, format: settings.Format}
	m.in = store.Inputs{"code": code, "seed": strconv.FormatUint(t.Settings.Seed, 10), "game.variant": t.Setup.Variant.Spec()}
	if len(t.Settings.Game.Start) > 0 {
		m.in.Settings("game.start", t.Settings.Game.Start)
	}
	settings.Players = nil
	m.in.Settings("tournament", settings)
	for _, p := range players {
		m.in[playerInput+p.name] = p.id
		if p.spec.Rounds > 0 {
			m.in[roundsOf+p.name] = strconv.Itoa(p.spec.Rounds)
		}
	}
	m.in.List("player", m.names()) // determines the order of tables and games
	return m
}

// tournament returns the stage of the trial's tournament.
func (t *Trial) tournament(ctx context.Context, _ int) (*Stage, error) {
	settings := t.Settings.Tournament
	if settings.Rounds == 0 {
		return nil, nil // an earlier tournament stays in the manifest
	}
	players := t.players(ctx, t.Results.Last())
	if n := len(players); n < 2 || settings.Format.First >= n { // missing opponents were left out, or the trial ended early
		if n >= 2 {
			t.Report.Note(fmt.Sprintf("no tournament: a gauntlet of %d leaves no opponent among %d players", settings.Format.First, n))
		}
		t.Results.Manifest.Drop(store.TournamentStage)
		return nil, nil
	}
	m := t.newTournament(store.TournamentStage, "tournament", tournamentCode, players, settings)
	return m.stage(store.CheckpointName(0), func(r *store.Tournament) any {
		t.Report.Note(r.Games.ScoreLine())
		for _, line := range r.Games.Table() {
			t.Report.Note("  " + line)
		}
		return r
	}), nil
}

// stage returns the stage that plays the tournament. facts converts the result to the facts
// of the stage. anchor is the player with Elo 0. If it does not play, the mean is 0.
func (m *tournament) stage(anchor string, facts func(*store.Tournament) any) *Stage {
	if !slices.Contains(m.names(), anchor) {
		anchor = ""
	}
	return &Stage{
		Name: m.name, In: m.in, Work: m.work,
		Files: []string{path.Join(m.folder, crosstableName), path.Join(m.folder, gamesName), path.Join(m.folder, ratingsName)},
		Run: func(ctx context.Context) (any, error) {
			games, err := m.play(ctx)
			if err != nil {
				return nil, err
			}
			result, err := m.write(games, anchor)
			if err != nil {
				return nil, err
			}
			return facts(result), nil
		},
	}
}

const (
	gamesName      = "games.pgn"
	crosstableName = "crosstable.csv"
	ratingsName    = "ratings.csv"
)

func (m *tournament) journal() string { return m.scratch(m.name) }

// Inputs of a tournament that select its games but do not affect how they are played.
const (
	roundsInput    = "tournament.rounds"
	formatInput    = "tournament.format."
	roundsOf       = "rounds of " // followed by a player's name
	playerInput    = "player "    // followed by a player's name
	playersInput   = "players"
	survivorsInput = "survivors" // of a rung: number of trials that continue
)

func (m *tournament) names() []string {
	names := make([]string, len(m.players))
	for i, p := range m.players {
		names[i] = p.name
	}
	return names
}

// matchKey returns equal keys for tournaments that differ at most in their players and in the
// numbers of games.
func matchKey(in store.Inputs) string {
	common := maps.Clone(in)
	maps.DeleteFunc(common, func(k, _ string) bool {
		return k == roundsInput || k == survivorsInput || k == playersInput ||
			strings.HasPrefix(k, formatInput) || strings.HasPrefix(k, roundsOf) || strings.HasPrefix(k, playerInput)
	})
	return common.Hash()
}

// playerKeys returns the key of each player of a tournament in the cache. Two tournaments
// share the games of a pair if they have the keys of both players. It returns none for
// other stages.
func playerKeys(in store.Inputs) map[string]string {
	if in[playersInput] == "" {
		return nil
	}
	keys, common := map[string]string{}, matchKey(in)
	for k, id := range in {
		if name, ok := strings.CutPrefix(k, playerInput); ok {
			keys[name] = "player " + id + " " + common
		}
	}
	return keys
}

// gamesKey returns a function that identifies the games of a pair. Tournaments with
// equal keys have the same games. The key of a pair that does not play is empty.
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

// games returns the games of the tournament before any game is played or recalled. open
// makes a player for a worker.
func (m *tournament) games(book []match.Opening, judge match.Adjudicator, open func(*player) (match.Player, error)) *match.Games {
	s := m.Settings
	var entries []match.Entry
	for i := range m.players {
		p := &m.players[i]
		entries = append(entries, match.Entry{Name: p.name, Rounds: p.spec.Rounds, New: func() (match.Player, error) { return open(p) }})
	}
	together := match.DefaultTogether
	if slices.ContainsFunc(m.players, func(p player) bool { return p.timed() }) { // its trees, which may be large, are searched one after another
		together = 1
	}
	return match.NewGames(match.Tournament{
		Variant: m.Setup.Variant, Start: s.Game.Start, Book: book, Format: m.format, Rounds: m.rounds,
		MaxMoves: s.Tournament.MaxMoves, RandomPlies: s.Tournament.RandomPlies, Judge: s.Tournament.Judge, Adjudicate: judge,
		Seed: m.Setup.Seed("tournament", 0), Workers: m.Workers, Together: together,
	}, entries, m.name, gamesKey(m.in))
}

// open returns the games of the tournament, ready to be played. The caller must call end.
func (m *tournament) open(ctx context.Context) (games *match.Games, end func(), err error) {
	s := &m.Settings.Tournament
	book, err := experiment.ReadBook(m.Setup.Variant, s.Openings)
	if err != nil {
		return nil, nil, err
	}
	var script match.Adjudicator
	var networks memo[*nn.Model]
	closeNetworks := func() { networks.each(func(n *nn.Model) { n.Close() }) }
	end = closeNetworks
	if s.Adjudicate != nil {
		judge, err := m.run.scripts.open(s.Adjudicate, m.Workers, nil)
		if err != nil {
			return nil, nil, err
		}
		script = adjudicator(judge)
		end = func() { closeNetworks(); judge.Close() }
	}
	return m.games(book, script, func(p *player) (match.Player, error) { return m.newPlayer(ctx, p, &networks) }), end, nil
}

// network returns the first player with a network, or nil.
func (m *tournament) network() *player {
	if i := slices.IndexFunc(m.players, func(p player) bool { return p.file != "" }); i >= 0 {
		return &m.players[i]
	}
	return nil
}

// play plays the missing games and returns all games.
func (m *tournament) play(ctx context.Context) ([]*match.Game, error) {
	games, end, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	away := m.run.Hub != nil
	if p := m.network(); p != nil {
		network, err := m.Compile(p.file) // sets the kind
		if err != nil {
			return nil, err
		}
		network.Close()
		r := p.trial.Results
		if s := r.Manifest.Stage(store.SelfPlayStage(r.Done())); away && s != nil && p.mark == ownMark { // workers play on the kind that played what the network learned from
			m.kind = s.On
			m.kind.Answers = ""
		}
	}
	j, err := games.Open(m.journal(), string(kindText(m.kind)))
	if err != nil {
		return nil, err
	}
	defer games.Close()
	m.noteRepeats(m.journal(), j, match.JournalHead, m.kind)
	if err := m.recall(games); err != nil {
		return nil, err
	}
	task := m.Report.Task(m.name, "games")
	defer task.End()
	task.Resume(games.Len())
	played := func(g *match.Game) error {
		faults, err := g.LogFaults(m.Results.Path(m.folder, faultLog))
		if faults != "" {
			m.Report.Note(faults)
		}
		task.Set(games.Len(), games.Total(), fmt.Sprintf("%s - %s %s", g.White, g.Black, g.Outcome.Result))
		task.Standings(func() (string, []string) {
			results, err := match.ResultsOf(m.names(), games.All())
			if err != nil {
				return err.Error(), nil
			}
			return results.ScoreLine(), results.Table()
		})
		return err
	}
	if away {
		err = m.away(ctx, games, played)
	}
	if err == nil {
		err = games.Play(ctx, played) // with workers, those of engines
	}
	return games.All(), err
}

// faultLog is the file, in the folder of a tournament, that lists the faults by which engines
// lost games. It contains times, so no stage has it as an output.
const faultLog = "faults.log"

// recall adds games from earlier matches, of this or other trials, to the journal. Once
// the journal has all games, the files of the match may be overwritten.
func (m *tournament) recall(games *match.Games) error {
	if old := m.Results.Manifest.Stage(m.name); old != nil {
		if err := m.recallFrom(games, m.Results.Dir, old); err != nil {
			return err
		}
	}
	players, sources := playerKeys(m.in), map[string]*cachedTrial{} // by folder
	for _, f := range games.Fixtures() {
		if games.Missing(f, 0) > 0 {
			for _, t := range m.run.cache.having(m.Results.Dir, players[f.A], players[f.B]) {
				sources[t.folder] = t
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(sources)) {
		for _, s := range sources[folder].manifest.Stages {
			if s.Inputs[playersInput] == "" {
				continue
			}
			if err := m.recallFrom(games, filepath.Join(m.run.Results, folder), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// recallFrom adds the games of one match. dir is the folder of its trial.
func (m *tournament) recallFrom(games *match.Games, dir string, s *store.Stage) error {
	key := gamesKey(s.Inputs)
	useful := slices.ContainsFunc(games.Fixtures(), func(f match.Fixture) bool { return games.Missing(f, 0) > 0 && games.Key(f.Pair) == key(f.Pair) })
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
		m.Report.Note(fmt.Sprintf("%s: %s is not what the run wrote (its checksum differs): its games are not used", m.name, file))
		return nil
	}
	before := games.Len()
	if err := match.ReadGames(file, func(_ string, g *match.Game) error { return games.Add(key(g.Pair()), g) }); err != nil {
		return err
	}
	if n := games.Len() - before; n > 0 {
		m.Report.Note(fmt.Sprintf("%s: %s of %s games are as in %s", m.name, humanize.Comma(int64(n)), humanize.Comma(int64(games.Total())), file))
	}
	return nil
}

// write writes the games and tables of the match and returns the result.
func (m *tournament) write(games []*match.Game, anchor string) (*store.Tournament, error) {
	results, err := match.ResultsOf(m.names(), games)
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
		{gamesName, func(w io.Writer) error { return match.WriteGames(w, m.name, games) }},
		{ratingsName, func(w io.Writer) error { return match.WriteRatings(w, ratings) }},
	} {
		if err := disk.WriteFile(m.Results.Path(m.folder, f.name), f.write); err != nil {
			return nil, err
		}
	}
	out := &store.Tournament{Games: *results, Anchor: anchor, FirstMove: ratings.Advantage}
	for i, r := range ratings.List {
		p := store.PlayerResult{Generation: m.players[i].generation, Rating: r}
		if p.Generation > 0 {
			p.Samples = m.players[i].trial.Results.SamplesUntil(p.Generation)
		}
		out.Players = append(out.Players, p)
	}
	return out, nil
}

// work adds the games to play. It excludes games that can be recalled and games of earlier
// matches of the plan.
func (m *tournament) work(e *estimate) error {
	games := m.games(nil, nil, nil)
	if err := games.Peek(m.journal()); err != nil {
		return err
	}
	if err := m.recall(games); err != nil {
		return err
	}
	missing := map[string]int{} // by player
	for _, f := range games.Fixtures() {
		key := fmt.Sprint(games.Key(f.Pair), f.Pair) // the players that alamos has built in share a key
		planned := m.run.cache.games[key]            // by earlier matches of the plan
		n := games.Missing(f, planned)
		m.run.cache.games[key] = max(planned, f.Games)
		e.work.Games += n
		missing[f.A] += n
		missing[f.B] += n
	}
	for i := range m.players {
		p := &m.players[i]
		n := float64(missing[p.name]) / 2 // the player moves in half of the plies
		switch {
		case p.searches():
			e.search(p.trial, n, float64(p.trial.Settings.Tournament.Search.Budget()))
		case p.engine != nil:
			e.think(m.Trial, time.Duration(n*float64(p.engine.Limit.MoveTime)))
		case n > 0 && p.file != "" && p.spec.Kind() == match.AlphaBetaKind: // how many positions it evaluates depends on the games
			e.work.Evaluations, e.work.Seconds = stats.Float(math.NaN()), stats.Float(math.NaN())
		}
	}
	return nil
}
