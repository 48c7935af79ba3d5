package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
)

// contestant is a player of a trial's tournament before it plays.
type contestant struct {
	name       string
	generation int // -1: no checkpoint
	rounds     int // 0: as the tournament
	engine     *engine

	// Of a player of alpha-beta: the plies it looks ahead, and what it values
	// positions by, a script or the network of a generation.
	depth   int
	script  *experiment.Script
	network int // -1: none
}

// model is the generation whose network the player needs, -1 for none.
func (c *contestant) model() int {
	if c.depth > 0 {
		return c.network
	}
	return c.generation
}

// contestants lists who plays, in the experiment's order; a checkpoint that is
// named twice plays once.
func (t *trial) contestants() []contestant {
	var out []contestant
	add := func(c contestant) {
		if !slices.ContainsFunc(out, func(o contestant) bool { return o.name == c.name }) {
			out = append(out, c)
		}
	}
	last := t.Last()
	for i := range t.Settings.Tournament.Players {
		p := &t.Settings.Tournament.Players[i]
		switch p.Kind {
		case experiment.PlayerEvery:
			for g := p.Every; g < last; g += p.Every {
				add(contestant{name: store.CheckpointName(g), generation: g, rounds: p.Rounds})
			}
			add(contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerLast:
			add(contestant{name: store.CheckpointName(last), generation: last, rounds: p.Rounds})
		case experiment.PlayerUntrained:
			add(contestant{name: store.CheckpointName(0), generation: 0, rounds: p.Rounds})
		case experiment.PlayerRandom:
			add(contestant{name: store.RandomName, generation: -1, rounds: p.Rounds})
		case experiment.PlayerUCI:
			if e := t.engines[engineKey(t.variant, t.chess960, p)]; e != nil { // nil: left out, see findEngines
				name := e.name
				if slices.ContainsFunc(out, func(o contestant) bool { return o.name == name }) {
					name += " (" + p.UCI + ")" // the same file name in two folders
				}
				add(contestant{name: name, generation: -1, rounds: p.Rounds, engine: e})
			}
		case experiment.PlayerHook, experiment.PlayerAlphaBeta:
			c := alphaBetaContestant(p, last)
			if i := slices.IndexFunc(out, func(o contestant) bool { return o.name == c.name }); i >= 0 && c.script != nil && out[i].script.SHA256 != c.script.SHA256 {
				c.name += " (" + c.script.SHA256[:8] + ")" // the same file name in two folders
			}
			add(c)
		}
	}
	return out
}

// tournament plays the trial's tournament.
func (t *trial) tournament(ctx context.Context) error {
	s := &t.Settings
	players := t.contestants()
	if s.Tournament.Rounds == 0 {
		return nil // an earlier one keeps its place in the manifest
	}
	if len(players) < 2 { // opponents were left out, and none stand for them
		return t.forget(store.TournamentStage)
	}
	in := store.Inputs{
		"code": tournamentCode, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	if len(s.Game.Start) > 0 {
		in.Settings("game.start", s.Game.Start)
	}
	settings := s.Tournament
	settings.Players = nil // what they come to is below
	in.Settings("tournament", settings)
	for _, p := range players {
		switch {
		case p.script != nil:
			in["player "+p.name] = p.script.SHA256
		case p.model() >= 0:
			in["player "+p.name] = t.CheckpointSum(p.model())
		case p.engine != nil:
			in["player "+p.name] = p.engine.id
		default:
			in["player "+p.name] = "plays"
		}
		if p.rounds > 0 {
			in["rounds of "+p.name] = strconv.Itoa(p.rounds)
		}
	}
	err := t.stage(ctx, store.TournamentStage, in, func(ctx context.Context) (result, error) {
		games, err := t.playTournament(ctx, players, in)
		if err != nil {
			return result{}, err
		}
		return t.keepTournament(players, games)
	})
	if err != nil {
		return err
	}
	return disk.Remove(t.tournamentJournal())
}

func (t *trial) tournamentJournal() string { return t.Path("tournament", "games.journal") }

// playTournament plays the games that the journal does not have yet, and
// returns all in the tournament's order.
func (t *trial) playTournament(ctx context.Context, players []contestant, in store.Inputs) ([]*arena.Game, error) {
	type key struct {
		pair   arena.Pair
		number int
	}
	var games []*arena.Game
	have := map[key]bool{}
	j, err := t.openJournal(t.tournamentJournal(), in, func(b []byte) error {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		p, err := chess.NewPGNReader(strings.NewReader(text)).Next()
		if err != nil {
			return err
		}
		g, err := arena.FromPGN(p)
		if err != nil {
			return err
		}
		games = append(games, g)
		have[key{g.Pair(), g.Number}] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer j.Close()

	models := map[int]*nn.Model{}
	defer func() {
		for _, m := range models {
			m.Close()
		}
	}()
	s := &t.Settings.Tournament
	var entrants []arena.Entrant
	for _, p := range players {
		if g := p.model(); g >= 0 && models[g] == nil {
			if models[g], err = t.model(g); err != nil {
				return nil, err
			}
		}
		entrants = append(entrants, arena.Entrant{Name: p.name, Rounds: p.rounds, New: func(int) (arena.Player, error) {
			switch {
			case p.script != nil:
				return scriptPlayer(p.name, p.depth, p.script)
			case p.depth > 0:
				return t.valuePlayer(p.name, p.depth, models[p.network])
			case p.generation >= 0:
				return t.networkPlayer(p.name, models[p.generation])
			case p.engine != nil:
				return arena.NewUCI(ctx, p.name, p.engine.spec(t.variant, t.chess960))
			}
			return arena.NewRandom(p.name), nil
		}})
	}
	cfg := arena.Config{
		Variant: t.variant, Start: t.Settings.Game.Start, Rounds: s.Rounds, MaxMoves: s.MaxMoves, RandomPlies: s.RandomPlies,
		Seed: seed(t.Settings.Seed, "tournament", 0), Workers: t.Workers,
		Have: func(p arena.Pair, number int) bool { return have[key{p, number}] },
	}
	if s.Adjudicate != nil {
		judge, err := openScript(s.Adjudicate, hook.Limits{Processes: t.Workers})
		if err != nil {
			return nil, err
		}
		defer judge.Close()
		cfg.Adjudicate = judgeTournament(judge)
	}
	total := 0
	for _, f := range arena.Fixtures(cfg, entrants) {
		total += f.Games
	}
	task := t.Reporter.Task(store.TournamentStage, "games")
	defer task.End()
	task.Resume(len(games))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cfg.Done = func(g *arena.Game) {
		var b bytes.Buffer
		err := chess.WritePGN(&b, g.PGN(t.event()))
		if err == nil {
			err = j.add(b.String())
		}
		if err == nil && g.Fault != nil {
			err = t.logFault(g)
		}
		if err != nil {
			stop(err) // a full disk: games that cannot be kept are not worth playing
		}
		games = append(games, g)
		task.Set(len(games), total, fmt.Sprintf("%s - %s %s", g.White, g.Black, g.Outcome.Result))
	}
	err = arena.RoundRobin(ctx, cfg, entrants)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(players))
	for i, p := range players {
		names[i] = p.name
	}
	arena.SortGames(games, names)
	return games, nil
}

func (t *trial) event() string {
	return t.experiment.Name + " " + filepath.Base(t.Dir) + ", tournament"
}

// networkPlayer is a checkpoint that plays by search.
func (t *trial) networkPlayer(name string, m *nn.Model) (arena.Player, error) {
	session, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	s := &t.Settings.Tournament
	p, err := arena.NewMCTS(name, searchConfig(&s.Search), float64(s.Temperature.Power), search.NewEvaluator(t.codec, session))
	if err != nil {
		session.Close()
		return nil, err
	}
	return closingPlayer{p, session.Close}, nil
}

// keepTournament writes the games and tables of the tournament.
func (t *trial) keepTournament(players []contestant, games []*arena.Game) (result, error) {
	names := make([]string, len(players))
	for i, p := range players {
		names[i] = p.name
	}
	res := arena.NewResults(names)
	for _, g := range games {
		if err := res.Add(g.White, g.Black, g.Outcome.Result); err != nil {
			return result{}, err
		}
	}
	out := &store.Tournament{}
	if slices.Contains(names, store.CheckpointName(0)) {
		out.Anchor = store.CheckpointName(0)
	}
	ratings, err := arena.Rate(res, arena.RatingOptions{Anchor: out.Anchor})
	if err != nil {
		return result{}, err
	}
	for i, st := range res.Standings() {
		p := store.PlayerResult{Generation: players[i].generation, Standing: st}
		if p.Generation > 0 {
			if p.Samples, err = t.SamplesUntil(p.Generation); err != nil {
				return result{}, err
			}
		}
		nan := store.Float(math.NaN())
		p.Elo, p.EloLow, p.EloHigh = nan, nan, nan
		if r := ratings.List[i]; r.Rated {
			p.Elo, p.EloLow, p.EloHigh = store.Float(r.Elo), store.Float(r.Lower), store.Float(r.Upper)
		}
		out.Players = append(out.Players, p)
		row := make([]arena.Record, len(names))
		for j := range row {
			if j != i {
				row[j] = res.Against(i, j)
			}
		}
		out.Cross = append(out.Cross, row)
	}
	files := map[string]func(io.Writer) error{
		"tournament/games.pgn": func(w io.Writer) error {
			for _, g := range games {
				if err := chess.WritePGN(w, g.PGN(t.event())); err != nil {
					return err
				}
			}
			return nil
		},
		"tournament/crosstable.csv": func(w io.Writer) error { return arena.WriteCrosstable(w, res) },
		"tournament/ratings.csv":    func(w io.Writer) error { return arena.WriteRatings(w, ratings) },
	}
	for name, write := range files {
		if err := disk.WriteFile(t.Path(name), write); err != nil {
			return result{}, err
		}
	}
	t.Reporter.Note(standings(out))
	return result{files: slices.Sorted(maps.Keys(files)), facts: out}, nil
}
