// Command fit prepares a machine for alamos: it finds libtorch, fits the Go
// binding gotch to it, and installs the chess engines that tournaments use as
// opponents. `make setup` runs it as
//
//	GOWORK=off go run ./pkg/nn/fit
//
// so that it works whatever state an earlier go.work is in.
//
// # Why gotch needs fitting
//
// gotch v0.9.1 binds one version of libtorch, hard-codes the flags of a CUDA
// machine into its cgo lines, compiles a C++ file of a megabyte inside the Go
// package, and leaks. fit makes a copy of it that
//
//   - links to whatever libtorch is installed: what that libtorch lacks is
//     replaced with a function that throws (stub.go);
//   - keeps C++ out of the Go build: torch_api.cpp and our own pkg/nn/cpp are
//     compiled once into libtch.so (compile.go);
//   - has its defects mended, one small patch each (gotch.go).
//
// The copy lives in the user's cache directory under a key of everything that
// decides its content, so a second checkout finds it ready. A git-ignored
// go.work points the checkout at it (fitting.go); go.mod keeps the plain
// requirement, and go build, vet, test and gopls need no environment.
//
// # What it refuses to do
//
// It does not download libtorch, does not write outside the checkout and the
// cache except by the system's package manager, and does not guess: a mend
// that does not find its text, or a libtorch without headers, is an
// error. Only the opponents are optional: without them it warns and continues.
package main
