// Package puzzle reads positions with something to find, lets players solve them, and
// judges the answers.
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
// and others, which are ignored. With dm the rules judge, and not the moves in the file:
// every first move solves the puzzle after which the win in dm moves is still forced,
// which [Keeps] proves by trying everything.
// A win is whatever wins in the variant: mate, or an exploded king.
//
// Players are those of package match: a network alone, a search, alpha-beta and external
// engines solve the same puzzles ([Solve]), many at once.
//
// [Make] finds puzzles in the games of a UCI engine, which is also the judge: it
// and the proof must agree that the side to move wins in exactly that many moves.
//
// The package knows neither experiments nor files of results. It proves no draws. A proof
// does not know the moves before: repetitions and the fifty-move rule do not save the
// loser.
package puzzle
