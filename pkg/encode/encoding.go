package encode

import (
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// Planes is an input encoding: it turns a position into Count planes of 8x8, one uint64 each. It
// holds no state: all methods are safe for use by many goroutines at once.
type Planes struct {
	name     string
	count    int
	constant []bool
	white    bool
	kinds    []chess.PieceType // of the first planes, each side's; nil: those of chess, see kindsOf
	castling []int             // the planes that show the rights to castle; nil: none do
	sides    *Sides            // nil: see SidesOf
	lacks    lacks
	only     *chess.Variant // the one that it is made for; nil: see lacks
	encode   func(dst []uint64, g *chess.Game)
	names    []string // what each plane shows
}

// Name is the name that experiment files use.
func (e *Planes) Name() string { return e.name }

// Count is the number of planes, which is the number of words.
func (e *Planes) Count() int { return e.count }

// Constant reports for each plane how to read its word; the slice has Count elements and belongs
// to the encoding. False: a bitboard, bit s is 1 where the plane is 1, s = 0 for a1, 1 for b1, 63
// for h8. True: math.Float32bits(v) of a plane that is v on all squares.
func (e *Planes) Constant() []bool { return e.constant }

// White reports whose score a network with this input predicts: White's if true, otherwise that
// of the side to move.
func (e *Planes) White() bool { return e.white }

// Supports returns an error when positions of the variant cannot be encoded.
func (e *Planes) Supports(v chess.Variant) error { return e.lacks.support(e.name, v, e.only) }

// Encode writes the current position of g, with as much of its history as the encoding looks at,
// to dst[:Count()].
func (e *Planes) Encode(dst []uint64, g *chess.Game) { e.encode(dst, g) }

// Names returns what each plane shows, in a few words. The slice belongs to the encoding.
func (e *Planes) Names() []string { return e.names }

// constantAt is Planes.Constant with the listed planes constant.
func constantAt(count int, planes ...int) []bool {
	constant := make([]bool, count)
	for _, i := range planes {
		constant[i] = true
	}
	return constant
}

// constantFrom is Planes.Constant with all planes from first on constant.
func constantFrom(first, count int) []bool {
	constant := make([]bool, count)
	for i := first; i < count; i++ {
		constant[i] = true
	}
	return constant
}

// Policy numbers moves: the index of a move is its place in a network's policy vector. It holds no
// changing state: all methods are safe for use by many goroutines at once.
type Policy struct {
	name  string
	size  int
	lacks lacks
	only  *chess.Variant // the one that it is made for; nil: see lacks
	index func(p *chess.Position, m chess.Move) int
	moves func() []string // the move of each index as White sees it
}

// Name is the name that experiment files use.
func (e *Policy) Name() string { return e.name }

// Turns reports whether moves are numbered as the side to move sees the board, not White.
func (e *Policy) Turns() bool { return e != uci1968 }

// Size is the length of the policy vector.
func (e *Policy) Size() int { return e.size }

// Supports returns an error when moves of the variant cannot be expressed.
func (e *Policy) Supports(v chess.Variant) error { return e.lacks.support(e.name, v, e.only) }

// Index is the place, 0 to Size-1, of the legal move m of p, or -1 when the encoding cannot
// express it. Legal moves of one position that can be expressed have different indices, unless the
// encoding says so.
func (e *Policy) Index(p *chess.Position, m chess.Move) int { return e.index(p, m) }

// The encodings, in the order of all lists of names: first ours, which together express
// every variant, then those of other systems, so that their work can be repeated.
var (
	ourPlanes   = []*Planes{atomic16, mover15, mover16, variants31}
	ourPolicies = []*Policy{uci1968, uci1968Mover, uci2206Mover}
	allPlanes   = slices.Concat(ourPlanes, []*Planes{alphaZero119, leela112, marro77, dtu24})
	allPolicies = slices.Concat(ourPolicies, []*Policy{alphaZero4672, leela1858, fromTo4096, marro4096})
)

// PlanesByName finds an input encoding by its name.
func PlanesByName(name string) (*Planes, error) {
	if v, ok, err := variantIn(name); ok || err != nil {
		return planesOfRules(v), err
	}
	return byName(allPlanes, "input encoding", name)
}

// PolicyByName finds a move encoding by its name, or the absence of one: none.
func PolicyByName(name string) (*Policy, error) {
	if v, ok, err := variantIn(name); ok || err != nil {
		return policyOfRules(v), err
	}
	return byName(append(slices.Clip(allPolicies), noPolicy), "policy encoding", name)
}

// PlanesNames lists the names that PlanesByName knows.
func PlanesNames() []string { return names(allPlanes) }

// PolicyNames lists the names of the move encodings.
func PolicyNames() []string { return names(allPolicies) }

// PlanesFor lists the names of the input encodings to recommend for a variant: our own that
// express it.
func PlanesFor(v chess.Variant) []string {
	if v.Defined() {
		return []string{Rules}
	}
	return names(expressing(ourPlanes, v))
}

// PolicyFor lists the names of the move encodings to recommend for a variant: our own that
// express it.
func PolicyFor(v chess.Variant) []string {
	if v.Defined() {
		return []string{Rules}
	}
	return names(expressing(ourPolicies, v))
}

func expressing[T interface{ Supports(chess.Variant) error }](all []T, v chess.Variant) []T {
	var list []T
	for _, e := range all {
		if e.Supports(v) == nil {
			list = append(list, e)
		}
	}
	return list
}

func byName[T interface{ Name() string }](all []T, kind, name string) (T, error) {
	for _, e := range all {
		if e.Name() == name {
			return e, nil
		}
	}
	var none T
	return none, fmt.Errorf("no %s is named %q: want %s", kind, name, strings.Join(names(all), ", "))
}

func names[T interface{ Name() string }](all []T) []string {
	list := make([]string, len(all))
	for i, e := range all {
		list[i] = e.Name()
	}
	return list
}

// MovesOf returns the move of each policy index, in UCI notation on the board of p, legal
// or not; an index that no piece can use has an empty string. With it a caller can show
// what a network predicts for illegal moves.
func MovesOf(e *Policy, p *chess.Position) []string {
	moves := e.moves()
	switch {
	case e == uci1968: // whose list is of the board as it is
	case e.only == nil:
		for i, m := range moves {
			moves[i] = seen(m, view(p))
		}
	case p.Turn() == chess.Black:
		for i, m := range moves {
			moves[i] = flipped(m, *e.only)
		}
	}
	return moves
}

// flipped returns a move's text with the ranks of the variant's board reversed.
func flipped(move string, v chess.Variant) string {
	b := []byte(move)
	_, ranks := v.Size()
	for i := range b {
		if b[i] >= '1' && b[i] <= '8' {
			b[i] = '1' + byte(ranks) - 1 - (b[i] - '1')
		}
	}
	return string(b)
}

// seen returns a move's text in another view of the board.
func seen(move string, view chess.Square) string {
	b := []byte(move)
	for i := 0; i+1 < len(b); i++ {
		if b[i] >= 'a' && b[i] <= 'h' && b[i+1] >= '1' && b[i+1] <= '8' {
			copy(b[i:], (squareOf(move[i:]) ^ view).String())
			i++
		}
	}
	return string(b)
}

// noPolicy has no index for any move. Networks with only a value head use it; their priors
// are equal.
var noPolicy = &Policy{
	name:  "none",
	index: func(*chess.Position, chess.Move) int { return -1 },
	moves: func() []string { return nil },
}

// lacks names what an encoding cannot express, by the variant that needs it. The encoding
// supports all variants that are not in the table.
type lacks map[chess.Variant]string

// support implements Supports for the encoding of this name, which may be made for only one.
func (l lacks) support(name string, v chess.Variant, only *chess.Variant) error {
	if only != nil {
		if v != *only {
			return fmt.Errorf("encoding %s is of %v, not of %v", Rules, *only, v)
		}
		for s := range v.Squares().Squares {
			if !v.Squares().Has(v.Flip(s)) {
				return fmt.Errorf("encoding %s: the board has %v but not %v: want the same board for both sides", Rules, s, v.Flip(s))
			}
		}
		return nil
	}
	if v.Defined() {
		return fmt.Errorf("encoding %s cannot express rules of a file", name)
	}
	if !slices.Contains(chess.Variants(), v) {
		return fmt.Errorf("encoding %s: there is no variant %d", name, v)
	}
	if what, refused := l[v]; refused {
		return fmt.Errorf("encoding %s cannot express variant %s: it has %s", name, v, what)
	}
	return nil
}

// The views of the board, which change a square to the one that the side to
// move sees in its place.
const (
	asItIs     chess.Square = 0
	upsideDown chess.Square = 56 // ranks change places
	leftRight  chess.Square = 7  // files change places
)

// view is the board as the side to move sees it, in encodings from the mover's view: white
// sees it as it is, black upside down, so that both sides' pawns move up the board. In
// racing kings both sides run up the board and start side by side, so
// black sees it with left and right exchanged.
func view(p *chess.Position) chess.Square {
	switch {
	case p.Turn() == chess.White:
		return asItIs
	case p.Variant() == chess.RacingKings:
		return leftRight
	}
	return upsideDown
}
