// Package uci speaks the Universal Chess Interface on both sides: a [Client] drives
// the engines of other people, and [Serve] makes an [Engine] of ours out of a network
// and a tree search.
//
// # Driving external engines
//
// [Start] launches a process and shakes hands with it, [Client.Prove] makes sure that
// it plays the rules of a variant, [Client.Position] and [Client.Go] ask for moves,
// and [Client.Close] ends it. [Find] knows where the opponents of our experiments are
// installed, and [LichessLevel] how lichess weakens them.
//
// An external engine may do anything, so the client trusts nothing: every wait has an
// end, every line has a longest length, every move is checked, and every failure is an
// [*Error] with its kind, the engine's name and the last lines exchanged. An engine
// that cannot prove that it knows a variant is not used: some ignore the request and
// play ordinary chess instead.
//
// # Being an engine
//
// An [Engine] searches a position within the limits of a [Task] and reports on the
// way. `alamos play`, `alamos analyze` and the lichess bot use it directly; user
// interfaces talk to it through [Serve]. A command that is wrong is answered with a
// complaint, and changes nothing.
//
// # What the package refuses to do
//
// It plays no games: package match does, and there nothing may depend on time. A
// client keeps no clocks and does not ponder. Our engine has no opening book, and
// does not know when a game is over: it answers in every position with a legal move.
package uci
