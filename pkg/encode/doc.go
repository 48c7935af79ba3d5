// Package encode is the border between chess and numbers: it turns positions
// into the planes that a network reads, and moves into indices of the policy
// vector that a network returns.
//
// An input encoding ([Planes]) and a move encoding ([Policy]) are independent
// choices, each with a name that experiment files use; a [Codec] pairs one of
// each. Planes travel packed, one 64-bit word a plane, and become floats only
// on the device that runs the network.
//
// Not every encoding expresses every variant; Supports says which, and why not:
//
//	atomic16       the board from white's view: all but 3check and crazyhouse
//	mover15        the board from the mover's view: all of these but racingkings
//	mover16        mover15 and how often the position occurred: as mover15
//	variants31     everything from the mover's view: all variants
//	uci1968        moves on the board: all but antichess and crazyhouse
//	uci1968-mover  the same from the mover's view
//	uci2206-mover  all moves from the mover's view: all variants
//
// These belong to published systems; they repeat their work and read their data. If a paper
// leaves a choice open, the comment of its encoding says what was chosen:
//
//	alphazero119   AlphaZero's, eight positions: all but 3check and crazyhouse
//	lc0-112        Leela Chess Zero's, eight positions: all but 3check and crazyhouse
//	marro77        ChessMarro's, with legal moves: as mover15
//	dtu24          a value network's, with both sides' moves: all but 3check and crazyhouse
//	alphazero4672  73 types of moves by origin: all but antichess and crazyhouse
//	lc0-1858       the list of Leela Chess Zero: all but antichess and crazyhouse
//	fromto4096     origin and destination: all but antichess and crazyhouse
//	marro4096      64 types of moves by origin: all but antichess and crazyhouse
//
// A [Layout] maps the indices of a policy to the squares and types of its moves, for networks
// that share weights between squares.
//
// All but atomic16, dtu24 and uci1968 see the board from the mover's view.
//
// A [Mirror] reflects samples, a-file to h-file; all inputs but marro77 show where that is
// allowed.
//
// The package knows nothing of networks, searches or files. It never changes
// a position: it reports variants and moves that an
// encoding cannot express, and never approximates them.
package encode
