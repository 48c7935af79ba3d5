package config

import (
	"math"
	"reflect"
	"slices"
	"strings"
)

// Ramp is a number that changes linearly with steps such as the generations of an
// experiment: From at step 1, To at step Over and later.
type Ramp struct {
	From, To float64
	Over     int // at least 2
}

// At returns the number at a step.
func (r Ramp) At(step int) float64 {
	done := float64(min(max(step, 1), r.Over)-1) / float64(r.Over-1)
	x := r.From*(1-done) + r.To*done
	return min(max(x, min(r.From, r.To)), max(r.From, r.To)) // without rounding errors beyond the ends
}

// Ramps are the ramps of a struct by the paths of their keys. [Schema.Fill] and
// [Schema.Values] keep them in the field of this type that a struct with ramps has. The
// fields of the keys themselves have the numbers at the end, [Ramp.To].
type Ramps map[string]Ramp

// Steps returns the first step and those at which a ramp ends, in ascending order. A linear
// condition that holds at all of them holds at every step.
func (r Ramps) Steps() []int {
	steps := []int{1}
	for _, ramp := range r {
		steps = append(steps, ramp.Over)
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// At returns a tagged struct with the numbers that its ramps have at a step, and without
// the ramps. ramps are those of the struct.
func At[T any](of *T, ramps Ramps, step int) *T {
	if len(ramps) == 0 {
		return of
	}
	s, at := Of[T](), *of
	v := reflect.ValueOf(&at).Elem()
	for path, r := range ramps {
		decode(s.value(v, path), s.Lookup(path).Type, s.Lookup(path).Type.(Number).canonical(r.At(step)))
	}
	v.FieldByIndex(s.ramps).SetZero()
	return &at
}

var rampsType = reflect.TypeFor[Ramps]()

// ramped returns a type whose numbers may be ramps, except those on which conditions depend.
func ramped(t Type) Type {
	switch t := t.(type) {
	case *Group:
		for _, f := range t.Fields {
			decides := func(other *Field) bool { return other.When.on(f.Key) }
			if !slices.ContainsFunc(t.Fields, decides) {
				f.Type = ramped(f.Type)
			}
		}
	case Number:
		end := t
		end.Words = nil
		t.Ramp = &Group{Fields: []*Field{
			{Key: "from", Type: end, Required: true, Doc: "The number in the first generation."},
			{Key: "to", Type: end, Required: true, Doc: "The number in generation over and later."},
			{Key: "over", Type: Number{Whole: true, Min: 2, Max: 10_000}, Required: true, Unit: "generations", Doc: "Number of generations in which the number changes linearly from from to to. Whole numbers are rounded."},
		}}
		return t
	}
	return t
}

// canonical returns a number in canonical form, rounded if it is whole.
func (n Number) canonical(x float64) any {
	if n.Whole {
		return int64(math.Round(x))
	}
	return x
}

// collect adds the ramps among the canonical values of a group. It returns the number of
// ramps.
func (r Ramps) collect(g *Group, path string, values map[string]any) int {
	for _, f := range g.Fields {
		inner, _ := values[f.Key].(map[string]any)
		switch t := f.Type.(type) {
		case *Group:
			r.collect(t, Join(path, f.Key), inner)
		case Number:
			if inner != nil {
				r[Join(path, f.Key)] = Ramp{From: Float(inner["from"]), To: Float(inner["to"]), Over: int(Float(inner["over"]))}
			}
		}
	}
	return len(r)
}

// addRamps replaces the numbers of canonical values by the ramps of the struct v.
func (s *Schema) addRamps(values map[string]any, v reflect.Value) {
	if s.ramps == nil {
		return
	}
	ramps, _ := v.FieldByIndex(s.ramps).Interface().(Ramps)
	for path, r := range ramps {
		group, key := values, path
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			inner, _ := ValueAt(values, path[:i])
			group, _ = inner.(map[string]any)
			key = path[i+1:]
		}
		n := s.Lookup(path).Type.(Number)
		group[key] = map[string]any{"from": n.canonical(r.From), "to": n.canonical(r.To), "over": int64(r.Over)}
	}
}

// end returns the number at the end of a ramp, and other canonical values unchanged.
func (n Number) end(x any) any {
	if ramp, isRamp := x.(map[string]any); isRamp {
		return ramp["to"]
	}
	return x
}
