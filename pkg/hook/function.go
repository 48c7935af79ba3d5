package hook

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
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
	Kind      string // what `alamos hooks new` calls it
	Signature string
	Doc       string // Markdown
	Setting   string // how an experiment file names the script, in YAML
	Example   string // a script in experiments/hooks

	in, out []string // types of parameters and results: "Generation", "[]Position", "float64", ...
}

// Functions lists the functions that scripts may define.
func Functions() []Function { return slices.Clone(functions) }

var functions = []Function{
	{
		Name: Measure, Kind: "metric",
		Signature: "func Measure(g alamos.Generation) alamos.Metrics",
		in:        []string{"Generation"}, out: []string{"Metrics"},
		Doc: `Measures something on the games of a generation's self-play. It is asked after
each generation; every metric is a column of a CSV file, can be drawn in a
figure of kind hook, and is known to Stop.`,
		Setting: `hooks:
  - hooks/openings.go                           # a fault leaves its cells empty
  - {file: hooks/explosions.go, on_error: stop} # a fault stops the run`,
		Example: "openings.go",
	},
	{
		Name: MeasureCheckpoint, Kind: "checkpoint",
		Signature: "func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics",
		in:        []string{"Checkpoint"}, out: []string{"Metrics"},
		Doc: `Measures something on the network of each generation, which it may ask about
positions: the network alone by c.Evaluate, the search by c.Search. Its metrics
are used as those of Measure; a script may have both.`,
		Setting: `hooks:
  - hooks/entropy.go`,
		Example: "entropy.go",
	},
	{
		Name: Evaluate, Kind: "evaluation",
		Signature: "func Evaluate(positions []alamos.Position) []float64",
		in:        []string{"[]Position"}, out: []string{"[]float64"},
		Doc: `Says what positions are worth: for each the expected result of the side to
move, from -1 (it loses) to 1 (it wins). Positions that end the game are never
asked about. A player of a tournament may look ahead with it by alpha-beta, and
training may mix it into the results that the network learns to predict (the
values of a generation's positions are kept in targets/). What a
position is worth must not depend on the others of the slice: which come
together is chance.`,
		Setting: `tournament:
  players: [last, {hook: hooks/atomic.go, depth: 2}]
training:
  value_target: {file: hooks/atomic.go, weight: 0.5} # half hook, half result of the game`,
		Example: "atomic.go",
	},
	{
		Name: Rate, Kind: "schedule",
		Signature: "func Rate(p alamos.Progress) float64",
		in:        []string{"Progress"}, out: []string{"float64"},
		Doc: `Returns the learning rate of the next epoch, above 0. It is asked before each
epoch and told of all epochs that have ended.`,
		Setting: `training:
  schedule: {kind: hook, initial: 0.05, file: hooks/onecycle.go}`,
		Example: "onecycle.go",
	},
	{
		Name: Adjudicate, Kind: "adjudication",
		Signature: "func Adjudicate(games []alamos.Game) []string",
		in:        []string{"[]Game"}, out: []string{"[]string"},
		Doc: `Ends games before their end. It is asked after every move about games that go
on, and answers for each "" (go on), "1-0", "0-1" or "1/2-1/2". The answer for
a game must not depend on the others of the slice: which come together is
chance. A game of self-play that ends so is learned from with that result.`,
		Setting: `selfplay:
  adjudicate: hooks/resign.go
tournament:
  adjudicate: hooks/resign.go`,
		Example: "resign.go",
	},
	{
		Name: Stop, Kind: "stop",
		Signature: "func Stop(p alamos.Progress) (stop bool, reason string)",
		in:        []string{"Progress"}, out: []string{"bool", "string"},
		Doc: `Says after each generation whether training ends with it. The reason stands in
the notebook.`,
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

// signatures lists what a script may define, for an error message.
func signatures() string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Signature
	}
	return strings.Join(all, ", or ")
}

// signature is the type that the type checker must find; api is the package
// alamos as it sees it.
func (f *Function) signature(api *types.Package) *types.Signature {
	tuple := func(names []string) *types.Tuple {
		var vars []*types.Var
		for _, name := range names {
			vars = append(vars, types.NewVar(token.NoPos, nil, "", typeNamed(api, name)))
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, tuple(f.in), tuple(f.out), false)
}

func typeNamed(api *types.Package, name string) types.Type {
	if element, ok := strings.CutPrefix(name, "[]"); ok {
		return types.NewSlice(typeNamed(api, element))
	}
	if object := types.Universe.Lookup(name); object != nil {
		return object.Type()
	}
	return api.Scope().Lookup(name).Type()
}
