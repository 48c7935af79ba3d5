// Package match plays two players against each other, outside of any experiment: to
// find out which is stronger, or to make a file of games to learn from.
//
// [ParseSpec] reads a player in a word, [Run] plays, [Summary] has its result.
// Games are kept in a file of PGN as they end. A match that was interrupted goes on
// from there, and one that is over goes on when more games are asked for; the games are
// those of an undisturbed match.
//
// A sequential test (package arena's [arena.SPRT]) looks at pairs of games in the order
// of their numbers, not of their ends, so that its verdict is a function of the match
// too, and short games have no more say than long ones.
//
// What the package refuses to do: it holds no tournaments and rates no more than two
// players, which is what experiments are for, and it goes on with no file of another
// match.
package match
