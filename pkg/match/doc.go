// Package match lets players play against each other and measures how strong they are:
// player specifications, players, openings, tournaments, ratings and sequential tests.
//
// A [Spec] describes a player. The YAML of tournament.players and the words of the
// command line ([ParseSpec]) are both read into it, and [Spec.New] makes the [Player]. A
// player answers many positions at once: the games of a pair are played in lock step, so
// that a network evaluates them as one batch.
//
// [Play] plays a [Tournament]: a round robin, a gauntlet or a ladder. Two games each have
// the same opening, from a book ([ReadBook]) or random, with the colors changed. A game is
// a function of the tournament's seed, the names of its two players and its number:
// neither the number of workers nor what was played before changes it, unless a player
// is limited by time or is an engine that plays at random. [Games] keeps the games in a
// journal, so that a killed tournament continues to the same bytes.
//
// [Results] collects games into standings and a crosstable, [Rate] turns them into Elo
// ratings with intervals. [Run] is the match of two players of the command line. Its
// sequential test ([SPRT]) looks at pairs of games in the order of their numbers, not of
// their ends, so that its verdict does not depend on which game ends first.
//
// What the package refuses to do: it keeps no clocks, it adjudicates only games that are
// too long unless an [Adjudicator] is set, it knows no endgame tablebases, and it does not
// excuse a player. One that crashes, stalls, takes too long or plays an illegal move loses
// that game, with the fault as the reason; the tournament continues.
package match
