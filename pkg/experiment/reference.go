package experiment

import (
	"encoding/json"
	"fmt"
	"math"
)

// Key describes one key of the language, for the reference.
type Key struct {
	Path     string // "search.visits"; "tournament.players[].every" inside a list
	Type     string // completes "want ...": "a whole number of at least 1"
	Unit     string // empty: none
	Default  string // one line of YAML; "as search.visits"; what absence means; empty: none
	Required bool
	When     string // "with kind: plateau"; empty: always
	Doc      string // Markdown
}

// Keys returns every key of the language in schema order, groups before their
// members.
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

// JSONSchema returns the language as a JSON Schema (draft 2020-12), by which
// editors complete and check experiment files. Conditions between keys are left
// to [Load].
func JSONSchema() []byte {
	s := jsonType(schema)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "alamos experiment"
	s["required"] = []string{"alamos"}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("experiment: %v", err)) // maps and texts only
	}
	return append(data, '\n')
}

type object = map[string]any

func jsonType(t typ) object {
	switch t := t.(type) {
	case integer:
		return object{"type": "integer", "minimum": t.min, "maximum": t.max}
	case real:
		return jsonReal(t)
	case boolean:
		return object{"type": "boolean"}
	case enum:
		return object{"enum": []string(t)}
	case version:
		return object{"const": 1}
	case text:
		s := object{"type": "string", "minLength": 1}
		if t.pattern != nil {
			s["pattern"] = t.pattern.String()
		}
		return s
	case keyPath:
		return object{"type": "string", "enum": sweepable()}
	case trialMetric:
		return object{"anyOf": []object{{"enum": []string(trialMetrics)}, {"type": "string", "pattern": hookMetric.String()}}}
	case script:
		return object{"type": "string", "pattern": `\.go$`}
	case table:
		return object{"type": "object", "additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	case grid:
		return jsonPaths(func(f *field) object { return object{"type": []string{"array", "null"}, "minItems": 1} })
	case zips:
		return object{"anyOf": []object{jsonType(grid{}), {"type": "array", "items": jsonType(grid{})}}}
	case combination:
		return jsonPaths(func(f *field) object { return object{} })
	case draws:
		return jsonPaths(func(f *field) object { return object{} })
	case sequence:
		s := object{"type": "array", "items": jsonType(t.elem), "minItems": t.min}
		if t.single {
			return object{"anyOf": []object{jsonType(t.elem), s}}
		}
		return s
	case *group:
		return jsonGroup(t)
	}
	panic(fmt.Sprintf("experiment: no JSON Schema for %T", t))
}

func jsonPaths(of func(*field) object) object {
	properties := object{}
	for _, path := range sweepable() {
		properties[path] = of(lookup(path))
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

func jsonReal(r real) object {
	s := object{"type": "number"}
	bound := func(x float64, open bool, closedKey, openKey string) {
		if !math.IsInf(x, 0) {
			s[pick(open, openKey, closedKey)] = x
		}
	}
	bound(r.min, r.openMin, "minimum", "exclusiveMinimum")
	bound(r.max, r.openMax, "maximum", "exclusiveMaximum")
	if r.word != "" {
		return object{"anyOf": []object{s, {"const": r.word}}}
	}
	return s
}

func jsonGroup(g *group) object {
	properties := object{}
	for _, key := range g.keys() {
		var variants []object
		doc, must := "", false
		for i := range g.fields {
			if f := &g.fields[i]; f.key == key {
				variants = append(variants, jsonType(f.typ))
				doc, must = f.doc, f.must
			}
		}
		p := variants[0]
		if len(variants) > 1 {
			p = object{"anyOf": variants}
		}
		if !must { // null resets a key to its default
			p = object{"anyOf": []object{p, {"type": "null"}}}
		}
		p["description"] = doc
		properties[key] = p
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(g.oneOf) > 0 {
		var one []object
		for _, key := range g.oneOf {
			one = append(one, object{"required": []string{key}})
		}
		s["oneOf"] = one
	}
	if g.short != "" {
		return object{"anyOf": []object{jsonType(g.typeOf(g.short)), s}}
	}
	return s
}
