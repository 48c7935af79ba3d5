package hook

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"alamos/pkg/hook/alamos"
)

// call calls a function of the script, with package variables as the file sets
// them, and looks at what it returns. ask answers a checkpoint's questions.
func (s *script) call(c *call, ask func(question) reply) (r report) {
	defer s.recovered(&r.Fault)
	if fault := s.initialize(); fault != nil {
		return report{Fault: fault}
	}
	f := s.have[c.Function]
	switch c.Function {
	case Measure:
		r.Metrics = as[func(alamos.Generation) alamos.Metrics](f)(c.Generation)
		r.Fault = s.checkMetrics(c.Function, r.Metrics)
	case MeasureCheckpoint:
		r.Metrics = as[func(alamos.Checkpoint) alamos.Metrics](f)(askable(c.Checkpoint, ask))
		r.Fault = s.checkMetrics(c.Function, r.Metrics)
	case Evaluate:
		positions := make([]alamos.Position, len(c.Positions))
		for i, p := range c.Positions {
			positions[i] = alamos.ParsePosition(p.Variant, p.FEN)
		}
		r.Numbers = as[func([]alamos.Position) []float64](f)(positions)
		r.Fault = s.checkValues(r.Numbers, positions)
	case Rate:
		rate := as[func(alamos.Progress) float64](f)(c.Progress)
		r.Numbers = []float64{rate}
		if !(rate > 0) || math.IsInf(rate, 0) {
			r.Fault = s.faultHere(fmt.Sprintf("Rate returned %v: want a learning rate above 0", rate))
		}
	case Adjudicate:
		r.Texts = as[func([]alamos.Game) []string](f)(c.Games)
		r.Fault = s.checkResults(r.Texts, len(c.Games))
	case Stop:
		stop, reason := as[func(alamos.Progress) (bool, string)](f)(c.Progress)
		r.Stop, r.Texts = stop, []string{short(reason)}
	default:
		r.Fault = s.faultHere("no function " + c.Function)
	}
	return r
}

// as is a function of the script as the compiled program calls it. Its signature
// has been checked; a panic here is reported as any other.
func as[F any](f reflect.Value) F { return f.Interface().(F) }

// maxAsked is how many evaluations of the network a call may ask for, a visit of a
// search counting as one. The time that the network takes is not the script's, so
// that a script that asks without end needs a bound of its own.
const maxAsked = 10_000_000

// askable is the checkpoint that a script gets.
func askable(c checkpoint, ask func(question) reply) alamos.Checkpoint {
	asked := 0
	send := func(name string, positions []alamos.Position, q question) reply {
		if more := max(1, q.Visits); more > (maxAsked-asked)/len(positions) {
			panic(fmt.Sprintf("%s: more than %d million evaluations in a call: stopped here (an endless loop?)", name, maxAsked/1_000_000))
		}
		asked += max(1, q.Visits) * len(positions)
		for _, p := range positions {
			q.Positions = append(q.Positions, position{p.Variant(), p.FEN()})
		}
		r := ask(q)
		if r.Refusal != "" {
			panic(name + ": " + r.Refusal)
		}
		return r
	}
	return alamos.Checkpoint{
		Generation: c.Generation, Variant: c.Variant, Samples: c.Samples,
		Evaluate: func(positions []alamos.Position) []alamos.Evaluation {
			if len(positions) == 0 {
				return nil
			}
			return send("Evaluate", positions, question{}).Evaluations
		},
		Search: func(positions []alamos.Position, visits int) []alamos.SearchResult {
			if visits < 1 {
				panic(fmt.Sprintf("Search with %d visits: want at least 1", visits))
			}
			if len(positions) == 0 {
				return nil
			}
			return send("Search", positions, question{Search: true, Visits: visits}).Searches
		},
	}
}

// metricName is what the name of a metric looks like.
var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// maxMetrics is how many metrics a script may return: each is a column.
const maxMetrics = 1000

// checkMetrics looks at metrics that a script has returned.
func (s *script) checkMetrics(function string, m alamos.Metrics) *Error {
	switch {
	case len(m) == 0:
		return s.faultHere(function + " returned no metrics")
	case len(m) > maxMetrics:
		return s.faultHere(fmt.Sprintf("%s returned %d metrics: want at most %d", function, len(m), maxMetrics))
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !metricName.MatchString(name) {
			return s.faultHere(fmt.Sprintf("%q is not a name of a metric: want lowercase letters, digits and underscores, beginning with a letter", name))
		}
		if math.IsInf(m[name], 0) {
			return s.faultHere(fmt.Sprintf("metric %s is infinite; NaN stands for a metric that there is not", name))
		}
	}
	return nil
}

// checkValues looks at what Evaluate has returned.
func (s *script) checkValues(values []float64, positions []alamos.Position) *Error {
	if len(values) != len(positions) {
		return s.faultHere(fmt.Sprintf("Evaluate returned %d values for %d positions", len(values), len(positions)))
	}
	for i, v := range values {
		if !(v >= -1 && v <= 1) {
			return s.faultHere(fmt.Sprintf("Evaluate returned %v for %s: want -1 to 1", v, positions[i].FEN()))
		}
	}
	return nil
}

// checkResults looks at what Adjudicate has returned.
func (s *script) checkResults(results []string, games int) *Error {
	if len(results) != games {
		return s.faultHere(fmt.Sprintf("Adjudicate returned %d results for %d games", len(results), games))
	}
	for _, r := range results {
		switch r {
		case "", "1-0", "0-1", "1/2-1/2":
		default:
			return s.faultHere(fmt.Sprintf(`Adjudicate returned %q: want "", "1-0", "0-1" or "1/2-1/2"`, r))
		}
	}
	return nil
}

// short is a reason as it stands in a table: one line, not too long.
func short(s string) string {
	const most = 200
	runes := []rune(strings.ToValidUTF8(oneLine(s), "?"))
	if len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(runes)
}
