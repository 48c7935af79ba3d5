package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// order is a job of a hub: a stage of a trial whose games a worker plays. A worker makes a folder
// with these files and then plays as a run does.
type order struct {
	Stage string
	// Trials are the trial of the stage, which is the first, and those of players that search with
	// settings of their own.
	Trials []orderedTrial
	Files  map[string]string // path in the worker's folder -> SHA-256

	// A tournament has these too.
	Players []orderedPlayer `json:",omitempty"`
	Rounds  int             `json:",omitempty"`
	Format  match.Format    `json:",omitzero"`
}

type orderedTrial struct {
	ID       string
	Settings experiment.Settings
}

// orderedPlayer is a player of a tournament. Games of engines are not played by workers.
type orderedPlayer struct {
	Name    string
	Spec    match.Spec
	Network string `json:",omitempty"` // its file
	Trial   int    // of the order's, whose search settings are the player's
}

// selfplayJob returns the job of the games of generation g.
func (t *Trial) selfplayJob(g int) (*hub.Job, error) {
	o := order{Stage: store.SelfPlayStage(g), Trials: []orderedTrial{t.ordered()}}
	network := store.CheckpointFile(t.Settings.PlayedBy(g))
	files := map[string][]byte{}
	if t.forks(g) {
		name := store.GamesFile(g - 1)
		var err error
		if files[name], err = disk.ReadFile(t.Results.Path(name)); err != nil {
			return nil, err
		}
	}
	return t.run.newJob(o, files, map[string]string{network: t.Results.Path(network)})
}

// ordered returns the trial as it is in an order.
func (t *Trial) ordered() orderedTrial { return orderedTrial{t.Settings.ID(), *t.Settings} }

// newJob returns a job with the files that its trials name, with contents of other files, and with
// networks, which have their paths here. A worker has both by their names.
func (r *run) newJob(o order, files map[string][]byte, networks map[string]string) (*hub.Job, error) {
	j := &hub.Job{Any: r.Kinds == AnyKind, Recheck: r.Recheck}
	o.Files = map[string]string{}
	add := func(name string, content []byte) {
		if o.Files[name] == "" {
			o.Files[name] = config.Sum(content)
			j.Files = append(j.Files, content)
		}
	}
	for _, t := range o.Trials {
		for _, f := range t.Settings.Files() {
			content, err := f.Read()
			if err != nil {
				return nil, err
			}
			add(store.NamedFile(f.File), content)
		}
	}
	for name, content := range files {
		add(name, content)
	}
	for name, path := range networks {
		content, err := exported(path)
		if err != nil {
			return nil, err
		}
		add(name, content)
	}
	var err error
	j.Spec, err = json.Marshal(o)
	return j, err
}

// exported returns a checkpoint without the state of its training.
func exported(file string) ([]byte, error) {
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
		select {
		case p.begun <- kind:
		default:
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

// workerKind returns the kind of a worker whose networks play: the parts of the machine's kind, the
// version of the code, and what computes.
func (t *Trial) workerKind(code string, parts hub.Kind) hub.Kind {
	parts["alamos"], parts["libraries"], parts["code"] = t.run.Alamos, libraries(), code
	return parts
}

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
	dir   string
	kind  hub.Kind
	room  int
	play  func(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error
	close func()
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
	var e experiment.Experiment
	for _, t := range o.Trials {
		if t.Settings.ID() != t.ID {
			return nil, errors.New("this version of alamos reads other settings from the job than the hub: use the same version")
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
	p := &awayPlayer{dir: dir}
	switch _, g := store.SplitStage(o.Stage); {
	case o.Stage == store.DataStage(g) && g > 0:
		err = p.openQuestions(ctx, trials[0], g)
	case len(o.Players) > 0:
		err = p.openTournament(ctx, &o, trials)
	case o.Stage == store.SelfPlayStage(g) && g > 0:
		err = p.openSelfplay(ctx, trials[0], g)
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
	p.kind = t.workerKind(selfplayCode, kindParts(games.kind))
	p.room, p.close = games.cfg.Parallel*len(games.nets), games.close
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

// openTournament opens the games of a tournament.
func (p *awayPlayer) openTournament(ctx context.Context, o *order, trials []*Trial) error {
	m := &tournament{Trial: trials[0], name: o.Stage, rounds: o.Rounds, format: o.Format}
	first := -1 // player with a network
	for i, x := range o.Players {
		if x.Trial < 0 || x.Trial >= len(trials) {
			return fmt.Errorf("the job of the hub has no trial %d", x.Trial)
		}
		player := player{spec: x.Spec, name: x.Name, trial: trials[x.Trial]}
		if h := x.Spec.Hook; h != nil {
			h.Path = filepath.Join(p.dir, store.NamedFile(*h))
		}
		if x.Network != "" {
			player.file = filepath.Join(p.dir, x.Network)
			c, err := nn.ReadCheckpoint(player.file)
			if err != nil {
				return err
			}
			if player.codec, _, err = c.Codec(); err != nil {
				return err
			}
			if first < 0 {
				first = i
			}
		}
		m.players = append(m.players, player)
	}
	games, end, err := m.open(ctx)
	if err != nil {
		return err
	}
	p.close = end
	var kind store.Kind
	if first >= 0 {
		if kind, err = m.answers(&m.players[first]); err != nil {
			p.close()
			return err
		}
	}
	p.kind, p.room = m.workerKind(tournamentCode, kindParts(kind)), m.Workers*match.DefaultTogether
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

// askedGames is the file of the games that engines label, in the folder of a worker.
const askedGames = "games.pgn"

// askAway has workers ask their engines about the games of the chunk at a cursor that have no
// answers yet, and adds those to the answers.
func (t *Trial) askAway(ctx context.Context, from data.Cursor, answers *data.Answers) error {
	questions, err := t.imports.source.Questions(ctx, from)
	if err != nil {
		return err
	}
	o := order{Stage: store.DataStage(from.Chunk), Trials: []orderedTrial{t.ordered()}}
	var games bytes.Buffer
	if err := questions.Write(&games); err != nil {
		return err
	}
	job, err := t.run.newJob(o, map[string][]byte{askedGames: games.Bytes()}, nil)
	if err != nil {
		return err
	}
	task := t.Report.Task(o.Stage, "games")
	defer task.End()
	task.Resume(answers.Games())
	job.Todo, job.Any, job.Kind = questions.Numbers(answers), false, engineKind(t.imports.in)
	job.Begin = func(hub.Kind) error { return nil }
	job.Take = func(number int, entry []byte, _ hub.Kind) (refused, failed error) {
		if err := questions.Check(ctx, number, entry); err != nil {
			return err, nil
		}
		if err := answers.Keep(entry); err != nil {
			return nil, err
		}
		task.Set(answers.Games()+1, questions.Len(), "")
		return nil, answers.Replay(entry)
	}
	return t.run.Hub.Do(ctx, job)
}

// engineKind returns the kind of a worker as far as the engines of the data go.
func engineKind(in store.Inputs) hub.Kind {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if strings.HasPrefix(name, engineInput) {
			all = append(all, in[name])
		}
	}
	return hub.Kind{"engine": strings.Join(all, " and ")}
}

// openQuestions opens the games of chunk g about which engines are asked. A worker without an engine
// is of another kind.
func (p *awayPlayer) openQuestions(ctx context.Context, t *Trial, g int) error {
	p.room, p.close = 2*t.Workers, func() {}
	in := store.Inputs{}
	cfg, err := t.Setup.Data(t.enginesOfData(ctx, in), func(string) (data.Network, error) { return nil, nil })
	if err != nil {
		p.kind = hub.Kind{"engine": err.Error()}
		p.play = func(ctx context.Context, _ <-chan int, _ func(int, []byte)) error { <-ctx.Done(); return nil }
		return ctx.Err()
	}
	p.kind = engineKind(in)
	p.kind["code"] = dataCode
	file := filepath.Join(p.dir, askedGames)
	if len(cfg.Files) > 0 {
		cfg.Files = []string{file}
	}
	source, err := data.Open(cfg, t.Setup.DataSeed(), t.Workers)
	if err != nil {
		return err
	}
	p.close = func() { source.Close() }
	games, err := os.Open(file)
	if err != nil {
		return err
	}
	defer games.Close()
	questions, err := source.ReadQuestions(g, games)
	if err == nil {
		p.play = questions.Answer
	}
	return err
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
	o := order{Stage: m.name, Trials: []orderedTrial{m.ordered()}, Rounds: m.rounds, Format: m.format}
	trials, networks, engines := []*Trial{m.Trial}, map[string]string{}, map[string]bool{}
	for i := range m.players {
		p := &m.players[i]
		engines[p.name] = p.engine != nil
		x := orderedPlayer{Name: p.name, Spec: p.spec, Trial: slices.Index(trials, p.trial)}
		if x.Trial < 0 {
			x.Trial = len(trials)
			trials, o.Trials = append(trials, p.trial), append(o.Trials, p.trial.ordered())
		}
		if p.file != "" {
			x.Network = path.Join("networks", experiment.Hash(p.file)+".safetensors")
			networks[x.Network] = p.file
		}
		o.Players = append(o.Players, x)
	}
	job, err := m.run.newJob(o, nil, networks)
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

func (p *awayPlayer) Kind() hub.Kind { return p.kind }

func (p *awayPlayer) Room() int { return p.room }

func (p *awayPlayer) Play(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error {
	return p.play(ctx, todo, done)
}

func (p *awayPlayer) Close() {
	p.close()
	_ = os.RemoveAll(p.dir) // the system clears its temporary folder
}
