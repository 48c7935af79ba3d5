// Package stage runs the stages of a trial, each once.
//
// A stage is a function of its inputs. The manifest of a trial (package store)
// keeps, for each stage that has run, what it read and the checksums of what it
// wrote; a stage whose inputs are the same and whose files are whole is not run
// again, and the reason for running another is told ([Trial.Do]). One that another
// trial has run, of this experiment or of any other below the folder of results, is
// taken from there ([Shelf]). A long stage keeps a [Journal] of what is finished, so
// that a process killed at any instant loses only what it was at.
//
// A [Planner] in the place of all this tells what would run and why, and runs
// nothing.
//
// The package knows no stage: which there are, in which order, what they read and
// how much work they are, say those that run them. It prints nothing either:
// progress goes to a [Report].
package run
