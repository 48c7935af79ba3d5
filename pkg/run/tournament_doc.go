// Package tournament plays the matches of a trial: its tournament, and those in which
// trials are compared.
//
// The settings name players ([Opponents.Contestants]): checkpoints of the trial, models
// and engines from elsewhere, scripts, players of random moves. A [Match] lets them
// meet, keeps every game, takes those that another match has played already, and
// tells how it stands. How games are played, rated and paired is package arena's.
// It trains nothing.
package run
