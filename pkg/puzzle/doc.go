// Package puzzle reads chess puzzles, lets players solve them and judges the answers:
//
//	set, err := puzzle.Read(file, name, chess.Standard)
//	solved, err := set.Puzzles[0].SolvedBy(ctx, move)
//
// A set is a file in Extended Position Description with one puzzle per line ([Read],
// [Write]):
//
//	6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id "back rank";
//
// with the operations
//
//	bm       best moves, in SAN: any of them solves the puzzle
//	dm       direct mate: the number of moves in which the side to move wins by force
//	id       a name
//	hmvc     plies since the last capture or pawn move; fmvn: number of the move.
//	         They give the clocks of a position that has none
//	variant  the rules, by their names in package chess
//
// Other operations are ignored. If dm is present, the rules decide and the moves in the
// file do not: a first move solves the puzzle if the win in dm moves is still forced after
// it, which [StillWins] proves by exhaustive search. A win is any win of the variant: mate, or
// an exploded king.
//
// The players come from package match: a network alone, a tree search, alpha-beta and
// external engines solve the same puzzles ([Solve]), many at once.
//
// [Make] finds puzzles in the games of a UCI engine. The engine and the proof must agree
// that the side to move wins in exactly that many moves.
//
// The package knows neither experiments nor result files. It proves no draws. A proof
// ignores earlier moves: repetitions and the fifty-move rule do not save the loser.
package puzzle
