// Package selfplay lets a network play against itself and turns the games into
// samples to learn from: (position, target of the search, result).
//
// Workers, a goroutine each, play many games at once in lock-step: a step
// descends the tree of every game to one leaf, evaluates all leaves as one
// batch and takes the answers up. Nothing waits in queues and nothing depends
// on time: a game is a function of the settings, its number and the network,
// whatever the number of workers, the number of games at once, or the order in
// which they end. All randomness comes from streams that are hashed from the
// seed of the generation, the number of the game and the number of the attempt.
// What this asks of the network is that a position's answer does not depend on
// what else is in the batch.
//
// The package writes no files and keeps no state between generations.
package selfplay
