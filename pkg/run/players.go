package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// player is a player of a tournament.
type player struct {
	spec match.Spec // its checkpoint is that of file
	name string     // as in tables
	mark string     // distinguishes players of the same name
	id   string     // determines its moves, apart from the settings of the tournament

	trial      *Trial // its search settings are the player's
	generation int    // of the trial's checkpoint if it plays with MCTS, otherwise -1
	file       string // of its network; empty: none
	codec      encode.Codec
	engine     *uci.Found // nil: none
}

// searches reports whether the player plays with MCTS.
func (p *player) searches() bool {
	return p.file != "" && p.spec.Kind() == match.TreeKind
}

// ownMark is the mark of a checkpoint of the trial.
const ownMark = "own"

// timed reports whether the time of a move limits the player's search.
func (p *player) timed() bool {
	if p.file == "" {
		return false
	}
	l := p.trial.Settings.Tournament.Limit
	return p.spec.MoveTime > 0 || l != nil && l.MoveTime > 0
}

// checkpoint returns the player of a generation of the trial.
func (t *Trial) checkpoint(spec match.Spec, g int) player {
	p := player{
		spec: spec, name: spec.Name(store.CheckpointName(g)), mark: ownMark, id: t.Results.CheckpointSum(g),
		trial: t, generation: -1, file: t.Results.Path(store.CheckpointFile(g)), codec: t.Setup.Codec,
	}
	if p.searches() {
		p.generation = g
	}
	return p
}

// opponent returns a player other than the trial's checkpoints. The error reports that it is
// missing, or that it does not play the variant.
func (r *run) opponent(ctx context.Context, of *experiment.Setup, spec match.Spec) (player, error) {
	p := player{spec: spec, name: spec.Name(""), mark: "built in", id: "plays", generation: -1}
	switch {
	case spec.UCI != "":
		engine, err := r.engine(ctx, of, spec.Opponent())
		if err != nil {
			return p, missing(spec.UCI, err)
		}
		p.mark, p.id, p.engine = spec.UCI, engine.ID, engine
	case spec.Model != "":
		m, err := r.model(string(spec.Model))
		if err == nil && m.variant != of.Variant {
			err = &variantError{m.variant, of.Variant}
		}
		if err != nil {
			return p, missing(string(spec.Model), err)
		}
		p.name, p.mark, p.file, p.codec = spec.Name(m.name), m.sum[:8], m.file, m.codec
		p.id = experiment.Hash(m.sum, m.codec.Planes.Name(), m.codec.Policy.Name())
	case spec.Hook != nil:
		p.name, p.mark, p.id = spec.Name(spec.Hook.Name()), spec.Hook.SHA256[:8], spec.Hook.SHA256
	}
	return p, nil
}

// variantError means that an external model plays another variant. The experiment is wrong,
// so the player cannot be skipped.
type variantError struct{ have, want chess.Variant }

func (e *variantError) Error() string {
	return fmt.Sprintf("it plays %s, and the games are of %s", e.have, e.want)
}

func missing(player string, err error) error {
	return fmt.Errorf("tournament player %s: %w", player, err)
}

// engine finds an engine and checks that it plays the variant of a trial. A plan starts no
// engine: it takes the engine to be the one that earlier runs found.
func (r *run) engine(ctx context.Context, of *experiment.Setup, o *uci.Opponent) (*uci.Found, error) {
	return r.engines.get(engineKey(of, o), func() (*uci.Found, error) {
		if !r.cache.plan {
			return o.Find(ctx, of.Variant, of.Chess960)
		}
		f, err := o.Look(of.Variant, of.Chess960)
		if err == nil {
			f.ID = cmp.Or(r.cache.engineID(f.Name, o.Program, of.Variant), unknown("engine", engineKey(of, o)))
		}
		return f, err
	})
}

func engineKey(of *experiment.Setup, o *uci.Opponent) string {
	return fmt.Sprint(of.Variant, of.Chess960, experiment.Hash(o))
}

// findOpponents finds the opponents of all tournaments before any training, and returns the
// errors of those that are missing.
func (r *run) findOpponents(ctx context.Context) (lacking []error, err error) {
	for i := range r.experiment.Trials {
		s := &r.experiment.Trials[i].Settings
		var specs []match.Spec
		if s.Tournament.Rounds > 0 {
			specs = slices.Clone(s.Tournament.Players)
		}
		if f := r.experiment.Final; f != nil {
			specs = append(specs, f.Anchors...)
		}
		of, err := experiment.NewSetup(s)
		if err != nil {
			return nil, err
		}
		for _, spec := range specs {
			_, err := r.opponent(ctx, of, spec)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case errors.As(err, new(*variantError)):
				return nil, err
			case err != nil && !slices.ContainsFunc(lacking, func(e error) bool { return e.Error() == err.Error() }):
				lacking = append(lacking, err)
			}
		}
	}
	return lacking, nil
}

// players lists the players of the trial's tournament in the order of the experiment. A
// checkpoint that is listed twice plays once. A generation that training did not reach and a
// missing opponent do not play. last is the last generation.
func (t *Trial) players(ctx context.Context, last int) []player {
	var out roster
	for _, spec := range t.Settings.Tournament.Players {
		generations := spec.Generations
		switch own := spec.Network(); {
		case spec.Every > 0:
			for g := spec.Every; g < last; g += spec.Every {
				generations = append(generations, g)
			}
			generations = append(generations, last)
		case len(generations) > 0:
		case own != "" && spec.Model == "":
			generations = []int{own.Generation(last)}
		default:
			if p, err := t.run.opponent(ctx, t.Setup, spec); err == nil {
				p.trial = t
				out.add(p)
			}
		}
		if spec.Every > 0 || len(spec.Generations) > 0 {
			spec = match.Spec{Model: match.Last, Rounds: spec.Rounds}
		}
		for _, g := range generations {
			if g <= last {
				out.add(t.checkpoint(spec, g))
			}
		}
	}
	return out
}

// roster is a list of players with different names.
type roster []player

// add adds a player, unless the list has it. Another player of the same name gets its mark.
func (r *roster) add(p player) {
	named := func(name string) int {
		return slices.IndexFunc(*r, func(o player) bool { return o.name == name })
	}
	if i := named(p.name); i >= 0 {
		if p.mark == (*r)[i].mark {
			return
		}
		p.name = markedName(p.name, p.mark) // same file name in another folder, or the name of one of our checkpoints
	}
	if named(p.name) < 0 {
		*r = append(*r, p)
	}
}

// markedName distinguishes a player from another of the same name.
func markedName(name, mark string) string { return name + " (" + mark + ")" }

// externalModel is a checkpoint from another run or from a file. It plays with its own
// encoding and with the search settings of the tournament.
type externalModel struct {
	name    string // player name: "tiny@3", or the name of the file
	file    string
	sum     string // of the file
	spec    nn.Spec
	variant chess.Variant
	codec   encode.Codec
}

// model finds the named checkpoint, once for the whole run.
func (r *run) model(name string) (externalModel, error) {
	return r.models.get(name, func() (externalModel, error) { return findExternal(r.Results, name) })
}

// findExternal finds the named checkpoint.
func findExternal(results, model string) (x externalModel, err error) {
	if x.file, err = store.FindModel(results, model); err != nil {
		return x, err
	}
	if x.sum, err = disk.Sum(x.file); err != nil {
		return x, err
	}
	var c *nn.Checkpoint
	if c, x.codec, x.variant, err = nn.ReadModel(x.file); err != nil {
		return x, err
	}
	x.spec = c.Spec
	x.name = nn.ModelName(x.file)
	if at := strings.LastIndex(model, "@"); at > 0 && x.file != model { // replaces "last", which changes with the run
		x.name = model[:at+1] + strconv.Itoa(c.Generation)
	}
	return x, nil
}

// newPlayer makes a player for one worker of a tournament of trial t. Players with the same
// checkpoint share a network of open.
func (t *Trial) newPlayer(ctx context.Context, p *player, open *memo[*nn.Model]) (match.Player, error) {
	s := &p.trial.Settings.Tournament
	parts := match.Parts{Engine: p.engine, Engines: 1, Defaults: match.TreeSearch{Config: s.Search, Power: float64(s.Temperature.Power)}}
	if l := s.Limit; l != nil {
		parts.Defaults.Limit = *l
	}
	parts.Network = func() (search.Evaluator, func(), error) {
		model, err := open.get(p.file, func() (*nn.Model, error) { return p.trial.Compile(p.file) })
		if err != nil {
			return nil, nil, err
		}
		session, err := model.NewSession()
		if err != nil {
			return nil, nil, err
		}
		return search.NewEvaluator(p.codec, session), session.Close, nil
	}
	parts.Script = func() (search.Valuer, func(), error) {
		session, err := t.run.scripts.open(p.spec.Hook, 1, nil)
		if err != nil {
			return nil, nil, err
		}
		return &scriptValuer{session: session}, session.Close, nil
	}
	return p.spec.New(ctx, p.name, parts)
}

// memo computes each value once, one at a time. It is safe for concurrent use.
type memo[T any] struct {
	mu  sync.Mutex
	all map[string]func() (T, error)
}

// get returns the value of a key, or the error of its computation.
func (m *memo[T]) get(key string, compute func() (T, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[key] == nil {
		if m.all == nil {
			m.all = map[string]func() (T, error){}
		}
		m.all[key] = sync.OnceValues(compute)
	}
	return m.all[key]()
}

// each calls f with all values that were computed without an error, in the order of their keys.
func (m *memo[T]) each(f func(T)) {
	for _, key := range slices.Sorted(maps.Keys(m.all)) {
		if v, err := m.all[key](); err == nil {
			f(v)
		}
	}
}
