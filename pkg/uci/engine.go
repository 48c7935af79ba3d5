package uci

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Model is what an engine knows of chess: a network behind its codec, made by [Load],
// or nothing ([Blank]).
type Model struct {
	Name     string // of the network, for users
	Variants []chess.Variant
	Eval     search.Evaluator
	Policy   encode.Policy // of the network; nil: there is no network
	Batch    int           // positions that are evaluated as fast as one
	Close    func()        // nil: nothing to close

	Threads    int             // that evaluate positions; 0 is taken as 1
	SetThreads func(int) error // changes them; nil: the number is fixed
}

// Blank returns a model that knows the rules and nothing else: all moves have equal
// priors, and all positions equal values unless the game is over.
func Blank(variants ...chess.Variant) Model {
	return Model{Name: "blank", Variants: variants, Eval: search.Uniform{}, Batch: 1}
}

// Hardware is what a model runs on.
type Hardware struct {
	Threads   int    // 0: all; on a CUDA device 1
	Batch     int    // positions evaluated at once, by all threads together; 0: 16 a thread, on a CUDA device 64
	Device    string // see nn.Devices; "": the processor
	Precision string // one of package nn's; "": the fastest
}

// Load makes a model of a checkpoint file.
func Load(path string, h Hardware) (Model, error) {
	c, err := nn.ReadCheckpoint(path)
	if err != nil {
		return Model{}, err
	}
	codec, variant, err := c.Codec()
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	threads, each, err := nn.Latency(h.Device)
	if err != nil {
		return Model{}, err
	}
	if h.Threads <= 0 {
		h.Threads = threads
	}
	if h.Batch <= 0 {
		h.Batch = each * h.Threads
	}
	each = (h.Batch + h.Threads - 1) / h.Threads
	model, err := c.Compile(nn.InferenceOptions{Batch: each, Device: h.Device, Precision: h.Precision})
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	net := &network{Codec: codec, model: model}
	if err := net.setThreads(h.Threads); err != nil {
		model.Close()
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Model{
		Name:       fmt.Sprintf("%s %s %dx%d", name, variant, c.Spec.Depth, c.Spec.Width),
		Variants:   []chess.Variant{variant},
		Eval:       net,
		Policy:     codec.Policy,
		Batch:      h.Batch,
		Threads:    h.Threads,
		SetThreads: net.setThreads,
		Close:      func() { net.group.Close(); model.Close() },
	}, nil
}

// network evaluates positions with a compiled network on several threads.
type network struct {
	encode.Codec
	model *nn.Model
	group *nn.Group
}

func (n *network) Evaluate(leaves []*encode.Leaf) error { return n.group.Evaluate(leaves) }

// setThreads changes the number of threads, which changes no evaluation. It must not
// be called during a search.
func (n *network) setThreads(threads int) error {
	group, err := n.model.NewGroup(threads)
	if err != nil {
		return err
	}
	if n.group != nil {
		n.group.Close()
	}
	n.group = group
	return nil
}

// Settings are what a user may change between searches.
type Settings struct {
	Config           search.Config // its Visits and Bytes are set by each search
	Temperature      float64       // 0: always the most visited move
	TemperaturePlies int           // 0: the whole game
	MultiPV          int           // lines reported
	ShowWDL          bool
	Hash             int           // MiB of a tree
	Overhead         time.Duration // part of the time of a move that is lost on the way to the user
	Every            time.Duration // between two reports without a new best move
}

func defaults(batch int) Settings {
	return Settings{Config: SearchConfig(max(1, batch)), MultiPV: 1, Hash: 1024, Overhead: 50 * time.Millisecond, Every: time.Second}
}

// SearchConfig returns the search of an engine with default settings, which evaluates
// the given number of positions at once. The caller sets its visits.
func SearchConfig(leaves int) search.Config {
	return search.Config{
		Visits: 1 << 14, // room to begin with: see SetVisits
		CPuct:  1.5, CInit: config.Defaults[search.Config]().CInit, FPU: search.FPU{Parent: true, Reduction: 0.3},
		ExpandAt: 1, Leaves: leaves, Solver: true, Lookahead: 1, TreeReuse: true,
	}
}

// setting is an option of the engine: a field of Settings with its range.
type setting struct {
	name      string
	field     any // *int, *float64, *bool, or *time.Duration in milliseconds
	low, high float64
}

func (s *Settings) list() []setting {
	_, mostLeaves := config.Range[search.Config]("leaves")
	c := &s.Config
	return []setting{
		{"MultiPV", &s.MultiPV, 1, 256},
		{"Hash", &s.Hash, 1, 1 << 20},
		{"Leaves", &c.Leaves, 1, mostLeaves},
		{"CPuct", &c.CPuct, 0.01, 100},
		{"CBase", &c.CBase, 0, 1e9},
		{"CInit", &c.CInit, 0, 1e9},
		{"Temperature", &s.Temperature, 0, 100},
		{"TemperaturePlies", &s.TemperaturePlies, 0, 10_000},
		{"Solver", &c.Solver, 0, 0},
		{"UCI_ShowWDL", &s.ShowWDL, 0, 0},
		{"Move Overhead", &s.Overhead, 0, 10_000},
	}
}

// option describes the setting to a user; its value is the default.
func (s *setting) option() Option {
	spin := func(n int) Option {
		return Option{Name: s.name, Type: "spin", Default: strconv.Itoa(n), Min: int(s.low), Max: int(s.high), HasMin: true, HasMax: true}
	}
	switch f := s.field.(type) {
	case *bool:
		return Option{Name: s.name, Type: "check", Default: strconv.FormatBool(*f)}
	case *time.Duration:
		return spin(int(f.Milliseconds()))
	case *float64: // UCI has no fractions: other engines with networks write them as text, too
		return Option{Name: s.name, Type: "string", Default: strconv.FormatFloat(*f, 'g', -1, 64)}
	default:
		return spin(*s.field.(*int))
	}
}

// set reads a value that [Option.check] accepts.
func (s *setting) set(value string) error {
	switch f := s.field.(type) {
	case *bool:
		*f = value == "true"
		return nil
	case *float64:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(x) || x < s.low || x > s.high {
			return fmt.Errorf("want a number from %g to %g, have %q", s.low, s.high, value)
		}
		*f = x
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return err
	}
	switch f := s.field.(type) {
	case *int:
		*f = n
	case *time.Duration:
		*f = time.Duration(n) * time.Millisecond
	}
	return nil
}

// Engine searches with a model. It is not safe for use by several goroutines.
type Engine struct {
	Settings // may be changed between searches

	model Model
	tree  *search.Tree  // nil: nothing is kept from an earlier search
	cfg   search.Config // of the tree
	rng   *rand.Rand
}

// New makes an engine with default settings.
func New(m Model) *Engine {
	return &Engine{Settings: defaults(m.Batch), model: m, rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
}

// Close frees what the model holds.
func (e *Engine) Close() {
	if e.model.Close != nil {
		e.model.Close()
	}
}

// Name returns the name under which the engine introduces itself.
func (e *Engine) Name() string { return strings.TrimSpace("alamos " + e.model.Name) }

// threadsOption sets how many threads evaluate positions; the search itself is one
// thread. It changes no evaluation.
const threadsOption = "Threads"

// Options are the settings that a user may change, with their defaults.
func (e *Engine) Options() []Option {
	threads, most := max(1, e.model.Threads), 1
	if e.model.SetThreads != nil {
		most = max(threads, runtime.NumCPU())
	}
	list := []Option{{Name: threadsOption, Type: "spin", Default: strconv.Itoa(threads), Min: 1, Max: most, HasMin: true, HasMax: true}}
	d := defaults(e.model.Batch)
	for _, s := range d.list() {
		list = append(list, s.option())
	}
	return list
}

// Set changes a setting.
func (e *Engine) Set(name, value string) error {
	if name == threadsOption {
		n, err := strconv.Atoi(value)
		if err == nil && e.model.SetThreads != nil {
			err = e.model.SetThreads(n)
		}
		return err
	}
	for _, s := range e.list() {
		if s.name == name {
			return s.set(value)
		}
	}
	return fmt.Errorf("no setting is called %q", name)
}

// NewGame forgets the game before.
func (e *Engine) NewGame() { e.tree = nil }

// Tree returns the tree of the last search: nil before the first, and valid until the
// next.
func (e *Engine) Tree() *search.Tree { return e.tree }

// Choose picks the move to play in g, whose current position was searched: the most
// visited one, or a random one while the temperature applies; by priors if there was no
// visit. It is 0 if the search failed before it evaluated the position.
func (e *Engine) Choose(g *chess.Game) chess.Move {
	power := math.Inf(1)
	if e.Temperature > 0 && (e.TemperaturePlies == 0 || g.Ply() < e.TemperaturePlies) {
		power = 1 / e.Temperature
	}
	return e.tree.Choose(power, e.rng)
}
