// Package puzzle reads positions in which there is something to find, lets players
// find it, and says whether they did.
//
// A set is a file in Extended Position Description, a line a puzzle ([Read], [Write]):
//
//	6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id "back rank";
//
// with the operations
//
//	bm       the best moves, in SAN: a puzzle is solved by any of them
//	dm       direct mate: the number of moves in which the side to move wins by force
//	id       a name
//	hmvc     plies since the last capture or pawn move; fmvn the number of the move:
//	         the clocks, where the position is given without
//	variant  the rules, by their names in package chess
//
// and others, which are ignored. With dm it is the rules that judge, and not the moves
// that somebody has written down: a puzzle is solved by every first move after which
// the win in so many moves is still forced, which [Keeps] proves by trying everything.
// A win is whatever wins in the variant: mate, or an exploded king.
//
// Players are those of package arena, so a network alone, a search, alpha-beta and
// another engine answer the same questions ([Solve]), many at once.
//
// [Make] finds puzzles in the games of a UCI engine, which is also the judge: both it
// and the proof must say that the side to move wins in exactly so many moves.
//
// The package knows neither experiments nor files of results. It proves no draws, and
// a proof knows nothing of what was played before: repetitions and the fifty moves do
// not spare the loser.
package puzzle
