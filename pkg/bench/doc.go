// Package bench measures parts of alamos beside peers that do the same work on the same
// machine at the same time.
//
// The important figure is the ratio of the two speeds within one run. A speed alone depends
// on the machine and its load as much as on the program. Therefore the sides take turns
// (see [interleave]), so that other load affects both. A speed counts only if the work is
// correct: results are compared with known ones, and a wrong result is an error.
//
// Each part has one type:
//
//	Rules    pkg/chess, counting move sequences (perft)
//	Network  pkg/nn, evaluating positions, beside its bare convolutions
//	SelfPlay pkg/selfplay, playing games, beside its network alone
//	Search   pkg/search, visiting positions, with an evaluator that costs nothing
//	Train    pkg/train, learning from samples, beside bare passes of the network
//
// The package prints only tables. It keeps no record of past speeds, because figures of
// another day, machine or load are not comparable.
package bench
