package encode

import (
	"fmt"

	"alamos/pkg/chess"
)

// MovesOf is the list of a policy as it is read in the position p: the move of each
// index as UCI writes it on p's board, whoever is to move and whether or not it is
// legal there; empty where no piece can make it. It is for those who want to see what
// a network says of moves that are not legal.
func MovesOf(policy Policy, p *chess.Position) ([]string, error) {
	var moves []string
	switch policy.(type) {
	case noPolicy:
		return nil, nil
	case uci1968:
		return UCI1968Moves(), nil
	case uci1968Mover:
		moves = UCI1968Moves()
	case uci2206Mover:
		moves = UCI2206Moves()
	case alphaZero4672:
		moves = AlphaZero4672Moves()
	case leela1858:
		moves = LC01858Moves()
	case fromTo4096:
		moves = FromTo4096Moves()
	case marro4096:
		moves = Marro4096Moves()
	default:
		return nil, fmt.Errorf("encode: the moves of policy %s are listed nowhere", policy.Name())
	}
	for i, m := range moves {
		moves[i] = seen(m, view(p))
	}
	return moves, nil
}

// seen is a move in another view of the board.
func seen(move string, view chess.Square) string {
	b := []byte(move)
	for i := 0; i+1 < len(b); i++ {
		if b[i] >= 'a' && b[i] <= 'h' && b[i+1] >= '1' && b[i+1] <= '8' {
			s := chess.NewSquare(int(b[i]-'a'), int(b[i+1]-'1')) ^ view
			copy(b[i:], s.String())
			i++
		}
	}
	return string(b)
}
