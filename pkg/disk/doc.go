// Package disk keeps results on a disk so that a process may be killed at any
// instant and another continues with what it left.
//
// It has four parts: files that are written whole or not at all ([WriteFile]), a
// journal of what a long piece of work has finished ([Journal]), the lock of a
// folder, which one process holds at a time ([TakeLock]), and checksums ([Sum],
// [Sums]).
//
// It does not know what is written.
package disk
