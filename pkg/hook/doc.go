// Package hook runs scripts: small pieces of a researcher's own in an experiment.
// A script measures something on games or on a network, says what positions are
// worth, sets the learning rate, ends games or ends training; [Functions] lists
// what it may define. It is an ordinary Go file, interpreted, so that nobody has
// to build alamos to ask a new question:
//
//	//go:build ignore
//
//	package main
//
//	import "alamos/pkg/hook/alamos"
//
//	// Measure tells how long games are.
//	func Measure(g alamos.Generation) alamos.Metrics {
//		plies := 0
//		for _, game := range g.Games {
//			plies += game.Plies()
//		}
//		return alamos.Metrics{"mean_plies": float64(plies) / float64(len(g.Games))}
//	}
//
// The first line keeps the go command from taking the files of a folder for
// one program; with it and package main, editors still complete and check.
//
// A script may import errors, fmt, math, sort, strconv, strings and package
// alamos beside this one. It sees no files, no network, no clock, no random
// numbers, starts no goroutines and remembers nothing from call to call: what it
// returns is a function of what it is given (as long as no sum depends on the
// order of a map). What it prints is kept as a log. Its language is Go 1.20, since that is what the interpreter speaks:
// no min, max and clear, no range over numbers and functions, and loop
// variables of one loop are one variable.
//
// Scripts are checked by Go's own type checker before they run, and run in a
// child process of the same program with a limit on time and memory: a [Session]
// keeps it for many calls. Whatever scripts do, the caller gets an *Error with the
// place in the script, never a panic and never a hang.
//
// A program that uses this package begins its main function, or TestMain, with
//
//	if hook.IsChild() {
//		os.Exit(hook.RunChild())
//	}
package hook
