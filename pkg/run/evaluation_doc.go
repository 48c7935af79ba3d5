// Package evaluation asks the checkpoints of a trial what they know, beside how strong
// they play: which puzzles they solve, by the network alone and with a search
// ([Puzzles]), and how well the network foretells the moves and results of held-out
// games, by phase of the game ([Accuracy]).
//
// Each is a stage of its own (package stage), so that other puzzles do not have the games
// looked at again. Both ask the network about many positions at once, and nothing in them
// is left to chance: no lots are drawn, and an answer of the network is the same in
// whatever batch. Puzzles are judged by package puzzle.
//
// The package plays no games and trains nothing.
package run
