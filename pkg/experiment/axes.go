package experiment

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/config"
)

// setting is a key with a value that a sweep gives it.
type setting struct {
	path string
	text string // the value on one line of YAML; null means the default
	node *config.Node
	at   config.Position // of the key
}

// plainSetting returns a setting of a number or an unquoted text that no file has.
func plainSetting(path, text string, at config.Position) setting {
	return setting{path, text, &config.Node{Kind: config.Scalar, Text: text, Plain: true, At: at}, at}
}

// axis is a key that a sweep varies, with its values in order.
type axis struct {
	key    string // of the sweep that contains it: "sweep.grid", "sweep.zip", "sweep.random.draw"
	path   string
	at     config.Position // of the key
	shown  string          // on one line of YAML: "[2, 5]" or "{uniform: [0.5, 4]}"
	values []setting
}

// The types of the keys of a sweep that hold key paths. They are their own canonical values.
type (
	lists       []axis    // a list of values for each key
	combination []setting // one value for each key
	included    struct {
		name string // of its trials in labels, tables and figures; empty if they have none
		at   config.Position
		combination
	}
	draws []distribution // one distribution for each key
)

func (lists) Want() string       { return "a group of key paths, each with a list of values" }
func (combination) Want() string { return "a group of key paths, each with a value" }
func (included) Want() string    { return "a group of key paths, each with a value, and a name" }
func (draws) Want() string       { return "a group of key paths, each with a distribution" }

func (lists) JSONSchema(*config.Schema, string) map[string]any {
	return config.Definition(sweptLists)
}

func (combination) JSONSchema(*config.Schema, string) map[string]any {
	return config.Definition(sweptValues)
}

// String returns the paths of the keys, for explain.
func (l lists) String() string {
	var paths []string
	for _, a := range l {
		paths = append(paths, a.path)
	}
	return "[" + strings.Join(paths, ", ") + "]"
}

func (c combination) String() string { return included{combination: c}.String() }

func (c included) String() string {
	var parts []string
	if c.name != "" {
		parts = append(parts, "name: "+config.Show(includedName, c.name))
	}
	for _, s := range c.combination {
		parts = append(parts, s.path+": "+s.text)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// label returns the settings as the label of a trial.
func (c combination) label() string { return c.joined(fileName) }

// values returns the settings with whole paths of files, which differ if the settings do.
func (c combination) values() string { return c.joined(func(text string) string { return text }) }

// joined returns the settings with their texts in a form.
func (c combination) joined(form func(text string) string) string {
	parts := make([]string, len(c))
	for i, s := range c {
		parts[i] = s.path + "=" + form(s.text)
	}
	return strings.Join(parts, " ")
}

// fileName returns the name of a file without folder and extension, and other values as they
// are.
func fileName(text string) string {
	path := strings.Trim(text, `"`)
	ext := filepath.Ext(path)
	if !slices.Contains([]string{".yaml", ".go", ".pgn", ".epd", ".fen"}, ext) || strings.ContainsAny(path, " {[") {
		return text
	}
	return strings.TrimSuffix(filepath.Base(path), ext)
}

// find returns the setting of a key, or nil.
func (c combination) find(path string) *setting {
	for i := range c {
		if c[i].path == path {
			return &c[i]
		}
	}
	return nil
}

// Read reads key paths with lists of values. null removes the values of an extended file. The
// values of an axis of a grid must differ.
func (l lists) Read(r *config.Reader, path string, t *config.Node) (any, bool) {
	key, _, _ := strings.Cut(path, "[") // without the index of a zip
	ok := readPaths(r, path, t, l, func(here string, e *config.Entry, f *config.Field) bool {
		if e.Value.Kind == config.Null {
			return true
		}
		values, ok := readList(r, here, e.Key, e, f, e.Value, key == "sweep.grid")
		var texts []string
		for _, v := range values {
			texts = append(texts, v.text)
		}
		l = append(l, axis{key, e.Key, e.At, "[" + strings.Join(texts, ", ") + "]", values})
		return ok
	})
	return l, ok
}

func (c combination) Read(r *config.Reader, path string, t *config.Node) (any, bool) {
	if t.Kind == config.Mapping && len(t.Entries) == 0 {
		return r.Fail(t, path, "", "want at least one key path with a value, have an empty group")
	}
	ok := readPaths(r, path, t, c, func(here string, e *config.Entry, f *config.Field) bool {
		s, ok := readSetting(r, here, e, f, e.Value)
		c = append(c, s)
		return ok
	})
	t.Bad = t.Bad || !ok
	return c, ok
}

// includedName is the type of the name of an included combination.
var includedName = config.Text{What: "a name of letters, digits, spaces and -+._, of at most 40 characters", Pattern: regexp.MustCompile(`^[\p{L}\p{N}]([\p{L}\p{N} +._-]{0,38}[\p{L}\p{N}+.])?$`)}

// Read reads a combination with an optional name. One with a name alone has the settings of
// the file.
func (c included) Read(r *config.Reader, path string, t *config.Node) (any, bool) {
	c.at = t.At
	named := t.Entry("name")
	if named == nil {
		v, ok := c.combination.Read(r, path, t)
		c.combination, _ = v.(combination)
		return c, ok
	}
	name, ok := includedName.Read(r, config.Join(path, "name"), named.Value)
	c.name, _ = name.(string)
	if _, err := strconv.Atoi(c.name); err == nil {
		_, ok = r.Fail(named.Value, config.Join(path, "name"), "", "%s would be the number of a trial: want a name that is no number", c.name)
	}
	if rest := t.Without("name"); len(rest.Entries) > 0 {
		v, good := c.combination.Read(r, path, rest)
		c.combination, _ = v.(combination)
		ok = ok && good
	}
	t.Bad = t.Bad || !ok
	return c, ok
}

// readPaths reads a mapping from key paths. Only keys that a sweep may vary are valid.
func readPaths(r *config.Reader, path string, t *config.Node, want config.Type, read func(here string, e *config.Entry, f *config.Field) bool) bool {
	if t.Kind != config.Mapping {
		_, ok := r.Refuse(t, path, want, "")
		return ok
	}
	defer func(whole bool) { r.Whole = whole }(r.Whole)
	r.Whole = false // a value that is a group may be incomplete, because it is merged over the file's own
	ok := true
	for i := range t.Entries {
		e := &t.Entries[i]
		here, f := config.Join(path, e.Key), schema().Meaning(e.Key, e.Value)
		switch {
		case e.Value.Bad:
		case f == nil:
			ok = r.FailKey(e, here, schema().SuggestPath(e.Key), "no key has this path")
		case !f.Decides:
			ok = r.FailKey(e, here, "", "this key cannot be swept: it does not affect results")
		case !read(here, e, f):
			e.Value.Bad, ok = true, false
		}
	}
	return ok
}

// readList reads a list of values of one key. written is the key that messages show before
// the list.
func readList(r *config.Reader, here, written string, e *config.Entry, f *config.Field, t *config.Node, distinct bool) ([]setting, bool) {
	if t.Kind != config.List {
		if t.Kind == config.Mapping && len(t.Entries) > 0 {
			written = config.Join(written, t.Entries[0].Key)
		}
		_, ok := r.Fail(t, here, fmt.Sprintf("write %s: [...]", written), "want a list of values, have %s", t.Have())
		return nil, ok
	}
	if len(t.Items) == 0 {
		_, ok := r.Fail(t, here, "", "want at least one value, have an empty list")
		return nil, ok
	}
	var values combination
	ok := true
	for i, item := range t.Items {
		s, good := readSetting(r, fmt.Sprintf("%s[%d]", here, i), e, f, item)
		for _, other := range values {
			switch {
			case !distinct || !good:
			case s.text == other.text:
				_, good = r.Fail(item, here, "", "the list contains %s twice", config.Printable(s.text))
			case fileName(s.text) == fileName(other.text):
				_, good = r.Fail(item, here, "rename one", "%s and %s have the same name, %s, by which trials are called", s.text, other.text, fileName(s.text))
			}
		}
		values, ok = append(values, s), ok && good
	}
	return values, ok
}

// readSetting reads a value of a key. null means the default.
func readSetting(r *config.Reader, here string, e *config.Entry, f *config.Field, t *config.Node) (setting, bool) {
	s := setting{e.Key, "null", t, e.At}
	if t.Kind == config.Null {
		return s, true
	}
	v, ok := f.Type.Read(r, here, t)
	s.text = config.Show(f.Type, v)
	return s, ok
}
