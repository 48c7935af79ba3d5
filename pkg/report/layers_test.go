package report

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/plots"
)

// trials resolves an experiment file that is given as text.
func trials(t *testing.T, text string) []experiment.Trial {
	t.Helper()
	e, err := experiment.Load("x.yaml", experiment.Options{ReadFile: func(string) ([]byte, error) {
		return []byte("alamos: 1\nname: x\n" + text), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Trials
}

func list(t *testing.T, text string) []*Network {
	t.Helper()
	all, err := OfTrials(trials(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOfTrials(t *testing.T) {
	all := list(t, "sweep: {grid: {network.width: [8, 16], search.visits: [10, 20]}}")
	if len(all) != 2 || all[0].Name != "network.width=8" || all[1].Name != "network.width=16" || all[0].Trials != 2 || all[1].Trials != 2 {
		t.Errorf("%d networks: %+v", len(all), all)
	}
	if all = list(t, "sweep: {grid: {network.width: [8], search.visits: [10, 20]}}"); len(all) != 1 || all[0].Name != "" || all[0].Trials != 2 {
		t.Errorf("%d networks: %+v", len(all), all)
	}
}

// Blocks like the one before them are one row; all rows have all parameters.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		network string
		want    string // names of the trunk's rows
	}{
		{"depth: 1", "trunk.0.conv1 trunk.0.norm1 trunk.0.conv2 trunk.0.norm2"},
		{"depth: 2", "trunk.0.conv1 trunk.0.norm1 trunk.0.conv2 trunk.0.norm2 trunk.1"},
		{"depth: 4", "trunk.0.conv1 trunk.0.norm1 trunk.0.conv2 trunk.0.norm2 trunk.1 to trunk.3"},
		// The first convolution has the planes as its input.
		{"trunk: plain, depth: 5", "trunk.0.conv trunk.0.norm trunk.1.conv trunk.1.norm trunk.2 to trunk.4"},
		{"trunk: preactivation, depth: 1, attention: cbam", "trunk.0.norm1 trunk.0.conv1 trunk.0.norm2 trunk.0.conv2 trunk.0.attention.linear1 trunk.0.attention.linear2 trunk.0.attention.conv trunk.norm"},
	} {
		n := list(t, "network: {"+c.network+"}")[0]
		for _, every := range []bool{false, true} {
			var names []string
			sum := 0
			for _, r := range n.Rows(every) {
				sum += r.Parameters
				if strings.HasPrefix(r.Name, "trunk") {
					names = append(names, r.Name)
				}
			}
			if sum != n.Parameters {
				t.Errorf("%s: the rows have %d parameters, the network %d", c.network, sum, n.Parameters)
			}
			if got := strings.Join(names, " "); !every && got != c.want {
				t.Errorf("%s: rows %s, want %s", c.network, got, c.want)
			}
			if every && len(n.Rows(true)) != len(n.Layers) {
				t.Errorf("%s: %d rows of %d layers", c.network, len(n.Rows(true)), len(n.Layers))
			}
		}
	}
}

// What comes out of a block is what its attention weighs, not the weights.
func TestOutputOfBlocks(t *testing.T) {
	for _, attention := range []string{"none", "squeeze-excitation", "cbam"} {
		for _, r := range list(t, "network: {depth: 4, width: 32, attention: "+attention+"}")[0].Rows(false) {
			if r.Name == "trunk.1 to trunk.3" && dimensions(r.Output) == "32x8x8" {
				attention = ""
			}
		}
		if attention != "" {
			t.Errorf("%s: no row of blocks of 32x8x8", attention)
		}
	}
}

// A diagram has a part for a block with all that it adds to its input.
func TestDiagram(t *testing.T) {
	for network, want := range map[string]string{
		"depth: 3, attention: cbam":                                     "input first layer block 0+ block 1 to block 2",
		"trunk: preactivation, depth: 1, attention: squeeze-excitation": "input first layer block 0+ trunk",
		"trunk: plain, depth: 2":                                        "input block 0 block 1",
	} {
		d := list(t, "network: {"+network+"}")[0].Diagram(plots.Frame{})
		var have []string
		for _, p := range d.Stack {
			title := p.Title
			if p.Skips {
				title += "+"
			}
			have = append(have, title)
			if p.Title == "block 0" && strings.Contains(network, "cbam") && !slices.Contains(p.Lines, "attention convolution 7x7 1x8x8, relu after the addition") {
				t.Errorf("%s: %q", network, p.Lines)
			}
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%s: %s, want %s", network, got, want)
		}
	}
}

// The summary names every head.
func TestSummary(t *testing.T) {
	for network, want := range map[string]string{
		"value: wdl, moves_left: true":              "16 planes of atomic16, policy uci1968, value wdl, moves left",
		"opponent_policy: true, future_board: 8":    "value tanh, opponent policy, board 8 plies later",
		"input: dtu24, policy: none, value: linear": "24 planes of dtu24, no policy, value linear",
	} {
		if have := list(t, "network: {"+network+"}")[0].Summary(); !strings.HasSuffix(have, want) {
			t.Errorf("%s: %s, want %s", network, have, want)
		}
	}
}

// A checkpoint is listed as the settings that it was made of.
func TestOfCheckpoint(t *testing.T) {
	const text = "network: {depth: 1, width: 8, activation: mish, attention: squeeze-excitation, attention_reduction: 4, dropout: 0.25, policy_head: conv-linear}"
	want := list(t, text)[0]
	net, err := nn.New(want.Spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := nn.Checkpoint{Header: nn.Header{Spec: net.Spec(), Input: want.Input, Policy: want.Policy, Variant: "atomic"}}
	if c.Network, err = net.State(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	have, err := OfCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	if have.Variant != "atomic" {
		t.Errorf("it plays %q", have.Variant)
	}
	want.Variant = have.Variant // settings have no need of it
	write := func(n *Network) string {
		var b bytes.Buffer
		if err := WriteNetworks(&b, "text", "x", []*Network{n}, true); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if a, b := write(want), write(have); a != b {
		t.Errorf("of the settings:\n%s\nof the checkpoint:\n%s", a, b)
	} else if !strings.Contains(a, "residual, 1 x 8, mish, squeeze-excitation (reduction 4), dropout 0.25, 16 planes of atomic16, policy uci1968, value tanh, plays atomic\n") {
		t.Error(a)
	}
	if _, err := OfCheckpoint(filepath.Join(t.TempDir(), "none.safetensors")); err == nil {
		t.Error("listed a file that is not there")
	}
}
