package nn

import (
	"fmt"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

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
	defer net.Close()
	if err := net.Load(c.Network); err != nil {
		return nil, err
	}
	return net.Compile(o)
}
