package hook

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"alamos/pkg/chess"
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

// Function describes a function that a script may define. [Reference] documents them.
type Function struct {
	Name      string
	Kind      string // its name in `alamos hooks new`
	Signature string
	Setting   string // YAML with which an experiment uses the script

	runner
}

// runner calls a function of a script.
type runner struct {
	types []reflect.Type // the signatures that it may have, for the type checker
	// run calls f with an argument as the parent sends it, and checks the result. The
	// function may evaluate positions with ask. An error is a fault of the script.
	run func(f reflect.Value, argument any, a ask) (result any, err error)
}

// ask sends a request to the network of a checkpoint.
type ask func(request) reply

// runs makes a runner for functions of type F, arguments A and results R.
func runs[F, A, R any](run func(f F, argument A, a ask) (R, error)) runner {
	return runner{[]reflect.Type{reflect.TypeFor[F]()}, func(f reflect.Value, argument any, a ask) (any, error) {
		return run(f.Interface().(F), argument.(A), a)
	}}
}

// Measured is the result of a function that measures.
type Measured struct {
	Metrics Metrics
	Series  Series
}

// measures makes a runner for functions that measure. They may return series beside metrics.
// from makes the script's argument of type B from that of the parent.
func measures[A, B any](name string, from func(argument A, a ask) B) runner {
	signatures := []reflect.Type{reflect.TypeFor[func(B) Metrics](), reflect.TypeFor[func(B) (Metrics, Series)]()}
	return runner{signatures, func(f reflect.Value, argument any, a ask) (any, error) {
		var m Measured
		on := from(argument.(A), a)
		switch f := f.Interface().(type) {
		case func(B) Metrics:
			m.Metrics = f(on)
		case func(B) (Metrics, Series):
			m.Metrics, m.Series = f(on)
		}
		return m, m.check(name)
	}}
}

// want returns the signatures of the function for messages.
func (f *Function) want() string {
	if len(f.types) > 1 {
		return f.Signature + ", or with the results (alamos.Metrics, alamos.Series)"
	}
	return f.Signature
}

// decision is the result of Stop.
type decision struct {
	Stop   bool
	Reason string
}

// Functions lists the functions that scripts may define.
func Functions() []Function { return slices.Clone(functions) }

var functions = []Function{
	{
		Name: Measure, Kind: "metric",
		Signature: "func Measure(g alamos.Generation) alamos.Metrics",
		Setting: `hooks:
  # A fault leaves its cells empty.
  - hooks/openings.go
  # A fault stops the run.
  - {file: hooks/explosions.go, on_error: stop}`,
		runner: measures(Measure, func(g Generation, _ ask) Generation { return g }),
	},
	{
		Name: MeasureCheckpoint, Kind: "checkpoint",
		Signature: "func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics",
		Setting: `hooks:
  - hooks/entropy.go`,
		runner: measures(MeasureCheckpoint, newCheckpoint),
	},
	{
		Name: Evaluate, Kind: "evaluation",
		Signature: "func Evaluate(positions []alamos.Position) []float64",
		Setting: `tournament:
  players: [last, {hook: hooks/atomic.go, depth: 2}]
training:
  value_target: {file: hooks/atomic.go, weight: 0.5} # half hook, half result of the game`,
		runner: runs(func(f func([]alamos.Position) []float64, on []position, _ ask) ([]float64, error) {
			positions := make([]alamos.Position, len(on))
			for i, p := range on {
				positions[i] = alamos.ParsePosition(p.Variant, p.FEN)
			}
			values := f(positions)
			return values, checkValues(values, on)
		}),
	},
	{
		Name: Rate, Kind: "schedule",
		Signature: "func Rate(p alamos.Progress) float64",
		Setting: `training:
  schedule: {kind: hook, initial: 0.05, file: hooks/onecycle.go}`,
		runner: runs(func(f func(Progress) float64, p Progress, _ ask) (float64, error) {
			rate := f(p)
			if !(rate > 0) || math.IsInf(rate, 0) {
				return 0, fmt.Errorf("Rate returned %v: want a learning rate above 0", rate)
			}
			return rate, nil
		}),
	},
	{
		Name: Adjudicate, Kind: "adjudication",
		Signature: "func Adjudicate(games []alamos.Game) []string",
		Setting: `selfplay:
  adjudicate: hooks/resign.go
tournament:
  adjudicate: hooks/resign.go`,
		runner: runs(func(f func([]Game) []string, games []Game, _ ask) ([]chess.Result, error) {
			return parseResults(f(games), len(games))
		}),
	},
	{
		Name: Stop, Kind: "stop",
		Signature: "func Stop(p alamos.Progress) (stop bool, reason string)",
		Setting:   `stop: hooks/saturated.go`,
		runner: runs(func(f func(Progress) (bool, string), p Progress, _ ask) (decision, error) {
			stop, reason := f(p)
			return decision{stop, short(reason)}, nil
		}),
	},
}

// function returns the function with one of the names above.
func function(name string) *Function {
	return &functions[slices.IndexFunc(functions, func(f Function) bool { return f.Name == name })]
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

// Start returns the function of a kind and the template of a script with it.
func Start(kind string) (f Function, script []byte, err error) {
	i := slices.Index(Kinds(), kind)
	if i < 0 {
		return f, nil, fmt.Errorf("no kind of script is called %q: want %s", kind, strings.Join(Kinds(), ", "))
	}
	script, err = templates.ReadFile("templates/" + kind + ".go.txt")
	return functions[i], script, err
}

// metricName is the form of a metric's name.
var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Limits of a call: each metric is a column, and the manifest of a trial has all points.
const (
	maxMetrics = 1000
	maxPoints  = 1000
)

// check checks what a function measured.
func (m *Measured) check(function string) error {
	switch {
	case len(m.Metrics)+len(m.Series) == 0:
		return fmt.Errorf("%s returned no metrics", function)
	case len(m.Metrics) > maxMetrics:
		return fmt.Errorf("%s returned %d metrics: want at most %d", function, len(m.Metrics), maxMetrics)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Metrics)) {
		if err := checkName(name); err != nil {
			return err
		}
		if math.IsInf(m.Metrics[name], 0) {
			return fmt.Errorf("metric %s is infinite; NaN stands for a missing metric", name)
		}
	}
	points := 0
	for _, name := range slices.Sorted(maps.Keys(m.Series)) {
		if err := checkName(name); err != nil {
			return err
		}
		last := math.Inf(-1)
		for i, p := range m.Series[name] {
			if !(p.X > last) || math.IsInf(p.X, 0) {
				return fmt.Errorf("series %s: X of point %d is %v: want finite numbers that rise from point to point", name, i+1, p.X)
			}
			if math.IsInf(p.Y, 0) {
				return fmt.Errorf("series %s: Y of point %d is infinite; NaN leaves a gap", name, i+1)
			}
			last = p.X
		}
		points += len(m.Series[name])
	}
	if points > maxPoints {
		return fmt.Errorf("%s returned %d points of series: want at most %d", function, points, maxPoints)
	}
	return nil
}

func checkName(metric string) error {
	if !metricName.MatchString(metric) {
		return fmt.Errorf("%q is not a name of a metric or a series: want lowercase letters, digits and underscores, beginning with a letter", metric)
	}
	return nil
}

// longestLabel is the maximum number of characters of a label, which has to fit an axis.
const longestLabel = 80

// checkLabels checks the labels of metrics.
func checkLabels(all Labels) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := checkName(name); err != nil {
			return err
		}
		for _, text := range []string{all[name].Text, all[name].Unit, all[name].X} {
			if n := utf8.RuneCountInString(text); n > longestLabel || text != short(text) {
				return fmt.Errorf("the label of %s is %q: want one line of at most %d characters", name, short(text), longestLabel)
			}
		}
	}
	return nil
}

// checkValues checks the result of Evaluate.
func checkValues(values []float64, positions []position) error {
	if len(values) != len(positions) {
		return fmt.Errorf("Evaluate returned %d values for %d positions", len(values), len(positions))
	}
	for i, v := range values {
		if !(v >= -1 && v <= 1) {
			return fmt.Errorf("Evaluate returned %v for %s: want -1 to 1", v, positions[i].FEN)
		}
	}
	return nil
}

// parseResults reads what Adjudicate returns.
func parseResults(texts []string, games int) ([]chess.Result, error) {
	if len(texts) != games {
		return nil, fmt.Errorf("Adjudicate returned %d results for %d games", len(texts), games)
	}
	results := make([]chess.Result, games)
	for i, text := range texts {
		var err error
		if results[i], err = chess.ParseResult(cmp.Or(text, "*")); err != nil || text == "*" {
			return nil, fmt.Errorf(`Adjudicate returned %q: want "", "1-0", "0-1" or "1/2-1/2"`, text)
		}
	}
	return results, nil
}

// short shortens a reason for a table: one line, not too long.
func short(s string) string {
	const most = 200
	runes := []rune(strings.ToValidUTF8(oneLine(s), "?"))
	if len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(runes)
}
