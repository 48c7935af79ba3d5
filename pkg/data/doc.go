// Package data stores samples, the positions that a network learns from, and imports them
// from files and engines:
//
//	set, err := data.Read("samples/gen-0001.parquet")
//	learn, held := data.Split(set, seed, 0.2, false)
//	source, err := data.Open(data.Config{Kind: data.PGN, Files: []string{"*.pgn"}}, seed, 0)
//	info, err := source.Chunk(ctx, data.First, codec, "chunk.parquet", nil, nil)
//
// # Sample files
//
// [Write] writes a Parquet file, [Read] reads it into a [Set], and [ReplayWindow] joins the
// sets of several generations. A file has one row for each position:
//
//	game        int32   number of the game in its generation
//	ply         int32   plies played before the position
//	planes      bytes   the encoder's planes, uint64 each
//	indices     bytes   policy indices of the moves with a target, int32 each
//	policy      bytes   the targets, float32 each, one for each index
//	value       float   the result of the game, or a mixture of it and the search's value, see encode.Sample
//	draw        float   probability of a draw; below 0: unknown
//	moves_left  float   plies to the end of the game; 0 or less: unknown
//	reply       int32   policy index of the opponent's next move; below 0: unknown
//	future      bytes   the board some plies later, four uint64, see encode.FutureWords; or empty
//
// Arrays are packed and little endian. With pandas, the planes of all rows are
// np.frombuffer(b"".join(rows.planes), "<u8").reshape(len(rows), -1). The footer names the
// encoder, policy and variant of the rows. Equal samples give equal bytes. Every page has a
// checksum. A truncated, changed or foreign file is an error that names the file.
//
// # Sources
//
// [Open] takes a [Config], the data section of an experiment, and returns a [Source], which
// imports positions chunk by chunk: training data of Leela Chess Zero, sample files,
// ChessMarro's files, games in PGN, and games of a UCI engine against itself. A pass reads
// all games once. It is cut into chunks at the ends of games. A remainder of less than a
// quarter of a chunk belongs to the chunk before it. The next pass reads the files in
// another order and draws other positions of the games. The contents of a chunk are a
// function of the configuration, the contents of the files, the seed and the chunk's
// number. They do not depend on the machine, the number of goroutines or engine processes,
// or the chunks made before. Samples are taken where a move was played, so a game's final
// position gives none.
//
// A source is not converted as a whole before the first chunk. With one position per game,
// all positions would take 33 times the space (measured with the games of lc0 in testdata),
// an engine would label about a hundred times as many positions, and a run would wait for
// files that it may never reach.
//
// # What the package refuses to do
//
// It guesses nothing: damage is an error that names file and game, unless
// [Config.SkipBroken] is set to skip such games. It converts no sample file to another
// encoding, joins no samples of different encodings, and downloads nothing. It does not
// know how samples are used for training.
package data
