// Package chess knows the rules: positions, legal moves, and the notations in
// which the world writes them down (FEN, UCI moves, SAN, PGN, perft suites).
//
// Two variants are complete, [Standard] chess and [Atomic] chess. A [Position]
// is a small value: copy it with =, compare its [Position.Key], play a move in
// place. Generating and playing moves allocates nothing. A [Game] is a position
// with its history, which threefold repetition needs, and says when and why the
// game is over.
//
// # Atomic chess
//
// A capture explodes: the capturing piece, the captured piece and everything
// but pawns on the eight squares around the square of capture vanish. En
// passant explodes around the square on which the capturing pawn would land.
// Kings cannot capture. A move must not explode one's own king; one that
// explodes the enemy king wins at once, even out of check. While the kings
// touch neither is in check, for taking either would explode both.
//
// # Draws
//
// [Game.Outcome] ends a game as lichess does, except that threefold repetition
// and fifty moves need no claim. What ends a game by force (an exploded king,
// mate, stalemate) is decided before any draw. Lichess' rule of closed
// positions in atomic chess (nothing but blocked pawns and kings) is not
// applied: such games end by repetition or by fifty moves.
//
// # What the package refuses to do
//
// It does not search, evaluate or encode positions, speaks no protocol, and
// starts no goroutine. Its variants are branches chosen once a call, not an
// interface to be implemented outside.
package chess
