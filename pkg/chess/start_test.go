package chess

// startFEN is the initial position of chess and of the variants that change
// only the rules.
const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
