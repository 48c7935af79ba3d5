// Package disk writes results so that a process can be killed at any instant and the next
// one continues from what is on the disk.
//
// It has four parts: atomic file writes ([WriteFile]), a journal of finished work
// ([Journal]), a lock per folder that one process holds at a time ([TakeLock]), and
// checksums ([Sum], [Sums]).
//
// It does not know the contents of the files.
package disk
