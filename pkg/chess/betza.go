package chess

import (
	"fmt"
	"slices"
	"strings"
)

// step is a direction in which a piece moves, as White sees it.
type step struct {
	dx, dy         int
	reach          int // how often it can be repeated; 1 for a leaper
	quiet, capture bool
}

// betzaAtoms are the moves by letter: the coordinates of one step, of which all reflections
// belong to the atom.
var betzaAtoms = map[byte][][2]int{
	'W': {{1, 0}}, 'F': {{1, 1}}, 'D': {{2, 0}}, 'N': {{2, 1}}, 'A': {{2, 2}}, 'H': {{3, 0}}, 'C': {{3, 1}}, 'Z': {{3, 2}},
	'K': {{1, 0}, {1, 1}}, 'R': {{1, 0}}, 'B': {{1, 1}}, 'Q': {{1, 0}, {1, 1}},
}

const endless = 7 // no line of the board has more steps

// parseBetza reads moves in the part of Betza's notation that is documented here. Moves are
// written one after another, each as modifiers, an atom and a range:
//
//	W F D N A H C Z   leaps to (1,0) (1,1) (2,0) (2,1) (2,2) (3,0) (3,1) (3,2)
//	K R B Q           WF, WW, FF and WWFF
//	AA, A3            riders: an atom twice is repeated without end, a number limits it
//	m c               only without a capture, only with a capture; both if neither is there
//	f b l r v s       forward, backward, left, right, fb, lr. Of a diagonal atom, f has both
//	                  forward moves and fl one. Of an oblique one (N C Z), f has the two
//	                  steepest, r the two flattest, fr the flat and rf the steep one of that
//	                  quarter, fs both flat ones; fh, bh, lh, rh are halves of all eight
//
// Riders pass over empty squares only; leaps jump. There are no hoppers, lame leapers,
// initial or bent moves.
func parseBetza(s string) (steps []step, err error) {
	if s == none {
		return nil, nil
	}
	for i := 0; i < len(s); {
		quiet, capture, groups := false, false, []string(nil)
		for ; i < len(s) && strings.IndexByte("mcfblrvsh", s[i]) >= 0; i++ {
			switch c := s[i]; {
			case c == 'm':
				quiet = true
			case c == 'c':
				capture = true
			case i+1 < len(s) && (vertical(c) && horizontal(s[i+1]) || horizontal(c) && vertical(s[i+1]) || c != 'h' && s[i+1] == 'h'):
				groups = append(groups, s[i:i+2])
				i++
			case c == 'h':
				return nil, fmt.Errorf("moves %q: h follows none of f b l r", s)
			default:
				groups = append(groups, s[i:i+1])
			}
		}
		if i == len(s) {
			return nil, fmt.Errorf("moves %q: no atom follows the last modifiers", s)
		}
		atoms, known := betzaAtoms[s[i]]
		if !known {
			return nil, fmt.Errorf("moves %q: %q is no atom of W F D N A H C Z K R B Q and no modifier of m c f b l r v s h", s, s[i])
		}
		atom, reach := s[i], 1
		if strings.IndexByte("RBQ", atom) >= 0 {
			reach = endless
		}
		if i++; i < len(s) && (s[i] == atom || s[i] >= '1' && s[i] <= '9') {
			if reach = endless; s[i] != atom {
				reach = min(int(s[i]-'0'), endless)
			}
			i++
		}
		if !quiet && !capture {
			quiet, capture = true, true
		}
		moves := false
		for _, a := range atoms {
			for _, d := range reflections(a[0], a[1]) {
				if !heads(d[0], d[1], groups) {
					continue
				}
				moves = true
				if x := (step{d[0], d[1], reach, quiet, capture}); !slices.Contains(steps, x) {
					steps = append(steps, x)
				}
			}
		}
		if !moves {
			return nil, fmt.Errorf("moves %q: the atom %c has no move in such a direction", s, atom)
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("moves %q: want moves in Betza's notation, or none", s)
	}
	return steps, nil
}

func vertical(c byte) bool   { return strings.IndexByte("fbv", c) >= 0 }
func horizontal(c byte) bool { return strings.IndexByte("lrs", c) >= 0 }

// reflections returns the different directions of an atom.
func reflections(a, b int) (all [][2]int) {
	seen := map[[2]int]bool{}
	for _, d := range [8][2]int{{b, a}, {a, b}, {a, -b}, {b, -a}, {-b, -a}, {-a, -b}, {-a, b}, {-b, a}} {
		if !seen[d] {
			seen[d] = true
			all = append(all, d)
		}
	}
	return all
}

// heads reports whether a direction is one of those that modifiers name.
func heads(dx, dy int, groups []string) bool {
	if len(groups) == 0 {
		return true
	}
	straight, diagonal, steep := dx == 0 || dy == 0, dx*dx == dy*dy, dy*dy > dx*dx
	points := func(c byte) bool {
		switch c {
		case 'f':
			return dy > 0
		case 'b':
			return dy < 0
		case 'l':
			return dx < 0
		case 'r':
			return dx > 0
		}
		return true // v, s, h
	}
	for _, g := range groups {
		first, last := g[0], g[len(g)-1]
		var good bool
		switch {
		case straight:
			for _, c := range []byte(strings.TrimSuffix(g, "h")) {
				good = good || points(c) && steep == vertical(c)
			}
		case last == 'h':
			good = points(first)
		case diagonal:
			good = points(first) && points(last)
		default:
			good = points(first) && points(last) && steep == (vertical(first) == (len(g) == 1))
		}
		if good {
			return true
		}
	}
	return false
}

// sameSteps reports whether two lists, each of different steps, have the same ones in any order.
func sameSteps(a, b []step) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s step) bool { return !slices.Contains(b, s) })
}
