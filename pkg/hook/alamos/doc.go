// Package alamos is the API of hook scripts: games, positions, checkpoints and the
// progress of training. It is small and made of plain values, so that a script stays
// short and keeps working when the inside of alamos changes.
//
// See package hook for what a script may and may not do.
package alamos
