// Package selfplay lets a network play against itself and turns the games into samples
// (position, search target, result):
//
//	err := selfplay.Play(ctx, cfg, codec, nets, func(r *selfplay.Record) { ... })
//
// Each worker is a goroutine that plays many games at once in lock step. A step selects a
// leaf (or search.leaves of them) in the tree of every game, evaluates all leaves as one batch and backs the values
// up. Nothing waits in queues and nothing depends on time: a game is a function of the
// settings, its number and the network. The number of workers, the number of games at once
// and the order in which games end do not matter. All random numbers come from streams
// derived from the seed of the generation, the number of the game and the number of the
// attempt. A network must evaluate a position independently of the rest of the batch.
//
// The package writes no files and keeps no state between generations.
package selfplay
