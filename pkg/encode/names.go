package encode

import (
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// The encodings, in the order that all lists of names keep: first those that
// between them express every variant, then those of other systems, which are there
// so that their work can be repeated.
var (
	ourPlanes   = []Planes{atomic16{}, mover15{}, variants31{}}
	ourPolicies = []Policy{uci1968{}, uci1968Mover{}, uci2206Mover{}}
	allPlanes   = slices.Concat(ourPlanes, []Planes{alphaZero119{}, leela112{}, marro77{}, dtu24{}})
	allPolicies = slices.Concat(ourPolicies, []Policy{alphaZero4672{}, leela1858{}, fromTo4096{}, marro4096{}})
)

// PlanesByName finds an input encoding by its name.
func PlanesByName(name string) (Planes, error) {
	return byName(allPlanes, "input encoding", name)
}

// PolicyByName finds a move encoding by its name, or the absence of one: none.
func PolicyByName(name string) (Policy, error) {
	return byName(append(slices.Clip(allPolicies), noPolicy{}), "policy encoding", name)
}

// PlanesNames lists the names that PlanesByName knows.
func PlanesNames() []string { return names(allPlanes) }

// PolicyNames lists the names of the move encodings.
func PolicyNames() []string { return names(allPolicies) }

// PlanesFor lists the names of the input encodings to advise for a variant: those
// that express it, but for those of other systems.
func PlanesFor(v chess.Variant) []string { return names(expressing(ourPlanes, v)) }

// PolicyFor lists the names of the move encodings to advise for a variant: those
// that express it, but for those of other systems.
func PolicyFor(v chess.Variant) []string { return names(expressing(ourPolicies, v)) }

func expressing[T interface{ Supports(chess.Variant) error }](all []T, v chess.Variant) []T {
	var list []T
	for _, e := range all {
		if e.Supports(v) == nil {
			list = append(list, e)
		}
	}
	return list
}

func byName[T interface{ Name() string }](all []T, kind, name string) (T, error) {
	for _, e := range all {
		if e.Name() == name {
			return e, nil
		}
	}
	var none T
	return none, fmt.Errorf("no %s is named %q: want %s", kind, name, strings.Join(names(all), ", "))
}

func names[T interface{ Name() string }](all []T) []string {
	list := make([]string, len(all))
	for i, e := range all {
		list[i] = e.Name()
	}
	return list
}
