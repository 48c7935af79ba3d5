// Command alamos is a lab for self-trained chess-variant engines: it runs the
// experiments that YAML files declare.
//
// Each command is one thin file here; what it does lives in pkg/.
//
// What is printed, and where:
//
//	stdout   what was asked for: a count, a table, a resolved experiment
//	stderr   progress, notes and errors
//
// An error says what went wrong, where, and what to do. The exit status is
//
//	0   all went well
//	1   it was tried and failed (or a check found something wrong)
//	2   nothing was tried: the command line or an experiment file is wrong
//	130 interrupted
package main
