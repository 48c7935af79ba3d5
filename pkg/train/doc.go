// Package train turns samples into a better network: it trains for several epochs on a
// replay window, steps the optimizer at a scheduled learning rate, measures a held-out
// share of the games after every epoch and selects the epoch to keep.
//
// It knows nothing of files, of games or of how a network computes: samples come from
// package data, steps go to package nn. [State] has everything that a later generation
// needs. It is a small value that survives a process as JSON, so that a resumed run
// continues bit for bit.
package train
