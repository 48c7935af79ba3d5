// Package uci implements both sides of the Universal Chess Interface: a [Client] drives
// external engines, and [Serve] exposes our own [Engine], a network with a tree search.
//
// # Driving external engines
//
// [Start] launches a process and completes the handshake, [Client.Prove] checks that it
// plays the rules of a variant, [Client.Go] requests moves, and [Client.Close] ends it.
// [Opponent.Find] locates the opponents of our experiments, with the settings with which lichess
// weakens them.
//
// The client does not trust an external engine: every wait has a timeout, every line has a
// maximum length, every move is checked, and every failure is an [*Error] with its kind,
// the engine's name and the last lines exchanged. An engine that cannot prove that it knows
// a variant is refused, because some ignore the request and play ordinary chess.
//
// # Being an engine
//
// A [Searcher] searches a position within the limits of a [Task] and reports its progress:
// our [Engine], an external engine ([NewExternal]), or the alpha-beta search of package
// match. `alamos play`, `alamos analyze` and the lichess bot use it directly. User interfaces
// reach it through [Serve]. A wrong command gets an error message and changes nothing.
//
// # What the package refuses to do
//
// It plays no games: package match does, and its results must not depend on time. A client
// keeps no clocks and does not ponder. Our engine has no opening book, and does not detect
// the end of a game: it returns a legal move in every position.
package uci
