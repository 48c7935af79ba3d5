// Package arena lets players play against each other and says how strong they
// are: players, pairings, games, standings, ratings.
//
// A [Player] answers many positions at once. All games of a pairing go on in
// lock-step, so that a player with a network evaluates them as one batch. A game
// is a function of the tournament's seed, the names of its two players and its
// number: neither the number of workers nor what was played before changes it,
// unless a player is limited by time, or is an engine that plays at random.
//
// [Play] plays all pairings of a tournament, a round robin, a gauntlet or a ladder,
// and can go on where an earlier run stopped. Two games each have the same opening,
// of a book ([ReadBook]) or drawn at random, with the colors changed.
// [Results] collects games into standings and a crosstable, [Rate] turns them
// into Elo ratings with error bars.
//
// Matches of pairs of games are tested by [SPRT]; package match plays them.
//
// What the package refuses to do: it keeps no clocks, it adjudicates nothing but games
// that are too long unless a [Judge] is asked for, it knows no endgame tablebases, it
// writes no files, and it does not excuse a player. One that crashes, stalls, takes too
// long or plays an illegal move loses that game, with the fault as the reason; the
// tournament goes on.
package match
