package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Kind is the shape of a piece of YAML.
type Kind uint8

const (
	Null Kind = iota
	Scalar
	List
	Mapping
)

// Node is a piece of YAML with its position, reduced to the features that the language
// uses.
type Node struct {
	Kind    Kind
	Text    string // of a scalar, as written
	Plain   bool   // a scalar without quotes, which may be a number or a special word
	Items   []*Node
	Entries []Entry
	At      Position
	Layer   int  // index of the merged file that set it; a higher layer overrides a lower one
	Bad     bool // already reported, and treated as absent from then on
}

// Entry is a key of a mapping with its value.
type Entry struct {
	Key   string
	At    Position // of the key
	Value *Node
}

// Get returns the value of a key, or nil if it is absent, null or bad.
func (t *Node) Get(key string) *Node {
	if e := t.Entry(key); e != nil && e.Value.Kind != Null && !e.Value.Bad {
		return e.Value
	}
	return nil
}

// Entry returns the entry of a key, or nil.
func (t *Node) Entry(key string) *Entry {
	for i := range t.Entries {
		if t.Entries[i].Key == key {
			return &t.Entries[i]
		}
	}
	return nil
}

// Stamped returns a deep copy with the layer set and without bad nodes.
func (t *Node) Stamped(layer int) *Node {
	c := *t
	c.Layer = layer
	c.Items, c.Entries = nil, nil
	for _, item := range t.Items {
		c.Items = append(c.Items, item.Stamped(layer))
	}
	for _, e := range t.Entries {
		if !e.Value.Bad {
			e.Value = e.Value.Stamped(layer)
			c.Entries = append(c.Entries, e)
		}
	}
	return &c
}

// Without returns the mapping without an entry.
func (t *Node) Without(key string) *Node {
	c := *t
	c.Entries = slices.DeleteFunc(slices.Clone(t.Entries), func(e Entry) bool { return e.Key == key })
	return &c
}

// Merge returns under with over merged into it. Mappings merge key by key, and other values
// replace. The arguments are unchanged.
func Merge(under, over *Node) *Node {
	if under == nil || under.Kind != Mapping || over.Kind != Mapping {
		return over
	}
	c := *over
	c.Entries = slices.Clone(under.Entries)
	for _, e := range over.Entries {
		if have := c.Entry(e.Key); have != nil {
			*have = Entry{e.Key, e.At, Merge(have.Value, e.Value)}
		} else {
			c.Entries = append(c.Entries, e)
		}
	}
	return &c
}

// Find returns the entry at a key path, or nil if no value is set there. A path such as
// "tournament.players[2]" finds an item of a list.
func (t *Node) Find(path string) *Entry {
	key, rest, more := strings.Cut(path, ".")
	key, index, isItem := strings.Cut(strings.TrimSuffix(key, "]"), "[")
	e := t.Entry(key)
	if i, err := strconv.Atoi(index); isItem && e != nil {
		if err != nil || i >= len(e.Value.Items) {
			return nil
		}
		e = &Entry{key, e.Value.Items[i].At, e.Value.Items[i]}
	}
	switch {
	case e == nil || e.Value.Kind == Null:
		return nil
	case more:
		return e.Value.Find(rest)
	}
	return e
}

// written returns the entry at a key path, or that of null which resets it or a group around it, or
// nil if nothing is written there.
func (t *Node) written(path string) *Entry {
	key, rest, more := strings.Cut(path, ".")
	e := t.Entry(key)
	if e == nil || !more || e.Value.Kind == Null {
		return e
	}
	return e.Value.written(rest)
}

// OneOrMore returns the items of a list, or a scalar as the only item.
func (t *Node) OneOrMore() []*Node {
	if t.Kind == Scalar {
		return []*Node{t}
	}
	return t.Items
}

// Nest wraps a value into one mapping for each step of a key path.
func Nest(steps []string, at Position, t *Node) *Node {
	for _, key := range slices.Backward(steps) {
		t = &Node{Kind: Mapping, At: at, Layer: t.Layer, Entries: []Entry{{key, at, t}}}
	}
	return t
}

// Have describes a node for messages of the form "want ..., have ...".
func (t *Node) Have() string {
	switch t.Kind {
	case Null:
		return "nothing"
	case List:
		return "a list"
	case Mapping:
		return "a group of keys"
	}
	if t.Plain {
		return Printable(t.Text)
	}
	return "the text " + Quoted(t.Text)
}

// Printable returns s unchanged if it is short and printable, otherwise quoted.
func Printable(s string) string {
	if s == "" || utf8.RuneCountInString(s) > 40 || strings.ContainsFunc(s, unprintable) {
		return Quoted(s)
	}
	return s
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Quoted returns s in quotes on one line, truncated to a readable length.
func Quoted(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.Quote(s)
}

// Parse reads a file, or the value of an override, into a node. of names it. Faults make
// the node incomplete, but it is nil only if the text as a whole is unreadable. hint is
// advice for an empty text.
func Parse(of Position, data []byte, hint string) (t *Node, errs Errors) {
	of.Line, of.Col = 1, 1
	if len(data) > maxFile {
		return nil, Errors{of.Errorf("", "the file has %d bytes: want at most %d", len(data), maxFile)}
	}
	if text, binary := validText(data); binary {
		return nil, Errors{of.after(text).Errorf("", "not a text file: want YAML in UTF-8, have the byte 0x%02x", data[len(text)])}
	}
	docs, err := documents(data)
	if err != nil {
		return nil, Errors{syntaxError(of, data, err)}
	}
	if len(docs) == 0 {
		return nil, Errors{of.Errorf("", "the file is empty").WithHint(hint)}
	}
	b := builder{of: of}
	if len(docs) > 1 {
		b.fail(docs[1].Content[0], "", "", "a second document starts here: want one document")
	}
	t = b.build(docs[0].Content[0], "")
	return t, b.errs
}

// validText returns the start of data that is text, and whether binary data follow it.
func validText(data []byte) (text []byte, binary bool) {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			return data[:i], true
		}
		i += size
	}
	return data, false
}

// maxFile is the maximum file size in bytes.
const maxFile = 1 << 18

// documents returns the first two documents of a YAML stream.
func documents(data []byte) (docs []*yaml.Node, err error) {
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

// builder converts nodes of yaml.v3 to ours and refuses features that the language does not
// use.
type builder struct {
	of    Position
	depth int
	errs  Errors
}

// maxDepth is the maximum nesting of YAML. The language needs 6.
const maxDepth = 32

func (b *builder) at(n *yaml.Node) Position {
	at := b.of
	at.Line, at.Col = max(n.Line, 1), max(n.Column, 1)
	return at
}

func (b *builder) fail(n *yaml.Node, path, hint, format string, args ...any) {
	b.errs = append(b.errs, b.at(n).Errorf(path, format, args...).WithHint(hint))
}

func (b *builder) build(n *yaml.Node, path string) *Node {
	t := &Node{At: b.at(n)}
	b.depth++
	defer func() { b.depth-- }()
	switch {
	case b.depth > maxDepth:
		b.fail(n, "", "", "this is nested more than %d deep", maxDepth)
		t.Bad = true
		return t
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		b.fail(n, path, "put what is shared into a file and extend it", "anchors and aliases are not part of the language")
		t.Bad = true
	case n.Style&yaml.TaggedStyle != 0:
		b.fail(n, path, "remove it", "the tag %s is not part of the language", Printable(n.Tag))
		t.Bad = true
	}
	switch n.Kind {
	case yaml.ScalarNode:
		t.Kind, t.Text = Scalar, n.Value
		t.Plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		if t.Plain && n.Tag == "!!null" {
			t.Kind = Null
		}
	case yaml.SequenceNode:
		t.Kind = List
		for i, c := range n.Content {
			item := b.build(c, fmt.Sprintf("%s[%d]", path, i))
			t.Bad = t.Bad || item.Bad // a list is one value, valid as a whole or not at all
			t.Items = append(t.Items, item)
		}
	case yaml.MappingNode:
		t.Kind = Mapping
		seen := map[string]Position{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			b.add(t, seen, n.Content[i], n.Content[i+1], path)
		}
	}
	return t
}

// add adds one key and its value to a mapping. seen holds the keys added before.
func (b *builder) add(t *Node, seen map[string]Position, key, value *yaml.Node, path string) {
	switch {
	case key.Kind != yaml.ScalarNode:
		b.fail(key, path, "", "want a plain word as a key")
		return
	case key.Tag == "!!merge" || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0:
		b.fail(key, path, "use extends", "merge keys, anchors and tags are not part of the language")
		return
	}
	here := Join(path, key.Value)
	if first, twice := seen[key.Value]; twice {
		b.fail(key, here, "", "the key is already set at %d:%d", first.Line, first.Col)
		return
	}
	seen[key.Value] = b.at(key)
	t.Entries = append(t.Entries, Entry{key.Value, b.at(key), b.build(value, here)})
}

// Join appends a key to a key path.
func Join(path, key string) string {
	if strings.ContainsFunc(key, unprintable) || strings.Contains(key, " ") || len(key) > 60 || key == "" {
		key = Quoted(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Parent returns the path of the group around a key, "" for a key of the file.
func Parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

// syntaxError locates a syntax error. yaml.v3 reports a line that may be that of the
// enclosing block, sometimes counted from 0, and no column. Therefore syntaxError searches
// for the shortest prefix of the file that already fails in the same way. The fault is at
// the last character of this prefix.
func syntaxError(start Position, data []byte, err error) *Error {
	whole := err.Error()
	length := sort.Search(len(data), func(n int) bool {
		_, err := documents(data[:n])
		return err != nil && err.Error() == whole
	})
	at := start.after(data[:max(length-1, 0)])
	msg, hint := explainSyntax(whole)
	line := bytes.Split(data, []byte("\n"))[at.Line-1]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " -\t"))]
	if tab := bytes.IndexByte(indent, '\t'); tab >= 0 {
		at.Col = tab + 1
		return at.Errorf("", "a tab in the indentation").WithHint("indent with spaces")
	}
	if key := string(data[bytes.LastIndexByte(data[:length-1], '\n')+1 : length-1]); msg == secondValue && !strings.Contains(key, ": ") {
		// The line continues the value of the line above.
		at.Col = len(indent) + 1
		return at.Errorf("", "this line is indented deeper than the one above, which has a value already").WithHint("indent the keys of a group equally")
	}
	if hint == quoteMark && bytes.IndexByte(line, '?') < 0 {
		hint = ""
	}
	return at.Errorf("", "%s", msg).WithHint(hint)
}

// after returns the position behind some text at the start of the file.
func (p Position) after(text []byte) Position {
	p.Line = bytes.Count(text, []byte("\n")) + 1
	p.Col = utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:]) + 1
	return p
}

var yamlPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

const (
	secondValue = "a second \": \" in one value"
	quoteMark   = "a text with ? needs quotes here"
)

// explainSyntax rewrites an error of yaml.v3 as a plain message with a hint.
func explainSyntax(whole string) (msg, hint string) {
	text := yamlPrefix.ReplaceAllString(whole, "")
	for _, known := range []struct{ yaml, msg, hint string }{
		{"mapping values are not allowed", secondValue, "start a new line, or put quotes around the text"},
		{"cannot start any token", "no value can start with this character", "put quotes around the text"},
		{"did not find expected key", "this fits no block above it", "check the indentation and the quotes of this line"},
		{"did not find expected '-' indicator", "this fits no list above it", "start the line with \"- \" or check its indentation"},
		{"could not find expected ':'", "want \"key: value\"", "a ':' is missing"},
		{"did not find expected ',' or ']'", "a list that starts with '[' is not closed or lacks a comma", quoteMark},
		{"did not find expected ',' or '}'", "a group that starts with '{' is not closed or lacks a comma", quoteMark},
		{"found unexpected end of stream", "a quote is not closed", ""},
		{"did not find expected node content", "want a value", ""},
		{"unknown anchor", "aliases are not part of the language", "write the value out"},
		{"control characters are not allowed", "a control character", "write it as an escape in double quotes"},
		{"unknown escape character", "an escape that YAML does not know", "write \\\\ for a backslash, or use single quotes"},
	} {
		if strings.Contains(text, known.yaml) {
			return known.msg, known.hint
		}
	}
	return "not YAML: " + strings.Join(strings.Fields(text), " "), ""
}
