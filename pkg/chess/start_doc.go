// Package start knows where games begin: at the start position of a variant, at
// positions given in FEN, or at one of the 960 of chess960, drawn anew for each
// game.
//
// It knows nothing of openings that are played, such as random first moves:
// those belong to whoever plays the games.
package chess
