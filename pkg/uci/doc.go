// Package uci drives chess engines that speak the Universal Chess Interface.
//
// [Start] launches an engine process and shakes hands with it, [Engine.Prove]
// makes sure that it plays the rules it is asked to play, [Engine.Position] and
// [Engine.Go] ask for moves, [Engine.Close] ends it. [Find] knows where the
// opponents of our experiments are installed, and [LichessLevel] how lichess
// weakens them.
//
// An engine is a program of somebody else that may do anything. The driver
// therefore trusts nothing: every wait has an end, every line has a longest
// length, every move is checked, and every failure is an [*Error] that says
// what kind of failure it was, names the engine, and carries the last lines
// exchanged with it.
//
// What the package refuses to do: it plays no games (package arena does), it
// keeps no clocks (an engine is limited by time a move, depth or nodes), and it
// does not ponder. An engine that cannot prove that it knows a variant is not
// used: some ignore the request and play ordinary chess instead.
package uci
