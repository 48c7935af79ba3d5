package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// contestant is a player of a trial's tournament before it plays.
type contestant struct {
	name       string
	generation int // -1: no checkpoint
	rounds     int // 0: as the tournament
	engine     *engine
}

const randomName = "random"

// checkpointName is the name of a checkpoint as a player.
func checkpointName(g int) string {
	if g == 0 {
		return "untrained"
	}
	return "gen-" + strconv.Itoa(g)
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
	last := t.Settings.Generations
	for i := range t.Settings.Tournament.Players {
		p := &t.Settings.Tournament.Players[i]
		switch p.Kind {
		case experiment.PlayerEvery:
			for g := p.Every; g < last; g += p.Every {
				add(contestant{checkpointName(g), g, p.Rounds, nil})
			}
			add(contestant{checkpointName(last), last, p.Rounds, nil})
		case experiment.PlayerLast:
			add(contestant{checkpointName(last), last, p.Rounds, nil})
		case experiment.PlayerUntrained:
			add(contestant{checkpointName(0), 0, p.Rounds, nil})
		case experiment.PlayerRandom:
			add(contestant{randomName, -1, p.Rounds, nil})
		case experiment.PlayerUCI:
			if e := t.engines[engineKey(t.variant, t.chess960, p)]; e != nil { // nil: left out, see findEngines
				name := e.name
				if slices.ContainsFunc(out, func(o contestant) bool { return o.name == name }) {
					name += " (" + p.UCI + ")" // the same file name in two folders
				}
				add(contestant{name, -1, p.Rounds, e})
			}
		}
	}
	return out
}

// tournament plays the trial's tournament.
func (t *trial) tournament(ctx context.Context) error {
	s := &t.Settings
	players := t.contestants()
	if s.Tournament.Rounds == 0 || len(players) < 2 {
		return nil
	}
	in := Inputs{
		"code": tournamentCode, "seed": strconv.FormatUint(s.Seed, 10), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
	if len(s.Game.Start) > 0 {
		in.settings("game.start", s.Game.Start)
	}
	settings := s.Tournament
	settings.Players = nil // what they come to is below
	in.settings("tournament", settings)
	for _, p := range players {
		switch {
		case p.generation >= 0:
			in["player "+p.name] = t.checkpointSum(p.generation)
		case p.engine != nil:
			in["player "+p.name] = p.engine.id
		default:
			in["player "+p.name] = "plays"
		}
		if p.rounds > 0 {
			in["rounds of "+p.name] = strconv.Itoa(p.rounds)
		}
	}
	err := t.stage(ctx, tournamentStage, in, func(ctx context.Context) (result, error) {
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

func (t *trial) tournamentJournal() string { return t.path("tournament", "games.journal") }

// playTournament plays the games that the journal does not have yet, and
// returns all in the tournament's order.
func (t *trial) playTournament(ctx context.Context, players []contestant, in Inputs) ([]*arena.Game, error) {
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
		if p.generation >= 0 && models[p.generation] == nil {
			if models[p.generation], err = t.model(p.generation); err != nil {
				return nil, err
			}
		}
		entrants = append(entrants, arena.Entrant{Name: p.name, Rounds: p.rounds, New: func(int) (arena.Player, error) {
			switch {
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
	total := 0
	for _, f := range arena.Fixtures(cfg, entrants) {
		total += f.Games
	}
	task := t.Reporter.Task(tournamentStage, "games")
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
	return t.experiment.Name + " " + filepath.Base(t.dir) + ", tournament"
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
	return sessionPlayer{p, session}, nil
}

// sessionPlayer closes the session behind a player's evaluator with it.
type sessionPlayer struct {
	arena.Player
	session *nn.Session
}

func (p sessionPlayer) Close() error {
	err := p.Player.Close()
	p.session.Close()
	return err
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
	out := &Tournament{}
	if slices.Contains(names, checkpointName(0)) {
		out.Anchor = checkpointName(0)
	}
	ratings, err := arena.Rate(res, arena.RatingOptions{Anchor: out.Anchor})
	if err != nil {
		return result{}, err
	}
	for i, st := range res.Standings() {
		p := PlayerResult{Generation: players[i].generation, Standing: st}
		if p.Generation > 0 {
			if p.Samples, err = t.samplesUntil(p.Generation); err != nil {
				return result{}, err
			}
		}
		p.Elo, p.EloLow, p.EloHigh = float(nan), float(nan), float(nan)
		if r := ratings.List[i]; r.Rated {
			p.Elo, p.EloLow, p.EloHigh = float(r.Elo), float(r.Lower), float(r.Upper)
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
		if err := disk.WriteFile(t.path(name), write); err != nil {
			return result{}, err
		}
	}
	t.Reporter.Note(out.summary())
	return result{files: slices.Sorted(maps.Keys(files)), facts: out}, nil
}
