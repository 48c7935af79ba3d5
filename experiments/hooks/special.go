//go:build ignore

package main

import (
	"alamos/pkg/hook/alamos"
)

var Labels = alamos.Labels{
	"special":      {Text: "share of games with a move that chess does not have"},
	"special_each": {Text: "such moves in each game"},
	"castled":      {Text: "share of games with castling"},
	"e4":           {Text: "share of games that begin with e4"},
	"d4":           {Text: "share of games that begin with d4"},
}

// Measure counts what is played by the rules of variants/: a pawn that goes two squares from
// another rank than its second, sideways or backward, and a capture of an own piece. It
// also counts castling and two first moves. Games with random openings are counted too.
func Measure(g alamos.Generation) alamos.Metrics {
	games, special, each, castled := float64(len(g.Games)), 0.0, 0.0, 0.0
	first := map[string]float64{}
	for _, game := range g.Games {
		moves, castles := count(game)
		if each += float64(moves); moves > 0 {
			special++
		}
		if castles {
			castled++
		}
		if len(game.Moves) > 0 {
			first[game.Moves[0]]++
		}
	}
	return alamos.Metrics{"special": special / games, "special_each": each / games, "castled": castled / games,
		"e4": first["e2e4"] / games, "d4": first["d2d4"] / games}
}

// count returns the number of special moves of a game, and whether a side castled.
func count(game alamos.Game) (special int, castled bool) {
	board := read(game.Start)
	for _, m := range game.Moves {
		if m[1] == '@' {
			continue
		}
		from, to := square(m), square(m[2:])
		piece, there := board[from], board[to]
		file, rank := to%8-from%8, to/8-from/8
		own := there != 0 && white(there) == white(piece)
		switch piece {
		case 'K', 'k':
			if own && (there == 'R' || there == 'r') && file*file > 1 || file*file == 4 {
				castled = true
				rook := from - from%8
				if file > 0 {
					rook += 7
				}
				board[rook] = 0
				board[(from+to)/2] = piece + 'R' - 'K'
				own = false
			}
		case 'P':
			if rank <= 0 || rank == 2 && from/8 != 1 {
				special++
			}
		case 'p':
			if rank >= 0 || rank == -2 && from/8 != 6 {
				special++
			}
		}
		if own {
			special++
		}
		if (piece == 'P' || piece == 'p') && file != 0 && rank != 0 && there == 0 {
			board[to%8+from/8*8] = 0 // en passant
		}
		board[from], board[to] = 0, piece
		if len(m) > 4 {
			board[to] = m[4]
			if piece == 'P' {
				board[to] = m[4] - 'a' + 'A'
			}
		}
	}
	return special, castled
}

func white(piece byte) bool { return piece < 'a' }

func square(s string) int { return int(s[0]-'a') + 8*int(s[1]-'1') }

// read returns the board of a FEN.
func read(fen string) (board [64]byte) {
	at := 56
	for i := 0; i < len(fen) && fen[i] != ' '; i++ {
		c := fen[i]
		switch {
		case c == '/':
			at -= 16
		case c >= '1' && c <= '8':
			at += int(c - '0')
		default:
			board[at] = c
			at++
		}
	}
	return board
}
