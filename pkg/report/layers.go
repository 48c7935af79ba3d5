package report

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/plots"
)

// Network is a network with its layers.
type Network struct {
	Name       string     `json:"name"`              // what distinguishes it from the others
	Trials     int        `json:"trials,omitempty"`  // number of trials with this network
	Input      string     `json:"input"`             // name of the planes
	Policy     string     `json:"policy"`            // name of the policy map
	Variant    string     `json:"variant,omitempty"` // that a checkpoint plays
	Spec       nn.Spec    `json:"spec"`              // with explicit defaults
	Layers     []nn.Layer `json:"layers"`
	Parameters int        `json:"parameters"` // number of trained parameters
}

// OfTrials lists the different networks of trials in their order. Each is named after the
// swept settings that shape it. A single network has no name.
func OfTrials(trials []experiment.Trial) ([]*Network, error) {
	var all []*Network
	for i := range trials {
		t := &trials[i]
		setup, err := experiment.NewSetup(&t.Settings)
		if err != nil {
			return nil, err
		}
		n, err := ofHeader(setup.Header(0))
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
		all[0].Name = "" // the swept settings do not change the network
	}
	return all, nil
}

// shape returns the swept settings that shape a trial's network.
func shape(t *experiment.Trial) string {
	var words []string
	for _, a := range t.Axis {
		if a.Value != "" && (strings.HasPrefix(a.Path, "network.") || a.Path == "game.variant") {
			words = append(words, a.Path+"="+a.Value)
		}
	}
	return strings.Join(words, " ")
}

// OfCheckpoint describes the network of a checkpoint file. It has no name.
func OfCheckpoint(path string) (*Network, error) {
	c, err := nn.ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	n, err := ofHeader(c.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n.Variant = variantName(c.Variant)
	return n, nil
}

// ofHeader describes a network without a name.
func ofHeader(h nn.Header) (*Network, error) {
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
	var words []string
	add := func(has bool, format string, args ...any) {
		if has {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	switch {
	case s.Trunk == nn.TrunkSparse:
		add(true, "sparse, %d features for the value and %d for the policy, %s", s.Width, s.PolicyWidth, s.Activation)
		add(s.KingBuckets > 1, "%d king buckets", s.KingBuckets)
		add(s.Mirror, "mirrored")
	default:
		add(true, "%s, %d x %d, %s", s.Trunk, s.Depth, s.Width, s.Activation)
	}
	add(s.Attention != nn.AttentionNone, "%s (reduction %d)", s.Attention, s.AttentionReduction)
	add(s.Dropout > 0, "dropout %v", s.Dropout)
	add(true, "%d planes of %s", s.Planes, n.Input)
	add(s.PolicyHead == nn.PolicyNone, "no policy")
	add(s.PolicyHead != nn.PolicyNone, "policy %s", n.Policy)
	add(true, "value %s", s.Value)
	add(s.MovesLeft, "moves left")
	add(s.OpponentPolicy, "opponent policy")
	add(s.SoftPolicy, "soft policy")
	add(s.FutureBoard > 0, "board %d plies later", s.FutureBoard)
	add(n.Variant != "", "plays %s", n.Variant)
	return strings.Join(words, ", ")
}

// Rows returns the layers. Consecutive blocks like the block before them are one row,
// unless all layers are wanted.
func (n *Network) Rows(all bool) (rows []nn.Layer) {
	blocks := n.blocks()
	for i := 0; i < len(blocks); {
		b, like := blocks[i], i
		for !all && i > 0 && b.name != "" && like < len(blocks) && reflect.DeepEqual(blocks[like].layers, blocks[i-1].layers) {
			like++
		}
		if n := like - i; n == 0 || n == 1 && len(b.layers) == 1 {
			for _, l := range b.layers {
				l.Name = strings.TrimPrefix(b.name+"."+l.Name, ".")
				rows = append(rows, l)
			}
			i++
			continue
		}
		// Whatever layers a block ends with, its own output is as wide as the trunk.
		r := nn.Layer{Name: b.name, Kind: "a block like it", Output: []int{n.Spec.Width, 8, 8}}
		if n.Spec.Trunk == nn.TrunkTransformer {
			r.Output = []int{64, n.Spec.Width}
		}
		if like-i > 1 {
			r.Name, r.Kind = b.name+" to "+blocks[like-1].name, fmt.Sprintf("%d blocks like it", like-i)
		}
		for _, l := range b.layers {
			r.Parameters += (like - i) * l.Parameters
		}
		rows, i = append(rows, r), like
	}
	return rows
}

// Diagram draws the network from its planes to its heads.
func (n *Network) Diagram(frame plots.Frame) plots.Diagram {
	d := plots.Diagram{Frame: frame, Stack: []plots.Part{{Title: "input", Lines: []string{fmt.Sprintf("%d planes of %s", n.Spec.Planes, n.Input)}}}}
	add := func(in *[]plots.Part, title string, l nn.Layer) {
		if last := len(*in) - 1; last < 0 || (*in)[last].Title != title {
			*in = append(*in, plots.Part{Title: title})
		}
		part := &(*in)[len(*in)-1]
		kind := l.Kind
		if of, like := strings.CutSuffix(kind, " like it"); like {
			kind = of + " like the one above"
		}
		part.Lines = append(part.Lines, followed(strings.TrimSpace(kind+" "+dimensions(l.Output)), l.Then))
	}
	for _, l := range n.Rows(false) {
		part, _, _ := strings.Cut(l.Name, ".")
		switch part {
		case "input", "features":
			add(&d.Stack, "first layer", l)
		case "smolgen":
			add(&d.Stack, "smolgen, for all blocks", l)
		case "trunk":
			title, several := l.Name, strings.Contains(l.Name, " to ") || strings.HasSuffix(l.Kind, " like it")
			switch names := strings.Split(title, "."); { // trunk, number of the block, then perhaps "attention", then the layer
			case several:
			case len(names) == 2: // after the blocks
				title = names[0]
			default:
				title = strings.Join(names[:2], ".")
				l.Kind = strings.Join(append(names[2:len(names)-1], l.Kind), " ")
			}
			add(&d.Stack, strings.ReplaceAll(title, "trunk.", "block "), l)
			d.Stack[len(d.Stack)-1].Skips = !several && title != part && (n.Spec.Trunk == nn.TrunkResidual || n.Spec.Trunk == nn.TrunkPreactivation)
		default:
			title := strings.ReplaceAll(part, "_", " ")
			at := slices.IndexFunc(d.Heads, func(head []plots.Part) bool { return head[0].Title == title })
			if at < 0 {
				at = len(d.Heads)
				d.Heads = append(d.Heads, nil)
			}
			add(&d.Heads[at], title, l)
		}
	}
	return d
}

// drawNetwork draws the network of a trial.
func drawNetwork(p *picture) (plots.Chart, string, error) {
	all, err := OfTrials([]experiment.Trial{p.only().Declared})
	if err != nil {
		return nil, "", err
	}
	return all[0].Diagram(p.frame), fmt.Sprintf("The network: %s. It has %s trained parameters.", all[0].Summary(), humanize.Comma(int64(all[0].Parameters))), nil
}

// mostInputs is the number of planes up to which a figure shows the empty ones too.
const mostInputs = 40

// drawInputs shows the planes that a network gets of a position without a history.
func drawInputs(p *picture) (plots.Chart, string, error) {
	settings := &p.only().Declared.Settings
	setup, err := experiment.NewSetup(settings)
	if err != nil {
		return nil, "", err
	}
	position, err := experiment.FigurePosition(setup.Variant, settings, p.Position)
	if err != nil {
		return nil, "", err
	}
	encoding := setup.Codec.Planes
	words := make([]uint64, encoding.Count())
	encoding.Encode(words, chess.NewGame(position))
	c := plots.PolicyPlanes{Frame: p.frame, Quantity: "value", Position: plots.Position{Variant: setup.Variant.Spec()}}
	names, constant := encoding.Names(), encoding.Constant()
	for i, w := range words {
		if w == 0 && len(words) > mostInputs {
			continue
		}
		plane := plots.Plane{Title: names[i]}
		for s := range plane.Squares {
			if constant[i] {
				plane.Squares[s] = float64(math.Float32frombits(uint32(w)))
			} else {
				plane.Squares[s] = float64(w >> s & 1)
			}
		}
		c.Planes = append(c.Planes, plane)
	}
	shown := fmt.Sprintf("The %d input planes", len(words))
	if len(c.Planes) < len(words) {
		shown = fmt.Sprintf("The %d input planes of %d that are not empty", len(c.Planes), len(words))
	}
	view := "as White sees the board"
	switch black := position.Turn() == chess.Black && !encoding.White(); {
	case black && setup.Variant == chess.RacingKings && settings.Network.Input != encode.Rules:
		view = "as Black sees the board, with the h-file on the left"
	case black:
		view = "as Black sees the board, with White's first rank on top"
	}
	return c, fmt.Sprintf("%s of the encoding %s, %s, for %s.", shown, encoding.Name(), view, position.FEN()), nil
}

// block is a block of the trunk, or a layer elsewhere.
type block struct {
	name   string     // "trunk.3", empty for a layer elsewhere
	layers []nn.Layer // with their names in the block
}

// inBlock matches the name of a layer in a block: trunk.3.conv1 is conv1 of trunk.3.
var inBlock = regexp.MustCompile(`^(\w+\.\d+)\.(.+)$`)

func (n *Network) blocks() (all []block) {
	for _, l := range n.Layers {
		name := ""
		if m := inBlock.FindStringSubmatch(l.Name); m != nil {
			name, l.Name = m[1], m[2]
		}
		if last := len(all) - 1; name != "" && last >= 0 && all[last].name == name {
			all[last].layers = append(all[last].layers, l)
		} else {
			all = append(all, block{name, []nn.Layer{l}})
		}
	}
	return all
}

func dimensions(shape []int) string {
	var words []string
	for _, n := range shape {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, "x")
}

// NetworkFormats are the forms of [WriteNetworks].
var NetworkFormats = []string{"text", "markdown"}

// WriteNetworks writes the layers of networks in one of NetworkFormats. From names the
// experiment or the checkpoint that they come from.
func WriteNetworks(w io.Writer, format, from string, networks []*Network, all bool) error {
	var p Page
	for _, n := range networks {
		t := n.Table(all)
		t.Rows = append(t.Rows, Row("total", "", "", humanize.Comma(int64(n.Parameters))))
		p.Blocks = append(p.Blocks, Heading{n.title(from)}, Text{n.Summary()}, t)
	}
	if format == "markdown" {
		_, err := w.Write(p.Markdown())
		return err
	}
	return WriteText(w, false, p.Blocks...)
}

// Table has a row for each of Rows.
func (n *Network) Table(all bool) Table {
	t := Table{Columns: []Column{{Name: "layer"}, {Name: "kind"}, {Name: "output"}, number("parameters", "")}}
	for _, r := range n.Rows(all) {
		t.Rows = append(t.Rows, Row(r.Name, followed(r.Kind, r.Then), dimensions(r.Output), humanize.Comma(int64(r.Parameters))))
	}
	return t
}

// followed lists a layer and what is done with its output.
func followed(layer string, then []string) string {
	return strings.Join(append([]string{layer}, then...), ", ")
}

// title is the name, with the number of trials where there are several.
func (n *Network) title(from string) string {
	title := strings.TrimSpace(from + " " + n.Name)
	if n.Trials > 1 {
		title += ", " + english.Plural(n.Trials, "trial", "")
	}
	return title
}
