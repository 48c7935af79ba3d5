package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/stats"
)

// distributions are the names of the distributions.
var distributions = config.Enum{"uniform", "log_uniform", "int", "choice"}

// distribution describes how the values of one key are drawn.
type distribution struct {
	path      string
	at        config.Position // of the key
	kind      string
	low, high float64   // of uniform, log_uniform, int; both are inclusive
	whole     bool      // only whole numbers
	choices   []setting // of choice
}

func (draws) JSONSchema(s *config.Schema, _ string) map[string]any {
	bounds := map[string]any{"type": "array", "items": map[string]any{"type": "number"}, "minItems": 2, "maxItems": 2}
	return byPath(func(path string) map[string]any {
		kinds := map[string]any{"choice": map[string]any{"type": "array", "items": config.OrNull(config.Definition(path)), "minItems": 1}}
		if n, ok := s.Lookup(path).Type.(config.Number); ok {
			kinds["int"], kinds["log_uniform"] = bounds, bounds
			if !n.Whole {
				kinds["uniform"] = bounds
			}
		}
		return map[string]any{"type": []string{"object", "null"}, "properties": kinds, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}
	})
}

func (d draws) Read(r *config.Reader, path string, t *config.Node) (any, bool) {
	ok := readPaths(r, path, t, d, func(here string, e *config.Entry, f *config.Field) bool {
		if e.Value.Kind == config.Null { // null removes the distribution of an extended file
			return true
		}
		one := distribution{path: e.Key, at: e.At}
		ok := one.read(r, here, e, f)
		d = append(d, one)
		return ok
	})
	return d, ok
}

// read reads the value of a key, such as {uniform: [0.5, 4]}.
func (d *distribution) read(r *config.Reader, here string, key *config.Entry, f *config.Field) bool {
	fail := func(t *config.Node, path, hint, format string, args ...any) bool {
		_, ok := r.Fail(t, path, hint, format, args...)
		return ok
	}
	var e *config.Entry // of the topmost layer, if merged files name several distributions
	for i := range key.Value.Entries {
		switch other := &key.Value.Entries[i]; {
		case other.Value.Kind == config.Null:
		case e == nil || other.Value.Layer > e.Value.Layer:
			e = other
		case other.Value.Layer == e.Value.Layer:
			return fail(other.Value, here, "", "want one distribution, have %s and %s", config.Printable(e.Key), config.Printable(other.Key))
		}
	}
	if e == nil {
		return fail(key.Value, here, "as in {uniform: [0.5, 4]}", "want a distribution, %s, have %s", distributions.Want(), key.Value.Have())
	}
	d.kind, here = e.Key, config.Join(here, e.Key)
	number, isNumber := f.Type.(config.Number)
	d.whole = number.Whole || d.kind == "int"
	switch items := e.Value.Items; {
	case d.kind == "choice":
		var ok bool
		d.choices, ok = readList(r, here, d.kind, key, f, e.Value, true)
		return ok
	case d.kind != "uniform" && d.kind != "log_uniform" && d.kind != "int":
		return fail(e.Value, here, config.DidYouMean(d.kind, distributions), "want a distribution, %s, have %s", distributions.Want(), config.Printable(d.kind))
	case !isNumber:
		return fail(e.Value, here, "use choice: [...]", "%s draws numbers, but the key wants %s", d.kind, f.Type.Want())
	case number.Whole && d.kind == "uniform":
		return fail(e.Value, here, "use int", "the key wants %s", f.Type.Want())
	case e.Value.Kind != config.List || len(items) != 2:
		return fail(e.Value, here, fmt.Sprintf("as in {%s: [1, 4]}", d.kind), "want two bounds, have %s", e.Value.Have())
	default:
		number.Words, number.Ramp, number.Whole = nil, nil, d.whole
		low, okLow := number.Read(r, here+"[0]", items[0])
		high, okHigh := number.Read(r, here+"[1]", items[1])
		if !okLow || !okHigh {
			return false
		}
		d.low, d.high = config.Float(low), config.Float(high)
	}
	switch {
	case d.low >= d.high:
		return fail(e.Value, here, "", "want the lower bound first, then the higher one, have %s and %s", config.FormatFloat(d.low), config.FormatFloat(d.high))
	case d.kind == "log_uniform" && d.low <= 0:
		return fail(e.Value.Items[0], here, "", "want bounds above 0, have %s", config.FormatFloat(d.low))
	}
	return true
}

// String returns the distribution as it is written.
func (d distribution) String() string {
	parts := []string{config.FormatFloat(d.low), config.FormatFloat(d.high)}
	if d.kind == "choice" {
		parts = nil
		for _, s := range d.choices {
			parts = append(parts, s.text)
		}
	}
	return fmt.Sprintf("{%s: [%s]}", d.kind, strings.Join(parts, ", "))
}

// draw returns the next value.
func (d distribution) draw(rng *rand.Rand) setting {
	var text string
	switch u := rng.Float64(); d.kind { // choice and int ignore u; not to draw it would change the trials of today's files
	case "choice":
		return d.choices[rng.IntN(len(d.choices))]
	case "int":
		text = strconv.FormatInt(int64(d.low)+rng.Int64N(int64(d.high-d.low)+1), 10)
	case "uniform":
		text = d.rounded(d.low*(1-u) + d.high*u)
	case "log_uniform":
		text = d.rounded(math.Exp(math.Log(d.low)*(1-u) + math.Log(d.high)*u))
	}
	return plainSetting(d.path, text, d.at)
}

// rounded formats x with 4 significant digits, and those that the bounds have in common.
func (d distribution) rounded(x float64) string {
	digits := 4 + int(max(0, math.Log10(max(-d.low, d.high)/(d.high-d.low))))
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // formatted as a number
	if d.whole {
		x = math.Round(x)
	}
	return config.FormatFloat(min(max(x, d.low), d.high))
}

// axes draws n different points, the values of all axes at one index.
func (d draws) axes(n int, seed uint64) []axis {
	var axes []axis
	var sources []*rand.Rand
	for _, one := range d {
		axes = append(axes, axis{key: "sweep.random.draw", path: one.path, at: one.at, shown: one.String()})
		// A key's values do not depend on other keys, more trials or another order.
		sources = append(sources, stats.NewRand(stats.DeriveNamed(seed, "sweep.random "+one.path, 0)))
	}
	seen := map[string]bool{}
	for tries := 100*n + 10_000; len(seen) < n && tries > 0; tries-- {
		var point combination
		for i, one := range d {
			point = append(point, one.draw(sources[i]))
		}
		if key := point.label(); !seen[key] {
			seen[key] = true
			for i := range axes {
				axes[i].values = append(axes[i].values, point[i])
			}
		}
	}
	return axes
}
