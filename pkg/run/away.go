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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
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
}

// selfplayJob returns the job of the games of generation g.
func (t *Trial) selfplayJob(g int) (*hub.Job, error) {
	files := map[string][]byte{}
	read := func(names ...string) error {
		for _, name := range names {
			b, err := disk.ReadFile(t.Results.Path(name))
			if err != nil {
				return err
			}
			files[name] = b
		}
		return nil
	}
	names := []string{store.SettingsFile}
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
	if t.forks(g) {
		names = append(names, store.GamesFile(g-1))
	}
	if err := read(names...); err != nil {
		return nil, err
	}
	network, err := t.exported(t.Results.Path(store.CheckpointFile(g - 1)))
	if err != nil {
		return nil, err
	}
	files[store.CheckpointFile(g-1)] = network
	return newJob(order{Trial: t.Results.Declared.ID, Stage: store.SelfPlayStage(g)}, files)
}

// newJob returns a job with its files.
func newJob(o order, files map[string][]byte) (j *hub.Job, err error) {
	j = &hub.Job{}
	o.Files = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		o.Files[name] = config.Sum(files[name])
		j.Files = append(j.Files, files[name])
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
	job.Any, job.Recheck = p.run.Kinds == AnyKind, p.run.Recheck
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
		if s := p.Results.Manifest.Stage(store.SelfPlayStage(p.number - 1)); s != nil {
			before := s.On
			before.Answers = ""
			job.Kind = kindParts(before)
		}
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
		return nil, p.add(r)
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

// libraries returns a hash of the names and sizes of the libraries of this process that compute.
func libraries() string {
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
			if info, err := os.Stat("/" + path); err == nil && strings.Contains(name, of) {
				sizes[name] = info.Size()
			}
		}
	}
	return experiment.Hash(sizes)[:16]
}

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
	*gamesPlayer
	dir    string
	alamos string
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
	t, err := r.newTrial(dir, e.Trials[0], &store.Manifest{}, Quiet{}.Trial(1, 1, "", "", dir))
	if err != nil {
		return nil, err
	}
	_, g := store.SplitStage(o.Stage)
	if o.Stage != store.SelfPlayStage(g) || g < 1 {
		return nil, fmt.Errorf("this version of alamos does not know the hub's job %q", o.Stage)
	}
	p, err := t.gamesPlayer(ctx, g)
	if err != nil {
		return nil, err
	}
	return &awayPlayer{p, dir, opt.Alamos}, nil
}

func (p *awayPlayer) Kind() hub.Kind {
	k := kindParts(p.kind)
	k["alamos"], k["libraries"], k["code"] = p.alamos, libraries(), selfplayCode
	return k
}

func (p *awayPlayer) Room() int { return p.cfg.Parallel * len(p.nets) }

func (p *awayPlayer) Play(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := p.play(ctx, todo, func(r *selfplay.Record) {
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

func (p *awayPlayer) Close() {
	p.gamesPlayer.close()
	_ = os.RemoveAll(p.dir) // the system clears its temporary folder
}
