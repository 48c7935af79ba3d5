package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// Show formats a canonical value as one line of YAML, with keys in the order of the schema.
func Show(t Type, v any) string {
	switch t := t.(type) {
	case *Group:
		m, _ := v.(map[string]any)
		if s, ok := m[t.Short]; ok && len(m) == 1 {
			return showScalar(s)
		}
		var parts []string
		for _, key := range t.Keys() {
			if inner, ok := m[key]; ok {
				parts = append(parts, key+": "+Show(t.TypeOf(key), inner))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case Sequence:
		items, _ := v.([]any)
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = Show(t.Elem, item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Table:
		m, _ := v.(map[string]any)
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, showScalar(key)+": "+showScalar(m[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return showScalar(v)
}

func showScalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoteYAML(v)
	}
	return showText(v)
}

var (
	bare     = regexp.MustCompile(`^(\.\.?/)*[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*$`)
	reserved = regexp.MustCompile(`^(?i:true|false|null|yes|no|on|off|y|n)$`)
)

// quoteYAML formats a text so that YAML reads back the same text.
func quoteYAML(s string) string {
	if bare.MatchString(s) && !reserved.MatchString(s) {
		return s
	}
	return strconv.Quote(s) // every escape of Go is valid in YAML, given valid UTF-8
}

// YAML formats canonical values of the schema as a file, with keys in order.
func (s *Schema) YAML(values map[string]any) []byte {
	var b strings.Builder
	writeGroup(&b, "", s.Group, values)
	return []byte(b.String())
}

// writeGroup writes the keys of a group as a block.
func writeGroup(b *strings.Builder, indent string, g *Group, m map[string]any) {
	for _, key := range g.Keys() {
		v, ok := m[key]
		if !ok {
			continue
		}
		t := g.TypeOf(key)
		switch v := v.(type) {
		case map[string]any:
			if inner, ok := t.(*Group); ok {
				fmt.Fprintf(b, "%s%s:\n", indent, key)
				writeGroup(b, indent+"  ", inner, v)
				continue
			}
		case []any:
			if elem, ok := t.(Sequence).Elem.(*Group); ok && len(v) > 0 {
				fmt.Fprintf(b, "%s%s:\n", indent, key)
				for _, item := range v {
					writeItem(b, indent+"  ", elem, item)
				}
				continue
			}
		case string:
			fmt.Fprintf(b, "%s%s: %s\n", indent, key, blockText(v, indent+"  "))
			continue
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, Show(t, v))
	}
}

// writeItem writes an item of a list on one line, but gives a long text its own lines.
func writeItem(b *strings.Builder, indent string, g *Group, item any) {
	if m, ok := item.(map[string]any); ok && len(m) == 1 {
		for key, v := range m {
			if key == g.Short {
				break
			}
			text := Show(g.TypeOf(key), v)
			if s, ok := v.(string); ok {
				text = blockText(s, indent+"    ")
			}
			fmt.Fprintf(b, "%s- %s: %s\n", indent, key, text)
			return
		}
	}
	fmt.Fprintf(b, "%s- %s\n", indent, Show(g, item))
}

// blockText formats a text of several lines as a literal block if YAML reads back exactly
// the same text, otherwise in quotes.
func blockText(s, indent string) string {
	body, ended := strings.CutSuffix(s, "\n")
	lines := strings.Split(body, "\n")
	literal := (ended || len(lines) > 1) && lines[0] != "" && lines[0][0] != ' ' && lines[len(lines)-1] != ""
	for _, line := range lines {
		literal = literal && strings.TrimRight(line, " ") == line &&
			!strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) || r == '\u00a0' || r == '\ufeff' })
	}
	if !literal {
		return quoteYAML(s)
	}
	var b strings.Builder
	b.WriteString(pick(ended, "|", "|-"))
	for _, line := range lines {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}

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
		if inner, isGroup := t.(*Group); isGroup {
			members, _ := v.(map[string]any)
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
	if f := s.Lookup(path); f != nil {
		if _, inherits := ValueAt(values, f.Inherit); inherits {
			return Origin{As: f.Inherit}
		}
	}
	return Origin{}
}

// Difference is a key with two different values. A value is empty if the key is absent
// because its condition does not hold.
type Difference struct {
	Path             string
	A, B             string
	OriginA, OriginB Origin
}

// Differences returns the keys with different values in a and b: first those of a, then
// those that only b has.
func Differences(a, b []Explained) []Difference {
	find := func(rows []Explained, path string) (x Explained) {
		if i := slices.IndexFunc(rows, func(r Explained) bool { return r.Path == path }); i >= 0 {
			x = rows[i]
		}
		return x
	}
	var diffs []Difference
	for _, x := range a {
		y := find(b, x.Path)
		diffs = append(diffs, Difference{x.Path, x.Value, y.Value, x.Origin, y.Origin})
	}
	for _, y := range b {
		if find(a, y.Path).Path == "" {
			diffs = append(diffs, Difference{Path: y.Path, B: y.Value, OriginB: y.Origin})
		}
	}
	return slices.DeleteFunc(diffs, func(d Difference) bool { return d.A == d.B })
}

// Order returns the place of a key in the schema, or that of the key that contains it.
func (s *Schema) Order(path string) int {
	for ; path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
		if i := slices.Index(s.paths, path); i >= 0 {
			return i
		}
	}
	return len(s.paths)
}
