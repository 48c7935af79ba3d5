package config

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Schema is the language of a tagged struct type: its keys and their paths.
type Schema struct {
	*Group
	paths  []string            // of the keys outside of lists, in order, groups before their members
	byPath map[string][]*Field // the meanings of each key
}

var schemas sync.Map // *Schema by reflect.Type

// Of returns the schema of the struct type T. It panics on invalid tags.
func Of[T any]() *Schema { return schemaOf(reflect.TypeFor[T]()) }

func schemaOf(t reflect.Type) *Schema {
	if s, ok := schemas.Load(t); ok {
		return s.(*Schema)
	}
	s := &Schema{Group: newGroup(t), byPath: map[string][]*Field{}}
	s.index(s.Group, "", true)
	schemas.Store(t, s)
	return s
}

// index adds the keys of a group. decides reports whether they may decide a result.
func (s *Schema) index(g *Group, path string, decides bool) {
	for _, f := range g.Fields {
		here := Join(path, f.Key)
		f.Decides = decides && !f.Own && !f.Outside && !f.Aside
		if !f.again {
			s.paths = append(s.paths, here)
		}
		s.byPath[here] = append(s.byPath[here], f)
		if n, ok := f.Type.(Number); ok && n.Ramp != nil {
			for _, part := range n.Ramp.Fields {
				part.Decides = f.Decides
				s.byPath[Join(here, part.Key)] = []*Field{part}
			}
		}
		if inner, ok := f.Type.(*Group); ok {
			s.index(inner, here, f.Decides)
		}
	}
}

// Lookup returns the key at a dotted path, or nil. Keys inside lists have no such path. The
// keys of a ramp have one, but the lists of all paths omit them.
func (s *Schema) Lookup(path string) *Field {
	if all := s.byPath[path]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// Meaning returns the first meaning of a key that a value fits, or that all values of a list
// fit. If there is none, it is Lookup.
func (s *Schema) Meaning(path string, t *Node) *Field {
	all := s.byPath[path]
	if len(all) == 1 {
		return all[0]
	}
	for _, f := range all {
		if s.fits(f, path, t) || t.Kind == List && !slices.ContainsFunc(t.Items, func(item *Node) bool { return !s.fits(f, path, item) }) {
			return f
		}
	}
	return s.Lookup(path)
}

// fits reports whether a value is valid for a field, and changes nothing.
func (s *Schema) fits(f *Field, path string, t *Node) bool {
	_, good := f.Type.Read(&Reader{Bad: map[string]bool{}, schema: s}, path, t.Stamped(t.Layer)) // a fault marks the copy
	return good
}

// Swept returns the paths of the keys that decide a result, in order.
func (s *Schema) Swept() []string {
	return slices.DeleteFunc(slices.Clone(s.paths), func(path string) bool { return !s.Lookup(path).Decides })
}

// SuggestPath returns a hint for an unknown key path: a path with similar spelling, or the
// same key in another section, preferably its own.
func (s *Schema) SuggestPath(path string) string {
	if hint := DidYouMean(path, s.paths); hint != "" {
		return hint
	}
	section, _, _ := strings.Cut(path, ".")
	key, best := path[strings.LastIndexByte(path, '.')+1:], ""
	for _, p := range s.paths {
		if p[strings.LastIndexByte(p, '.')+1:] == key && (best == "" || strings.HasPrefix(p, section+".")) {
			best = p
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// newGroup makes the group of a struct type from its tags.
func newGroup(t reflect.Type) *Group {
	g := &Group{}
	g.add(t, nil)
	return g
}

// add adds the fields of a struct type. Fields of embedded structs are added in place.
func (g *Group) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		switch key := f.Tag.Get("key"); {
		case key != "":
			g.Fields = append(g.Fields, g.newField(t, f, at))
		case f.Name == "_": // a blank field describes the group
			g.Short = f.Tag.Get("short")
			g.OneOf = append(g.OneOf, strings.Fields(f.Tag.Get("oneof"))...)
		case f.Type == rampsType:
			g.ramps = at
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			before := len(g.Fields)
			g.add(f.Type, at)
			g.restrict(before, f.Tag)
		}
	}
}

// restrict applies the tags keys and oneof of a struct field to the keys of its struct, which
// are those from index first on.
func (g *Group) restrict(first int, tag reflect.StructTag) {
	if keys, ok := tag.Lookup("keys"); ok {
		own := slices.DeleteFunc(g.Fields[first:], func(f *Field) bool { return !slices.Contains(strings.Fields(keys), f.Key) })
		g.Fields = g.Fields[:first+len(own)]
	}
	g.OneOf = append(g.OneOf, strings.Fields(tag.Get("oneof"))...)
}

// flags are the words of the tag flags.
var flags = []string{"required", "optional", "own", "outside", "aside", "single", "ramps"}

func hasFlag(tag reflect.StructTag, flag string) bool {
	return slices.Contains(strings.Fields(tag.Get("flags")), flag)
}

func (g *Group) newField(in reflect.Type, of reflect.StructField, index []int) *Field {
	tag := of.Tag
	f := &Field{
		Key: tag.Get("key"), Unit: tag.Get("unit"), Doc: tag.Get("doc"), Absent: tag.Get("absent"), Mistake: tag.Get("mistake"), When: parseCondition(tag.Get("when")),
		Required: hasFlag(tag, "required"), Optional: hasFlag(tag, "optional"),
		Own: hasFlag(tag, "own"), Outside: hasFlag(tag, "outside"), Aside: hasFlag(tag, "aside"), index: index,
	}
	if of.Name == "_" { // another meaning of an earlier key
		f.index, f.again = g.field(f.Key).index, true
	}
	f.Type = newType(in, of.Type, tag)
	if hasFlag(tag, "ramps") {
		f.Type = ramped(f.Type)
	}
	inner, isGroup := f.Type.(*Group)
	if path := tag.Get("inherit"); path != "" && isGroup {
		inner.inherit(path)
		for pair := range strings.FieldsSeq(tag.Get("except")) {
			path, value, _ := strings.Cut(pair, "=")
			inner.override(path, value)
		}
	} else {
		f.Inherit = path
	}
	if value, ok := tag.Lookup("default"); ok {
		f.Default = f.MustParse(value)
	}
	unknown := slices.ContainsFunc(strings.Fields(tag.Get("flags")), func(flag string) bool { return !slices.Contains(flags, flag) })
	if unknown || f.Doc == "" || f.When != nil && isGroup && f.Default != nil || f.Optional && !isGroup {
		panic(fmt.Sprintf("config: %s: the tags of %s contradict each other, have an unknown flag or no doc", in, f.Key))
	}
	return f
}

// MustParse reads a value of the key, such as a default, and panics if it is invalid.
func (f *Field) MustParse(text string) any {
	v, errs := f.parse(text)
	if len(errs) > 0 {
		panic(fmt.Sprintf("config: %s: %v", f.Key, errs))
	}
	return v
}

// inherit gives the keys of a group the defaults of the group at path. A key with a
// condition may be absent there, so it keeps its own default too.
func (g *Group) inherit(path string) {
	for _, f := range g.Fields {
		here := Join(path, f.Key)
		if inner, ok := f.Type.(*Group); ok {
			inner.inherit(here)
			continue
		}
		f.Inherit = here
		if f.When == nil {
			f.Default = nil
		}
	}
}

// override gives a key of an inherited group its own default.
func (g *Group) override(path, value string) {
	key, rest, more := strings.Cut(path, ".")
	f := g.field(key)
	if more {
		f.Type.(*Group).override(rest, value)
		return
	}
	f.Inherit = ""
	f.Default = f.MustParse(value)
}

var fileType = reflect.TypeFor[File]()

// newType makes the type of a Go field from its Go type and tags.
func newType(in, t reflect.Type, tag reflect.StructTag) Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.Zero(t).Interface().(Type); ok {
		return own
	}
	enum, bounds := Enum(strings.Fields(tag.Get("enum"))), tag.Get("range")
	switch kind := t.Kind(); {
	case t == fileType:
		return Text{File: true, Paths: strings.Fields(tag.Get("ext"))}
	case kind == reflect.Slice:
		least, _ := strconv.Atoi(tag.Get("min"))
		return Sequence{Elem: newType(in, t.Elem(), tag), Single: hasFlag(tag, "single"), Min: least}
	case kind == reflect.Map:
		return Table{}
	case bounds != "":
		_, isText := reflect.New(t).Interface().(encoding.TextUnmarshaler)
		return newNumber(bounds, tag, kind != reflect.Float64 && !isText)
	case kind == reflect.Struct:
		g := newGroup(t)
		g.restrict(0, tag)
		return g
	case len(enum) > 0 && tag.Get("pattern") == "":
		return enum
	case kind == reflect.Bool:
		return Bool{}
	case kind == reflect.String:
		x := Text{What: tag.Get("want"), Words: enum, Paths: strings.Fields(tag.Get("ext"))}
		if pattern := tag.Get("pattern"); pattern != "" {
			x.Pattern = regexp.MustCompile(pattern)
		}
		return x
	}
	panic(fmt.Sprintf("config: %s: no tags say what a %s may be, such as range", in, t))
}

// newNumber reads bounds ("0..1", ">0..<1" without the bounds themselves, "1.." for a
// count) and words that stand for numbers in Go ("max=inf").
func newNumber(bounds string, tag reflect.StructTag, whole bool) Number {
	n := Number{Whole: whole, goValues: map[string]float64{}}
	low, high, ok := strings.Cut(bounds, "..")
	low, n.OpenMin = strings.CutPrefix(low, ">")
	high, n.OpenMax = strings.CutPrefix(high, "<")
	if high == "" {
		high = strconv.Itoa(maxCount)
	}
	n.Min, n.Max = mustNumber(low), mustNumber(high)
	for pair := range strings.FieldsSeq(tag.Get("words")) {
		word, value, has := strings.Cut(pair, "=")
		n.Words = append(n.Words, word)
		if has {
			n.goValues[word] = mustNumber(value)
		}
	}
	if zero := tag.Get("zero"); zero != "" {
		n.goZero = mustNumber(zero)
	}
	if !ok || n.Min > n.Max {
		panic("config: a range is written 1..10, not " + bounds)
	}
	return n
}

func mustNumber(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("config: not a number in a tag: " + s)
	}
	return x
}
