// Package arena lets players play against each other and says how strong they
// are: players, pairings, games, standings, ratings.
//
// A [Player] answers many positions at once. All games of a pairing go on in
// lock-step, so that a player with a network evaluates them as one batch. A game
// is a function of the tournament's seed, the names of its two players and its
// number: neither the number of workers nor what was played before changes it,
// unless a player is an engine that is limited by time or plays at random.
//
// [RoundRobin] plays all pairings and can go on where an earlier run stopped.
// [Results] collects games into standings and a crosstable, [Rate] turns them
// into Elo ratings with error bars.
//
// What the package refuses to do: it keeps no clocks, it adjudicates nothing of its
// own accord but games that are too long, it writes no files of its own accord, and it does not
// excuse a player. One that crashes, stalls or plays an illegal move loses that
// game, with the fault as the reason; the tournament goes on.
package arena
