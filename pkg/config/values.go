package config

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Form selects how canonical values represent files. The zero Form writes the identity of a
// File, see [File.MarshalText], and leaves patterns and paths of optional files unchanged.
type Form struct {
	File    func(File) string
	Pattern func(string) string

	root map[string]any // values so far, for conditions
}

// Fill writes canonical values into a struct of the schema's type, which must be zero.
func (s *Schema) Fill(into any, values map[string]any) {
	v := reflect.ValueOf(into).Elem()
	decode(v, s.Group, values)
	if s.ramps != nil {
		if ramps := (Ramps{}); ramps.collect(s.Group, "", values) > 0 {
			v.FieldByIndex(s.ramps).Set(reflect.ValueOf(ramps))
		}
	}
}

// Values returns the canonical values of a struct of the schema's type: every key whose
// condition holds, defaults included.
func (s *Schema) Values(of any, form Form) map[string]any {
	v := reflect.Indirect(reflect.ValueOf(of))
	values := s.values(v, form)
	s.addRamps(values, v)
	return values
}

// JSON returns v as JSON with sorted keys, and tagged structs as their canonical values.
// Equal settings have equal bytes.
func JSON(v any) []byte {
	b, err := json.Marshal(canonical(reflect.ValueOf(v)))
	if err != nil {
		panic(fmt.Sprintf("config: %v", err)) // JSON cannot hold the value
	}
	return b
}

func canonical(v reflect.Value) any {
	switch {
	case !v.IsValid():
		return nil
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return canonical(v.Elem())
	case v.Kind() == reflect.Struct && len(schemaOf(v.Type()).Fields) > 0:
		return schemaOf(v.Type()).Values(v.Interface(), Form{})
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = canonical(v.Index(i))
		}
		return items
	}
	return v.Interface()
}

// values returns the canonical values of a struct.
func (g *Group) values(v reflect.Value, form Form) map[string]any {
	kept := map[string]any{}
	if form.root == nil {
		form.root = kept
	}
	for _, f := range g.Fields {
		x := v.FieldByIndex(f.index)
		if _, done := kept[f.Key]; done || f.Outside || !f.When.Holds(kept, form.root) || g.absent(f, x) {
			continue
		}
		kept[f.Key] = encode(x, f.Type, form)
	}
	return kept
}

// absent reports whether a Go value represents an absent key.
func (g *Group) absent(f *Field, v reflect.Value) bool {
	_, isGroup := f.Type.(*Group)
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return true
	case slices.Contains(g.OneOf, f.Key), isGroup && f.Optional:
		return v.IsZero()
	case isGroup || f.Required || f.Default != nil || f.Inherit != "" || v.Kind() == reflect.Pointer:
		return false
	}
	return v.IsZero()
}

// encode returns the canonical form of a Go value.
func encode(v reflect.Value, t Type, form Form) any {
	v = reflect.Indirect(v)
	switch t := t.(type) {
	case *Group:
		return t.values(v, form)
	case Sequence:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = encode(v.Index(i), t.Elem, form)
		}
		return items
	case Table:
		m := map[string]any{}
		for _, k := range v.MapKeys() {
			m[k.String()] = v.MapIndex(k).String()
		}
		return m
	case Number:
		return t.encode(v)
	case Enum:
		if v.Kind() == reflect.Bool {
			return t[map[bool]int{true: 1}[v.Bool()]]
		}
	case Text:
		switch f, isFile := v.Interface().(File); {
		case isFile && form.File == nil:
			return mustText(f)
		case isFile:
			return form.File(f)
		case form.Pattern != nil && t.isPath(v.String()):
			return form.Pattern(v.String())
		}
	}
	if v.Kind() == reflect.Bool {
		return v.Bool()
	}
	return v.String()
}

var durationType = reflect.TypeFor[time.Duration]() // in files a number of milliseconds

func mustText(m encoding.TextMarshaler) string {
	b, err := m.MarshalText()
	if err != nil {
		panic(fmt.Sprintf("config: %v", err)) // settings were checked before
	}
	return string(b)
}

// encode returns a number, or the word that stands for it.
func (n Number) encode(v reflect.Value) any {
	var x float64
	switch text, isText := v.Interface().(encoding.TextMarshaler); {
	case isText || v.Kind() == reflect.String:
		s := v.String()
		if isText {
			s = mustText(text)
		}
		if slices.Contains(n.Words, s) {
			return s
		}
		x, _ = strconv.ParseFloat(s, 64) // checked to be a number
	case v.CanFloat():
		x = v.Float()
	case v.CanUint():
		x = float64(v.Uint())
	case v.Type() == durationType:
		return v.Interface().(time.Duration).Milliseconds()
	default:
		x = float64(v.Int())
	}
	for word, value := range n.goValues {
		if x == value {
			return word
		}
	}
	switch {
	case n.goZero != 0 && x == n.goZero:
		x = 0
	case n.Whole && v.CanUint():
		return int64(v.Uint())
	case n.Whole && v.CanInt():
		return v.Int()
	}
	if n.Whole {
		return int64(x)
	}
	return x
}

// decode writes a canonical value to a Go value.
func decode(v reflect.Value, t Type, x any) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if value, own := x.(Type); own { // a type outside of this package is its own canonical value
		v.Set(reflect.ValueOf(value))
		return
	}
	switch t := t.(type) {
	case *Group:
		m, _ := x.(map[string]any)
		for _, f := range t.Fields {
			if inner, ok := m[f.Key]; ok && !f.again {
				decode(v.FieldByIndex(f.index), f.Type, inner)
			}
		}
		return
	case Sequence:
		items, _ := x.([]any)
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			decode(v.Index(i), t.Elem, item)
		}
		return
	case Table:
		v.Set(reflect.MakeMap(v.Type()))
		for k, text := range x.(map[string]any) {
			v.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(fmt.Sprint(text)))
		}
		return
	case Number:
		x = t.end(x)
		if word, isWord := x.(string); isWord {
			if value, ok := t.goValues[word]; ok {
				x = value
			}
		} else if t.goZero != 0 && Float(x) == 0 {
			x = t.goZero
		}
	case Enum:
		if v.Kind() == reflect.Bool {
			v.SetBool(x == t[1])
			return
		}
	}
	if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := text.UnmarshalText([]byte(showText(x))); err != nil {
			panic(fmt.Sprintf("config: %v", err)) // the value was checked before
		}
		return
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(showText(x))
	case v.Kind() == reflect.Bool:
		v.SetBool(x == true)
	case v.CanFloat():
		v.SetFloat(Float(x))
	case v.Type() == durationType:
		v.SetInt(int64(Float(x)) * int64(time.Millisecond))
	case v.CanInt():
		v.SetInt(int64(Float(x)))
	case v.CanUint():
		v.SetUint(uint64(Float(x)))
	}
}

// Float converts a canonical number.
func Float(x any) float64 {
	switch x := x.(type) {
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

func showText(x any) string {
	if f, ok := x.(float64); ok {
		return FormatFloat(f)
	}
	return fmt.Sprint(x)
}

// walk visits the values in v that are neither groups nor lists, with their paths and types.
// It ends at the first error.
func walk(v reflect.Value, t Type, path string, visit func(path string, v reflect.Value, t Type) error) (err error) {
	if v = reflect.Indirect(v); !v.IsValid() {
		return nil
	}
	switch t := t.(type) {
	case *Group:
		for _, f := range t.Fields {
			if err == nil && !f.again && !f.Outside {
				err = walk(v.FieldByIndex(f.index), f.Type, Join(path, f.Key), visit)
			}
		}
		return err
	case Sequence:
		for i := 0; i < v.Len() && err == nil; i++ {
			err = walk(v.Index(i), t.Elem, fmt.Sprintf("%s[%d]", path, i), visit)
		}
		return err
	}
	return visit(path, v, t)
}

// EachFile visits the files named in a struct of the schema's type, with the paths of their
// keys.
func (s *Schema) EachFile(of any, visit func(path string, f *File)) {
	_ = walk(reflect.ValueOf(of), s.Group, "", func(path string, v reflect.Value, _ Type) error {
		if f, ok := v.Addr().Interface().(*File); ok && !v.IsZero() {
			visit(path, f)
		}
		return nil
	})
}

// Check returns an error for the first number or word of a tagged struct that violates its
// tags. what names the struct. A zero value is unset and passes, except in a list; the
// package of the struct defines its meaning.
func Check(what string, of any) error {
	v := reflect.Indirect(reflect.ValueOf(of))
	return walk(v, schemaOf(v.Type()).Group, what, func(path string, v reflect.Value, t Type) error {
		number, isNumber := t.(Number)
		enum, isEnum := t.(Enum)
		want := t.Want()
		switch {
		case v.IsZero() && !strings.HasSuffix(path, "]"), !isNumber && !isEnum:
			return nil
		case isNumber:
			x := number.encode(v)
			if slices.Contains(number.Words, fmt.Sprint(x)) || number.allows(Float(x)) {
				return nil
			}
			if Float(x) > number.Max {
				want = number.bounds(true)
			}
		case v.Kind() == reflect.Bool || slices.Contains(enum, v.String()):
			return nil
		}
		return fmt.Errorf("%s: want %s, have %v", path, want, v.Interface())
	})
}

// Set sets a key of a tagged struct from a text, as --set does. The error describes the
// wanted value but does not name the key.
func Set[T any](into *T, path, value string) error {
	f := Of[T]().Lookup(path)
	if f == nil {
		return fmt.Errorf("there is no key %s", path)
	}
	x, errs := f.parse(value)
	if len(errs) > 0 {
		return errors.New(errs[0].Advice())
	}
	decode(Of[T]().value(reflect.ValueOf(into).Elem(), path), f.Type, x)
	return nil
}

// value returns the Go value of a key of a struct.
func (g *Group) value(v reflect.Value, path string) reflect.Value {
	key, rest, more := strings.Cut(path, ".")
	f := g.field(key)
	if v = v.FieldByIndex(f.index); !more {
		return v
	}
	return f.Type.(*Group).value(v, rest)
}

// parse reads a value of the key from a text.
func (f *Field) parse(text string) (any, Errors) {
	n, errs := Parse(Position{File: SetFile, Set: text}, []byte(text), "want "+f.Type.Want())
	if len(errs) > 0 {
		return nil, errs
	}
	r := &Reader{Bad: map[string]bool{}, Whole: true}
	x, _ := f.Type.Read(r, f.Key, n)
	return x, r.Errs
}

// Defaults returns a struct with the defaults of its tags.
func Defaults[T any]() (of T) {
	of, _ = Decode[T](&Node{Kind: Mapping})
	return of
}

// Decode reads a whole file into a struct. If it has faults, the struct has the other keys.
func Decode[T any](file *Node) (of T, errs Errors) {
	r := &Reader{Bad: map[string]bool{}, Whole: true}
	values, _ := Of[T]().Read(r, "", file)
	Of[T]().Fill(&of, values)
	return of, r.Errs
}

// Default returns the default of a number of T by the path of its key, whether or not its
// condition holds.
func Default[T any](path string) float64 { return Float(Of[T]().Lookup(path).Default) }
