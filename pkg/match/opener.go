package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Opener makes the players of the command line. Players with the same network file share
// one network.
type Opener struct {
	FindModel func(name string) (file string, err error)
	Title     func(file string) string // of a network of a run, "" for others; may be nil
	Hardware  Hardware

	models map[string]*uci.Model // by file
}

// Opened is a player of the command line with its network open.
type Opened struct {
	Spec
	Model *uci.Model // its network, or nil

	network string // name of the network for tables
	file    string // of the network
}

// ErrNoPolicy means that a player should play by the policy of a network that has none.
var ErrNoPolicy = errors.New("its network has no policy, only a value")

// Open opens the player's network.
func (o *Opener) Open(s *Spec) (*Opened, error) {
	p := &Opened{Spec: *s}
	name := string(s.Network())
	if name == "" {
		if s.Player == Uniform {
			blank := uci.Blank(chess.Variants()...)
			p.Model, p.network = &blank, Uniform
		}
		return p, nil
	}
	p.network = networkName(name)
	var err error
	if p.file, err = o.FindModel(name); err != nil {
		return nil, err
	}
	if p.Model = o.models[p.file]; p.Model == nil {
		m, err := Load(p.file, o.Hardware)
		if err != nil {
			return nil, err
		}
		if o.Title != nil {
			m.Name = cmp.Or(o.Title(p.file), m.Name)
		}
		if o.models == nil {
			o.models = map[string]*uci.Model{}
		}
		p.Model, o.models[p.file] = &m, &m
	}
	if s.Policy != "" && p.Model.Policy.Size() == 0 {
		return nil, fmt.Errorf("%s: %w: want alphabeta:%s,depth=N", name, ErrNoPolicy, name)
	}
	return p, nil
}

// networkName returns the name of a network for tables, without folder and extension.
func networkName(model string) string {
	if strings.Contains(model, "@") {
		return model
	}
	return nn.ModelName(model)
}

// Close closes the networks.
func (o *Opener) Close() {
	for _, m := range o.models {
		m.Close()
	}
}

// OpenAll opens players for games of one variant: that of their networks, else want, else
// standard chess. A network of a variant other than want is an error.
func (o *Opener) OpenAll(specs []*Spec, want *chess.Variant) (players []*Opened, v chess.Variant, err error) {
	decided := "" // what decided the variant
	if want != nil {
		v, decided = *want, "want"
	}
	for _, s := range specs {
		p, err := o.Open(s)
		if err != nil {
			return nil, v, err
		}
		players = append(players, p)
		if p.file == "" {
			continue
		}
		switch of := p.Model.Variants[0]; {
		case decided == "":
			v, decided = of, "and "+string(s.Network())+" plays"
		case of != v:
			return nil, v, fmt.Errorf("%s plays %s, %s %s", s.Network(), of, decided, v)
		}
	}
	return players, v, nil
}

// Name returns the player's name for tables.
func (p *Opened) Name() string { return p.Spec.Name(p.network) }

// Variants returns the built-in variants that the player may play, or those of its network. An
// engine proves its variant when it starts.
func (p *Opened) Variants() []chess.Variant {
	if p.Model != nil {
		return slices.Clone(p.Model.Variants)
	}
	return chess.Variants()
}

// Plays reports whether the player may play a variant, which can have rules of a file.
func (p *Opened) Plays(v chess.Variant) bool {
	return p.Network() == "" || slices.Contains(p.Model.Variants, v)
}

// beginning returns the variants of the player, the given one first if no network says which.
func (p *Opened) beginning(v chess.Variant) []chess.Variant {
	if p.Network() != "" {
		return p.Variants()
	}
	return append([]chess.Variant{v}, slices.DeleteFunc(p.Variants(), func(x chess.Variant) bool { return x == v })...)
}

// Entries finds the players' engines and returns all players. Games may start from Chess960
// positions if chess960 is set. Each engine player runs at most the given number of
// processes. Duplicate names get a number.
func Entries(ctx context.Context, players []*Opened, v chess.Variant, chess960 bool, processes int) ([]Entry, error) {
	var entries []Entry
	names := map[string]int{}
	for _, p := range players {
		e := Entry{Name: p.Name()}
		e.ID = e.Name
		var parts Parts
		switch {
		case p.UCI != "":
			found, err := p.Opponent().Find(ctx, v, chess960)
			if err != nil {
				return nil, err
			}
			e.ID += " " + found.ID
			parts.Engine, parts.Engines = found, processes
		case p.file != "":
			sum, err := disk.Sum(p.file)
			if err != nil {
				return nil, err
			}
			e.ID += " " + sum
			if n, ok := p.Model.Eval.(*network); ok {
				device, _, _ := strings.Cut(n.model.Devices()[0], ":")
				e.ID += " " + n.model.Precision() + " " + device
			}
		}
		if names[e.Name]++; names[e.Name] > 1 {
			e.Name += fmt.Sprintf(" (%d)", names[e.Name])
		}
		if p.Model != nil {
			parts.Defaults = p.defaults()
			parts.Network = func() (search.Evaluator, func(), error) { return p.Model.Eval, func() {}, nil }
		}
		e.New = func() (Player, error) { return p.New(ctx, e.Name, parts) }
		entries = append(entries, e)
	}
	return entries, nil
}

// defaults returns the settings of the player's tree search that its Spec leaves unset.
func (p *Opened) defaults() TreeSearch {
	t := TreeSearch{Config: uci.SearchConfig(1), Power: math.Inf(1), Batch: p.Model.Batch}
	t.Visits = mostVisits
	return t
}

// Searcher starts the player for one game at a time, with reports of its search. The limit
// is that of the player for each move.
func (p *Opened) Searcher(ctx context.Context, v chess.Variant) (s uci.Searcher, limit uci.Limit, err error) {
	limit = p.Limit()
	switch {
	case p.UCI != "":
		found, err := p.Opponent().Find(ctx, v, false)
		if err != nil {
			return nil, limit, err
		}
		e, err := found.Start(ctx)
		if err != nil {
			return nil, limit, err
		}
		return uci.NewExternal(e, v), found.Limit, nil
	case p.Player == Random:
		return randomPlayer{name: p.Name(), variants: p.beginning(v)}, limit, nil
	case p.Kind() == AlphaBetaKind:
		var e search.Evaluator
		if p.Model != nil {
			e = p.Model.Eval
		}
		return &alphaBeta{name: p.Name(), variants: p.beginning(v), search: p.alphaBeta(e)}, limit, nil
	}
	m := *p.Model
	m.Variants, m.Close = p.beginning(v), nil // the opener closes it
	e := uci.New(m)
	t := p.treeSearch(TreeSearch{Config: e.Config})
	e.Config, e.Temperature, e.PolicyOnly = t.Config, p.Temperature, p.Policy != ""
	return e, limit, nil
}

// LimitVisits sets the visits of tree searches that have no limit of their own.
func LimitVisits(specs []*Spec, visits int) {
	for _, s := range specs {
		if s.Kind() == TreeKind && !s.Limited() {
			s.Visits = visits
		}
	}
}

// Limited reports whether a tree search has a limit of its own: visits, depth, movetime or nodes.
func (s *Spec) Limited() bool {
	return s.Limit() != (uci.Limit{}) || slices.ContainsFunc(s.Search, func(x uci.Setting) bool { return x.Name == "nodes" })
}

// Hardware configures the evaluation of a model.
type Hardware struct {
	Threads   int    // 0 means all; on a CUDA device 1
	Batch     int    // positions of one tree evaluated at once by all threads together; 0 means 16 per thread, on a CUDA device 64
	Together  int    // trees whose positions are evaluated together
	Device    string // see nn.Devices; "" means the processor
	Precision string // one of package nn's; "" means the fastest
}

// Load makes the model of an engine from a checkpoint file.
func Load(path string, h Hardware) (uci.Model, error) {
	c, codec, variant, err := nn.ReadModel(path)
	if err != nil {
		return uci.Model{}, err
	}
	threads, each, err := nn.Latency(h.Device)
	if err != nil {
		return uci.Model{}, err
	}
	if c.Spec.Trunk == nn.TrunkSparse { // evaluates a position faster than other threads could take it
		h.Threads, h.Batch, h.Together = 1, 1, 1
	}
	h.Threads = cmp.Or(h.Threads, threads)
	h.Batch = cmp.Or(h.Batch, each*h.Threads)
	most := (max(h.Batch, h.Together) + h.Threads - 1) / h.Threads
	model, err := c.Compile(nn.InferenceOptions{Batch: most, Device: h.Device, Precision: h.Precision})
	if err != nil {
		return uci.Model{}, fmt.Errorf("%s: %w", path, err)
	}
	net := &network{Codec: codec, model: model}
	if err := net.setThreads(h.Threads); err != nil {
		model.Close()
		return uci.Model{}, fmt.Errorf("%s: %w", path, err)
	}
	name := nn.ModelName(path)
	return uci.Model{
		Name:       fmt.Sprintf("%s %s %s", name, variant, c.Spec.Size()),
		Variants:   []chess.Variant{variant},
		Eval:       net,
		Policy:     codec.Policy,
		Batch:      h.Batch,
		Threads:    h.Threads,
		SetThreads: net.setThreads,
		Close:      func() { net.group.Close(); model.Close() },
	}, nil
}

// network evaluates positions with a compiled network on several threads. Searches of
// several games may use it at once.
type network struct {
	encode.Codec
	model *nn.Model

	mu    sync.RWMutex // guards group
	group *nn.Group
}

func (n *network) Evaluate(leaves []*encode.Leaf) error {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.group.Evaluate(leaves)
}

// setThreads changes the number of threads, which changes no evaluation.
func (n *network) setThreads(threads int) error {
	group, err := n.model.NewGroup(threads)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.group != nil {
		n.group.Close()
	}
	n.group = group
	return nil
}
