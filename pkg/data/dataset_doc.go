// Package dataset keeps the positions that self-play produced: on disk as one
// Parquet file a generation, in memory as flat columns, several generations
// side by side as a replay window.
//
// A file has a row a position, with these columns:
//
//	game     int32             number of the game in its generation
//	indices  list<int32>       policy indices of the moves with a target
//	planes   fixed bytes       the encoder's words, 8 bytes each, little endian
//	ply      int32             plies played before the position
//	policy   list<float>       the targets, as many as indices
//	value    float             the result of the game, see encode.Sample
//
// Files of samples without a policy have no indices and no policy. Two more
// columns are there where the footer names them:
//
//	draw        float          probability of a draw in the target, or -1
//	moves_left  float          plies to the end of the game, or not above 0
//
// and says in its footer which encoder, policy and variant the rows belong to.
// Any Parquet reader opens it; with pandas the planes of all rows are
// np.frombuffer(b"".join(rows.planes), "<u8").reshape(len(rows), -1).
//
// Equal samples give equal bytes. A checksum over every byte of the file is
// part of the footer, and Read believes nothing before it has agreed: a
// truncated, changed or foreign file is an error that names it.
//
// The package refuses to guess: it converts no file from one encoding to
// another and joins no samples of different encodings. It knows nothing of how
// samples are made or learned from.
package data
