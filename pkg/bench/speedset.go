package bench

import (
	"fmt"

	"alamos/pkg/chess"
)

// Position is a position of the speed set.
type Position struct {
	Variant chess.Variant
	Name    string // lower-case letters, digits and hyphens; unique in its variant
	FEN     string
	Counts  []uint64 // Counts[d-1] is the number of sequences of d legal moves
}

func (s Position) String() string { return s.Variant.String() + " " + s.Name }

func (s *Position) parse() (chess.Position, error) {
	p, err := chess.ParseFEN(s.Variant, s.FEN)
	if err != nil {
		return p, fmt.Errorf("bench: %s %s: %w", s.Variant, s.Name, err)
	}
	return p, nil
}

// at returns the smallest depth with at least the given number of sequences, or else the
// deepest.
func (s *Position) at(nodes uint64) int {
	for i, n := range s.Counts {
		if n >= nodes {
			return i + 1
		}
	}
	return len(s.Counts)
}

// SpeedSet lists the positions with timed perfts by variant, the start position first. It
// is small and changes rarely, so that speeds stay comparable.
//
// Counts of chess are from Stockfish 15.1, those of variants from Fairy-Stockfish (the npm
// package fairy-stockfish-nnue.wasm 1.1.12). The positions have three sources:
//
//   - the Perft Results page of the Chess Programming Wiki: kiwipete, and the
//     middlegame and endgame of chess;
//   - tests/perft.sh of Fairy-Stockfish and examples/perft of python-chess:
//     atomic programfox-1, programfox-2 (python-chess' names) and evasion,
//     three-check kiwipete, the horde middlegame, crazyhouse empty-pockets and
//     full-pockets;
//   - our own random games: all others.
func SpeedSet() []Position {
	return []Position{
		{chess.Standard, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
			[]uint64{20, 400, 8902, 197281, 4865609, 119060324}},
		{chess.Standard, "kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
			[]uint64{48, 2039, 97862, 4085603, 193690690}},
		{chess.Standard, "middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
			[]uint64{46, 2079, 89890, 3894594, 164075551}},
		{chess.Standard, "endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
			[]uint64{14, 191, 2812, 43238, 674624, 11030083, 178633661}},

		{chess.Atomic, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
			[]uint64{20, 400, 8902, 197326, 4864979, 118926425}},
		{chess.Atomic, "programfox-1", "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1",
			[]uint64{40, 1238, 45237, 1434825, 50504249}},
		{chess.Atomic, "programfox-2", "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq - 0 1",
			[]uint64{28, 833, 23353, 714499, 21134061}},
		{chess.Atomic, "evasion", "r4b1r/2kb1N2/p2Bpnp1/8/2Pp3p/1P1PPP2/P5PP/R3K2R b KQ - 0 1",
			[]uint64{4, 148, 4462, 155172, 4703950, 156293908}},
		{chess.Atomic, "endgame", "6nr/5k1p/7P/p7/P2Q4/6K1/3R4/2r5 b - - 10 37",
			[]uint64{22, 824, 14079, 501699, 8738886, 295261786}},

		{chess.Antichess, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
			[]uint64{20, 400, 8067, 153299, 2732672, 46264162}},
		{chess.Antichess, "middlegame", "1rbqk2r/1pppnp1p/p1n1p1p1/8/2P1P3/P2P3N/R4PPP/1NBQKB1R b - - 0 8",
			[]uint64{23, 513, 9309, 138533, 2382539, 34709259}},
		{chess.Antichess, "endgame", "4k3/3n4/8/R7/6b1/2N5/2p5/8 b - - 1 29",
			[]uint64{22, 358, 5410, 57971, 916626, 9082212, 142389997}},

		{chess.KingOfTheHill, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
			[]uint64{20, 400, 8902, 197281, 4865609, 119060324}},
		{chess.KingOfTheHill, "middlegame", "r3kb2/1b1pnp1r/1pn5/p2qpPp1/2QPP3/NP2N1pP/P1P1K3/1RB2B1R b q - 0 20",
			[]uint64{40, 1223, 48763, 1556453, 61782387}},
		{chess.KingOfTheHill, "endgame", "4rbk1/2r5/2B4p/1p2pQ1P/1p1PNpP1/PK2B3/1Pn1R3/R5N1 w - - 7 49",
			[]uint64{50, 1284, 60285, 1531650, 71984740}},

		{chess.ThreeCheck, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3 0 1",
			[]uint64{20, 400, 8902, 197281, 4865609, 119060324}},
		{chess.ThreeCheck, "kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 1+1 0 1",
			[]uint64{48, 2039, 97848, 4081798, 193414045}},
		{chess.ThreeCheck, "middlegame", "b4bnr/p1qkp2p/1r1N1p2/n1pP2p1/3P1PP1/P7/1PpQ2KP/1RB2BNR b - - 2+3 3 25",
			[]uint64{41, 1521, 59553, 2205033, 84753927}},

		{chess.Horde, "start", "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
			[]uint64{8, 128, 1274, 23310, 265223, 5396554, 68441644}},
		{chess.Horde, "middlegame", "rnbqkbnr/6p1/2p1Pp1P/P1PPPP2/Pp4PP/1p2PPPP/1P2PPPP/PP1nPPPP b kq a3 0 18",
			[]uint64{34, 435, 14481, 197287, 6429490, 91885555}},
		{chess.Horde, "endgame", "r1N1kNn1/P7/8/1PP2P2/r6P/1PQb1P1P/1q6/P3q3 w - - 2 53",
			[]uint64{31, 1705, 51160, 2567289, 75714358}},

		{chess.RacingKings, "start", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1",
			[]uint64{21, 421, 11264, 296242, 9472927, 298712641}},
		{chess.RacingKings, "middlegame", "4n3/2B3R1/8/4b3/1rqr1N2/k4N1B/5n1Q/1b2R1K1 b - - 43 22",
			[]uint64{57, 2681, 148795, 6870184, 373219153}},
		{chess.RacingKings, "endgame", "8/8/2R5/3N4/2q5/4Q3/1k2bbK1/8 b - - 33 53",
			[]uint64{28, 984, 29507, 991180, 30127642}},

		{chess.Crazyhouse, "start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
			[]uint64{20, 400, 8902, 197281, 4888832, 120812942}},
		{chess.Crazyhouse, "empty-pockets", "r1bqk2r/pppp1ppp/2n1p3/4P3/1b1Pn3/2NB1N2/PPP2PPP/R1BQK2R[] b KQkq - 0 1",
			[]uint64{42, 1347, 58057, 2083382, 92707514}},
		{chess.Crazyhouse, "full-pockets", "2rn1b1r/1pp2n1p/B1PBk1pP/5p1P/P5p1/2P2RP1/RP1QNP2/1NBK4[QPp] w - - 0 1",
			[]uint64{99, 3932, 314782, 10118606}},
	}
}
