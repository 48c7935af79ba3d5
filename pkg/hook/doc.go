// Package hook runs scripts: a researcher's own code in an experiment. A script
// measures something on games or on a network, evaluates positions, sets the learning
// rate, ends games or ends training; [Functions] lists what it may define. It is an
// ordinary Go file, and it is interpreted, so that nobody has to build alamos to answer
// a new question:
//
//	//go:build ignore
//
//	package main
//
//	import "alamos/pkg/hook/alamos"
//
//	// Measure returns the mean length of games.
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
// alamos beside this one. It has no files, no network, no clock and no random numbers,
// starts no goroutines and remembers nothing from call to call: its result is a
// function of its arguments (unless a sum depends on the order of a map). Its output
// is kept as a log. Its language is Go 1.20, that of the interpreter: no min, max and
// clear, no range over numbers and functions, and the loop variable of a loop is one
// variable.
//
// Scripts are checked by Go's own type checker before they run, and run in a
// child process of the same program with limits of time and memory; a [Session]
// keeps the process for many calls. Whatever a script does, the caller gets faults
// with positions in the script ([config.Error]), never a panic and never a hang. On Linux the kernel
// confines that process too (seccomp and resource limits): it cannot open a file, make a
// socket or start a program, even if the interpreter had a hole.
//
// A program that uses this package begins its main function, or TestMain, with
//
//	if hook.IsChild() {
//		os.Exit(hook.RunChild())
//	}
package hook
