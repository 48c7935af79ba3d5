package config

import (
	"encoding/json"
	"fmt"
	"slices"
)

type object = map[string]any

// Document returns the language as a JSON Schema, which editors use to complete and check
// files. It is draft 7, which every editor supports. It omits conditions between keys, so
// the reader is stricter. definitions are added to those of the keys that decide a result,
// which are under their paths; see [Schema.Definition].
func (s *Schema) Document(title string, required []string, definitions map[string]any) []byte {
	doc := s.Group.JSONSchema(s, "")
	doc["$schema"] = "http://json-schema.org/draft-07/schema#"
	doc["title"] = title
	doc["required"] = required
	all := object{}
	for name, d := range definitions {
		all[name] = d
	}
	for _, path := range s.Swept() {
		all[path] = s.Lookup(path).Type.JSONSchema(s, path)
	}
	doc["definitions"] = all
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(fmt.Sprintf("config: %v", err)) // maps and texts only
	}
	return append(data, '\n')
}

// Definition returns a reference to the definition of a key or another name.
func Definition(name string) map[string]any { return object{"$ref": "#/definitions/" + name} }

// OrNull returns a schema of a value, or of null, which resets a key to its default.
func OrNull(schema ...any) map[string]any {
	return object{"anyOf": append(schema, object{"type": "null"})}
}

// JSONSchema describes the keys of the group.
func (g *Group) JSONSchema(s *Schema, path string) map[string]any {
	properties := object{}
	for _, key := range g.Keys() {
		here := Join(path, key)
		var variants []any
		var f *Field // the last of the variants
		for _, variant := range g.Fields {
			if variant.Key == key {
				f = variant
				variants = append(variants, f.Type.JSONSchema(s, here))
			}
		}
		if of := s.Lookup(here); of != nil && of.Decides {
			variants = []any{Definition(here)}
		}
		p := object{"anyOf": variants}
		if !f.Required {
			p = OrNull(variants...)
		}
		p["description"] = f.description()
		if f.Default != nil && f.Inherit == "" && !f.Required {
			p["default"] = f.Default
		}
		properties[key] = p
	}
	group := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(g.OneOf) > 0 {
		var one []object
		for _, key := range g.OneOf {
			one = append(one, object{"required": []string{key}})
		}
		group["oneOf"] = one
	}
	if g.Short != "" {
		return object{"anyOf": []any{g.TypeOf(g.Short).JSONSchema(s, Join(path, g.Short)), group}}
	}
	return group
}

// description returns the text that an editor shows for a key.
func (f *Field) description() string {
	d := f.Doc
	if f.Unit != "" {
		d += " In " + f.Unit + "."
	}
	if f.When != nil {
		d += " Only " + f.When.String() + "."
	}
	if f.Inherit != "" {
		d += " By default as " + f.Inherit + "."
	}
	return d
}

// Key describes one key of the language for a reference.
type Key struct {
	Path     string // "search.visits"; "tournament.players[].every" inside a list
	Type     string // completes "want ...": "a whole number of at least 1"
	Unit     string // empty means none
	Default  string // one line of YAML, "as search.visits" or the meaning of absence; empty means none
	Required bool   // required if When holds
	When     string // "with kind: plateau"; empty means always
	Doc      string // Markdown
	Group    bool   // it contains other keys, which follow
	Listed   bool   // it is a list of groups, and their keys follow
}

// Describe returns every key of the language in order, groups before their members. A key
// with several conditions has an entry for each.
func (s *Schema) Describe() []Key { return s.Group.describe("") }

func (g *Group) describe(path string) []Key {
	var keys []Key
	for _, f := range g.Fields {
		k := Key{Path: Join(path, f.Key), Type: f.Type.Want(), Unit: f.Unit, Required: f.Required, Doc: f.Doc}
		switch {
		case f.Inherit != "":
			k.Default = "as " + f.Inherit
		case f.Default != nil && !f.Required:
			k.Default = Show(f.Type, f.Default)
		default:
			k.Default = f.Absent
		}
		if f.When != nil {
			k.When = f.When.String()
		}
		var members []Key
		switch t := f.Type.(type) {
		case *Group:
			k.Group = true
			members = t.describe(k.Path)
		case Sequence:
			if elem, ok := t.Elem.(*Group); ok {
				k.Listed = true
				members = elem.describe(k.Path + "[]")
			}
		}
		keys = append(append(keys, k), members...)
	}
	return slices.Clip(keys)
}
