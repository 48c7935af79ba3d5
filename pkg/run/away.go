package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
	"alamos/pkg/match"
	"alamos/pkg/nn"
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
	return t.run.newJob(o, selfplayCode, files, map[string]string{network: t.Results.Path(network)})
}

// ordered returns the trial as it is in an order.
func (t *Trial) ordered() orderedTrial { return orderedTrial{t.Settings.ID(), *t.Settings} }

// newJob returns a job with the files that its trials name, with contents of other files, and with
// networks, which have their paths here. A worker has both by their names. code is the version of
// the stage's code, which every worker must have: the result is stored as made by it.
func (r *run) newJob(o order, code string, files map[string][]byte, networks map[string]string) (*hub.Job, error) {
	j := &hub.Job{Any: r.Kinds == AnyKind, Needs: hub.Kind{"code": code}, Recheck: r.Recheck}
	o.Files = map[string]string{}
	add := func(name string, content []byte) {
		if o.Files[name] == "" {
			o.Files[name] = disk.SumOf(content)
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
	var b bytes.Buffer
	err = c.Export().Encode(&b)
	return b.Bytes(), err
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
		if err := p.open(kind); err != nil {
			return err
		}
		if len(p.have) > 0 {
			switch parts := kindParts(kind); {
			case job.Any && len(parts) > 0:
				return fmt.Errorf("%s has games of one kind of machine (%s): run again without --kinds any, or delete it", path, kind)
			case !job.Any && len(parts) == 0:
				return fmt.Errorf("%s has games of workers of any kind: run again with --kinds any", path)
			case !job.Any:
				job.Kind = parts
			}
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

// kindParts returns the parts of a kind that a hub compares. A mixture of kinds has none.
func kindParts(k store.Kind) hub.Kind {
	if k.Device != nn.CPU && k.Device != nn.CUDA {
		return hub.Kind{}
	}
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
	job, err := t.run.newJob(o, dataCode, map[string][]byte{askedGames: games.Bytes()}, nil)
	if err != nil {
		return err
	}
	task := t.Report.Task(o.Stage, "games")
	defer task.End()
	task.Resume(answers.Games())
	job.Todo, job.Any, job.Kind = questions.Numbers(answers), false, engineKind(t.imports.in)
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

// away has workers play the missing games of all players but engines and those with a time for a
// move, whose games differ each time.
func (m *tournament) away(ctx context.Context, games *match.Games, played func(*match.Game) error) error {
	o := order{Stage: m.name, Trials: []orderedTrial{m.ordered()}, Rounds: m.rounds, Format: m.format}
	trials, networks, here := []*Trial{m.Trial}, map[string]string{}, map[string]bool{}
	for i := range m.players {
		p := &m.players[i]
		here[p.name] = p.engine != nil || p.timed()
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
	job, err := m.run.newJob(o, tournamentCode, nil, networks)
	if err != nil {
		return err
	}
	job.Todo = games.Numbers(func(player string) bool { return !here[player] })
	if !job.Any {
		job.Kind = kindParts(m.kind)
	}
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
