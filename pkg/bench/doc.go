// Package bench measures parts of alamos beside peers that do the same work on the same
// machine at the same time. A caller fills the type of a part, receives each result, and runs
// it:
//
//	b := bench.Rules{Positions: bench.SpeedSet(), Peer: bench.FindPeer, Time: 2 * time.Second}
//	b.Result = func(r bench.RulesResult) { fmt.Println(r.Position, r.Ratio) }
//	err := b.Run(ctx)
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
// [WriteTable] prints results for people; they are also structs for encoding/json. The
// package keeps no record of past speeds, because figures of another day, machine or load
// are not comparable.
package bench
