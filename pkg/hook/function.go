package hook

import (
	"embed"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"alamos/pkg/hook/alamos"
)

// Names of the functions that a script may define, one or several.
const (
	Measure           = "Measure"
	MeasureCheckpoint = "MeasureCheckpoint"
	Evaluate          = "Evaluate"
	Rate              = "Rate"
	Adjudicate        = "Adjudicate"
	Stop              = "Stop"
)

// Function describes a function that a script may define.
type Function struct {
	Name      string
	Kind      string // its name in `alamos hooks new`
	Signature string
	Doc       string // Markdown
	Setting   string // YAML with which an experiment uses the script
	Example   string // a script in experiments/hooks

	typ reflect.Type // the signature, for the type checker
}

// Functions lists the functions that scripts may define.
func Functions() []Function { return slices.Clone(functions) }

var functions = []Function{
	{
		Name: Measure, Kind: "metric",
		Signature: "func Measure(g alamos.Generation) alamos.Metrics",
		typ:       reflect.TypeFor[func(alamos.Generation) alamos.Metrics](),
		Doc: `Measures something on the games of a generation's self-play. It is called after
each generation. Every metric is a column of a CSV file, can be drawn in a
figure of kind hook, and is passed to Stop.`,
		Setting: `hooks:
  - hooks/openings.go                           # a fault leaves its cells empty
  - {file: hooks/explosions.go, on_error: stop} # a fault stops the run`,
		Example: "openings.go",
	},
	{
		Name: MeasureCheckpoint, Kind: "checkpoint",
		Signature: "func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics",
		typ:       reflect.TypeFor[func(alamos.Checkpoint) alamos.Metrics](),
		Doc: `Measures something on the network of each generation. It may evaluate positions
with the network alone by c.Evaluate, and with the search by c.Search. Its metrics
are used like those of Measure; a script may have both.`,
		Setting: `hooks:
  - hooks/entropy.go`,
		Example: "entropy.go",
	},
	{
		Name: Evaluate, Kind: "evaluation",
		Signature: "func Evaluate(positions []alamos.Position) []float64",
		typ:       reflect.TypeFor[func([]alamos.Position) []float64](),
		Doc: `Returns the value of each position: the expected result of the side to move,
from -1 (it loses) to 1 (it wins). It never gets positions that end the game.
A player of a tournament may search with it by alpha-beta, and training may mix
it into the results that the network learns to predict (the values of a
generation's positions are kept in targets/). The value of a position must not
depend on the others of the slice: which positions come together is random.`,
		Setting: `tournament:
  players: [last, {hook: hooks/atomic.go, depth: 2}]
training:
  value_target: {file: hooks/atomic.go, weight: 0.5} # half hook, half result of the game`,
		Example: "atomic.go",
	},
	{
		Name: Rate, Kind: "schedule",
		Signature: "func Rate(p alamos.Progress) float64",
		typ:       reflect.TypeFor[func(alamos.Progress) float64](),
		Doc: `Returns the learning rate of the next epoch, above 0. It is called before each
epoch and gets all epochs that have ended.`,
		Setting: `training:
  schedule: {kind: hook, initial: 0.05, file: hooks/onecycle.go}`,
		Example: "onecycle.go",
	},
	{
		Name: Adjudicate, Kind: "adjudication",
		Signature: "func Adjudicate(games []alamos.Game) []string",
		typ:       reflect.TypeFor[func([]alamos.Game) []string](),
		Doc: `Ends games early. It is called after every move with running games, and returns
for each "" (continue), "1-0", "0-1" or "1/2-1/2". The answer for a game must
not depend on the others of the slice: which games come together is random.
Training uses a game of self-play that ends so with that result.`,
		Setting: `selfplay:
  adjudicate: hooks/resign.go
tournament:
  adjudicate: hooks/resign.go`,
		Example: "resign.go",
	},
	{
		Name: Stop, Kind: "stop",
		Signature: "func Stop(p alamos.Progress) (stop bool, reason string)",
		typ:       reflect.TypeFor[func(alamos.Progress) (bool, string)](),
		Doc: `Decides after each generation whether training ends. The notebook shows the
reason.`,
		Setting: `stop: hooks/saturated.go`,
		Example: "saturated.go",
	},
}

// function finds a function by name.
func function(name string) *Function {
	for i := range functions {
		if functions[i].Name == name {
			return &functions[i]
		}
	}
	return nil
}

// signatures lists the functions that a script may define, for an error message.
func signatures() string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Signature
	}
	return strings.Join(all, ", or ")
}

//go:embed templates
var templates embed.FS

// Kinds lists the kinds of scripts: metric, checkpoint, ...
func Kinds() []string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Kind
	}
	return all
}

// Start returns the template of a script of a kind.
func Start(kind string) ([]byte, error) {
	for _, f := range functions {
		if f.Kind == kind {
			return templates.ReadFile("templates/" + kind + ".go.txt")
		}
	}
	return nil, fmt.Errorf("no kind of script is called %q: want %s", kind, strings.Join(Kinds(), ", "))
}
