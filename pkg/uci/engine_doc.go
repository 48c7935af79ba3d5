// Package engine is alamos as a chess engine: a network and a tree search that think
// about a position for as long as they may, on a clock if there is one, and tell what
// they think of it on the way.
//
// An [Engine] is what user interfaces talk to: [Engine.Search] on the page of `alamos
// play` and in `alamos analyze`, and as a [uci.Brain] through UCI and on lichess. In
// tournaments of an experiment package arena plays instead, where nothing may depend
// on time.
//
// It refuses to know opening books, and to know when a game is over: it answers in
// every position that has legal moves.
package uci
