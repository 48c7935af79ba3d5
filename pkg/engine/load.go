package engine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"alamos/pkg/checkpoint"
	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Hardware is what a mind runs on.
type Hardware struct {
	Threads   int    // 0: all
	Batch     int    // positions evaluated at once, by all threads together; 0: 16 a thread
	Precision string // one of package nn's; "": the fastest
}

// Load makes a mind of a checkpoint file.
func Load(path string, h Hardware) (Mind, error) {
	c, err := checkpoint.Read(path)
	if err != nil {
		return Mind{}, err
	}
	codec, variant, err := c.Codec()
	if err != nil {
		return Mind{}, fmt.Errorf("%s: %w", path, err)
	}
	if h.Threads <= 0 {
		h.Threads = runtime.NumCPU()
	}
	if h.Batch <= 0 {
		h.Batch = 16 * h.Threads
	}
	each := (h.Batch + h.Threads - 1) / h.Threads
	model, err := c.Compile(nn.InferenceOptions{Batch: each, Precision: h.Precision})
	if err != nil {
		return Mind{}, fmt.Errorf("%s: %w", path, err)
	}
	group, err := model.NewGroup(h.Threads)
	if err != nil {
		model.Close()
		return Mind{}, fmt.Errorf("%s: %w", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Mind{
		Name:     fmt.Sprintf("%s %s %dx%d", name, variant, c.Spec.Depth, c.Spec.Width),
		Variants: []chess.Variant{variant},
		Eval:     search.NewEvaluator(codec, group),
		Policy:   codec.Policy,
		Batch:    h.Batch,
		Close:    func() { group.Close(); model.Close() },
	}, nil
}
