package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Canonical returns the settings as JSON with sorted keys and every default,
// without keys that mean nothing beside the others. Two files that differ only
// in comments, order, or the spelling of numbers have equal bytes.
func (s *Settings) Canonical() []byte { return mustJSON(s.values()) }

// ID identifies a trial: the first 10 hexadecimal digits of the hash of all
// settings except those that cannot change a result of training or tournament
// (name, about, hooks, notebook).
func (s *Settings) ID() string {
	values := s.values()
	for _, f := range schema.fields {
		if f.aside {
			delete(values, f.key)
		}
	}
	return Hash(values)[:10]
}

// Hash returns the SHA-256 of the values in hexadecimal, each written as JSON
// with sorted keys: the address of a stage from the settings that it reads, as
// in Hash("selfplay", code, s.Game, s.Search). Values that JSON cannot hold are
// a mistake in the program and panic.
func Hash(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		h.Write(mustJSON(generic(v)))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// values returns the settings in canonical form.
func (s *Settings) values() map[string]any {
	m, _ := generic(s).(map[string]any)
	kept := prune(schema, m)
	writeInherited(kept)
	return kept
}

// writeInherited writes the values that JSON leaves out while they are defaults
// where the key would otherwise take that of another key, which is not its
// default.
func writeInherited(m map[string]any) {
	eachKey(func(path string, f *field) {
		if f.as == "" {
			return
		}
		section, _, _ := strings.Cut(path, ".")
		if _, there := m[section]; !there { // absent altogether
			return
		}
		if _, there := valueAt(m, f.as); !there {
			return
		}
		of := groupAt(m, path[:strings.LastIndexByte(path, '.')])
		if _, there := of[f.key]; !there && f.when.holds(of) {
			of[f.key] = firstDefault(f)
		}
	})
}

// groupAt returns the group at a dotted path, which it makes where there is none.
func groupAt(m map[string]any, path string) map[string]any {
	for _, key := range strings.Split(path, ".") {
		inner, ok := m[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[key] = inner
		}
		m = inner
	}
	return m
}

// firstDefault is the default of the key from which another takes its value, perhaps
// by way of a third.
func firstDefault(f *field) any {
	for f.as != "" {
		f = lookup(f.as)
	}
	return f.def
}

// UnmarshalJSON reads settings as JSON writes them: a key that it leaves out has its
// default.
func (s *Settings) UnmarshalJSON(b []byte) error {
	m := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return err
	}
	complete(schema, m)
	type plain Settings
	return json.Unmarshal(mustJSON(m), (*plain)(s))
}

// complete gives the keys of a group their defaults where they are absent and apply.
func complete(g *group, m map[string]any) {
	for i := range g.fields {
		f := &g.fields[i]
		if f.offPath || !f.when.holds(m) || slices.Contains(g.oneOf, f.key) {
			continue
		}
		_, there := m[f.key]
		inner, isGroup := f.typ.(*group)
		switch {
		case isGroup:
			of, ok := m[f.key].(map[string]any)
			if !ok && (there || f.optional) {
				continue
			}
			if !ok {
				of = map[string]any{}
				m[f.key] = of
			}
			complete(inner, of)
		case there:
		case f.as != "": // JSON leaves out what the key is by itself, not what it is taken from
			m[f.key] = lookup(f.as).def
		case f.def != nil:
			m[f.key] = f.def
		}
	}
}

// generic turns a value into maps, lists and scalars; numbers stay as written.
func generic(v any) any {
	d := json.NewDecoder(bytes.NewReader(mustJSON(v)))
	d.UseNumber()
	var g any
	if err := d.Decode(&g); err != nil {
		panic(fmt.Sprintf("experiment: %v", err)) // we wrote it just now
	}
	return g
}

// prune keeps what the schema knows and what applies.
func prune(g *group, m map[string]any) map[string]any {
	kept := map[string]any{}
	for i := range g.fields {
		f := &g.fields[i]
		v, ok := m[f.key]
		if !ok || f.offPath || !f.when.holds(kept) {
			continue
		}
		kept[f.key] = pruneValue(f.typ, v)
	}
	return kept
}

func pruneValue(t typ, v any) any {
	switch t := t.(type) {
	case *group:
		if m, ok := v.(map[string]any); ok {
			return prune(t, m)
		}
	case sequence:
		items, _ := v.([]any)
		kept := make([]any, len(items))
		for i, item := range items {
			kept[i] = pruneValue(t.elem, item)
		}
		return kept
	}
	return v
}

func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("experiment: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
