package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// PlayFor plays games for the hub of a token, until ctx ends, the hub refuses this worker, or there
// was nothing to do for an idle time (0: forever).
func PlayFor(ctx context.Context, token *hub.Token, opt Options, idle time.Duration) error {
	return hub.Work(ctx, token, hub.WorkOptions{
		Idle: idle, Note: opt.Reporter.Note,
		Open: func(ctx context.Context, spec []byte, file func(context.Context, string) ([]byte, error)) (*hub.Player, error) {
			dir, err := os.MkdirTemp("", "alamos-work-")
			if err != nil {
				return nil, err
			}
			p, err := openOrder(ctx, dir, spec, file, opt)
			if err != nil {
				return nil, errors.Join(err, os.RemoveAll(dir))
			}
			return p, nil
		},
	})
}

// openOrder makes the folder of a job's trial and opens its stage.
func openOrder(ctx context.Context, dir string, spec []byte, file func(context.Context, string) ([]byte, error), opt Options) (*hub.Player, error) {
	var o order
	if err := json.Unmarshal(spec, &o); err != nil {
		return nil, fmt.Errorf("the job of the hub: %w", err)
	}
	root, err := os.OpenRoot(dir) // no file of the job may be outside of it
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(o.Files)) {
		b, err := file(ctx, o.Files[name])
		if err == nil {
			err = root.MkdirAll(filepath.Dir(name), 0o700)
		}
		if err == nil {
			err = root.WriteFile(name, b, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	var e experiment.Experiment
	for _, t := range o.Trials {
		if t.Settings.ID() != t.ID {
			return nil, errors.New("this worker and the hub read different settings from the job: use the same version of alamos")
		}
		t.Settings.Move(func(f config.File) string { return filepath.Join(dir, store.NamedFile(f)) })
		e.Trials = append(e.Trials, experiment.Trial{ID: t.ID, Settings: t.Settings})
	}
	if len(e.Trials) == 0 {
		return nil, errors.New("the job of the hub has no trial")
	}
	opt.Results = dir
	r, err := newRun(&e, opt)
	if err != nil {
		return nil, err
	}
	if r.scripts, err = findScripts(&e, opt.HookTime); err != nil {
		return nil, err
	}
	var trials []*Trial
	for _, declared := range e.Trials {
		t, err := r.newTrial(dir, declared, &store.Manifest{}, Quiet{})
		if err != nil {
			return nil, err
		}
		trials = append(trials, t)
	}
	var p *hub.Player
	switch _, g := store.SplitStage(o.Stage); {
	case o.Stage == store.DataStage(g) && g > 0:
		p, err = openQuestions(ctx, dir, trials[0], g)
	case len(o.Players) > 0:
		p, err = openTournament(ctx, dir, &o, trials)
	case o.Stage == store.SelfPlayStage(g) && g > 0:
		p, err = openSelfplay(ctx, trials[0], g)
	default:
		err = fmt.Errorf("this version of alamos does not know the hub's job %q", o.Stage)
	}
	if err != nil {
		return nil, err
	}
	end := p.Close
	p.Close = func() {
		end()
		_ = os.RemoveAll(dir) // the system clears its temporary folder
	}
	return p, nil
}

// openSelfplay opens the games of generation g.
func openSelfplay(ctx context.Context, t *Trial, g int) (*hub.Player, error) {
	games, err := t.gamesPlayer(ctx, g)
	if err != nil {
		return nil, err
	}
	play := func(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
		return games.play(ctx, todo, func(r *selfplay.Record, packed []byte) error {
			done(r.Number, packed)
			return nil
		})
	}
	return &hub.Player{Kind: t.workerKind(selfplayCode, kindParts(games.kind)), Room: games.cfg.Parallel * len(games.nets), Play: play, Close: games.close}, nil
}

// openTournament opens the games of a tournament.
func openTournament(ctx context.Context, dir string, o *order, trials []*Trial) (*hub.Player, error) {
	m := &tournament{Trial: trials[0], name: o.Stage, rounds: o.Rounds, format: o.Format}
	for _, x := range o.Players {
		if x.Trial < 0 || x.Trial >= len(trials) {
			return nil, fmt.Errorf("the job of the hub has no trial %d", x.Trial)
		}
		player := player{spec: x.Spec, name: x.Name, trial: trials[x.Trial]}
		if h := x.Spec.Hook; h != nil { // of which the order has only the hash
			for _, f := range player.trial.Settings.Files() {
				if f.SHA256 == h.SHA256 {
					h.Path = f.Path
				}
			}
		}
		if x.Network != "" {
			if o.Files[x.Network] == "" { // those of the folder are checked
				return nil, fmt.Errorf("the job of the hub has no file %q", x.Network)
			}
			player.file = filepath.Join(dir, x.Network)
			var err error
			if _, player.codec, _, err = nn.ReadModel(player.file); err != nil {
				return nil, err
			}
		}
		m.players = append(m.players, player)
	}
	games, end, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	var kind store.Kind
	if network := m.network(); network != nil {
		if kind, err = m.answers(network); err != nil {
			end()
			return nil, err
		}
	}
	play := func(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
		return games.PlayNumbers(ctx, todo, func(number int, g *match.Game) error {
			text, err := games.Pack(g)
			if err == nil {
				text, err = json.Marshal(string(text))
			}
			if err == nil {
				done(number, text)
			}
			return err
		})
	}
	return &hub.Player{Kind: m.workerKind(tournamentCode, kindParts(kind)), Room: m.Workers * match.DefaultTogether, Play: play, Close: end}, nil
}

// answers returns the kind of machine with the answers of a player's network.
func (t *Trial) answers(p *player) (store.Kind, error) {
	model, err := t.Compile(p.file)
	if err != nil {
		return store.Kind{}, err
	}
	defer model.Close()
	session, err := model.NewSession()
	if err != nil {
		return store.Kind{}, err
	}
	defer session.Close()
	kind := t.kind
	kind.Answers, err = selfplay.Answers(p.codec, t.Setup.Variant, session)
	return kind, err
}

// openQuestions opens the games of chunk g about which engines are asked. A worker without an engine
// is of another kind.
func openQuestions(ctx context.Context, dir string, t *Trial, g int) (*hub.Player, error) {
	p := &hub.Player{Room: 2 * t.Workers, Close: func() {}}
	in := store.Inputs{}
	cfg, err := t.Setup.Data(t.enginesOfData(ctx, in), func(string) (data.Network, error) { return nil, nil })
	if err != nil {
		p.Kind = hub.Kind{"code": dataCode, "engine": err.Error()}
		p.Play = func(ctx context.Context, _ <-chan int, _ func(int, []byte)) error { <-ctx.Done(); return nil }
		return p, ctx.Err()
	}
	p.Kind = engineKind(in)
	p.Kind["code"] = dataCode
	file := filepath.Join(dir, askedGames)
	if len(cfg.Files) > 0 {
		cfg.Files = []string{file}
	}
	source, err := data.Open(cfg, t.Setup.DataSeed(), t.Workers)
	if err != nil {
		return nil, err
	}
	p.Close = func() { source.Close() }
	var questions *data.Questions
	games, err := os.Open(file)
	if err == nil {
		defer games.Close()
		questions, err = source.ReadQuestions(g, games)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	p.Play = questions.Answer
	return p, nil
}

// workerKind returns the kind of a worker whose networks play: the parts of the machine's kind, the
// version of the code, and what computes.
func (t *Trial) workerKind(code string, parts hub.Kind) hub.Kind {
	parts["alamos"], parts["libraries"], parts["code"] = t.run.Alamos, libraries(), code
	return parts
}

// libraries returns a hash of the names and sizes of the libraries of this process that compute.
var libraries = sync.OnceValue(func() string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer f.Close()
	sizes := map[string]int64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, path, _ := strings.Cut(lines.Text(), "/")
		name := filepath.Base(path)
		if !strings.Contains(name, ".so") {
			continue
		}
		for _, of := range []string{"torch", "c10", "dnnl", "mkl", "blas", "gomp", "cuda", "cudnn", "cublas", "libm.", "libm-"} {
			if !strings.Contains(name, of) {
				continue
			}
			if info, err := os.Stat("/" + path); err == nil {
				sizes[name] = info.Size()
			}
		}
	}
	return experiment.Hash(sizes)[:16]
})
