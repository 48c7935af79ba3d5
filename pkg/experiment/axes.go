package experiment

import (
	"fmt"
	"strings"

	"alamos/pkg/config"
)

// axis is a key that a sweep varies, before conversion to an [Axis].
type axis struct {
	path  string
	field *config.Field
	at    config.Position // of the line that varies it
	shown string          // its values on one line of YAML: "[2, 5]" or "{uniform: [0.5, 4]}"
}

// bundle is a set of axes that vary together: a line of the grid, the lists of a zip, or
// all random draws. The product of a sweep is the product of its bundles.
type bundle struct {
	key    string // "sweep.grid", "sweep.zip", "sweep.random.draw"
	axes   []axis
	points [][]*config.Node // each has a value for every axis
}

// readPaths reads a mapping from key paths to values. Only keys that a sweep may vary are
// valid.
func readPaths(c *config.Reader, path string, t *config.Node, read func(here string, e *config.Entry, f *config.Field) bool) bool {
	ok := true
	for i := range t.Entries {
		e := &t.Entries[i]
		if e.Value.Bad {
			continue
		}
		here := config.Join(path, e.Key)
		fail := func(hint, format string, args ...any) {
			e.Value.Bad, ok = true, false
			c.Errs = append(c.Errs, e.At.Errorf(here, format, args...).WithHint(hint))
		}
		f := schema().Lookup(e.Key)
		switch {
		case f == nil:
			fail(schema().SuggestPath(e.Key), "no key has this path")
		case !f.Decides:
			fail("", "this key cannot be swept: it decides no result")
		case !read(here, e, f):
			e.Value.Bad, ok = true, false
		}
	}
	return ok
}

// grid is the type of sweep.grid: key paths with lists of values.
type grid struct{}

func (grid) JSONSchema(*config.Schema, string) map[string]any {
	return config.Definition(sweptLists)
}

func (grid) Want() string { return "a group of key paths, each with a list of values" }

func (g grid) Read(c *config.Reader, path string, t *config.Node) (any, bool) {
	if t.Kind != config.Mapping {
		return c.Refuse(t, path, g, "")
	}
	return nil, readPaths(c, path, t, func(here string, e *config.Entry, f *config.Field) bool {
		if e.Value.Kind == config.Null { // null removes the values of a file below
			return true
		}
		texts, ok := readAxis(c, here, e.Key, f, e.Value)
		for i, text := range texts {
			for _, before := range texts[:i] {
				if text == before && ok {
					_, ok = c.Fail(e.Value.Items[i], here, "", "the value %s stands twice", config.Printable(text))
				}
			}
		}
		return ok
	})
}

// readAxis checks a list of values of one key and returns them as texts. key is the written
// form of the list in messages.
func readAxis(c *config.Reader, here, key string, f *config.Field, t *config.Node) ([]string, bool) {
	if t.Kind != config.List {
		if t.Kind == config.Mapping && len(t.Entries) > 0 {
			key = config.Join(key, t.Entries[0].Key)
		}
		_, ok := c.Fail(t, here, fmt.Sprintf("write %s: [...]", key), "want a list of values, have %s", t.Have())
		return nil, ok
	}
	if len(t.Items) == 0 {
		_, ok := c.Fail(t, here, "", "want at least one value, have an empty list")
		return nil, ok
	}
	var texts []string
	ok := true
	for i, item := range t.Items {
		text, good := readAxisValue(c, fmt.Sprintf("%s[%d]", here, i), f, item)
		texts, ok = append(texts, text), ok && good
	}
	return texts, ok
}

// readAxisValue checks a value of an axis and returns it as text. null means the default.
func readAxisValue(c *config.Reader, path string, f *config.Field, t *config.Node) (string, bool) {
	if t.Kind == config.Null {
		return "null", true
	}
	v, ok := f.Type.Read(c, path, t)
	return config.Show(f.Type, v), ok
}

// axisText returns the text of a checked value.
func axisText(f *config.Field, t *config.Node) string {
	text, _ := readAxisValue(&config.Reader{Bad: map[string]bool{}}, "", f, t)
	return text
}

// zips is the type of sweep.zip: a grid whose lists move together, or several of them.
type zips struct{}

func (zips) JSONSchema(*config.Schema, string) map[string]any {
	lists := config.Definition(sweptLists)
	return map[string]any{"anyOf": []any{lists, map[string]any{"type": "array", "items": lists}}}
}

func (zips) Want() string {
	return "a group of key paths, each with a list of values, or a list of such groups"
}

func (z zips) Read(c *config.Reader, path string, t *config.Node) (any, bool) {
	switch t.Kind {
	case config.Mapping:
		return nil, z.group(c, path, t)
	case config.List:
		ok := true
		for i, item := range t.Items {
			here := fmt.Sprintf("%s[%d]", path, i)
			if item.Kind != config.Mapping {
				_, ok = c.Refuse(item, here, grid{}, "")
				continue
			}
			ok = z.group(c, here, item) && ok
		}
		t.Bad = t.Bad || !ok
		return nil, ok
	}
	return c.Refuse(t, path, z, "")
}

func (zips) group(c *config.Reader, path string, t *config.Node) bool {
	return readPaths(c, path, t, func(here string, e *config.Entry, f *config.Field) bool {
		if e.Value.Kind == config.Null {
			return true
		}
		_, ok := readAxis(c, here, e.Key, f, e.Value)
		return ok
	})
}

// combination is the type of the items of sweep.include and sweep.exclude: key paths with
// one value each.
type combination struct{}

func (combination) JSONSchema(*config.Schema, string) map[string]any {
	return config.Definition(sweptValues)
}

func (combination) Want() string { return "a group of key paths, each with a value" }

func (x combination) Read(c *config.Reader, path string, t *config.Node) (any, bool) {
	switch {
	case t.Kind != config.Mapping:
		return c.Refuse(t, path, x, "")
	case len(t.Entries) == 0:
		return c.Fail(t, path, "", "want at least one key path with a value, have an empty group")
	}
	defer func(whole bool) { c.Whole = whole }(c.Whole)
	c.Whole = false // a group may be incomplete, because it is merged over the file's own
	ok := readPaths(c, path, t, func(here string, e *config.Entry, f *config.Field) bool {
		_, ok := readAxisValue(c, here, f, e.Value)
		return ok
	})
	t.Bad = t.Bad || !ok
	return nil, ok
}

// bundles returns the bundles of the grid, the zips and the random draws of a sweep. It
// reports unequal lists of a zip and faults of the draws.
func (l *loader) bundles(sweep *config.Node, seed uint64) []bundle {
	var all []bundle
	if g := sweep.Get("grid"); g != nil {
		for i := range g.Entries {
			if b := together("sweep.grid", g.Entries[i:i+1]); len(b.axes) > 0 {
				all = append(all, b)
			}
		}
	}
	if z := sweep.Get("zip"); z != nil {
		groups := z.Items
		if z.Kind == config.Mapping {
			groups = []*config.Node{z}
		}
		for _, g := range groups {
			if l.equalLengths(g) {
				if b := together("sweep.zip", g.Entries); len(b.axes) > 0 {
					all = append(all, b)
				}
			}
		}
	}
	if r := sweep.Get("random"); r != nil {
		if b, ok := l.draws(r, seed); ok {
			all = append(all, b)
		}
	}
	return all
}

// together makes a bundle of lists of equal length.
func together(key string, entries []config.Entry) bundle {
	b := bundle{key: key}
	for _, e := range entries {
		f := schema().Lookup(e.Key)
		if f == nil || e.Value.Kind != config.List {
			continue
		}
		var texts []string
		for i, item := range e.Value.Items {
			if len(b.axes) == 0 {
				b.points = append(b.points, nil)
			}
			b.points[i] = append(b.points[i], item)
			texts = append(texts, axisText(f, item))
		}
		b.axes = append(b.axes, axis{e.Key, f, e.At, "[" + strings.Join(texts, ", ") + "]"})
	}
	return b
}

// equalLengths compares the lengths of a zip's lists with the first one.
func (l *loader) equalLengths(t *config.Node) bool {
	var first *config.Entry
	ok := true
	for i := range t.Entries {
		e := &t.Entries[i]
		switch {
		case e.Value.Kind != config.List:
		case first == nil:
			first = e
		case len(e.Value.Items) != len(first.Value.Items):
			ok = false
			l.errs = append(l.errs, e.At.Errorf(config.Join("sweep.zip", e.Key), "want as many values as %s at %s has, %d: have %d",
				first.Key, first.At.Place(), len(first.Value.Items), len(e.Value.Items)).WithHint("lists of a zip move together"))
		}
	}
	return ok
}
