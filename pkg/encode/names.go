package encode

import (
	"fmt"
	"strings"
)

// The encodings, in the order of their appearance in the literature that
// PlanesNames and PolicyNames keep.
var (
	allPlanes   = []Planes{atomic16{}, mover15{}}
	allPolicies = []Policy{uci1968{}, uci1968Mover{}}
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
