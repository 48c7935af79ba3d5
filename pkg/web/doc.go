// Package web holds the pages that alamos serves on this machine. On that of `alamos play`,
// people play against networks and
// other engines, and let them play each other. A caller serves it as
//
//	s, err := web.NewPlay(web.PlayConfig{Players: players}) // made by match.Opener
//	err = s.Serve(ctx, listener)
//
// The server has the rules and the state. The page shows the pieces, the legal moves
// and the results of searches. It sends requests as JSON over HTTP (request.go lists
// them) and receives all changes as server-sent events ([update]), so that any number
// of tabs show the same game. All games share one queue of evaluations for each
// network.
//
// The searches of a game stop while no page shows it, and continue when one does.
//
// The pieces are our own drawings, under the license of the repository.
//
// It refuses to be a site on the internet: it has no users and no passwords, and
// whoever reaches the address can play. It answers no pages of other hosts (see
// guard), keeps nothing on disk, and contacts no other server.
package web
