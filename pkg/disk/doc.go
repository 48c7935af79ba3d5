// Package disk keeps results on a disk so that a process may be killed at any
// instant and another goes on from what it left.
//
// It has the four things that this takes: files that are there whole or not at
// all ([WriteFile]), a journal of what a long piece of work has finished
// ([Journal]), the right to write to a folder, which one process has at a time
// ([TakeLock]), and checksums ([Sum], [Sums]).
//
// It knows nothing of what is written.
package disk
