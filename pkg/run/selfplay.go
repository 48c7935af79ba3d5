package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/stats"

	"alamos/pkg/selfplay"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/store"
)

// selfplayCode is the version of the code of self-play, see [Stage].
const selfplayCode = "4"

// selfplay returns the stage that plays the games of generation g with the network of
// generation g-1.
func (t *Trial) selfplay(_ context.Context, g int) (*Stage, error) {
	s := t.Settings.At(g)
	in := store.Inputs{
		"code": selfplayCode, "network": t.Results.CheckpointSum(g - 1),
		"seed": strconv.FormatUint(s.Seed, 10), "generation": strconv.Itoa(g),
		"network.input": s.Network.Input, "network.policy": s.Network.Policy, "network.future_board": strconv.Itoa(s.Network.FutureBoard),
	}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	if s.SelfPlay.Opening.ForkShare > 0 && g > 1 {
		in["forked games"] = t.Results.Output(store.SelfPlayStage(g-1), store.GamesFile(g-1))
	}
	return &Stage{
		Name: store.SelfPlayStage(g), In: in, Files: []string{store.SamplesFile(g), store.GamesFile(g)},
		Run: func(ctx context.Context) (any, error) {
			records, seconds, perSecond, err := t.play(ctx, g, in)
			if err != nil {
				return nil, err
			}
			row, err := t.keep(g, records)
			if err != nil {
				return nil, err
			}
			row.Seconds, row.PerSecond = seconds, perSecond
			return row, nil
		},
		Work: func(e *estimate) error {
			n := s.SelfPlay.Games
			err := disk.ReadJournal(t.scratch(store.SelfPlayStage(g)), journalHead(in), func([]byte) error { n--; return nil })
			cfg := t.Setup.SelfPlay(g)
			e.work.Games += n
			e.search(t, float64(n), cfg.MeanVisits())
			return err
		},
	}, nil
}

// entry is a game in the journal. Seconds is the total playing time when the game ended, so
// that times add up over interruptions.
type entry struct {
	Record  *selfplay.Record
	Seconds float64
}

// play plays the games that are missing in the journal. It returns all games in order.
func (t *Trial) play(ctx context.Context, g int, in store.Inputs) (records []*selfplay.Record, seconds, perSecond float64, err error) {
	s := t.Settings.At(g)
	have := map[int]*selfplay.Record{}
	before := 0.0 // spent by earlier processes
	j, err := t.openJournal(t.scratch(store.SelfPlayStage(g)), in, func(b []byte) error {
		var e entry
		if err := json.Unmarshal(b, &e); err != nil {
			return err
		}
		have[e.Record.Number], before = e.Record, e.Seconds
		return nil
	})
	if err != nil {
		return nil, 0, 0, err
	}
	defer j.Close()

	model, err := t.Model(g - 1)
	if err != nil {
		return nil, 0, 0, err
	}
	defer model.Close()
	nets, end, err := t.sessions(model)
	if err != nil {
		return nil, 0, 0, err
	}
	defer end()

	task := t.Report.Task(store.SelfPlayStage(g), "games")
	defer task.End()
	task.Resume(len(have))
	done := len(have)
	began, evaluations := time.Now(), 0
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cfg := t.Setup.SelfPlay(g)
	cfg.Parallel = model.GameSlots(t.Workers)
	cfg.Skip = func(i int) bool { return have[i] != nil }
	if in["forked games"] != "" {
		games, err := t.games(g - 1)
		if err != nil {
			return nil, 0, 0, err
		}
		for _, game := range games {
			cfg.Forks = append(cfg.Forks, selfplay.Fork{Start: game.Start, Moves: game.Moves})
		}
	}
	if source := s.SelfPlay.Script; source != nil {
		judge, err := t.run.scripts.open(source, t.Workers, nil)
		if err != nil {
			return nil, 0, 0, err
		}
		defer judge.Close()
		cfg.Adjudicate = t.adjudicateSelfPlay(ctx, g, judge)
	}
	err = selfplay.Play(ctx, cfg, t.Setup.Codec, nets, func(r *selfplay.Record) {
		done++
		evaluations += r.Evaluations
		now := time.Since(began).Seconds()
		b, err := json.Marshal(entry{r, before + now})
		if err == nil {
			err = j.Add(b)
		}
		if err != nil {
			stop(err) // if games cannot be stored (disk full), stop playing
		}
		have[r.Number] = r
		task.Set(done, s.SelfPlay.Games, fmt.Sprintf("%s evaluations/s", humanize.Comma(int64(float64(evaluations)/now))))
	})
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return nil, 0, 0, err
	}
	now := time.Since(began).Seconds()
	for i := range s.SelfPlay.Games {
		records = append(records, have[i])
	}
	return records, before + now, float64(evaluations) / now, nil
}

// keep writes the games and samples of a generation and returns its row.
func (t *Trial) keep(g int, records []*selfplay.Record) (*store.Generation, error) {
	row := &store.Generation{Number: g, Reasons: map[string]int{}}
	var samples []encode.Sample
	var games []*match.Game
	var measures gameMeasures
	for _, r := range records {
		row.Games++
		row.Thrown += r.Thrown
		row.Evaluations += r.Evaluations
		row.Lengths = append(row.Lengths, len(r.Moves))
		row.Reasons[r.Outcome.Reason.String()]++
		switch r.Outcome.Result {
		case chess.WhiteWins:
			row.WhiteWins++
		case chess.BlackWins:
			row.BlackWins++
		default:
			row.Draws++
		}
		samples = append(samples, r.Samples...)
		game, err := t.selfplayGame(g, r)
		if err != nil {
			return nil, err
		}
		games = append(games, game)
		measures.add(game, r, t.Settings.SelfPlay.HasResult(r.Outcome))
	}
	row.Samples = len(samples)
	row.Roots = measures.roots.Roots()
	row.DistinctGames, row.DistinctPositions = distinct(measures.games), distinct(measures.positions)
	meta := data.Meta{
		Encoder: t.Setup.Codec.Planes.Name(), Policy: t.Setup.Codec.Policy.Name(), Variant: t.Setup.Variant.String(),
		Generation: g, Continued: true, Future: t.Settings.Network.FutureBoard,
	}
	if err := data.Write(t.Results.Path(store.SamplesFile(g)), meta, samples); err != nil {
		return nil, err
	}
	return row, disk.WriteFile(t.Results.Path(store.GamesFile(g)), func(w io.Writer) error {
		return match.WriteGames(w, store.SelfPlayStage(g), games)
	})
}

// gameMeasures adds up what self-play shows of learning.
type gameMeasures struct {
	roots            store.RootTally
	games, positions []uint64 // hashes
}

func (m *gameMeasures) add(g *match.Game, r *selfplay.Record, hasResult bool) {
	at, roots := g.Start, r.Roots
	var hash uint64
	for ply, move := range g.Moves {
		key := at.Key()
		m.positions = append(m.positions, key)
		hash = stats.Nth(hash, key)
		if len(roots) > 0 && roots[0].Ply == ply {
			m.roots.Policy(roots[0].KL, roots[0].PriorEntropy, roots[0].TargetEntropy)
			if hasResult {
				result := float64(g.Outcome.Result)
				if at.Turn() == chess.Black {
					result = -result
				}
				m.roots.Value(float64(r.RootValues[ply]), result)
			}
			roots = roots[1:]
		}
		at.Play(move)
	}
	m.games = append(m.games, stats.Nth(hash, at.Key()))
}

// distinct returns the number of distinct hashes. It sorts them.
func distinct(hashes []uint64) int {
	slices.Sort(hashes)
	return len(slices.Compact(hashes))
}
