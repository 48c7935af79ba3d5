package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"alamos/pkg/config"
)

// draws is the type of sweep.random.draw: key paths with a distribution each.
type draws struct{}

func (draws) JSONSchema(s *config.Schema, _ string) map[string]any {
	return byPath(func(path string) map[string]any { return distributionSchema(s.Lookup(path).Type, path) })
}

// distributionSchema returns the JSON Schema of a key's distribution.
func distributionSchema(t config.Type, path string) map[string]any {
	bounds := map[string]any{"type": "array", "items": map[string]any{"type": "number"}, "minItems": 2, "maxItems": 2}
	kinds := map[string]any{"choice": map[string]any{"type": "array", "items": config.OrNull(config.Definition(path)), "minItems": 1}}
	if n, ok := t.(config.Number); ok {
		kinds["int"], kinds["log_uniform"] = bounds, bounds
		if !n.Whole {
			kinds["uniform"] = bounds
		}
	}
	return map[string]any{"type": []string{"object", "null"}, "properties": kinds, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}
}

func (draws) Want() string { return "a group of key paths, each with a distribution" }

func (d draws) Read(c *config.Reader, path string, t *config.Node) (any, bool) {
	if t.Kind != config.Mapping {
		return c.Refuse(t, path, d, "")
	}
	return nil, readPaths(c, path, t, func(here string, e *config.Entry, f *config.Field) bool {
		if e.Value.Kind == config.Null { // null removes the draw of a file below
			return true
		}
		_, ok := readDistribution(c, here, f, e.Value)
		return ok
	})
}

// distributions are the names of the distributions.
var distributions = config.Enum{"uniform", "log_uniform", "int", "choice"}

// distribution describes how the values of one key are drawn.
type distribution struct {
	kind      string
	low, high float64        // of uniform, log_uniform, int; both are inclusive
	whole     bool           // only whole numbers
	items     []*config.Node // of choice
	at        config.Position
}

// readDistribution reads {uniform: [0.5, 4]} for a key. If merged files name several
// distributions, the last one counts.
func readDistribution(c *config.Reader, here string, f *config.Field, t *config.Node) (d distribution, ok bool) {
	fail := func(at *config.Node, hint, format string, args ...any) (distribution, bool) {
		_, ok := c.Fail(at, here, hint, format, args...)
		return d, ok
	}
	var e *config.Entry
	for i := range t.Entries {
		switch other := &t.Entries[i]; {
		case other.Value.Kind == config.Null:
		case e == nil || other.Value.Layer > e.Value.Layer:
			e = other
		case other.Value.Layer == e.Value.Layer:
			return fail(other.Value, "", "want one distribution, have %s and %s", config.Printable(e.Key), config.Printable(other.Key))
		}
	}
	if e == nil {
		return fail(t, "as in {uniform: [0.5, 4]}", "want a distribution, %s, have %s", distributions.Want(), t.Have())
	}
	d.kind, d.at = e.Key, e.Value.At
	here = config.Join(here, e.Key)
	number, isNumber := f.Type.(config.Number)
	d.whole = number.Whole || d.kind == "int"
	switch d.kind {
	case "choice":
		d.items = e.Value.Items
		texts, ok := readAxis(c, here, e.Key, f, e.Value)
		for i, text := range texts {
			for _, before := range texts[:i] {
				if text == before && ok {
					return fail(e.Value.Items[i], "", "the value %s stands twice", config.Printable(text))
				}
			}
		}
		return d, ok
	case "uniform", "log_uniform", "int":
	default:
		return fail(e.Value, config.DidYouMean(e.Key, distributions), "want a distribution, %s, have %s", distributions.Want(), config.Printable(e.Key))
	}
	switch {
	case !isNumber:
		return fail(e.Value, "use choice: [...]", "%s draws numbers, but the key wants %s", d.kind, f.Type.Want())
	case number.Whole && d.kind == "uniform":
		return fail(e.Value, "use int", "the key wants %s", f.Type.Want())
	case e.Value.Kind != config.List || len(e.Value.Items) != 2:
		return fail(e.Value, fmt.Sprintf("as in {%s: [1, 4]}", d.kind), "want two bounds, have %s", e.Value.Have())
	}
	bounds := [2]*float64{&d.low, &d.high}
	for i, item := range e.Value.Items {
		x, hint, isNumber := config.ReadNumber(item)
		at := fmt.Sprintf("%s[%d]", here, i)
		if !isNumber {
			_, ok := c.Fail(item, at, hint, "want a number, have %s", item.Have())
			return d, ok
		}
		if _, ok := f.Type.Read(c, at, item); !ok {
			return d, false
		}
		if d.kind == "int" && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
			_, ok := c.Fail(item, at, "", "want a whole number, have %s", item.Have())
			return d, ok
		}
		*bounds[i] = x
	}
	switch {
	case d.low >= d.high:
		return fail(e.Value, "", "want the lower bound first, then the higher one, have %s and %s", config.FormatFloat(d.low), config.FormatFloat(d.high))
	case d.kind == "log_uniform" && d.low <= 0:
		return fail(e.Value.Items[0], "", "want bounds above 0, have %s", config.FormatFloat(d.low))
	}
	return d, true
}

// show formats the distribution in the language.
func (d distribution) show(f *config.Field) string {
	parts := []string{config.FormatFloat(d.low), config.FormatFloat(d.high)}
	if d.kind == "choice" {
		parts = nil
		for _, item := range d.items {
			parts = append(parts, axisText(f, item))
		}
	}
	return fmt.Sprintf("{%s: [%s]}", d.kind, strings.Join(parts, ", "))
}

// draw returns the next value.
func (d distribution) draw(chance *rand.PCG) *config.Node {
	if d.kind == "choice" {
		return d.items[below(chance, uint64(len(d.items)))]
	}
	if d.kind == "int" {
		n := int64(d.low) + int64(below(chance, uint64(d.high-d.low)+1))
		return &config.Node{Kind: config.Scalar, Text: strconv.FormatInt(n, 10), Plain: true, At: d.at}
	}
	u := float64(chance.Uint64()>>11) / (1 << 53)
	x := d.low*(1-u) + d.high*u
	if d.kind == "log_uniform" {
		x = math.Exp(math.Log(d.low)*(1-u) + math.Log(d.high)*u)
	}
	return &config.Node{Kind: config.Scalar, Text: config.FormatFloat(d.round(x)), Plain: true, At: d.at}
}

// below returns a number from 0 to n-1. Its bias is negligible, of the order of n/2^64.
func below(chance *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(chance.Uint64(), n)
	return hi
}

// round keeps the digits that a reader can distinguish: for uniform, between 500 and 5,000
// values within the bounds; for log_uniform, 3 significant digits, or more if the bounds
// are close.
func (d distribution) round(x float64) float64 {
	if d.kind == "uniform" {
		if digits := -exponent((d.high - d.low) / 500); digits >= 0 {
			x = parse64(strconv.FormatFloat(x, 'f', digits, 64))
		} else {
			step := parse64(fmt.Sprintf("1e%d", -digits))
			x = math.Round(x/step) * step
		}
	} else {
		digits := 3
		for ; digits < 17 && (d.high/d.low-1)/100 < parse64(fmt.Sprintf("1e%d", 1-digits)); digits++ {
		}
		x = parse64(strconv.FormatFloat(x, 'e', digits-1, 64))
	}
	if d.whole {
		x = math.Round(x)
	}
	return min(max(x, d.low), d.high)
}

// exponent returns the power of ten of the first digit of x.
func exponent(x float64) int {
	_, after, _ := strings.Cut(strconv.FormatFloat(x, 'e', 17, 64), "e")
	n, err := strconv.Atoi(after)
	if err != nil { // infinite: the bounds are so far apart that no step is too large
		return 306
	}
	return n
}

// parse64 reads a number that was just formatted.
func parse64(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(fmt.Sprintf("experiment: %v", err))
	}
	return x
}

// chance returns the random source of one key. It depends only on the experiment's seed and
// the key's path, so another key, more trials or another order changes no draw.
func chance(seed uint64, what string) *rand.PCG {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", what, seed))
	return rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))
}

// draws draws the points of sweep.random, all different.
func (l *loader) draws(r *config.Node, seed uint64) (bundle, bool) {
	c := &config.Reader{Bad: maps.Clone(l.bad), Whole: true}
	keys, ok := readSection(c, "sweep.random", r)
	trials, _ := keys["trials"].(int64)
	lines := r.Get("draw")
	if !ok || lines == nil {
		l.errs = append(l.errs, c.Errs...)
		return bundle{}, false
	}
	b := bundle{key: "sweep.random.draw"}
	var from []distribution
	var sources []*rand.PCG
	for i := range lines.Entries {
		e := &lines.Entries[i]
		if f := schema().Lookup(e.Key); f != nil && e.Value.Kind != config.Null {
			d, ok := readDistribution(c, "", f, e.Value)
			if !ok {
				return bundle{}, false // reported elsewhere
			}
			b.axes = append(b.axes, axis{e.Key, f, e.At, d.show(f)})
			from, sources = append(from, d), append(sources, chance(seed, "sweep.random "+e.Key))
		}
	}
	if len(b.axes) == 0 {
		if len(l.errs) == 0 { // with faults, there may be lines that are not axes
			l.errs = append(l.errs, lines.At.Errorf("sweep.random.draw", "nothing to draw: want at least one key path with a distribution"))
		}
		return bundle{}, false
	}
	seen := map[string]bool{}
	for tries := 100*int(trials) + 10_000; len(b.points) < int(trials); tries-- {
		if tries == 0 {
			l.errs = append(l.errs, r.Get("trials").At.Errorf("sweep.random.trials", "want %d different trials, but there are only %d to draw", trials, len(b.points)))
			return bundle{}, false
		}
		var point []*config.Node
		var texts []string
		for i, d := range from {
			item := d.draw(sources[i])
			point, texts = append(point, item), append(texts, axisText(b.axes[i].field, item))
		}
		if key := fmt.Sprintf("%q", texts); !seen[key] {
			seen[key] = true
			b.points = append(b.points, point)
		}
	}
	return b, true
}
