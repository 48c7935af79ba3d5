// Package train improves a network with samples. It trains for several epochs on a replay
// window, steps the optimizer at a scheduled learning rate, measures a held-out share of
// the games after every epoch and selects one epoch:
//
//	epochs, err := train.Run(ctx, cfg, net, trainer, window, seeds, &state, nil, train.Hooks{})
//
// The package does not know files, games or how a network computes. Samples come from
// package data, and package nn does the steps. [State] is all that a later generation
// needs. It is a small value that is saved as JSON, so that a resumed run continues bit for
// bit.
package train
