package experiment

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/config"
)

// Key describes one key of the language, for the reference.
type Key struct {
	config.Key
	Published []Published // what the papers of [Systems] say
}

// Keys returns every key of the language in the order of the schema, groups before their
// members. A key whose meaning depends on another stands once for each meaning.
func Keys() []Key {
	var keys []Key
	for _, k := range schema().Describe() {
		keys = append(keys, Key{k, publishedOf(k.Path)})
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
	hint := config.DidYouMean(plain(path), all)
	if hint == "" {
		hint = schema().SuggestPath(plain(path))
	}
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return nil, fmt.Errorf("no key is called %s%s", config.Printable(path), hint)
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

// sectionOf returns the section of the reference that has a key: single keys of the file
// are together.
func sectionOf(k Key) string {
	section, _, nested := strings.Cut(strings.ReplaceAll(k.Path, "[]", ""), ".")
	if !nested && !k.Group && !k.Listed {
		return "The file"
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
