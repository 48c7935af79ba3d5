package run

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/store"
)

// guest is a checkpoint from elsewhere that plays in tournaments: it is asked in the
// language that it was trained in, and searches as the tournament says.
type guest struct {
	name    string // as a player: "tiny@3", or the name of its file
	file    string
	sum     string // of the file
	variant chess.Variant
	codec   encode.Codec
}

// findGuest finds the checkpoint that a player names.
func findGuest(results string, p *experiment.Player) (*guest, error) {
	file, err := store.FindModel(results, p.Model)
	if err != nil {
		return nil, err
	}
	sum, err := disk.Sum(file)
	if err != nil {
		return nil, err
	}
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return nil, err
	}
	g := &guest{file: file, sum: sum, name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if g.codec, g.variant, err = c.Codec(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if at := strings.LastIndex(p.Model, "@"); at > 0 && file != p.Model { // "last" is another one tomorrow
		g.name = p.Model[:at+1] + strconv.Itoa(c.Generation)
	}
	return g, nil
}

// id is what decides the guest's moves, beside the settings of the match.
func (g *guest) id() string {
	return experiment.Hash(g.sum, g.codec.Planes.Name(), g.codec.Policy.Name())
}
