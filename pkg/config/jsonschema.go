package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
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
	all := maps.Clone(definitions)
	for _, path := range s.Swept() {
		all[path] = s.anyMeaning(path)
	}
	doc["definitions"] = all
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(fmt.Sprintf("config: %v", err)) // maps and texts only
	}
	return append(data, '\n')
}

// anyMeaning describes the types of a key in all of its meanings.
func (s *Schema) anyMeaning(path string) map[string]any {
	var types []any
	for _, f := range s.byPath[path] {
		types = append(types, f.Type.JSONSchema(s, path))
	}
	if len(types) == 1 {
		return types[0].(map[string]any)
	}
	return object{"anyOf": types}
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
		var descriptions []string
		var f *Field // the last of the variants
		sameDefault := true
		for _, variant := range g.meanings(key) {
			sameDefault = sameDefault && (f == nil || reflect.DeepEqual(f.Default, variant.Default))
			f = variant
			descriptions = append(descriptions, f.description())
			variants = append(variants, f.Type.JSONSchema(s, here))
		}
		if of := s.Lookup(here); of != nil && of.Decides && slices.Contains(s.paths, here) {
			variants = []any{Definition(here)}
		}
		p := object{"anyOf": variants}
		if !f.Required {
			p = OrNull(variants...)
		}
		p["description"] = strings.Join(descriptions, " ")
		if sameDefault && f.Default != nil && f.Inherit == "" && !f.Required {
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
	if n, ok := f.Type.(Number); ok && n.Ramp != nil {
		d += " May change over the generations: {from, to, over}."
	}
	return d
}

// Key is a key of the language with its path, in which [] follows the name of a list:
// "tournament.players[].every".
type Key struct {
	Path string
	*Field
}

// Describe returns every key of the language in order, groups before their members. A key
// with several meanings has an entry for each.
func (s *Schema) Describe() []Key { return s.Group.describe("") }

func (g *Group) describe(path string) []Key {
	var keys []Key
	for _, f := range g.Fields {
		here := Join(path, f.Key)
		keys = append(keys, Key{here, f})
		if members, isList := f.Members(); isList {
			keys = append(keys, members.describe(here+"[]")...)
		} else if members != nil {
			keys = append(keys, members.describe(here)...)
		}
	}
	return keys
}

// Members returns the group that a key contains, by itself or in each item of a list.
func (f *Field) Members() (g *Group, isList bool) {
	of := f.Type
	if list, ok := of.(Sequence); ok {
		of = list.Elem
		isList = true
	}
	g, ok := of.(*Group)
	return g, ok && isList
}

// Want describes the values of the key, as [Type.Want] does, and whether a ramp is one.
func (f *Field) Want() string {
	if n, ok := f.Type.(Number); ok && n.Ramp != nil {
		return n.Want() + ", or a ramp {from, to, over}"
	}
	return f.Type.Want()
}

// DefaultText returns the default on one line of YAML, "as search.visits" or the meaning of
// an absent key. It is empty for a required key.
func (f *Field) DefaultText() string {
	switch {
	case f.Inherit != "":
		return "as " + f.Inherit
	case f.Default != nil && !f.Required:
		return Show(f.Type, f.Default)
	}
	return f.Absent
}
