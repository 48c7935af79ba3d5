// Package chess knows the rules of chess and of lichess' variants: positions,
// legal moves, and notations (FEN, UCI moves, SAN, PGN, perft suites).
//
// A game of random moves, from the first to the last:
//
//	g := chess.NewGame(chess.StartPosition(chess.Atomic))
//	var l chess.MoveList
//	for g.Position().LegalMoves(&l); !g.Outcome(&l).Over(); g.Position().LegalMoves(&l) {
//		g.Play(l.At(rand.IntN(l.Len())))
//	}
//	fmt.Println(g.Outcome(&l))
//
// A [Position] is a small value: copy it with =, compare its [Position.Key],
// play a move in place. Generating and playing moves allocates nothing. A
// [Game] is a position with its history, which threefold repetition needs. It reports when
// and why the game is over.
//
// # Variants
//
//   - [Standard]: chess. Chess960 is chess from another start position
//     ([Chess960]); castling works from wherever king and rook stand, in every
//     variant that has castling.
//   - [Atomic]: a capture explodes. The capturing piece, the captured piece and
//     everything but pawns on the eight squares around the square of capture
//     vanish; en passant explodes around the square on which the capturing pawn
//     would land. Kings cannot capture. A move must not explode one's own king;
//     one that explodes the enemy king wins at once, even out of check. While
//     the kings touch neither is in check, because a capture of one explodes both.
//   - [Antichess]: captures are compulsory. The king is a piece like any other, and
//     a pawn may promote to one. There is no check and no castling. A side that has
//     lost all pieces, or cannot move, wins.
//   - [KingOfTheHill]: chess, but a king on d4, e4, d5 or e5 wins.
//   - [ThreeCheck]: chess, but the third check wins.
//   - [Horde]: White has 36 pawns and no king, and loses with its last piece;
//     a pawn on the first rank may advance two squares, which cannot be answered
//     en passant. Black plays chess.
//   - [RacingKings]: no pawns, and no move may give check. The first king on the
//     eighth rank wins; when it is White's, Black may follow on the next ply and
//     draw.
//   - [Crazyhouse]: a captured piece goes to the pocket of the side that took it, a
//     promoted one as a pawn. Instead of a move it can be dropped on an empty square,
//     pawns not on the first and last rank.
//
// Other variants are made of [Rules], which are data: [Define] compiles them to tables. Their
// pieces move as Betza's notation says.
//
// # Draws
//
// [Game.Outcome] ends a game as lichess does, except that threefold repetition
// and fifty moves need no claim. Mate, stalemate and the variant's own rule
// are checked before any draw. Crazyhouse has no fifty moves,
// and its repetitions are looked for in the whole game, since a capture there
// can be undone. Insufficient material follows lichess' definition
// ([Position.InsufficientMaterial]). Other programs differ in places:
// Fairy-Stockfish plays on in atomic endings in which nobody can explode a king.
// One rule of lichess' is left out: atomic positions in which nothing can ever be
// captured (kings, pawns blocked by pawns, and bishops of one side that meet no
// enemy pawn) end by repetition or by fifty moves, as they do in the games that
// the tests replay.
//
// # Notation
//
// [ParseFEN], [Position.ParseSAN] and [Position.ParseUCI] read what other
// programs write, and report what is wrong with the rest. [PGNReader] streams games
// of any size, with comments, variations, NAGs and clocks; [PGNReader.NextInto]
// uses a game's memory again. What [WritePGN] writes reads as the same game.
//
// # Evidence
//
// The tests compare perft counts on which other programs agree.
// 1,500 atomic games by another engine are replayed to the same final positions.
// The tests contain a second, slow and simple implementation of the rules, and compare both
// on positions that no game reaches.
// `make oracle` plays 10,000 random games of each variant and compares every
// list of moves, every FEN, every check and every result with Fairy-Stockfish.
//
// # What the package refuses to do
//
// It does not search, evaluate or encode positions, speaks no protocol, and
// starts no goroutine. Built-in variants are branches in the code, chosen once per call, not
// an interface that other packages can implement.
package chess
