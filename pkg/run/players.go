package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

type MatchPlayer struct {
	match.Spec        // of a single player; its checkpoint is a generation of trial, or external
	name       string // as in tables
	trial      *Trial // trial of the checkpoint and of the search settings; nil: the match's trial
	engine     *uci.Found
	external   *externalModel
}

// network returns the generation of the player's network if it belongs to a trial of this
// run, otherwise -1.
func (p *MatchPlayer) network() int {
	if c := p.Network(); c != "" && p.external == nil {
		return c.Generation(-1)
	}
	return -1
}

// generation returns the generation of a checkpoint that plays with MCTS, otherwise -1.
func (p *MatchPlayer) generation() int {
	if p.Policy != "" || p.Plies() > 0 {
		return -1
	}
	return p.network()
}

// Checkpoint returns a player for a match of another trial: the checkpoint of a generation
// of t, which searches with the settings of t's tournament section.
func Checkpoint(name string, t *Trial, generation int) MatchPlayer {
	return MatchPlayer{Spec: match.Spec{Model: ownCheckpoint(generation)}, name: name, trial: t}
}

func ownCheckpoint(generation int) match.Checkpoint {
	return match.Checkpoint(strconv.Itoa(generation))
}

// owner returns the trial of a player's checkpoint.
func (m *Match) owner(p *MatchPlayer) *Trial {
	if p.trial != nil {
		return p.trial
	}
	return m.Trial
}

// id identifies the player's moves, apart from the settings of the match.
func (m *Match) id(p *MatchPlayer) string {
	switch {
	case p.trial != nil: // it searches with its own trial's settings
		s := p.trial.Settings
		how := []any{p.trial.Results.CheckpointSum(p.network()), s.Network.Input, s.Network.Policy, s.Tournament.Search, s.Tournament.Temperature}
		if s.Tournament.Limit != nil {
			how = append(how, s.Tournament.Limit)
		}
		return experiment.Hash(how...)
	case p.external != nil:
		return p.external.id()
	case p.Hook != nil:
		return p.Hook.SHA256
	case p.engine != nil:
		return p.engine.ID
	case p.network() >= 0:
		return m.Trial.Results.CheckpointSum(p.network())
	}
	return "plays"
}

// Opponents are the engines and external models in the tournaments of a run. A missing one
// is nil and does not play.
type Opponents struct {
	engines map[string]*uci.Found               // by engineKey
	models  map[match.Checkpoint]*externalModel // by their names in the experiment
}

// engineKey returns equal keys for players that use the same engine.
func engineKey(v chess.Variant, chess960 bool, p *match.Spec) string {
	s := *p
	s.Rounds = 0
	return fmt.Sprint(v, chess960, experiment.Hash(s))
}

// FindOpponents finds the opponents of all tournaments and checks that engines play the
// variant. It runs first, so that a missing or unsuitable opponent is reported before hours
// of training. It passes missing opponents to lack. It looks up models of runs in the
// folder results.
func FindOpponents(ctx context.Context, trials []experiment.Trial, results string, lack func(error)) (*Opponents, error) {
	all := &Opponents{engines: map[string]*uci.Found{}, models: map[match.Checkpoint]*externalModel{}}
	for i := range trials {
		s := &trials[i].Settings
		if s.Tournament.Rounds == 0 {
			continue
		}
		of, err := experiment.NewSetup(s)
		if err != nil {
			return nil, err
		}
		for _, p := range s.Tournament.Players {
			switch {
			case p.Model != "":
				m, found := all.models[p.Model]
				if !found {
					if m, err = findExternal(results, string(p.Model)); err != nil {
						lack(missing(p.Model, err))
					}
					all.models[p.Model] = m
				}
				if m != nil && m.variant != of.Variant { // the experiment is wrong, so this cannot be skipped
					return nil, missing(p.Model, fmt.Errorf("it plays %s, and the games are of %s", m.variant, of.Variant))
				}
			case p.UCI != "":
				key := engineKey(of.Variant, of.Chess960, &p)
				if _, done := all.engines[key]; done {
					continue
				}
				e, err := p.Opponent().Find(ctx, of.Variant, of.Chess960)
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if err != nil {
					lack(missing(p.UCI, err))
				}
				all.engines[key] = e
			}
		}
	}
	return all, nil
}

func missing[Name ~string](player Name, err error) error {
	return fmt.Errorf("tournament player %s: %w", player, err)
}

// Players lists the players of a trial's tournament in the order of the experiment. A
// checkpoint that is listed twice plays once. A generation that training did not reach does
// not play.
func (all *Opponents) Players(t *Trial) []MatchPlayer {
	var out []MatchPlayer
	named := func(name string) int {
		return slices.IndexFunc(out, func(o MatchPlayer) bool { return o.name == name })
	}
	last := t.Results.Last()
	add := func(p MatchPlayer, of string) {
		c := p.Network()
		if p.external == nil && c != "" {
			g := c.Generation(last)
			if g > last {
				return
			}
			of = store.CheckpointName(g)
			switch own := ownCheckpoint(g); {
			case p.AlphaBeta != "":
				p.AlphaBeta = own
			case p.Policy != "":
				p.Policy = own
			default:
				p.Player, p.Model = "", own
			}
		}
		p.name = p.Name(of)
		if i := named(p.name); i >= 0 {
			other := p.mark()
			if other == out[i].mark() {
				return
			}
			p.name += " (" + other + ")" // same file name in another folder, or the name of one of our checkpoints
		}
		if named(p.name) < 0 {
			out = append(out, p)
		}
	}
	for _, s := range t.Settings.Tournament.Players {
		own := func(g int) { add(MatchPlayer{Spec: match.Spec{Model: ownCheckpoint(g), Rounds: s.Rounds}}, "") }
		switch {
		case s.Every > 0:
			for g := s.Every; g < last; g += s.Every {
				own(g)
			}
			own(last)
		case len(s.Generations) > 0:
			for _, g := range s.Generations {
				own(g)
			}
		case s.UCI != "":
			if e := all.engines[engineKey(t.Setup.Variant, t.Setup.Chess960, &s)]; e != nil {
				add(MatchPlayer{Spec: s, engine: e}, "")
			}
		case s.Model != "":
			if m := all.models[s.Model]; m != nil {
				add(MatchPlayer{Spec: s, external: m}, m.name)
			}
		case s.Hook != nil:
			add(MatchPlayer{Spec: s}, s.Hook.Name())
		default:
			add(MatchPlayer{Spec: s}, "")
		}
	}
	return out
}

// mark returns a text that distinguishes players of the same name.
func (p *MatchPlayer) mark() string {
	switch {
	case p.UCI != "":
		return p.UCI
	case p.external != nil:
		return p.external.sum[:8]
	case p.Hook != nil:
		return p.Hook.SHA256[:8]
	case p.Network() != "":
		return "own"
	}
	return "built in"
}

// externalModel is a checkpoint from another run or from a file. It plays with its own
// encoding and with the search settings of the tournament.
type externalModel struct {
	name    string // player name: "tiny@3", or the name of the file
	file    string
	sum     string // of the file
	variant chess.Variant
	codec   encode.Codec
}

// findExternal finds the named checkpoint.
func findExternal(results, model string) (*externalModel, error) {
	file, err := store.FindModel(results, model)
	if err != nil {
		return nil, err
	}
	sum, err := disk.Sum(file)
	if err != nil {
		return nil, err
	}
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	x := &externalModel{file: file, sum: sum, name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if x.codec, x.variant, err = c.Codec(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if at := strings.LastIndex(model, "@"); at > 0 && file != model { // replaces "last", which changes with the run
		x.name = model[:at+1] + strconv.Itoa(c.Generation)
	}
	return x, nil
}

// id identifies the model's moves, apart from the settings of the match.
func (x *externalModel) id() string {
	return experiment.Hash(x.sum, x.codec.Planes.Name(), x.codec.Policy.Name())
}

// newPlayer makes a player for one worker.
func (m *Match) newPlayer(ctx context.Context, p *MatchPlayer, nets *models) (match.Player, error) {
	t := m.owner(p)
	s := &t.Settings.Tournament
	parts := match.Parts{Defaults: match.TreeSearch{Config: s.Search, Power: float64(s.Temperature.Power)}}
	if l := s.Limit; l != nil {
		parts.Defaults.Limit = match.Limit{Depth: l.Depth, Time: time.Duration(l.MoveTime) * time.Millisecond}
	}
	if e := p.engine; e != nil {
		parts.Engine = match.UCI{Command: e.Command, Variant: m.Trial.Setup.Variant, Chess960: m.Trial.Setup.Chess960, Limit: e.Limit, Engines: 1}
	}
	parts.Network = func() (search.Evaluator, func(), error) {
		file, codec := "", t.Setup.Codec
		if p.external != nil {
			file, codec = p.external.file, p.external.codec
		} else {
			file = t.Results.Path(store.CheckpointFile(p.network()))
		}
		model, err := nets.at(t, file)
		if err != nil {
			return nil, nil, err
		}
		session, err := model.NewSession()
		if err != nil {
			return nil, nil, err
		}
		return search.NewEvaluator(codec, session), session.Close, nil
	}
	parts.Script = func() (search.Valuer, func(), error) {
		session, err := m.Trial.run.scripts.open(p.Hook, 1, nil)
		if err != nil {
			return nil, nil, err
		}
		return newScriptValuer(session), session.Close, nil
	}
	return p.New(ctx, p.name, parts)
}

// models are open networks that the workers of a match share, by checkpoint file.
type models struct {
	mu   sync.Mutex
	open map[string]*nn.Model
}

// at returns the model of a checkpoint file and opens it once, on the hardware of a trial.
func (all *models) at(t *Trial, file string) (*nn.Model, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if m := all.open[file]; m != nil {
		return m, nil
	}
	m, err := t.Compile(file)
	if err == nil {
		if all.open == nil {
			all.open = map[string]*nn.Model{}
		}
		all.open[file] = m
	}
	return m, err
}

func (all *models) close() {
	for _, m := range all.open {
		m.Close()
	}
}
