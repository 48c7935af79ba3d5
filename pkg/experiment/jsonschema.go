package experiment

import (
	"encoding/json"
	"fmt"
	"strings"
)

type object = map[string]any

// JSONSchema returns the language as a JSON Schema, by which editors complete and
// check experiment files. It is of draft 7, which every editor knows. Conditions
// between keys are left to [Load], which is the stricter one.
func JSONSchema() []byte {
	s := jsonGroup(schema, "")
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "alamos experiment"
	s["required"] = []string{"alamos"}
	// The value of every key that a sweep can vary, which are needed in several places.
	definitions := object{"sweep.lists": jsonLists(), "sweep.values": jsonValues()}
	for _, path := range sweepable() {
		definitions[path] = jsonType(lookup(path).typ, path)
	}
	s["definitions"] = definitions
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		panic(fmt.Sprintf("experiment: %v", err)) // maps and texts only
	}
	return append(data, '\n')
}

// jsonValue is the schema of a key's value, or null, which resets it.
func jsonValue(path string) object {
	return object{"anyOf": []object{{"$ref": "#/definitions/" + path}, {"type": "null"}}}
}

func jsonType(t typ, path string) object {
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
	case script:
		return object{"type": "string", "pattern": `\.go$`}
	case dataFile:
		names := strings.ReplaceAll(strings.Join(t.endings(), "|"), ".", "")
		return object{"type": "string", "pattern": `\.(` + names + `)$`}
	case model:
		return object{"type": "string", "pattern": `^.+@.+$|\.safetensors$`}
	case checkpoint:
		return object{"anyOf": []object{jsonType(checkpointWords, path), jsonType(checkpointGeneration, path)}}
	case amount:
		return object{"anyOf": []object{jsonType(atLeast(1), path), {"const": allWord}}}
	case dataFiles:
		return object{"type": "string", "minLength": 1}
	case table:
		return object{"type": "object", "additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	case keyPath:
		return object{"enum": sweepable()}
	case trialMetric:
		return object{"anyOf": []object{{"enum": []string(trialMetrics)}, {"type": "string", "pattern": hookMetric.String()}}}
	case sequence:
		s := object{"type": "array", "items": jsonType(t.elem, path+"[]"), "minItems": t.min}
		if t.single {
			return object{"anyOf": []object{jsonType(t.elem, path), s}}
		}
		return s
	case *group:
		return jsonGroup(t, path)
	}
	return jsonSweep(t)
}

// jsonSweep is the schema of the types that hold paths of keys.
func jsonSweep(t typ) object {
	lists := object{"$ref": "#/definitions/sweep.lists"}
	switch t.(type) {
	case grid:
		return lists
	case zips:
		return object{"anyOf": []object{lists, {"type": "array", "items": lists}}}
	case combination:
		return object{"$ref": "#/definitions/sweep.values"}
	case draws:
		return jsonPaths(func(path string) object { return jsonDistribution(lookup(path).typ, path) })
	}
	panic(fmt.Sprintf("experiment: no JSON Schema for %T", t))
}

// jsonPaths is the schema of a group of key paths.
func jsonPaths(of func(path string) object) object {
	properties := object{}
	for _, path := range sweepable() {
		properties[path] = of(path)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// jsonLists is the schema of a group of key paths with lists of values.
func jsonLists() object {
	return jsonPaths(func(path string) object {
		return object{"type": []string{"array", "null"}, "items": jsonValue(path), "minItems": 1}
	})
}

// jsonValues is the schema of a group of key paths with a value each.
func jsonValues() object {
	s := jsonPaths(jsonValue)
	s["minProperties"] = 1
	return s
}

func jsonDistribution(t typ, path string) object {
	bounds := object{"type": "array", "items": object{"type": "number"}, "minItems": 2, "maxItems": 2}
	kinds := object{"choice": object{"type": "array", "items": jsonValue(path), "minItems": 1}}
	switch t.(type) {
	case integer:
		kinds["int"], kinds["log_uniform"] = bounds, bounds
	case real:
		kinds["int"], kinds["log_uniform"], kinds["uniform"] = bounds, bounds, bounds
	}
	return object{"type": []string{"object", "null"}, "properties": kinds, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}
}

func jsonReal(r real) object {
	s := object{"type": "number"}
	bound := func(x float64, open bool, closedKey, openKey string) {
		s[pick(open, openKey, closedKey)] = x
	}
	bound(r.min, r.openMin, "minimum", "exclusiveMinimum")
	bound(r.max, r.openMax, "maximum", "exclusiveMaximum")
	if r.word != "" {
		return object{"anyOf": []object{s, {"const": r.word}}}
	}
	return s
}

func jsonGroup(g *group, path string) object {
	properties := object{}
	for _, key := range g.keys() {
		here := join(path, key)
		var variants []object
		var f *field // the last of the variants
		for i := range g.fields {
			if g.fields[i].key == key {
				f = &g.fields[i]
				variants = append(variants, jsonType(f.typ, here))
			}
		}
		if of := lookup(here); of != nil && canBeSwept(here, of) {
			variants = []object{{"$ref": "#/definitions/" + here}}
		}
		if !f.must {
			variants = append(variants, object{"type": "null"}) // resets the key to its default
		}
		p := object{"anyOf": variants, "description": jsonDescription(f)}
		if f.def != nil && f.as == "" && !f.must {
			p["default"] = f.def
		}
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
		return object{"anyOf": []object{jsonType(g.typeOf(g.short), join(path, g.short)), s}}
	}
	return s
}

// jsonDescription is what an editor shows of a key.
func jsonDescription(f *field) string {
	d := f.doc
	if f.unit != "" {
		d += " In " + f.unit + "."
	}
	if f.when != nil {
		d += " Only " + f.when.String() + "."
	}
	if f.as != "" {
		d += " By default as " + f.as + "."
	}
	return d
}
