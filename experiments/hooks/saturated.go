//go:build ignore

package main

import (
	"fmt"

	"alamos/pkg/hook/alamos"
)

const (
	patience = 5    // generations that may pass without a better loss
	better   = 0.01 // share by which a loss must be lower to be better
)

// Stop ends training when the loss no longer falls. A metric of a hook would do as
// well: p.Past[i].Metrics["entropy.policy_entropy"].
func Stop(p alamos.Progress) (stop bool, reason string) {
	best := 0
	for i, generation := range p.Past {
		if generation.Loss < p.Past[best].Loss*(1-better) {
			best = i
		}
	}
	if since := len(p.Past) - 1 - best; since >= patience {
		return true, fmt.Sprintf("no better loss than %.3f of generation %d in %d generations", p.Past[best].Loss, best+1, since)
	}
	return false, ""
}
