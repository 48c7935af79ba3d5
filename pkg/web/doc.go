// Package web holds the pages that alamos serves on this machine.
//
// On the page of `alamos play` ([Play]), people play against networks and other engines, and
// let them play each other. The server has the rules and the state. The page shows the
// pieces, the legal moves and the results of searches. It sends requests as JSON over HTTP
// (request.go lists them) and receives all changes as server-sent events ([update]), so that
// any number of tabs show the same game. All games share one queue of evaluations for each
// network. The searches of a game stop while no page shows it, and continue when one does.
// A game of a file or of a run is loaded as a game of two people, at its end (load.go).
//
// The page of `alamos serve` ([Results]) follows the results of experiments while runs write
// them. Its server only reads what package store has, and only what has changed.
//
// A caller serves a page with [Serve]. The pieces are our own drawings, under the license of
// the repository.
//
// It refuses to be a site on the internet: it has no users and no passwords, and whoever
// reaches the address can use it. It answers no pages of other hosts (see guard), keeps
// nothing on disk, and contacts no other server.
package web
