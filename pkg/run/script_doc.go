// Package script gives the Go scripts of an experiment their say in a trial: it
// measures games and checkpoints with them (measure.go), lets them judge games
// (judge.go), value positions for a player (valuer.go) or as what a network learns
// (target.go), set the learning rate (schedule.go) and end the training (stop.go).
//
// A script runs in processes of its own (package hook); what it is told it is told
// as text and numbers. Its source is an input of the stages that it has a say in,
// and the script that runs is the one whose hash stands there.
//
// The package interprets no script itself, and plays and trains nothing.
package run
