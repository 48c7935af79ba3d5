// Package uci speaks the Universal Chess Interface, on both sides: it drives chess
// engines, and it is the interface of one.
//
// # Driving engines
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
// An engine that cannot prove that it knows a variant is not used: some ignore the
// request and play ordinary chess instead. Engines are limited by time a move, depth
// or nodes; clocks are not kept for them, and they do not ponder.
//
// # Being an engine
//
// [Serve] answers a user interface with what a [Brain] thinks. Its user is a program
// of somebody else, too: what is wrong is complained about, and changes nothing.
//
// # What the package refuses to do
//
// It plays no games (package arena does) and does not think (package engine does).
package uci
