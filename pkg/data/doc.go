// Package data keeps samples, the positions that a network learns from, and imports
// them from files and engines.
//
// # Sample files
//
// [Write] writes a Parquet file, [Read] reads it into a [Set], and [ReplayWindow] joins
// the sets of several generations. A file has a row for each position:
//
//	game        int32   number of the game in its generation
//	ply         int32   plies played before the position
//	planes      bytes   the encoder's planes, uint64 each
//	indices     bytes   policy indices of the moves with a target, int32 each
//	policy      bytes   the targets, float32 each, as many as indices
//	value       float   the result of the game, see encode.Sample
//	draw        float   probability of a draw; below 0: unknown
//	moves_left  float   plies to the end of the game; 0 or less: unknown
//
// Arrays are packed and little endian. With pandas, the planes of all rows are
// np.frombuffer(b"".join(rows.planes), "<u8").reshape(len(rows), -1). The footer says
// which encoder, policy and variant the rows belong to. Equal samples give equal bytes.
// Every page has a checksum, and a truncated, changed or foreign file is an error that
// names it.
//
// # Sources
//
// [Open] takes a [Config], the data section of an experiment, and returns a
// [SourceSet], which imports positions chunk by chunk: training data of Leela Chess
// Zero, sample files, ChessMarro's files, games in PGN, and games of a UCI engine
// against itself. A pass goes once through all games. It is cut into chunks at the ends
// of games; a rest of less than a quarter of a chunk belongs to the chunk before it.
// The next pass reads the files in another order and draws other positions of the
// games. What a chunk holds is a function of the configuration, the contents of the
// files, the seed and its number: not of the machine, of the number of goroutines or
// engine processes, or of which chunks were made before. Samples are taken where a move
// was played, so the final position of a game gives none.
//
// # What the package refuses to do
//
// It guesses nothing: damage is an error that names file and game, unless
// [Config.SkipBroken] says to leave such games out. It converts no sample file to another
// encoding, joins no samples of different encodings, and downloads nothing. It knows
// nothing of how samples are learned from.
package data
