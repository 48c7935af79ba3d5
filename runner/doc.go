// Command alamos is a lab for self-trained chess-variant engines: it runs the
// experiments that YAML files declare.
//
// The commands here are thin; what they do lives in pkg/.
//
// What is printed, and where:
//
//	stdout   results: a count, a table, a resolved experiment
//	stderr   progress, notes and errors
//
// An error says what went wrong, where, and what to do. The exit status is
//
//	0   success
//	1   the work failed, or a check found something wrong
//	2   the command line or an experiment file is wrong; nothing ran
//	130 interrupted
package main
