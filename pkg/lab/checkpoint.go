package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"alamos/pkg/disk"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

// checkpoint is a network after a generation, with all that training needs to
// go on from there. On disk it is one safetensors file: tensors "network/..."
// and "optimizer/...", and the header as JSON in the metadata.
type checkpoint struct {
	header
	network, optimizer nn.Tensors
}

// header is what a checkpoint says of itself.
type header struct {
	Spec       nn.Spec     `json:"spec"`
	Input      string      `json:"input"`  // name of the planes
	Policy     string      `json:"policy"` // name of the policy map
	Variant    string      `json:"variant"`
	Generation int         `json:"generation"`
	Samples    int         `json:"samples"` // made by self-play so far
	Training   train.State `json:"training"`
}

const (
	headerKey       = "alamos"
	networkPrefix   = "network/"
	optimizerPrefix = "optimizer/"
)

func (c *checkpoint) write(path string) error {
	h, err := json.Marshal(c.header)
	if err != nil {
		return err
	}
	all := make(nn.Tensors, len(c.network)+len(c.optimizer))
	for k, v := range c.network {
		all[networkPrefix+k] = v
	}
	for k, v := range c.optimizer {
		all[optimizerPrefix+k] = v
	}
	return disk.WriteFile(path, func(w io.Writer) error {
		return nn.WriteSafetensors(w, all, map[string]string{headerKey: string(h)})
	})
}

func readCheckpoint(path string) (*checkpoint, error) {
	all, meta, err := nn.ReadSafetensors(path)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{network: nn.Tensors{}, optimizer: nn.Tensors{}}
	if err := json.Unmarshal([]byte(meta[headerKey]), &c.header); err != nil {
		return nil, fmt.Errorf("%s is no alamos checkpoint: its metadata has no readable %q entry (%v)", path, headerKey, err)
	}
	for k, v := range all {
		if name, ok := strings.CutPrefix(k, networkPrefix); ok {
			c.network[name] = v
		} else if name, ok := strings.CutPrefix(k, optimizerPrefix); ok {
			c.optimizer[name] = v
		}
	}
	return c, nil
}
