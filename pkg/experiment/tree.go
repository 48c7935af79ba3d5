package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// kind is what a piece of YAML is, before anybody asks what it should be.
type kind uint8

const (
	null kind = iota
	scalar
	list
	mapping
)

// tree is a piece of an experiment file: YAML cut down to what the language
// uses, with the position of everything.
type tree struct {
	kind    kind
	text    string // of a scalar, as written
	plain   bool   // a scalar without quotes: it may be a number or a word with a meaning
	items   []*tree
	entries []entry
	at      Position
	layer   int  // which of the merged files set it; higher overrides lower
	bad     bool // reported already: treated as absent from here on
}

type entry struct {
	key   string
	at    Position // of the key
	value *tree
}

// get returns the value of a key, or nil when it is absent, null or bad.
func (t *tree) get(key string) *tree {
	if e := t.entry(key); e != nil && e.value.kind != null && !e.value.bad {
		return e.value
	}
	return nil
}

// entry returns the entry of a key, or nil.
func (t *tree) entry(key string) *entry {
	for i := range t.entries {
		if t.entries[i].key == key {
			return &t.entries[i]
		}
	}
	return nil
}

// without returns a copy of a mapping that lacks some keys.
func (t *tree) without(keys ...string) *tree {
	c := *t
	c.entries = nil
next:
	for _, e := range t.entries {
		for _, k := range keys {
			if e.key == k {
				continue next
			}
		}
		c.entries = append(c.entries, e)
	}
	return &c
}

// stamped returns a deep copy that belongs to a layer and lacks what is bad.
func (t *tree) stamped(layer int) *tree {
	c := *t
	c.layer = layer
	c.items, c.entries = nil, nil
	for _, item := range t.items {
		c.items = append(c.items, item.stamped(layer))
	}
	for _, e := range t.entries {
		if !e.value.bad {
			e.value = e.value.stamped(layer)
			c.entries = append(c.entries, e)
		}
	}
	return &c
}

// merge lays over on top of under: mappings merge key by key, everything else
// replaces. Neither argument is changed.
func merge(under, over *tree) *tree {
	if under == nil || under.kind != mapping || over.kind != mapping {
		return over
	}
	c := *over
	c.entries = append([]entry(nil), under.entries...)
	for _, e := range over.entries {
		if have := c.entry(e.key); have != nil {
			*have = entry{e.key, e.at, merge(have.value, e.value)}
		} else {
			c.entries = append(c.entries, e)
		}
	}
	return &c
}

// have describes what is written, for "want ..., have ...".
func (t *tree) have() string {
	switch t.kind {
	case null:
		return "nothing"
	case list:
		return "a list"
	case mapping:
		return "a group of keys"
	}
	if t.plain {
		return printable(t.text)
	}
	return "the text " + quoted(t.text)
}

// printable returns s as it stands when it is short and harmless, else quoted.
func printable(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return quoted(s)
		}
	}
	if s == "" || utf8.RuneCountInString(s) > 40 {
		return quoted(s)
	}
	return s
}

// quoted returns s in quotes on one line, cut to a readable length.
func quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.Quote(s)
}

// parse reads one experiment file into a tree. The faults it reports make the
// tree incomplete but never nil unless the file as a whole cannot be read.
func parse(file string, data []byte) (t *tree, errs Errors) {
	start := Position{file, 1, 1}
	if err := readable(file, data); err != nil {
		return nil, Errors{err}
	}
	docs, err := decode(data)
	if err != nil {
		return nil, Errors{syntaxError(file, data, err)}
	}
	if len(docs) == 0 {
		return nil, Errors{start.errorf("", "the file is empty").hint("start with: alamos: 1")}
	}
	b := builder{file: file}
	if len(docs) > 1 {
		second := docs[1]
		if len(second.Content) > 0 {
			second = second.Content[0]
		}
		b.errs = append(b.errs, b.at(second).errorf("", "a second document starts here: want one experiment a file"))
	}
	t = b.build(docs[0].Content[0], "")
	return t, b.errs
}

// readable refuses bytes that are no text before YAML gets to guess at them.
func readable(file string, data []byte) *Error {
	start := Position{file, 1, 1}
	if len(data) > maxFile {
		return start.errorf("", "the file has %d bytes: want at most %d", len(data), maxFile)
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return positionAt(file, data, i).errorf("", "not a text file: want YAML in UTF-8, have the byte 0x%02x", data[i])
		}
		i += size
	}
	return nil
}

// maxFile is the size of the largest experiment file, in bytes.
const maxFile = 1 << 18

// decode returns the documents of a YAML stream, at most two.
func decode(data []byte) (docs []*yaml.Node, err error) {
	defer func() { // yaml.v3 has panicked on odd input before
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(data))
	for len(docs) < 2 {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(n.Content) > 0 {
			docs = append(docs, &n)
		}
	}
	return docs, nil
}

// builder turns nodes of yaml.v3 into trees and refuses what the language has
// no use for.
type builder struct {
	file  string
	depth int
	errs  Errors
}

// maxDepth is how deep YAML may nest; the language needs 6.
const maxDepth = 32

func (b *builder) at(n *yaml.Node) Position {
	return Position{b.file, max(n.Line, 1), max(n.Column, 1)}
}

func (b *builder) fail(n *yaml.Node, path, hint, format string, args ...any) {
	b.errs = append(b.errs, b.at(n).errorf(path, format, args...).hint(hint))
}

func (b *builder) build(n *yaml.Node, path string) *tree {
	t := &tree{at: b.at(n)}
	b.depth++
	defer func() { b.depth-- }()
	switch {
	case b.depth > maxDepth:
		b.fail(n, "", "", "this is nested more than %d deep", maxDepth)
		t.bad = true
		return t
	case n.Kind == yaml.AliasNode:
		b.fail(n, path, "write the value out, or put what is shared into a file and extend it", "aliases are not part of the language")
		t.bad = true
		return t
	case n.Anchor != "":
		b.fail(n, path, "put what is shared into a file and extend it", "anchors are not part of the language")
		t.bad = true
	case n.Style&yaml.TaggedStyle != 0:
		b.fail(n, path, "remove it", "the tag %s is not part of the language", printable(n.Tag))
		t.bad = true
	}
	switch n.Kind {
	case yaml.ScalarNode:
		t.kind, t.text = scalar, n.Value
		t.plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		if t.plain && n.Tag == "!!null" {
			t.kind = null
		}
	case yaml.SequenceNode:
		t.kind = list
		for i, c := range n.Content {
			item := b.build(c, fmt.Sprintf("%s[%d]", path, i))
			t.bad = t.bad || item.bad // a list is one value: it is whole or nothing
			t.items = append(t.items, item)
		}
	case yaml.MappingNode:
		t.kind = mapping
		seen := map[string]Position{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			b.add(t, seen, n.Content[i], n.Content[i+1], path)
		}
	}
	return t
}

// add puts one key and its value into a mapping whose keys so far are seen.
func (b *builder) add(t *tree, seen map[string]Position, key, value *yaml.Node, path string) {
	switch {
	case key.Kind != yaml.ScalarNode:
		b.fail(key, path, "", "want a plain word as a key")
		return
	case key.Tag == "!!merge":
		b.fail(key, path, "use extends", "merge keys are not part of the language")
		return
	case key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
		b.fail(key, path, "", "anchors and tags are not part of the language")
		return
	}
	here := join(path, key.Value)
	if first, twice := seen[key.Value]; twice {
		b.fail(key, here, "", "the key stands twice, first at %d:%d", first.Line, first.Col)
		return
	}
	seen[key.Value] = b.at(key)
	t.entries = append(t.entries, entry{key.Value, b.at(key), b.build(value, here)})
}

// join appends a key to a key path.
func join(path, key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) || len(key) > 60 || key == "" {
		key = quoted(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func (p Position) errorf(path, format string, args ...any) *Error {
	return &Error{File: p.File, Line: p.Line, Col: p.Col, Path: path, Msg: fmt.Sprintf(format, args...)}
}

// hint adds advice to an error.
func (e *Error) hint(h string) *Error {
	e.Hint = h
	return e
}
