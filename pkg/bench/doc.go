// Package bench measures parts of alamos beside their peers: other people's
// engines doing the same work on the same machine at the same time.
//
// The figure that counts is the ratio of the two speeds within one run. Speeds
// by themselves say as much about the machine, and what else it does, as about
// the program; so the sides take turns (see [alternate]) and a busy moment
// meets both. And a speed is a speed only if the work was done right: results
// are compared with known ones, and a wrong result is an error.
//
// The parts, one type each:
//
//	Rules    pkg/chess, counting move sequences (perft)
//	Network  pkg/nn, evaluating positions, beside its bare convolutions
//	SelfPlay pkg/selfplay, playing games, beside its network alone
//	Search   pkg/search, visiting positions, with an evaluator that costs nothing
//	Train    pkg/train, learning from samples, beside bare passes of the network
//
// The package prints nothing but tables, and keeps no record of past speeds:
// figures of another day, another machine or another load are not comparable.
package bench
