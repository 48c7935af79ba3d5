// Package disk writes results so that a process can be killed at any instant and the next
// one continues from what is on the disk: see the example.
//
//	err := disk.WriteFile(path, write)               // the old file or the new one, never half
//	j, err := disk.OpenJournal(path, head, replay)   // finished parts of long work
//	l, err := disk.TakeLock(dir)                     // one writer per folder
//	sum, err := disk.Sum(path)                       // and [Sums], which remembers them
//
// It does not know the contents of the files.
package disk
