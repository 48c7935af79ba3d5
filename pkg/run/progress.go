package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"

	"alamos/pkg/disk"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// The progress of a training is a safetensors file beside the checkpoints,
// replaced after every epoch and deleted with the last. Its metadata names the
// inputs that it belongs to, and seals it: the SHA-256 of the file as it is
// without the seal.
const (
	progressInputs = "alamos.inputs"
	progressSeal   = "alamos.checksum"
)

// progressFile is the path of the progress of generation g's training.
func (t *trial) progressFile(g int) string {
	return t.Path("checkpoints", fmt.Sprintf("gen-%04d.progress", g))
}

// writeProgress keeps what a training needs to go on after an epoch.
func writeProgress(path string, in store.Inputs, p *train.Progress) error {
	all, meta, err := p.Pack()
	if err != nil {
		return err
	}
	head, err := json.Marshal(in)
	if err != nil {
		return err
	}
	meta[progressInputs] = string(head)
	if meta[progressSeal], err = sealOf(all, meta); err != nil {
		return err
	}
	return disk.WriteFile(path, func(w io.Writer) error { return nn.WriteSafetensors(w, all, meta) })
}

// readProgress returns nil where there is none, or none of these inputs.
func readProgress(path string, in store.Inputs) (*train.Progress, error) {
	all, meta, err := nn.ReadSafetensors(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, new(*fs.PathError)): // it may well be whole
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s %w (%v)", path, store.ErrDamaged, err)
	}
	seal := meta[progressSeal]
	delete(meta, progressSeal)
	if now, err := sealOf(all, meta); err != nil || now != seal {
		return nil, fmt.Errorf("%s %w (its checksum differs)", path, store.ErrDamaged)
	}
	var was store.Inputs
	if err := json.Unmarshal([]byte(meta[progressInputs]), &was); err != nil || !maps.Equal(was, in) {
		return nil, err
	}
	p, err := train.Unpack(all, meta)
	if err != nil {
		return nil, fmt.Errorf("%s %w (%v)", path, store.ErrDamaged, err)
	}
	return p, nil
}

// sealOf is the SHA-256 of tensors and metadata as a file.
func sealOf(all nn.Tensors, meta map[string]string) (string, error) {
	h := sha256.New()
	if err := nn.WriteSafetensors(h, all, meta); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
