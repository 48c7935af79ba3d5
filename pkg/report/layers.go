package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
)

// Network is a network with its layers.
type Network struct {
	Name       string     `json:"name"`             // what sets it apart from others
	Trials     int        `json:"trials,omitempty"` // that have this network
	Input      string     `json:"input"`            // name of the planes
	Policy     string     `json:"policy"`           // name of the policy map
	Spec       nn.Spec    `json:"spec"`             // defaults made explicit
	Layers     []nn.Layer `json:"layers"`
	Parameters int        `json:"parameters"` // that are trained, of all layers
}

// OfTrials lists the different networks of trials, in their order. Each is named
// after what the sweep says of it; the only one of all has no name.
func OfTrials(trials []experiment.Trial) ([]*Network, error) {
	var all []*Network
	for i := range trials {
		t := &trials[i]
		n, err := OfSettings(&t.Settings)
		if err != nil {
			return nil, err
		}
		same := func(m *Network) bool {
			return m.Input == n.Input && m.Policy == n.Policy && reflect.DeepEqual(m.Spec, n.Spec)
		}
		if at := slices.IndexFunc(all, same); at >= 0 {
			all[at].Trials++
			continue
		}
		n.Name, n.Trials = shape(t), 1
		all = append(all, n)
	}
	if len(all) == 1 {
		all[0].Name = "" // what is varied makes no difference
	}
	return all, nil
}

// shape is what of a trial's place in the sweep says something of its network.
func shape(t *experiment.Trial) string {
	var words []string
	for _, a := range t.Axis {
		if a.Value != "" && (strings.HasPrefix(a.Path, "network.") || a.Path == "game.variant") {
			words = append(words, a.Path+"="+a.Value)
		}
	}
	return strings.Join(words, " ")
}

// OfSettings lists the network of a trial. It has no name.
func OfSettings(s *experiment.Settings) (*Network, error) {
	x, err := experiment.New(s)
	if err != nil {
		return nil, err
	}
	h := x.Header(0, 0)
	return of(&h)
}

// OfCheckpoint lists the network of a checkpoint file. It has no name.
func OfCheckpoint(path string) (*Network, error) {
	c, err := nn.ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	n, err := of(&c.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

func of(h *nn.Header) (*Network, error) {
	n := &Network{Input: h.Input, Policy: h.Policy}
	var err error
	if n.Spec, err = h.Spec.Complete(); err != nil {
		return nil, err
	}
	if n.Layers, err = n.Spec.Layers(); err != nil {
		return nil, err
	}
	for _, l := range n.Layers {
		n.Parameters += l.Parameters
	}
	return n, nil
}

// Summary describes the network in a line: trunk, planes, heads.
func (n *Network) Summary() string {
	s := &n.Spec
	words := []string{fmt.Sprintf("%s, %d x %d, %s", s.Trunk, s.Depth, s.Width, s.Activation)}
	if s.Attention != nn.AttentionNone {
		words = append(words, fmt.Sprintf("%s (reduction %d)", s.Attention, s.AttentionReduction))
	}
	if s.Dropout > 0 {
		words = append(words, fmt.Sprintf("dropout %v", s.Dropout))
	}
	words = append(words, fmt.Sprintf("%d planes of %s", s.Planes, n.Input))
	if s.PolicyHead == nn.PolicyNone {
		words = append(words, "no policy")
	} else {
		words = append(words, "policy "+n.Policy)
	}
	words = append(words, "value "+s.Value)
	if s.MovesLeft {
		words = append(words, "moves left")
	}
	return strings.Join(words, ", ")
}
