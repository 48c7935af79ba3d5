package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/stats"
	"alamos/pkg/store"

	humanize "github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"
)

// selfplayCode is the version of the code of self-play, see [Stage].
const selfplayCode = "11"

// selfplay returns the stage that plays the games of generation g.
func (t *Trial) selfplay(_ context.Context, g int) (*Stage, error) {
	s := t.Settings.At(g)
	in := store.Inputs{
		"code": selfplayCode, "network": t.Results.CheckpointSum(s.PlayedBy(g)),
		"seed": strconv.FormatUint(s.Seed, 10), "generation": strconv.Itoa(g),
		"network.input": s.Network.Input, "network.policy": s.Network.Policy, "network.future_board": strconv.Itoa(s.Network.FutureBoard),
	}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	if t.forks(g) {
		in["forked games"] = t.Results.Output(store.SelfPlayStage(g-1), store.GamesFile(g-1))
	}
	return &Stage{
		Name: store.SelfPlayStage(g), In: in, Files: []string{store.SamplesFile(g), store.GamesFile(g)},
		Run: func(ctx context.Context) (any, error) {
			p := t.early.take(g)
			if p == nil {
				p = t.newGames(g, in)
				if err := p.play(ctx); err != nil {
					return nil, err
				}
			}
			defer p.journal.Close()
			t.kind, t.Machine = p.kind, p.Machine
			row, err := t.keep(p)
			if err != nil {
				return nil, err
			}
			row.Seconds, row.PerSecond = p.seconds, p.perSecond
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

// forks reports whether games of generation g fork those of the generation before.
func (t *Trial) forks(g int) bool { return g > 1 && t.Settings.At(g).SelfPlay.Opening.ForkShare > 0 }

// gamesPlayer plays the self-play games of a generation on this machine.
type gamesPlayer struct {
	cfg   selfplay.Config
	codec encode.Codec
	nets  []search.Net
	kind  store.Kind
	close func()
}

// gamesPlayer opens the network that plays the games of generation g and all that they need.
func (t *Trial) gamesPlayer(ctx context.Context, g int) (p *gamesPlayer, err error) {
	var closers []func()
	end := func() {
		for _, f := range slices.Backward(closers) {
			f()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	p = &gamesPlayer{cfg: t.Setup.SelfPlay(g), codec: t.Setup.Codec, close: end}
	model, err := t.Model(t.Settings.PlayedBy(g))
	if err != nil {
		return nil, err
	}
	closers = append(closers, model.Close)
	nets, endNets, err := t.sessions(model)
	if err != nil {
		return nil, err
	}
	closers = append(closers, endNets)
	p.nets, p.kind = nets, t.kind
	if p.kind.Answers, err = selfplay.Answers(p.codec, t.Setup.Variant, nets[0]); err != nil {
		return nil, err
	}
	p.cfg.Parallel = model.GameSlots(t.Workers)
	if t.forks(g) {
		games, err := t.games(g - 1)
		if err != nil {
			return nil, err
		}
		for _, game := range games {
			p.cfg.Forks = append(p.cfg.Forks, selfplay.Fork{Start: game.Start, Moves: game.Moves})
		}
	}
	if source := p.cfg.Script; source != nil {
		judge, err := t.run.scripts.open(source, t.Workers, nil)
		if err != nil {
			return nil, err
		}
		closers = append(closers, func() { judge.Close() })
		p.cfg.Adjudicate = t.adjudicateSelfPlay(ctx, g, judge)
	}
	return p, nil
}

// play plays the games with these numbers, see [selfplay.Play]. done gets each record, and the
// record packed; after its first error (a full disk, for example) no more games are played.
func (p *gamesPlayer) play(ctx context.Context, todo <-chan int, done func(*selfplay.Record, []byte) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.cfg.Todo = todo
	err := selfplay.Play(ctx, p.cfg, p.codec, p.nets, func(r *selfplay.Record) {
		packed, err := r.Pack()
		if err == nil {
			err = done(r, packed)
		}
		if err != nil {
			stop(err)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// generationGames are the games of a generation, which are in their journal: a generation may be
// larger than the memory.
type generationGames struct {
	*Trial      // with a kind and a machine of its own
	number      int
	in          store.Inputs
	cfg         selfplay.Config // without what only playing needs
	before      store.Kind      // kind of machine that played the generation before
	begun       chan store.Kind // receives the kind of the first worker of a hub
	have        map[int]int     // number of a game -> its entry in the journal
	journal     *disk.Journal
	spent       float64 // seconds, of earlier processes
	began       time.Time
	evaluations int // of this process
	unit        string
	task        Task
	seconds     float64 // in the end
	perSecond   float64 // evaluations
}

// newGames returns the games of generation g.
func (t *Trial) newGames(g int, in store.Inputs) *generationGames {
	own := *t
	p := &generationGames{Trial: &own, number: g, in: in, cfg: t.Setup.SelfPlay(g), have: map[int]int{}, begun: make(chan store.Kind, 1), unit: "games"}
	if s := t.Results.Manifest.Stage(store.SelfPlayStage(g - 1)); s != nil {
		p.before = s.On
	}
	return p
}

// open opens the journal with the games of earlier processes.
func (p *generationGames) open(kind store.Kind) (err error) {
	p.kind = kind
	read := 0
	p.journal, err = p.openJournal(p.scratch(store.SelfPlayStage(p.number)), p.in, kind, func(b []byte) error {
		r, seconds, err := p.unpack(b)
		if err != nil {
			return err
		}
		p.have[r.Number], p.spent = read, seconds
		read++
		return nil
	})
	p.task.Resume(len(p.have))
	return err
}

// unpack returns the game of an entry.
func (p *generationGames) unpack(b []byte) (*selfplay.Record, float64, error) {
	var e store.GameEntry
	if err := json.Unmarshal(b, &e); err != nil {
		return nil, 0, err
	}
	r, err := p.cfg.Unpack(p.Setup.Codec, e.Record)
	return r, e.Seconds, err
}

// missing returns the numbers of the games that are not finished.
func (p *generationGames) missing() (numbers []int) {
	for i := range p.cfg.Games {
		if _, has := p.have[i]; !has {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// add adds a finished game to the journal. text is the packed record.
func (p *generationGames) add(r *selfplay.Record, text []byte) error {
	now := time.Since(p.began).Seconds()
	// An entry, without json.Marshal, which would read all of the record again.
	b := fmt.Appendf(nil, `{"Seconds":%g,"Record":%s}`, p.spent+now, text)
	if err := p.journal.Add(b); err != nil {
		return err
	}
	p.evaluations += r.Evaluations
	p.have[r.Number] = p.journal.Len() - 1
	p.task.Set(len(p.have), p.cfg.Games, fmt.Sprintf("%s evaluations/s", humanize.Comma(int64(float64(p.evaluations)/now))))
	return nil
}

// here plays the missing games on this machine.
func (p *generationGames) here(ctx context.Context) error {
	player, err := p.gamesPlayer(ctx, p.number)
	if err != nil {
		return err
	}
	defer player.close()
	if err := p.open(player.kind); err != nil {
		return err
	}
	p.began = time.Now()
	return player.play(ctx, selfplay.Numbers(p.missing()), p.add)
}

// play plays the games that are missing in the journal. If it succeeds the caller must close the
// journal.
func (p *generationGames) play(ctx context.Context) error {
	p.task = p.Report.Task(store.SelfPlayStage(p.number), p.unit)
	defer p.task.End()
	play := p.here
	if p.run.Hub != nil {
		play = p.away
	}
	err := play(ctx)
	if err != nil && p.journal != nil {
		err = errors.Join(err, p.journal.Close())
	}
	now := time.Since(p.began).Seconds()
	p.seconds, p.perSecond = p.spent+now, float64(p.evaluations)/now
	return err
}

// unpackedAtOnce is the number of games that are in memory while a generation is written.
const unpackedAtOnce = 128

// records yields all games in order.
func (p *generationGames) records() iter.Seq2[*selfplay.Record, error] {
	return func(yield func(*selfplay.Record, error) bool) {
		for from := 0; from < p.cfg.Games; from += unpackedAtOnce {
			some := make([]*selfplay.Record, min(unpackedAtOnce, p.cfg.Games-from))
			var group errgroup.Group
			group.SetLimit(p.Workers)
			for i := range some {
				group.Go(func() error {
					b, err := p.journal.Entry(p.have[from+i])
					if err == nil {
						some[i], _, err = p.unpack(b)
					}
					return err
				})
			}
			if err := group.Wait(); err != nil {
				yield(nil, err)
				return
			}
			for _, r := range some {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// keep writes the games and samples of a generation and returns its row.
func (t *Trial) keep(p *generationGames) (*store.Generation, error) {
	g := p.number
	row := &store.Generation{Number: g, Reasons: map[string]int{}}
	var measures gameMeasures
	meta := data.Meta{
		Encoder: t.Setup.Codec.Planes.Name(), Policy: t.Setup.Codec.Policy.Name(), Variant: t.Setup.Variant.Spec(),
		Generation: g, Continued: true, Future: t.Settings.Network.FutureBoard,
	}
	add := func(r *selfplay.Record, samples *data.Writer, games io.Writer) error {
		row.Games++
		row.Thrown += r.Thrown
		row.Evaluations += r.Evaluations
		row.Samples += len(r.Samples)
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
		for i := range r.Samples {
			if err := samples.Add(&r.Samples[i]); err != nil {
				return err
			}
		}
		game, err := t.selfplayGame(g, r)
		if err != nil {
			return err
		}
		measures.add(game, r, p.cfg.HasResult(r.Outcome))
		if most := p.cfg.PGN; most > 0 && row.Games > most {
			return nil
		}
		return match.WriteGames(games, store.SelfPlayStage(g), []*match.Game{game})
	}
	err := disk.WriteFile(t.Results.Path(store.GamesFile(g)), func(games io.Writer) error {
		return data.Stream(t.Results.Path(store.SamplesFile(g)), meta, func(samples *data.Writer) error {
			for r, err := range p.records() {
				if err == nil {
					err = add(r, samples, games)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	row.Roots = measures.roots.Roots()
	row.DistinctGames, row.DistinctPositions = distinct(measures.games), distinct(measures.positions)
	return row, err
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
