// Package alamos is what a hook script sees of alamos: games, positions,
// checkpoints and the progress of training. It is a small window on the
// program, made of plain values, so that a script stays short and keeps working
// when the inside of alamos changes.
//
// See package hook for what a script may and may not do.
package alamos
