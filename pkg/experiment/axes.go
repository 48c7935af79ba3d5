package experiment

import (
	"fmt"
	"strings"
)

// axis is a key that a sweep varies, before it is printed.
type axis struct {
	path  string
	field *field
	at    Position // of the line that varies it
	shown string   // its values on one line of YAML: "[2, 5]" or "{uniform: [0.5, 4]}"
}

// bundle is axes that move together: a line of the grid, the lists of a zip, or
// all that is drawn at random. The product of a sweep is that of its bundles.
type bundle struct {
	key    string // "sweep.grid", "sweep.zip", "sweep.random.draw"
	axes   []axis
	points [][]*tree // each with a value for every axis
}

// canBeSwept says whether a key decides results.
func canBeSwept(path string, f *field) bool {
	return !f.own && !f.offPath && !f.aside && !strings.HasPrefix(path, "sweep.")
}

// sweepable returns the paths of the keys that can be swept, in schema order.
func sweepable() []string {
	var paths []string
	eachKey(func(path string, f *field) {
		if canBeSwept(path, f) {
			paths = append(paths, path)
		}
	})
	return paths
}

// readPaths reads a mapping whose keys are paths of keys that can be swept.
func readPaths(c *checker, path string, t *tree, read func(here string, e *entry, f *field) bool) bool {
	ok := true
	for i := range t.entries {
		e := &t.entries[i]
		if e.value.bad {
			continue
		}
		here := join(path, e.key)
		fail := func(hint, format string, args ...any) {
			e.value.bad, ok = true, false
			c.errs = append(c.errs, e.at.errorf(here, format, args...).hint(hint))
		}
		f := lookup(e.key)
		switch {
		case f == nil:
			fail(suggestPath(e.key), "no key has this path")
		case !canBeSwept(e.key, f):
			fail("", "this key cannot be swept: it decides no result")
		case !read(here, e, f):
			e.value.bad, ok = true, false
		}
	}
	return ok
}

// grid is the type of sweep.grid: key paths with lists of values.
type grid struct{}

func (grid) want() string { return "a group of key paths, each with a list of values" }

func (g grid) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != mapping {
		return c.refuse(t, path, g, "")
	}
	return nil, readPaths(c, path, t, func(here string, e *entry, f *field) bool {
		if e.value.kind == null { // takes back what a file beneath varies
			return true
		}
		texts, ok := readAxis(c, here, e.key, f, e.value)
		for i, text := range texts {
			for _, before := range texts[:i] {
				if text == before && ok {
					_, ok = c.fail(e.value.items[i], here, "", "the value %s stands twice", printable(text))
				}
			}
		}
		return ok
	})
}

// readAxis checks a list of values of one key and returns them as texts. key is
// how the list is written down.
func readAxis(c *checker, here, key string, f *field, t *tree) ([]string, bool) {
	if t.kind != list {
		if t.kind == mapping && len(t.entries) > 0 {
			key = join(key, t.entries[0].key)
		}
		_, ok := c.fail(t, here, fmt.Sprintf("write %s: [...]", key), "want a list of values, have %s", t.have())
		return nil, ok
	}
	if len(t.items) == 0 {
		_, ok := c.fail(t, here, "", "want at least one value, have an empty list")
		return nil, ok
	}
	var texts []string
	ok := true
	for i, item := range t.items {
		text, good := readAxisValue(c, fmt.Sprintf("%s[%d]", here, i), f, item)
		texts, ok = append(texts, text), ok && good
	}
	return texts, ok
}

// readAxisValue checks a value of an axis and returns it as text. null stands
// for the default.
func readAxisValue(c *checker, path string, f *field, t *tree) (string, bool) {
	if t.kind == null {
		return "null", true
	}
	v, ok := f.typ.read(c, path, t)
	return show(f.typ, v), ok
}

// axisText is the text of a value that has been checked.
func axisText(f *field, t *tree) string {
	text, _ := readAxisValue(&checker{bad: map[string]bool{}}, "", f, t)
	return text
}

// zips is the type of sweep.zip: as a grid, but the lists move together; or
// several of them.
type zips struct{}

func (zips) want() string {
	return "a group of key paths, each with a list of values, or a list of such groups"
}

func (z zips) read(c *checker, path string, t *tree) (any, bool) {
	switch t.kind {
	case mapping:
		return nil, z.group(c, path, t)
	case list:
		ok := true
		for i, item := range t.items {
			here := fmt.Sprintf("%s[%d]", path, i)
			if item.kind != mapping {
				_, ok = c.refuse(item, here, grid{}, "")
				continue
			}
			ok = z.group(c, here, item) && ok
		}
		t.bad = t.bad || !ok
		return nil, ok
	}
	return c.refuse(t, path, z, "")
}

func (zips) group(c *checker, path string, t *tree) bool {
	return readPaths(c, path, t, func(here string, e *entry, f *field) bool {
		if e.value.kind == null {
			return true
		}
		_, ok := readAxis(c, here, e.key, f, e.value)
		return ok
	})
}

// combination is the type of the items of sweep.include and sweep.exclude: key
// paths with one value each.
type combination struct{}

func (combination) want() string { return "a group of key paths, each with a value" }

func (x combination) read(c *checker, path string, t *tree) (any, bool) {
	switch {
	case t.kind != mapping:
		return c.refuse(t, path, x, "")
	case len(t.entries) == 0:
		return c.fail(t, path, "", "want at least one key path with a value, have an empty group")
	}
	defer func(whole bool) { c.whole = whole }(c.whole)
	c.whole = false // a group need not be complete: it is laid over the file's own
	ok := readPaths(c, path, t, func(here string, e *entry, f *field) bool {
		_, ok := readAxisValue(c, here, f, e.value)
		return ok
	})
	t.bad = t.bad || !ok
	return nil, ok
}

// bundles returns what the grid, the zips and the random draws of a sweep vary.
// It reports what is wrong between the lines of a zip and with the draws.
func (l *loader) bundles(sweep *tree, seed uint64) []bundle {
	var all []bundle
	if g := sweep.get("grid"); g != nil {
		for i := range g.entries {
			if b := together("sweep.grid", g.entries[i:i+1]); len(b.axes) > 0 {
				all = append(all, b)
			}
		}
	}
	if z := sweep.get("zip"); z != nil {
		groups := z.items
		if z.kind == mapping {
			groups = []*tree{z}
		}
		for _, g := range groups {
			if l.equalLengths(g) {
				if b := together("sweep.zip", g.entries); len(b.axes) > 0 {
					all = append(all, b)
				}
			}
		}
	}
	if r := sweep.get("random"); r != nil {
		if b, ok := l.draws(r, seed); ok {
			all = append(all, b)
		}
	}
	return all
}

// together makes a bundle of lists of equal length.
func together(key string, entries []entry) bundle {
	b := bundle{key: key}
	for _, e := range entries {
		f := lookup(e.key)
		if f == nil || e.value.kind != list {
			continue
		}
		var texts []string
		for i, item := range e.value.items {
			if len(b.axes) == 0 {
				b.points = append(b.points, nil)
			}
			b.points[i] = append(b.points[i], item)
			texts = append(texts, axisText(f, item))
		}
		b.axes = append(b.axes, axis{e.key, f, e.at, "[" + strings.Join(texts, ", ") + "]"})
	}
	return b
}

// equalLengths checks the lists of a zip against the first of them.
func (l *loader) equalLengths(t *tree) bool {
	var first *entry
	ok := true
	for i := range t.entries {
		e := &t.entries[i]
		switch {
		case e.value.kind != list:
		case first == nil:
			first = e
		case len(e.value.items) != len(first.value.items):
			ok = false
			l.errs = append(l.errs, e.at.errorf(join("sweep.zip", e.key), "want as many values as %s at %s has, %d: have %d",
				first.key, first.at.line(), len(first.value.items), len(e.value.items)).hint("lists of a zip move together"))
		}
	}
	return ok
}
