package run

import (
	"context"

	"alamos/pkg/nn"

	"alamos/pkg/store"
)

// Estimate says what so many evaluations of a trial's network come to.
type Estimate func(ctx context.Context, evaluations int) (Work, error)

// askedOf are the inputs of a stage that asks the checkpoint of generation g.
func askedOf(t *Trial, g int) store.Inputs {
	s := &t.Settings
	return store.Inputs{
		"network": t.CheckpointSum(g), "game.variant": s.Game.Variant,
		"network.input": s.Network.Input, "network.policy": s.Network.Policy,
	}
}

// network is a checkpoint that answers on all threads of the trial.
type network struct {
	*nn.Group
	policy bool // whether it has one
	size   int  // of the policy
	model  *nn.Model
}

// open opens the checkpoint of generation g.
func open(t *Trial, g int) (*network, error) {
	model, err := t.Model(g)
	if err != nil {
		return nil, err
	}
	group, err := model.NewGroup(t.Workers)
	if err != nil {
		model.Close()
		return nil, err
	}
	size := t.Spec().PolicySize
	return &network{group, size > 0, size, model}, nil
}

func (n *network) close() {
	n.Group.Close()
	n.model.Close()
}
