package encode

import (
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// The encodings, in the order that all lists of names keep: those of the
// literature first.
var (
	allPlanes   = []Planes{atomic16{}, mover15{}, variants31{}}
	allPolicies = []Policy{uci1968{}, uci1968Mover{}, uci2206Mover{}}
)

// PlanesByName finds an input encoding by its name.
func PlanesByName(name string) (Planes, error) {
	return byName(allPlanes, "input encoding", name)
}

// PolicyByName finds a move encoding by its name.
func PolicyByName(name string) (Policy, error) {
	return byName(allPolicies, "policy encoding", name)
}

// PlanesNames lists the names that PlanesByName knows.
func PlanesNames() []string { return names(allPlanes) }

// PolicyNames lists the names that PolicyByName knows.
func PolicyNames() []string { return names(allPolicies) }

// PlanesFor lists the names of the input encodings that express a variant.
func PlanesFor(v chess.Variant) []string { return names(expressing(allPlanes, v)) }

// PolicyFor lists the names of the move encodings that express a variant.
func PolicyFor(v chess.Variant) []string { return names(expressing(allPolicies, v)) }

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
