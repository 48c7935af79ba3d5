package experiment

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Key describes one key of the language, for the reference.
type Key struct {
	Path      string      // "search.visits"; "tournament.players[].every" inside a list
	Type      string      // completes "want ...": "a whole number of at least 1"
	Unit      string      // empty: none
	Default   string      // one line of YAML; "as search.visits"; what absence means; empty: none
	Required  bool        // where When is given: there
	When      string      // "with kind: plateau"; empty: always
	Doc       string      // Markdown
	Published []Published // what the papers of [Systems] say
	Group     bool        // it holds other keys, which follow
}

// Keys returns every key of the language in schema order, groups before their
// members. A key whose meaning depends on another stands once for each meaning.
func Keys() []Key { return keysOf(schema, "") }

func keysOf(g *group, path string) []Key {
	var keys []Key
	for i := range g.fields {
		f := &g.fields[i]
		k := Key{Path: join(path, f.key), Type: f.typ.want(), Unit: f.unit, Required: f.must, Doc: f.doc}
		switch {
		case f.as != "":
			k.Default = "as " + f.as
		case f.def != nil && !f.must:
			k.Default = show(f.typ, f.def)
		default:
			k.Default = f.absent
		}
		if f.when != nil {
			k.When = f.when.String()
		}
		k.Published = publishedOf(k.Path)
		_, k.Group = f.typ.(*group)
		keys = append(keys, k)
		switch t := f.typ.(type) {
		case *group:
			keys = append(keys, keysOf(t, k.Path)...)
		case sequence:
			if elem, ok := t.elem.(*group); ok {
				keys = append(keys, keysOf(elem, k.Path+"[]")...)
			}
		}
	}
	return keys
}

// FindKey returns the keys at a path, several where the meaning depends on
// another key; for a section its members follow. The [] of lists may be left out.
func FindKey(path string) ([]Key, error) {
	plain := func(p string) string { return strings.ReplaceAll(p, "[]", "") }
	var found []Key
	var all []string
	for _, k := range Keys() {
		if p := plain(k.Path); p == plain(path) || strings.HasPrefix(p, plain(path)+".") {
			found = append(found, k)
		}
		all = append(all, plain(k.Path))
	}
	if len(found) > 0 {
		return found, nil
	}
	hint := didYouMean(plain(path), all)
	if hint == "" {
		hint = suggestPath(plain(path))
	}
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return nil, fmt.Errorf("no key is called %s%s", printable(path), hint)
}

//go:embed reference.md
var referenceHead string

// Reference returns the reference of the language in Markdown: how files work,
// then every key, section by section, with what the papers say.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for i, system := range Systems {
		fmt.Fprintf(&b, "%d. %s\n", i+1, system)
	}
	keys := Keys()
	sections := []string{"The file"}
	bySection := map[string][]Key{}
	for _, k := range keys {
		section := sectionOf(k)
		if !slices.Contains(sections, section) {
			sections = append(sections, section)
		}
		bySection[section] = append(bySection[section], k)
	}
	for _, section := range sections {
		of := bySection[section]
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		if section == of[0].Path { // what the section is
			fmt.Fprintf(&b, "%s\n\n", of[0].Doc)
			if !of[0].Group {
				writeFacts(&b, of[0])
			}
			of = of[1:]
		}
		b.WriteString("| Key | Value | Default | Meaning |\n|---|---|---|---|\n")
		for _, k := range of {
			writeKey(&b, strings.TrimPrefix(k.Path, section+"."), k)
		}
		writePublished(&b, section, of)
	}
	return b.String()
}

// sectionOf is where the reference has a key: single keys of the file are
// together.
func sectionOf(k Key) string {
	section, _, nested := strings.Cut(strings.ReplaceAll(k.Path, "[]", ""), ".")
	if f := lookup(section); f != nil && !nested {
		s, isList := f.typ.(sequence)
		if isList {
			_, isList = s.elem.(*group)
		}
		if _, isGroup := f.typ.(*group); !isGroup && !isList {
			return "The file"
		}
	}
	return section
}

func writeFacts(b *strings.Builder, k Key) {
	if k.Default != "" {
		fmt.Fprintf(b, "Default: %s\n\n", code(k.Default))
	}
}

func writeKey(b *strings.Builder, name string, k Key) {
	meaning := k.Doc
	if k.When != "" {
		meaning += " Only " + codeWhen(k.When) + "."
	}
	value := k.Type
	if k.Unit != "" {
		value += "; " + k.Unit
	}
	def := code(k.Default)
	switch {
	case k.Required:
		def = "required"
	case k.Default == "" || strings.HasPrefix(k.Default, "the ") || strings.HasPrefix(k.Default, "every ") || k.Default == "all":
		def = k.Default
	case strings.HasPrefix(k.Default, "as "):
		def = "as " + code(strings.TrimPrefix(k.Default, "as "))
	}
	if len(k.Default) > 80 { // the lists of players and cells, which are told below
		def = "see `alamos reference --key " + k.Path + "`"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(name), cell(value), cell(def), cell(meaning))
}

// writePublished writes what the papers say of the keys of a section.
func writePublished(b *strings.Builder, section string, keys []Key) {
	started := false
	seen := map[string]bool{}
	for _, k := range keys {
		if len(k.Published) == 0 || seen[k.Path] {
			continue
		}
		seen[k.Path] = true
		if !started {
			b.WriteString("\nIn the papers:\n\n| Key |")
			for i := range Systems {
				fmt.Fprintf(b, " %d |", i+1)
			}
			b.WriteString("\n|---|" + strings.Repeat("---|", len(Systems)) + "\n")
			started = true
		}
		fmt.Fprintf(b, "| %s |", code(strings.TrimPrefix(k.Path, section+".")))
		for _, system := range Systems {
			value := ""
			for _, p := range k.Published {
				if p.System == system {
					value = p.Value
				}
			}
			fmt.Fprintf(b, " %s |", value)
		}
		b.WriteString("\n")
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// codeWhen marks what a file would have in a condition: "with `kind: step`".
func codeWhen(when string) string {
	how, what, _ := strings.Cut(when, " ")
	if key, value, ok := strings.Cut(what, " other than "); ok {
		return how + " " + code(key) + " other than " + code(value)
	}
	return how + " " + code(what)
}

// cell escapes what would end a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
