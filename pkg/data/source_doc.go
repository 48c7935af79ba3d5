// Package source makes training positions of games that were not played by the
// network that learns: lc0's training data, sample files, games in PGN, and games
// of a UCI engine against itself.
//
// [Open] takes a [Config], the data section of an experiment, and gives a [Set],
// which writes its positions chunk by chunk as sample files of package dataset,
// in any encoding:
//
//	lc0      V6 records, gzip files of a game each or tars of them, which may be
//	         compressed by gzip, in every input format. Targets are the visits and the
//	         result.
//	parquet  sample files of this program (in their own encoding only), and
//	         ChessMarro's files of 77 integers a position; see marro.go.
//	pgn      games, as they are or compressed by gzip, zstd or bzip2. Targets are
//	         the move played and the result, or an engine's.
//	engine   games of a UCI engine against itself from random openings.
//
// # Chunks
//
// A pass goes once through all games. It is cut into chunks at the ends of games,
// so that no game is in two chunks; a rest of less than a quarter of a chunk goes
// with the chunk before it. The next pass begins the files again, in another order
// and with other positions drawn of the games. What a chunk holds is a function of
// the configuration, the contents of the files, the seed and its number: not of
// the machine, of the number of goroutines or engine processes, or of which chunks
// were made before.
//
// A position is one in which a move was played; the last of a game is none. The
// positions of a chunk go through a shuffle buffer on their way to the file. In
// memory are the buffer, the games that were read ahead (those of a quarter of a
// chunk at most) and a part of the file; of a sample file whose positions are shuffled
// also those games of which some positions are yet to come.
//
// # Engines
//
// An engine is told that a new game begins before each game, and is then asked
// about that game only, by one process with one thread. So its answers do not depend
// on which process gives them, as long as the engine itself is deterministic; a
// limit of time, which never is, is not offered.
//
// # What the package refuses to do
//
// It guesses nothing: damage is an error that names file and game, unless games
// that cannot be read are to be passed over ([Config.SkipBroken]). It converts no
// sample file to another encoding. It downloads nothing.
package data
