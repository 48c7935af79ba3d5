package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// show writes a canonical value on one line of YAML, keys in schema order.
func show(t typ, v any) string {
	switch t := t.(type) {
	case *group:
		m, _ := v.(map[string]any)
		if s, ok := m[t.short]; ok && len(m) == 1 {
			return showScalar(s)
		}
		var parts []string
		for _, key := range t.keys() {
			if inner, ok := m[key]; ok {
				parts = append(parts, key+": "+show(t.typeOf(key), inner))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case sequence:
		items, _ := v.([]any)
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = show(t.elem, item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case table:
		m, _ := v.(map[string]any)
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, showScalar(key)+": "+showScalar(m[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return showScalar(v)
}

// typeOf returns the type of a key; variants of one key are shown alike.
func (g *group) typeOf(key string) typ {
	for i := range g.fields {
		if g.fields[i].key == key {
			return g.fields[i].typ
		}
	}
	return nil
}

func showScalar(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoteYAML(v)
	case float64:
		return formatFloat(v)
	case json.Number:
		if x, err := v.Float64(); err == nil && strings.ContainsAny(string(v), ".eE") {
			return formatFloat(x)
		}
		return string(v)
	}
	return fmt.Sprint(v)
}

var (
	bare     = regexp.MustCompile(`^(\.\.?/)*[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*$`)
	reserved = regexp.MustCompile(`^(?i:true|false|null|yes|no|on|off|y|n)$`)
)

// quoteYAML writes a text so that YAML reads it back as that text.
func quoteYAML(s string) string {
	if bare.MatchString(s) && !reserved.MatchString(s) {
		return s
	}
	return strconv.Quote(s) // every escape of Go is one of YAML, given valid UTF-8
}

// YAML returns the settings as an experiment file that resolves to themselves:
// every default written out, in schema order. Paths of scripts are relative to the
// working directory; see [Settings.YAMLIn].
func (s *Settings) YAML() []byte { return s.YAMLIn(".") }

// YAMLIn is YAML for a file that is going to lie in dir.
func (s *Settings) YAMLIn(dir string) []byte {
	c := s.withData(func(f Files) Files { return Files{Pattern: besideFolder(dir, f.Pattern)} })
	c = c.withFiles(func(_ string, x Script) Script { return Script{Path: besideFolder(dir, x.Path)} }) // written as a path
	var b strings.Builder
	writeGroup(&b, "", schema, c.values())
	return []byte(b.String())
}

// writeGroup writes the keys of a group as a block.
func writeGroup(b *strings.Builder, indent string, g *group, m map[string]any) {
	for _, key := range g.keys() {
		v, ok := m[key]
		if !ok {
			continue
		}
		t := g.typeOf(key)
		switch v := v.(type) {
		case map[string]any:
			if inner, ok := t.(*group); ok {
				fmt.Fprintf(b, "%s%s:\n", indent, key)
				writeGroup(b, indent+"  ", inner, v)
				continue
			}
		case []any:
			if elem, ok := t.(sequence).elem.(*group); ok && len(v) > 0 {
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
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, show(t, v))
	}
}

// writeItem writes an item of a list: on one line, except that a long text gets
// its own lines.
func writeItem(b *strings.Builder, indent string, g *group, item any) {
	if m, ok := item.(map[string]any); ok && len(m) == 1 {
		for key, v := range m {
			if key == g.short {
				break
			}
			if s, ok := v.(string); ok {
				fmt.Fprintf(b, "%s- %s: %s\n", indent, key, blockText(s, indent+"    "))
			} else {
				fmt.Fprintf(b, "%s- %s: %s\n", indent, key, show(g.typeOf(key), v))
			}
			return
		}
	}
	fmt.Fprintf(b, "%s- %s\n", indent, show(g, item))
}

// blockText writes a text of several lines as a literal block where YAML would
// read exactly the same text back, else in quotes.
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
