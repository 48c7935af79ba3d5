// Package play is a page in the browser on which people play against networks, and
// let them play each other: what `alamos play` serves.
//
// The rules and the state are here. The page shows what it is told: where pieces
// stand, what may be played, what a search thinks. It asks by JSON over HTTP
// (request.go lists the questions) and hears of everything by server-sent events
// ([update]), so that any number of tabs show the same game. What a network is asked
// for all games goes through one queue.
//
// A game that nobody looks at rests: its searches end until somebody comes back.
//
// The pieces are drawings of our own, under the license of the repository.
//
// It refuses to be a site on the internet: there are no users and no passwords, and
// whoever reaches the address plays. It answers no page of another host (guard.go),
// keeps nothing on disk, and asks nothing of any other server.
package play
