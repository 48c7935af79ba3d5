package config

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Show formats a canonical value as one line of YAML, with keys in the order of the schema.
func Show(t Type, v any) string {
	return strings.TrimSuffix(string(encodeYAML(yamlNode(t, v, false))), "\n")
}

// YAML formats canonical values of the schema as a file, with keys in order.
func (s *Schema) YAML(values map[string]any) []byte {
	return encodeYAML(yamlNode(s.Group, values, true))
}

func encodeYAML(n *yaml.Node) []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		panic(fmt.Sprintf("config: %v", err)) // canonical values have a form in YAML
	}
	return b.Bytes()
}

// yamlNode returns a value as YAML. In a block, groups and lists of groups have a line for
// each entry, and other values are on one line.
func yamlNode(t Type, v any, block bool) *yaml.Node {
	n := &yaml.Node{Style: yaml.FlowStyle}
	add := func(key string, value *yaml.Node) {
		n.Kind = yaml.MappingNode
		n.Content = append(n.Content, scalarNode(key, false), value)
	}
	switch t := t.(type) {
	case *Group:
		m, _ := v.(map[string]any)
		if s, ok := m[t.Short]; ok && len(m) == 1 {
			return scalarNode(s, block)
		}
		n.Kind = yaml.MappingNode
		for _, key := range t.Keys() {
			if inner, ok := m[key]; ok {
				add(key, yamlNode(t.TypeOf(key), inner, block))
			}
		}
		if block && len(m) > 0 {
			n.Style = 0
		}
	case Sequence:
		n.Kind = yaml.SequenceNode
		items, _ := v.([]any)
		_, ofGroups := t.Elem.(*Group)
		for _, item := range items {
			m, _ := item.(map[string]any)
			n.Content = append(n.Content, yamlNode(t.Elem, item, block && len(m) == 1))
		}
		if block && ofGroups && len(items) > 0 {
			n.Style = 0
		}
	case Number:
		if m, isRamp := v.(map[string]any); isRamp {
			return yamlNode(t.Ramp, m, false)
		}
		return scalarNode(v, block)
	case Table:
		m, _ := v.(map[string]any)
		n.Kind = yaml.MappingNode
		for _, key := range slices.Sorted(maps.Keys(m)) {
			add(key, scalarNode(m[key], false))
		}
	default:
		return scalarNode(v, block)
	}
	return n
}

// parsedNode returns text that is YAML, such as a number or a list of the keys of a zip.
func parsedNode(text string) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	}
	return doc.Content[0]
}

var (
	bare     = regexp.MustCompile(`^(\.\.?/)*[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*$`)
	reserved = regexp.MustCompile(`^(?i:true|false|null|yes|no|on|off|y|n)$`)
)

// scalarNode returns a scalar. In a block, a text of several lines is a literal.
func scalarNode(v any, block bool) *yaml.Node {
	s, isText := v.(string)
	switch {
	case v == nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	case !isText:
		return parsedNode(showText(v))
	case block && strings.Contains(s, "\n") && literal.MatchString(s):
		return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.LiteralStyle}
	case bare.MatchString(s) && !reserved.MatchString(s):
		return &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

// literal matches texts of several lines that YAML reads back from a literal block: of
// printable characters, without spaces at the start, at the end of a line, or empty lines at
// the end.
var literal = regexp.MustCompile(`^[^\s\p{C}]([^\n\p{C}\x{a0}\x{2028}\x{2029}]*[^\s\p{C}])?(\n+([^\n\p{C}\x{a0}\x{2028}\x{2029}]*[^\s\p{C}]))*\n?$`)

// Origin is the source of a value.
type Origin struct {
	Position        // of the key that sets it; zero for a default
	As       string // for a default: the key that supplies it, if any
}

// Default reports whether no file sets the value.
func (o Origin) Default() bool { return o.File == "" }

// From returns the origin with its file relative to the folder dir.
func (o Origin) From(dir string) Origin {
	if o.File != "" && o.File != SetFile {
		o.File = FileFrom(dir, o.File)
	}
	return o
}

// String returns "file:line", "--set", "default" or "default (as search.visits)".
func (o Origin) String() string {
	switch {
	case !o.Default():
		return o.Place()
	case o.As != "":
		return "default (as " + o.As + ")"
	}
	return "default"
}

// Explained is one resolved value with its origin.
type Explained struct {
	Path    string
	Value   string // one line of YAML; for a swept key the list of values or a distribution
	Meaning string // the value with files by their contents; equal for values with the same meaning
	Items   []Item // of a list; otherwise nil
	Origin  Origin
	Swept   bool // a sweep varies the key; in a trial's values, the sweep sets it
}

// Item is an entry of a list.
type Item struct {
	Value, Meaning string // see Explained
	Origin         Origin
}

// JSON returns the value as JSON, and the origin as file, line and column or as the word
// default.
func (x Explained) JSON() (any, error) {
	var value any
	if err := yaml.Unmarshal([]byte(x.Value), &value); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Path, err)
	}
	row := struct {
		Path   string `json:"path"`
		Value  any    `json:"value"`
		Swept  bool   `json:"swept,omitempty"`
		Origin any    `json:"origin"`
		As     string `json:"as,omitempty"`
	}{x.Path, value, x.Swept, "default", x.Origin.As}
	if !x.Origin.Default() {
		row.Origin = map[string]any{"file": x.Origin.File, "line": x.Origin.Line, "column": x.Origin.Col}
	}
	return row, nil
}

// Explain returns the values in order, without groups and origins. meanings are the same
// values with files by their contents; nil means the values themselves.
func (g *Group) Explain(path string, values, meanings map[string]any) []Explained {
	var rows []Explained
	for _, key := range g.Keys() {
		v, ok := values[key]
		if !ok {
			continue
		}
		here, t := Join(path, key), g.TypeOf(key)
		meaning, known := meanings[key]
		if !known {
			meaning = v
		}
		members, _ := v.(map[string]any)
		inner, isGroup := t.(*Group)
		if n, isNumber := t.(Number); isNumber && members != nil {
			inner, isGroup = n.Ramp, true
		}
		if isGroup {
			meant, _ := meaning.(map[string]any)
			rows = append(rows, inner.Explain(here, members, meant)...)
			continue
		}
		row := Explained{Path: here, Value: Show(t, v), Meaning: Show(t, meaning)}
		if s, isList := t.(Sequence); isList {
			row.Items = []Item{}
			meant, _ := meaning.([]any)
			for i, item := range v.([]any) {
				row.Items = append(row.Items, Item{Value: Show(s.Elem, item), Meaning: Show(s.Elem, meant[i])})
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Origin returns the source of a value of a merged file. values are the resolved values of
// the file.
func (s *Schema) Origin(path string, merged *Node, values map[string]any) Origin {
	if e := merged.Find(path); e != nil {
		return Origin{Position: e.At}
	}
	group := Parent(path)
	if e, f := merged.Find(group), s.Lookup(group); e != nil && f != nil && e.Value.Kind == Scalar {
		if g, isGroup := f.Type.(*Group); isGroup && Join(group, g.Short) == path { // the scalar stands for the group
			return Origin{Position: e.At}
		}
	}
	if f := s.Lookup(path); f != nil {
		if v, inherits := ValueAt(values, f.Inherit); inherits {
			if _, isRamp := v.(map[string]any); isRamp {
				return Origin{As: Join(f.Inherit, "to")}
			}
			return Origin{As: f.Inherit}
		}
	}
	return Origin{}
}

// Order returns the place of a key in the schema, or that of the key that contains it.
func (s *Schema) Order(path string) int {
	for ; path != ""; path = Parent(path) {
		if i := slices.Index(s.paths, path); i >= 0 {
			return i
		}
	}
	return len(s.paths)
}
