package nn

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// Checkpoint is a network after a generation, with all that training needs to
// go on from there. On disk it is one safetensors file: tensors "network/..."
// and "optimizer/...", and the header as JSON in the metadata.
type Checkpoint struct {
	Header
	Network, Optimizer Tensors
}

// Header is what a checkpoint says of itself.
type Header struct {
	Spec       Spec   `json:"spec"`
	Input      string `json:"input"`  // name of the planes
	Policy     string `json:"policy"` // name of the policy map
	Variant    string `json:"variant"`
	Generation int    `json:"generation"`
	Samples    int    `json:"samples"` // made by self-play so far
	// Training is what training the next generation starts from, as package train wrote it.
	Training json.RawMessage `json:"training,omitempty"`
}

const (
	headerKey       = "alamos"
	networkPrefix   = "network/"
	optimizerPrefix = "optimizer/"
)

// Write writes the file, whole or not at all.
func (c *Checkpoint) Write(path string) error {
	h, err := json.Marshal(c.Header)
	if err != nil {
		return err
	}
	all := make(Tensors, len(c.Network)+len(c.Optimizer))
	for k, v := range c.Network {
		all[networkPrefix+k] = v
	}
	for k, v := range c.Optimizer {
		all[optimizerPrefix+k] = v
	}
	return disk.WriteFile(path, func(w io.Writer) error {
		return WriteSafetensors(w, all, map[string]string{headerKey: string(h)})
	})
}

// Read reads a checkpoint file. It does not build the network.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	all, meta, err := ReadSafetensors(path)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{Network: Tensors{}, Optimizer: Tensors{}}
	if err := json.Unmarshal([]byte(meta[headerKey]), &c.Header); err != nil {
		return nil, fmt.Errorf("%s is no alamos checkpoint: its metadata has no readable %q entry (%v)", path, headerKey, err)
	}
	for k, v := range all {
		if name, ok := strings.CutPrefix(k, networkPrefix); ok {
			c.Network[name] = v
		} else if name, ok := strings.CutPrefix(k, optimizerPrefix); ok {
			c.Optimizer[name] = v
		}
	}
	return c, nil
}

// Codec is the variant that the network plays, and how it is asked.
func (h *Header) Codec() (encode.Codec, chess.Variant, error) {
	v, err := chess.ParseVariant(h.Variant)
	if err != nil {
		return encode.Codec{}, v, fmt.Errorf("checkpoint: %w", err)
	}
	codec, err := encode.NewCodec(h.Input, h.Policy, v)
	if err != nil {
		return codec, v, fmt.Errorf("checkpoint: %w", err)
	}
	return codec, v, nil
}

// Compile makes a model of the network, for inference.
func (c *Checkpoint) Compile(o InferenceOptions) (*Model, error) {
	net, err := New(c.Spec, 0)
	if err != nil {
		return nil, err
	}
	if err := net.Load(c.Network); err != nil {
		return nil, err
	}
	return net.Compile(o)
}
