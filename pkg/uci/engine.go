package uci

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Model is the evaluation of an engine: a network behind its codec, or none ([Blank]).
type Model struct {
	Name     string // of the network, for display
	Variants []chess.Variant
	Eval     search.Evaluator
	Policy   *encode.Policy // of the network; nil without a network
	Batch    int            // number of positions that are evaluated as fast as one
	Close    func()         // nil if there is nothing to close

	Threads    int             // number of evaluation threads; 0 means 1
	SetThreads func(int) error // changes Threads; nil if the number is fixed
}

// Blank returns a model that knows only the rules: all moves have equal priors, and all
// positions equal values unless the game is over.
func Blank(variants ...chess.Variant) Model {
	return Model{Name: "blank", Variants: variants, Eval: search.Uniform{}, Batch: 1}
}

// Searcher finds the best move of one position at a time and reports its search. [Serve]
// makes it a UCI engine. [Engine] is one, and an external engine another ([NewExternal]). Only
// one goroutine at a time may use it.
type Searcher interface {
	Name() string
	Variants() []chess.Variant
	Options() []Option            // with their defaults
	Set(name, value string) error // sets an option; [Option.check] has accepted the value
	NewGame()                     // the next position belongs to another game

	// Think searches the current position of g, which has legal moves, until the task's
	// limits or ctx end it. It returns the move to play and the expected reply, or 0 if
	// there is none. The end of ctx is not an error: the move is then the best that was found.
	// Think calls report, unless it is nil, as the search proceeds and at its end.
	Think(ctx context.Context, g *chess.Game, t Task, report func(*Report)) (best, ponder chess.Move, err error)

	Close()
}

// Settings may change between searches.
type Settings struct {
	Config           search.Config // each search sets its Visits and Bytes
	Temperature      float64       // 0 means always the most visited move
	TemperaturePlies int           // 0 means the whole game
	MultiPV          int           // number of reported lines
	PolicyOnly       bool          // evaluate the position with the network without a search
	Hash             int           // memory of a tree in MiB
	Overhead         time.Duration // time of a move that communication with the user costs
	Every            time.Duration // interval of reports without a new best move
}

// Overhead is the default of Settings.Overhead.
const Overhead = 50 * time.Millisecond

func defaults(batch int) Settings {
	return Settings{Config: SearchConfig(max(1, batch)), MultiPV: 1, Hash: 1024, Overhead: Overhead, Every: time.Second}
}

// SearchConfig returns the search of an engine with default settings that evaluates the
// given number of positions at once. The caller sets its visits.
func SearchConfig(leaves int) search.Config {
	c := config.Defaults[search.Config]()
	c.Visits = 1 << 14 // initial capacity; see SetVisits
	c.CPuct, c.FPU = 1.5, search.FPU{Parent: true, Reduction: 0.3}
	c.Leaves, c.Solver, c.Lookahead = leaves, true, 1
	c.CInit, c.CFactor = config.Default[search.Config]("c_init"), config.Default[search.Config]("c_factor")
	return c
}

// setting is an option of the engine. set gets a value that [Option.check] accepts.
type setting struct {
	Option
	set func(value string) error
}

func spin(name string, value, low, high int, set func(int) error) setting {
	return setting{
		Option{Name: name, Type: "spin", Default: strconv.Itoa(value), Min: low, Max: high, HasMin: true, HasMax: true},
		func(value string) error {
			n, err := strconv.Atoi(value)
			if err == nil {
				err = set(n)
			}
			return err
		},
	}
}

func whole(name string, at *int, low, high int) setting {
	return spin(name, *at, low, high, func(n int) error { *at = n; return nil })
}

// fraction is a text, because UCI has no fractions. Other engines with networks use text for
// them too.
func fraction(name string, at *float64, low, high float64) setting {
	return setting{
		Option{Name: name, Type: "string", Default: strconv.FormatFloat(*at, 'g', -1, 64)},
		func(value string) error {
			x, err := strconv.ParseFloat(value, 64)
			if err != nil || !(low <= x && x <= high) {
				return fmt.Errorf("want a number from %g to %g, have %q", low, high, value)
			}
			*at = x
			return nil
		},
	}
}

// settings returns the options of an engine with the present values as their defaults.
func (e *Engine) settings() []setting {
	threads, most, setThreads := max(1, e.model.Threads), 1, func(int) error { return nil }
	if e.model.SetThreads != nil {
		most, setThreads = max(threads, runtime.GOMAXPROCS(0)), e.model.SetThreads
	}
	leaves := config.Of[search.Config]().Lookup("leaves").Type.(config.Number)
	s, c := &e.Settings, &e.Settings.Config
	return []setting{
		// The threads evaluate positions. The search itself uses one thread. Their number
		// changes no evaluation.
		spin("Threads", threads, 1, most, setThreads),
		whole("MultiPV", &s.MultiPV, 1, 256),
		whole("Hash", &s.Hash, 1, 1<<20),
		whole("Leaves", &c.Leaves, 1, int(leaves.Max)),
		fraction("CPuct", &c.CPuct, 0.01, 100),
		fraction("CBase", &c.CBase, 0, 1e9),
		fraction("CInit", &c.CInit, 0, 1e9),
		fraction("PolicyTemperature", &c.PolicyTemperature, 0.01, 100),
		fraction("Temperature", &s.Temperature, 0, 100),
		whole("TemperaturePlies", &s.TemperaturePlies, 0, 10_000),
		{Option{Name: "Solver", Type: "check", Default: strconv.FormatBool(c.Solver)}, func(value string) error {
			c.Solver = value == "true"
			return nil
		}},
		spin("Move Overhead", int(s.Overhead.Milliseconds()), 0, 10_000, func(n int) error {
			s.Overhead = time.Duration(n) * time.Millisecond
			return nil
		}),
	}
}

// Engine is a [Searcher] that searches a tree with a model.
type Engine struct {
	Settings // may change between searches

	model Model
	tree  *search.Tree  // tree of the last search, or nil
	cfg   search.Config // of the tree
	rng   *rand.Rand
}

// New makes an engine with default settings.
func New(m Model) *Engine {
	return &Engine{Settings: defaults(m.Batch), model: m, rng: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
}

// Close frees the model.
func (e *Engine) Close() {
	if e.model.Close != nil {
		e.model.Close()
	}
}

// Name returns the name of the model.
func (e *Engine) Name() string { return e.model.Name }

func (e *Engine) Variants() []chess.Variant { return e.model.Variants }

// Options returns the options of the engine with their defaults.
func (e *Engine) Options() []Option {
	fresh := &Engine{Settings: defaults(e.model.Batch), model: e.model}
	var list []Option
	for _, s := range fresh.settings() {
		list = append(list, s.Option)
	}
	return list
}

func (e *Engine) Set(name, value string) error {
	for _, s := range e.settings() {
		if s.Name == name {
			return s.set(value)
		}
	}
	return fmt.Errorf("no setting is called %q", name)
}

// NewGame drops the tree of the previous game.
func (e *Engine) NewGame() { e.tree = nil }

// Tree returns the tree of the last search. It is nil before the first search, and valid
// until the next one.
func (e *Engine) Tree() *search.Tree { return e.tree }
