package encode

import (
	"fmt"
	"strings"

	"alamos/pkg/chess"
)

// Layout says where a policy head with maps of the 64 squares finds the logits of a policy
// encoding. Moves of one type then share the weights of a map, wherever they begin. The logit
// of index i is the sum of the numbers at Places[i]: place 64*m + s is map m at square s, as
// the encoding sees the board, and -1 is 0.
//
// Indices have places of their own, but a promotion to a queen shares that of the plain move,
// as in alphazero4672; only a pawn or another piece can make it. Where the plain move means
// the promotion to a knight, as in lc0-1858, or a pawn need not promote, the queen's is
// separate. Indices that no piece can use have places that no move uses.
type Layout struct {
	Maps   int
	Places [][2]int32
}

// MoveMaps returns the layout of a head with a map for each type of move: those of
// alphazero4672, where every place is its own index. The 56 moves of a queen and 8 of a knight
// come first, then for each promotion a capture to the left, an advance and a capture to the
// right, and at last the drop of each piece. Where pawns promote at different distances in ranks,
// each distance in files and ranks has a map. A move is at the square that the piece leaves, a drop
// at its destination.
func MoveMaps(e *Policy) (Layout, error) {
	// Other moves, of the pieces of some rules, have a map for each distance in files and
	// ranks.
	moves := e.moves()
	distance := func(from, to chess.Square) [2]int {
		return [2]int{to.File() - from.File(), to.Rank() - from.Rank()}
	}
	others := map[[2]int]int{}
	widest := 1 // files of a promotion to each side
	promotions, first, apart := map[[2]int]int{}, map[string]chess.Square{}, false
	for _, m := range moves {
		if m == "" || m[1] == '@' {
			continue
		}
		from, to := squareOf(m), squareOf(m[2:])
		d := distance(from, to)
		if zeroTypes[from][to] < 0 && len(m) == 4 && others[d] == 0 {
			others[d] = moveTypes + len(others)
		}
		if len(m) > 4 {
			widest = max(widest, d[0], -d[0])
			if _, known := promotions[d]; !known {
				promotions[d] = len(promotions)
			}
			start := m[:3] + m[4:] // and the file and the piece that it leads to
			if other, known := first[start]; known && other != to {
				apart = true
			}
			first[start] = to
		}
	}
	each := 2*widest + 1
	if apart {
		each = len(promotions)
	} else {
		for d := range promotions {
			promotions[d] = d[0] + widest
		}
	}
	return newLayout(e, moveTypes+len(others), each, func(m listed) [2]int {
		d := distance(m.from, m.to)
		if m.promotion >= 0 {
			return [2]int{64*(m.promotion+promotions[d]) + int(m.from), -1}
		}
		at := int(zeroTypes[m.from][m.to])
		if at < 0 {
			at = others[d]
		}
		return [2]int{64*at + int(m.from), -1}
	})
}

// SquarePairs returns the layout of a head that compares the squares of a move. Map f, 0 to
// 63, has the moves from square f, at their destinations. A map for each promotion is added to
// the move of the pawn, and the last maps are the drops of each piece, all at the destination.
func SquarePairs(e *Policy) (Layout, error) {
	return newLayout(e, 64, 1, func(m listed) [2]int {
		place := [2]int{64*int(m.from) + int(m.to), -1}
		if m.promotion >= 0 {
			place[1] = 64*m.promotion + int(m.to)
		}
		return place
	})
}

// listed is a move in the list of an encoding.
type listed struct {
	from, to  chess.Square
	promotion int // first map of the promotion; -1: none of its own
}

// newLayout returns a layout with maps for moves, then each for every promotion, and one for
// every piece that can be dropped. place returns the places of a move on the board.
func newLayout(e *Policy, maps, each int, place func(listed) [2]int) (Layout, error) {
	moves := e.moves()
	if moves == nil {
		return Layout{}, fmt.Errorf("encode: policy %s has no moves", e.Name())
	}
	promotions, drops := "", "" // letters of pieces, in the order of the list
	add := func(letters *string, c byte) {
		if strings.IndexByte(*letters, c) < 0 {
			*letters += string(c)
		}
	}
	for _, m := range moves {
		switch {
		case m == "":
		case m[1] == '@':
			add(&drops, m[0])
		case len(m) > 4:
			add(&promotions, m[4])
		}
	}
	if strings.Contains(promotions, "n") && !(e.only != nil && chess.RulesOf(*e.only).MayPromote) {
		promotions = strings.Replace(promotions, "q", "", 1)
	}
	firstDrop := maps + each*len(promotions)
	l := Layout{Maps: firstDrop + len(drops), Places: make([][2]int32, len(moves))}
	used := make([]bool, 64*l.Maps)
	for i, m := range moves {
		at := [2]int{-1, -1}
		switch {
		case m == "":
			continue
		case m[1] == '@':
			at[0] = 64*(firstDrop+strings.IndexByte(drops, m[0])) + int(squareOf(m[2:]))
		default:
			move := listed{squareOf(m), squareOf(m[2:]), -1}
			if k := strings.Index(promotions, m[4:]); m[4:] != "" && k >= 0 {
				move.promotion = maps + each*k
			}
			at = place(move)
		}
		used[at[0]] = true
		l.Places[i] = [2]int32{int32(at[0]), int32(at[1])}
	}
	var free []int32
	for i, u := range used {
		if !u {
			free = append(free, int32(i))
		}
	}
	for i, m := range moves {
		if m == "" {
			l.Places[i] = [2]int32{free[0], -1}
			free = free[min(1, len(free)-1):]
		}
	}
	return l, nil
}

// squareOf reads the square that a text begins with.
func squareOf(s string) chess.Square { return chess.NewSquare(int(s[0]-'a'), int(s[1]-'1')) }
