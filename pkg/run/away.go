package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// order is a job of a hub: a stage of a trial whose games a worker plays. A worker makes a folder
// of the trial with these files and then plays as a run does.
type order struct {
	Trial string // its identity
	Stage string
	Files map[string]string // path in the trial's folder -> SHA-256
	// Models are the networks of other runs that play in a tournament, by their names in the
	// settings.
	Models map[string]orderedModel `json:",omitempty"`
}

type orderedModel struct {
	Name, Sum string // as the run knows it
	File      string // in the trial's folder
	From      string // file of the run
}

// selfplayJob returns the job of the games of generation g.
func (t *Trial) selfplayJob(g int) (*hub.Job, error) {
	o := order{Stage: store.SelfPlayStage(g)}
	var names []string
	if t.forks(g) {
		names = append(names, store.GamesFile(g-1))
	}
	return t.newJob(o, names, store.CheckpointFile(t.Settings.PlayedBy(g)))
}

// newJob returns a job with the settings of the trial and the files that they name, with other
// files of its folder, and with checkpoints.
func (t *Trial) newJob(o order, names []string, checkpoints ...string) (*hub.Job, error) {
	j := &hub.Job{Any: t.run.Kinds == AnyKind, Recheck: t.run.Recheck}
	o.Trial, o.Files = t.Results.Declared.ID, map[string]string{}
	add := func(name string, content []byte) {
		o.Files[name] = config.Sum(content)
		j.Files = append(j.Files, content)
	}
	names = append(names, store.SettingsFile)
	err := filepath.WalkDir(t.Results.Path(store.FilesFolder), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(t.Results.Dir, path)
			names = append(names, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		content, err := disk.ReadFile(t.Results.Path(name))
		if err != nil {
			return nil, err
		}
		add(name, content)
	}
	for _, name := range checkpoints {
		content, err := t.exported(t.Results.Path(name))
		if err != nil {
			return nil, err
		}
		add(name, content)
	}
	for model, m := range o.Models {
		content, err := t.exported(m.From)
		if err != nil {
			return nil, err
		}
		add(m.File, content)
		m.From = ""
		o.Models[model] = m
	}
	j.Spec, err = json.Marshal(o)
	return j, err
}

// exported returns a checkpoint without the state of its training.
func (t *Trial) exported(file string) ([]byte, error) {
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "alamos-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, filepath.Base(file))
	if err := c.Export().Write(path); err != nil {
		return nil, err
	}
	return disk.ReadFile(path)
}

// away has workers play the missing games.
func (p *generationGames) away(ctx context.Context) error {
	job, err := p.selfplayJob(p.number)
	if err != nil {
		return err
	}
	path := p.scratch(store.SelfPlayStage(p.number))
	head, err := disk.JournalHead(path)
	if err != nil {
		return err
	}
	if text, ours := bytes.CutPrefix(head, journalHead(p.in)); ours { // what an earlier process has decides on the kind
		var kind store.Kind
		if err := json.Unmarshal(text, &kind); err != nil {
			return fmt.Errorf("journal %s: %w", path, err)
		}
		if job.Any {
			kind = store.Kind{Device: AnyKind}
		}
		if err := p.open(kind); err != nil {
			return err
		}
		if len(p.have) > 0 && !job.Any {
			job.Kind = kindParts(kind)
		}
	}
	if job.Kind == nil && !job.Any { // and so do earlier generations
		p.before.Answers = ""
		job.Kind = kindParts(p.before)
	}
	kinds := map[string]bool{}
	job.Begin = func(k hub.Kind) error {
		kind := store.Kind{Device: k["device"], Precision: k["precision"], Answers: k["answers"]}
		if job.Any {
			kind = store.Kind{Device: AnyKind}
		}
		if p.journal != nil && p.kind != kind { // it has no games
			if err := p.journal.Close(); err != nil {
				return err
			}
			p.journal = nil
		}
		if p.journal == nil {
			return p.open(kind)
		}
		return nil
	}
	job.Take = func(number int, text []byte, of hub.Kind) (refused, failed error) {
		r, err := p.cfg.Unpack(p.Setup.Codec, text)
		if err == nil && r.Number != number {
			err = fmt.Errorf("self-play: the record of game %d is that of game %d", number, r.Number)
		}
		if err != nil {
			return err, nil
		}
		kinds[strings.TrimSpace(of["device"]+" "+of["precision"]+" "+of["answers"])] = true
		return nil, p.add(r, text)
	}
	job.Todo = p.missing()
	p.began = time.Now()
	err = p.run.Hub.Do(ctx, job)
	if job.Any && len(kinds) > 1 {
		p.kind.Device = strings.Join(slices.Sorted(maps.Keys(kinds)), " and ")
	}
	return err
}

// Values of Options.Kinds.
const (
	OneKind = "one"
	AnyKind = "any"
)

// kindParts returns the parts of a kind that a hub compares.
func kindParts(k store.Kind) hub.Kind {
	parts := hub.Kind{"device": k.Device, "precision": k.Precision, "answers": k.Answers}
	maps.DeleteFunc(parts, func(_, part string) bool { return part == "" })
	return parts
}

// noteWorkers notes the workers of the hub in the experiment's folder every second, until the
// returned function is called.
func (r *run) noteWorkers() (end func()) {
	_ = store.WriteWorkers(r.dir, nil) // of a run that was killed; to note them is no part of the results
	if r.Hub == nil {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				_ = store.WriteWorkers(r.dir, nil)
				return
			case <-tick.C:
			}
			var workers []store.Worker
			for _, w := range r.Hub.Workers() {
				workers = append(workers, store.Worker{
					Name: w.Name, Host: w.Host, Kind: store.Kind{Device: w.Kind["device"], Precision: w.Kind["precision"]},
					Held: w.Held, Taken: w.Taken, Verified: w.Verified, Speed: w.Speed, Refused: w.Refused, Seen: w.Seen,
				})
			}
			_ = store.WriteWorkers(r.dir, workers)
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
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

// PlayFor plays games for the hub of a token, until ctx ends, the hub refuses this worker, or there
// was nothing to do for an idle time (0: forever).
func PlayFor(ctx context.Context, token *hub.Token, opt Options, idle time.Duration) error {
	return hub.Work(ctx, token, hub.WorkOptions{
		Idle: idle, Note: opt.Reporter.Note,
		Open: func(ctx context.Context, spec []byte, file func(context.Context, string) ([]byte, error)) (hub.Player, error) {
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

// awayPlayer plays the games of a job in a folder of its own.
type awayPlayer struct {
	dir          string
	alamos, code string
	kind         store.Kind
	room         int
	play         func(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error
	close        func()
}

// openOrder makes the folder of a job's trial and opens its stage.
func openOrder(ctx context.Context, dir string, spec []byte, file func(context.Context, string) ([]byte, error), opt Options) (*awayPlayer, error) {
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
	e, err := experiment.Load(filepath.Join(dir, store.SettingsFile), experiment.Options{})
	if err != nil {
		return nil, err
	}
	if e.Trials[0].ID != o.Trial {
		return nil, errors.New("this version of alamos reads other settings from the job than the hub: use the same version")
	}
	opt.Results = dir
	r, err := newRun(e, opt)
	if err != nil {
		return nil, err
	}
	if r.scripts, err = findScripts(e, opt.HookTime); err != nil {
		return nil, err
	}
	r.away = true
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	t, err := r.newTrial(dir, e.Trials[0], m, Quiet{})
	if err != nil {
		return nil, err
	}
	p := &awayPlayer{dir: dir, alamos: opt.Alamos}
	switch _, g := store.SplitStage(o.Stage); {
	case o.Stage == store.TournamentStage:
		err = p.openTournament(ctx, t, o.Models)
	case o.Stage == store.SelfPlayStage(g) && g > 0:
		err = p.openSelfplay(ctx, t, g)
	default:
		err = fmt.Errorf("this version of alamos does not know the hub's job %q", o.Stage)
	}
	return p, err
}

// openSelfplay opens the games of generation g.
func (p *awayPlayer) openSelfplay(ctx context.Context, t *Trial, g int) error {
	games, err := t.gamesPlayer(ctx, g)
	if err != nil {
		return err
	}
	p.kind, p.code, p.room, p.close = games.kind, selfplayCode, games.cfg.Parallel*len(games.nets), games.close
	p.play = func(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		err := games.play(ctx, todo, func(r *selfplay.Record) {
			text, err := r.Pack()
			if err != nil {
				stop(err)
				return
			}
			done(r.Number, text)
		})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

// openTournament opens the games of the trial's tournament.
func (p *awayPlayer) openTournament(ctx context.Context, t *Trial, models map[string]orderedModel) error {
	for name, m := range models {
		if _, err := t.run.models.get(name, func() (externalModel, error) {
			x, err := findExternal(t.Results.Dir, t.Results.Path(m.File))
			x.name, x.sum = m.Name, m.Sum
			return x, err
		}); err != nil {
			return err
		}
	}
	settings := t.Settings.Tournament
	m := t.newTournament(store.TournamentStage, "tournament", tournamentCode, t.players(ctx), settings)
	book, err := experiment.ReadBook(t.Setup.Variant, settings.Openings)
	if err != nil {
		return err
	}
	var networks memo[*nn.Model]
	var script match.Adjudicator
	end := func() {}
	if settings.Adjudicate != nil {
		judge, err := t.run.scripts.open(settings.Adjudicate, t.Workers, nil)
		if err != nil {
			return err
		}
		script, end = adjudicator(judge), func() { judge.Close() }
	}
	p.close = func() { networks.each(func(n *nn.Model) { n.Close() }); end() }
	if i := slices.IndexFunc(m.players, func(p player) bool { return p.file != "" }); i >= 0 {
		if p.kind, err = t.answers(&m.players[i]); err != nil {
			p.close()
			return err
		}
	}
	games := m.games(book, script, func(p *player) (match.Player, error) { return m.open(ctx, p, &networks) })
	p.code, p.room = tournamentCode, t.Workers*match.DefaultTogether
	p.play = func(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
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
	return nil
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

// away has workers play the missing games of all players but engines.
func (m *tournament) away(ctx context.Context, games *match.Games, played func(*match.Game) error) error {
	o := order{Stage: m.name, Models: map[string]orderedModel{}}
	var checkpoints []string
	engines := map[string]bool{}
	for i := range m.players {
		p := &m.players[i]
		engines[p.name] = p.engine != nil
		switch inside, err := filepath.Rel(m.Results.Dir, p.file); {
		case p.file == "":
		case p.mark == "own" && err == nil:
			checkpoints = append(checkpoints, inside)
		default:
			x, err := m.run.models.get(string(p.spec.Model), func() (externalModel, error) { return findExternal(m.run.Results, string(p.spec.Model)) })
			if err != nil {
				return err
			}
			o.Models[string(p.spec.Model)] = orderedModel{x.name, x.sum, path.Join("models", x.sum+".safetensors"), p.file}
		}
	}
	slices.Sort(checkpoints)
	job, err := m.newJob(o, []string{store.ManifestName}, slices.Compact(checkpoints)...)
	if err != nil {
		return err
	}
	job.Todo = games.Numbers(func(player string) bool { return !engines[player] })
	job.Kind = kindParts(m.kind)
	if job.Any || m.kind.Device == "" {
		job.Kind = nil
	}
	job.Begin = func(hub.Kind) error { return nil }
	job.Take = func(number int, text []byte, _ hub.Kind) (refused, failed error) {
		var pgn string
		err := json.Unmarshal(text, &pgn)
		if err != nil {
			return err, nil
		}
		g, err := games.Unpack(number, []byte(pgn))
		if err != nil {
			return err, nil
		}
		if err := games.Replace(games.Key(g.Pair()), g); err != nil {
			return nil, err
		}
		return nil, played(g)
	}
	return m.run.Hub.Do(ctx, job)
}

func (p *awayPlayer) Kind() hub.Kind {
	k := kindParts(p.kind)
	k["alamos"], k["libraries"], k["code"] = p.alamos, libraries(), p.code
	return k
}

func (p *awayPlayer) Room() int { return p.room }

func (p *awayPlayer) Play(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error {
	return p.play(ctx, todo, done)
}

func (p *awayPlayer) Close() {
	p.close()
	_ = os.RemoveAll(p.dir) // the system clears its temporary folder
}
