// Package train turns samples into a better network: it walks epochs over a
// window of generations, steps the optimizer at a scheduled learning rate,
// measures a held-out share after every epoch and selects the epoch to keep.
//
// It knows nothing of files, of games or of how a network computes: samples
// come from package dataset, steps go to package nn. Everything that a later
// generation needs is in [State], a small value that survives a process as
// JSON, so that a resumed run continues bit for bit.
package train
