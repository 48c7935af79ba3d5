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
)

// draws is the type of sweep.random.draw: key paths with a distribution each.
type draws struct{}

func (draws) want() string { return "a group of key paths, each with a distribution" }

func (d draws) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != mapping {
		return c.refuse(t, path, d, "")
	}
	return nil, readPaths(c, path, t, func(here string, e *entry, f *field) bool {
		if e.value.kind == null { // takes back what a file beneath draws
			return true
		}
		_, ok := readDistribution(c, here, f, e.value)
		return ok
	})
}

// distributions are the words for how a value is drawn.
var distributions = enum{"uniform", "log_uniform", "int", "choice"}

// distribution is how the values of one key are drawn.
type distribution struct {
	kind      string
	low, high float64 // of uniform, log_uniform, int: both can be drawn
	whole     bool    // only whole numbers
	items     []*tree // of choice
	at        Position
}

// readDistribution reads {uniform: [0.5, 4]} for a key. Where merged files name
// several distributions, the last one counts.
func readDistribution(c *checker, here string, f *field, t *tree) (d distribution, ok bool) {
	fail := func(at *tree, hint, format string, args ...any) (distribution, bool) {
		_, ok := c.fail(at, here, hint, format, args...)
		return d, ok
	}
	var e *entry
	for i := range t.entries {
		switch other := &t.entries[i]; {
		case other.value.kind == null:
		case e == nil || other.value.layer > e.value.layer:
			e = other
		case other.value.layer == e.value.layer:
			return fail(other.value, "", "want one distribution, have %s and %s", printable(e.key), printable(other.key))
		}
	}
	if e == nil {
		return fail(t, "as in {uniform: [0.5, 4]}", "want a distribution, %s, have %s", distributions.want(), t.have())
	}
	d.kind, d.at = e.key, e.value.at
	here = join(here, e.key)
	_, ofWhole := f.typ.(integer)
	_, ofReal := f.typ.(real)
	d.whole = ofWhole || d.kind == "int"
	switch d.kind {
	case "choice":
		d.items = e.value.items
		texts, ok := readAxis(c, here, e.key, f, e.value)
		for i, text := range texts {
			for _, before := range texts[:i] {
				if text == before && ok {
					return fail(e.value.items[i], "", "the value %s stands twice", printable(text))
				}
			}
		}
		return d, ok
	case "uniform", "log_uniform", "int":
	default:
		return fail(e.value, didYouMean(e.key, distributions), "want a distribution, %s, have %s", distributions.want(), printable(e.key))
	}
	switch {
	case !ofWhole && !ofReal:
		return fail(e.value, "use choice: [...]", "%s draws numbers, but the key wants %s", d.kind, f.typ.want())
	case ofWhole && d.kind == "uniform":
		return fail(e.value, "use int", "the key wants %s", f.typ.want())
	case e.value.kind != list || len(e.value.items) != 2:
		return fail(e.value, fmt.Sprintf("as in {%s: [1, 4]}", d.kind), "want two bounds, have %s", e.value.have())
	}
	bounds := [2]*float64{&d.low, &d.high}
	for i, item := range e.value.items {
		x, hint, isNumber := number(item)
		at := fmt.Sprintf("%s[%d]", here, i)
		if !isNumber {
			_, ok := c.fail(item, at, hint, "want a number, have %s", item.have())
			return d, ok
		}
		if _, ok := f.typ.read(c, at, item); !ok {
			return d, false
		}
		if d.kind == "int" && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
			_, ok := c.fail(item, at, "", "want a whole number, have %s", item.have())
			return d, ok
		}
		*bounds[i] = x
	}
	switch {
	case d.low >= d.high:
		return fail(e.value, "", "want the lower bound first, then the higher one, have %s and %s", formatFloat(d.low), formatFloat(d.high))
	case d.kind == "log_uniform" && d.low <= 0:
		return fail(e.value.items[0], "", "want bounds above 0, have %s", formatFloat(d.low))
	}
	return d, true
}

// show writes the distribution as the language does.
func (d distribution) show(f *field) string {
	parts := []string{formatFloat(d.low), formatFloat(d.high)}
	if d.kind == "choice" {
		parts = nil
		for _, item := range d.items {
			parts = append(parts, axisText(f, item))
		}
	}
	return fmt.Sprintf("{%s: [%s]}", d.kind, strings.Join(parts, ", "))
}

// draw returns the next value of a source of chance.
func (d distribution) draw(chance *rand.PCG) *tree {
	if d.kind == "choice" {
		return d.items[below(chance, uint64(len(d.items)))]
	}
	if d.kind == "int" {
		n := int64(d.low) + int64(below(chance, uint64(d.high-d.low)+1))
		return &tree{kind: scalar, text: strconv.FormatInt(n, 10), plain: true, at: d.at}
	}
	u := float64(chance.Uint64()>>11) / (1 << 53)
	x := d.low*(1-u) + d.high*u
	if d.kind == "log_uniform" {
		x = math.Exp(math.Log(d.low)*(1-u) + math.Log(d.high)*u)
	}
	return &tree{kind: scalar, text: formatFloat(d.round(x)), plain: true, at: d.at}
}

// below returns a number from 0 to n-1. What is left of an even chance is lost in
// the 64th bit.
func below(chance *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(chance.Uint64(), n)
	return hi
}

// round keeps what a reader can tell apart: of uniform, between 500 and 5,000
// values within the bounds; of log_uniform, 3 significant digits, or more where
// the bounds are that close.
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
	if err != nil { // infinite: bounds so far apart that no step is too big
		return 306
	}
	return n
}

// parse64 reads a number that was just written.
func parse64(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(fmt.Sprintf("experiment: %v", err))
	}
	return x
}

// chance returns the source of chance of one key: it depends on the experiment's
// seed and the key's path only, so that another key beside it, more trials or
// another order change no draw.
func chance(seed uint64, what string) *rand.PCG {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", what, seed))
	return rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))
}

// draws draws the points of sweep.random, all of them different.
func (l *loader) draws(r *tree, seed uint64) (bundle, bool) {
	c := &checker{bad: maps.Clone(l.bad), whole: true}
	v, ok := randomKeys.read(c, "sweep.random", r)
	keys, _ := v.(map[string]any)
	trials, _ := keys["trials"].(int64)
	lines := r.get("draw")
	if !ok || lines == nil {
		l.errs = append(l.errs, c.errs...)
		return bundle{}, false
	}
	b := bundle{key: "sweep.random.draw"}
	var from []distribution
	var sources []*rand.PCG
	for i := range lines.entries {
		e := &lines.entries[i]
		if f := lookup(e.key); f != nil && e.value.kind != null {
			d, ok := readDistribution(c, "", f, e.value)
			if !ok {
				return bundle{}, false // reported by itself
			}
			b.axes = append(b.axes, axis{e.key, f, e.at, d.show(f)})
			from, sources = append(from, d), append(sources, chance(seed, "sweep.random "+e.key))
		}
	}
	if len(b.axes) == 0 {
		if len(l.errs) == 0 { // else the lines may be there, with faults
			l.errs = append(l.errs, lines.at.errorf("sweep.random.draw", "nothing to draw: want at least one key path with a distribution"))
		}
		return bundle{}, false
	}
	seen := map[string]bool{}
	for tries := 100*int(trials) + 10_000; len(b.points) < int(trials); tries-- {
		if tries == 0 {
			l.errs = append(l.errs, r.get("trials").at.errorf("sweep.random.trials", "want %d different trials, but there are only %d to draw", trials, len(b.points)))
			return bundle{}, false
		}
		var point []*tree
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
