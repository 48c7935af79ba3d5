package uci

import (
	"fmt"
	"path/filepath"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Hardware is what a mind runs on.
type Hardware struct {
	Threads   int    // 0: all; on a CUDA device 1
	Batch     int    // positions evaluated at once, by all threads together; 0: 16 a thread, on a CUDA device 64
	Device    string // see nn.Devices; "": the processor
	Precision string // one of package nn's; "": the fastest
}

// Load makes a mind of a checkpoint file.
func Load(path string, h Hardware) (Model, error) {
	c, err := nn.ReadCheckpoint(path)
	if err != nil {
		return Model{}, err
	}
	codec, variant, err := c.Codec()
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	threads, each, err := nn.Latency(h.Device)
	if err != nil {
		return Model{}, err
	}
	if h.Threads <= 0 {
		h.Threads = threads
	}
	if h.Batch <= 0 {
		h.Batch = each * h.Threads
	}
	each = (h.Batch + h.Threads - 1) / h.Threads
	model, err := c.Compile(nn.InferenceOptions{Batch: each, Device: h.Device, Precision: h.Precision})
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	net := &network{Codec: codec, model: model}
	if err := net.setThreads(h.Threads); err != nil {
		model.Close()
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Model{
		Name:       fmt.Sprintf("%s %s %dx%d", name, variant, c.Spec.Depth, c.Spec.Width),
		Variants:   []chess.Variant{variant},
		Eval:       net,
		Policy:     codec.Policy,
		Batch:      h.Batch,
		Threads:    h.Threads,
		SetThreads: net.setThreads,
		Close:      func() { net.group.Close(); model.Close() },
	}, nil
}

// network is the evaluator of a model, on as many threads as it is told to use.
type network struct {
	encode.Codec
	model *nn.Model
	group *nn.Group
}

func (n *network) Evaluate(leaves []*encode.Leaf) error { return n.group.Evaluate(leaves) }

// setThreads changes the number of threads, which changes no answer. It must not be
// called during a search.
func (n *network) setThreads(threads int) error {
	group, err := n.model.NewGroup(threads)
	if err != nil {
		return err
	}
	if n.group != nil {
		n.group.Close()
	}
	n.group = group
	return nil
}

var _ search.Evaluator = (*network)(nil)
