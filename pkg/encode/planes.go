package encode

import (
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/chess"
)

// atomic16 is the input of the OppenheimerZero thesis (section 4.4.1): the
// sixteen integers by which it stores a board, and no history. It names pieces, castling and en
// passant; that castling takes two and the side to move one is our reading. The thesis keeps
// White's point of view: its outcome z is 1 if White won, whoever is to move.
var atomic16 = &Planes{
	name: "atomic16", count: atomicPlanes, constant: make([]bool, atomicPlanes), white: true, castling: []int{atomicCastling, atomicCastling + 1},
	lacks: atomic16Lacks, encode: encodeAtomic16,
	names: slices.Concat(of("white", chessKinds...), of("black", chessKinds...), []string{"white castling", "black castling", "en passant", "White moves"}),
}

// The planes of atomic16, by their first index.
const (
	atomicWhite     = 0  // white pawns, knights, bishops, rooks, queens, king
	atomicBlack     = 6  // the same of black
	atomicCastling  = 12 // white rooks, black rooks that may still castle
	atomicEnPassant = 14 // target square of an en passant capture
	atomicTurn      = 15 // all ones when white is to move
	atomicPlanes    = 16
)

// atomic16Lacks lists the variants that need more than the board; atomic16 has planes only
// for the board.
var atomic16Lacks = lacks{
	chess.ThreeCheck: "no planes for the checks given",
	chess.Crazyhouse: "no planes for the pieces in hand",
}

func encodeAtomic16(dst []uint64, g *chess.Game) {
	p := g.Position()
	dst = dst[:atomicPlanes]
	PieceBoards(dst[atomicWhite:], p, chess.White)
	dst[atomicCastling] = uint64(p.CastlingRooks(chess.White))
	dst[atomicCastling+1] = uint64(p.CastlingRooks(chess.Black))
	dst[atomicEnPassant] = 1 << p.EnPassant() // 0 without one
	dst[atomicTurn] = Plane(p.Turn() == chess.White)
}

// mover15 is atomic16 from the view of the side to move: its pieces come first,
// and for black the board is turned upside down. A position and the same one
// with colors exchanged are the same input, so there is half as much to learn, and a
// generation in which one color wins most games gives no bias towards that color. It goes with uci1968-mover.
var mover15 = &Planes{
	name: "mover15", count: moverPlanes, constant: make([]bool, moverPlanes), white: false, castling: moverCastlings, sides: moverSides(moverPlanes),
	lacks: mover15Lacks, encode: encodeMover15, names: moverNames,
}

// The planes of mover15, by their first index.
const (
	moverPieces    = 0  // pawns, knights, bishops, rooks, queens, king of the side to move, then of the other
	moverCastling  = 12 // own rooks, other rooks that may still castle
	moverEnPassant = 14 // target square of an en passant capture
	moverPlanes    = 15
)

var moverCastlings = []int{moverCastling, moverCastling + 1}

// mover15Lacks adds racing kings to what atomic16 lacks: with the board upside down, black
// would run down the board, and no plane would show it.
var mover15Lacks = lacks{
	chess.ThreeCheck:  atomic16Lacks[chess.ThreeCheck],
	chess.Crazyhouse:  atomic16Lacks[chess.Crazyhouse],
	chess.RacingKings: "no plane for the side to move, and the race does not look alike to both",
}

func encodeMover15(dst []uint64, g *chess.Game) {
	p := g.Position()
	dst = dst[:moverPlanes]
	encodeMover(dst, p)
	turnBoards(dst, view(p))
}

// encodeMover writes the planes of mover15 with the board as it is.
func encodeMover(dst []uint64, p *chess.Position) {
	own := p.Turn()
	PieceBoards(dst[moverPieces:], p, own)
	dst[moverCastling] = uint64(p.CastlingRooks(own))
	dst[moverCastling+1] = uint64(p.CastlingRooks(own.Other()))
	dst[moverEnPassant] = 1 << p.EnPassant() // 0 without one
}

// moverSides returns the sides of an encoding whose first planes are those of mover15 and
// whose others are from variants31.
func moverSides(count int) *Sides {
	s := newSides(count, 8, moverPieces+int(chess.King-chess.Pawn))
	s.exchange(moverPieces, pieceBoards/2)
	s.exchange(moverCastling, 1)
	s.exchange(variantsPocket, variantsTheirs-variantsPocket)
	s.exchange(variantsChecks, 1)
	return s
}

// Sides describes how the planes of an encoding look to the other side: plane i is then plane
// Other[i], with the ranks of the board reversed, or -1 if it is the same in all positions. The
// first square of plane King is that of the own king.
type Sides struct {
	Other       []int
	Ranks, King int
	Reflects    bool // whether reflected positions are as good, see [Mirror]
}

func newSides(count, ranks, king int) *Sides {
	s := &Sides{Other: make([]int, count), Ranks: ranks, King: king}
	for i := range s.Other {
		s.Other[i] = i
	}
	return s
}

// exchange says that n planes of one side are followed by those of the other.
func (s *Sides) exchange(first, n int) {
	for i := first; i < first+n && i+n < len(s.Other); i++ {
		s.Other[i], s.Other[i+n] = i+n, i
	}
}

// SidesOf returns an error for an encoding whose planes are not seen from the side to move, or
// contain earlier positions.
func SidesOf(p *Planes) (Sides, error) {
	if p.sides != nil {
		s := *p.sides
		s.Reflects = p.castling != nil
		return s, nil
	}
	return Sides{}, fmt.Errorf("encoding %s does not show the current position alone from the side to move, as %s, %s, %s and %s do",
		p.Name(), mover15.name, mover16.name, variants31.name, Rules)
}

// mover16 is mover15 with a plane for repetitions, without which a network cannot know that
// a position is about to be a draw: it is 0.5 on all squares if the position occurred once
// before, 1 if it occurred more often.
var mover16 = &Planes{
	name: "mover16", count: moverPlanes + 1, constant: constantFrom(moverPlanes, moverPlanes+1), white: false, castling: moverCastlings, sides: moverSides(moverPlanes + 1),
	lacks: mover15Lacks, encode: encodeMover16, names: slices.Concat(moverNames, []string{"repetition"}),
}

func encodeMover16(dst []uint64, g *chess.Game) {
	encodeMover15(dst, g)
	dst[moverPlanes] = repetitionWord(g)
}

// repetitionWord is the word of a constant plane that counts how often the position occurred
// earlier in the game: a half each, 1 at most.
func repetitionWord(g *chess.Game) uint64 {
	return uint64(math.Float32bits(float32(min(1, float64(g.Repetitions())/2))))
}

// turnBoards changes boards to a view.
func turnBoards(boards []uint64, view chess.Square) {
	switch view {
	case upsideDown:
		reverseRanks(boards, 8)
	case leftRight:
		for i, b := range boards {
			boards[i] = ReflectBoard(b)
		}
	}
}

// variants31 expresses every variant, from the view of the side to move. Its
// first planes are those of mover15. Of the others, chess and atomic chess use only the
// two clocks. It
// goes with uci2206-mover.
//
// A position and the same one with colors exchanged are the same input where the rules are
// the same for both sides. In horde and racing kings they are not, and a plane marks Black.
//
// Counts are scaled to about 1, by factors that keep them distinct in bfloat16.
var variants31 = &Planes{
	name: "variants31", count: variantsPlanes, constant: constantFrom(variantsPocket, variantsPlanes), white: false, castling: moverCastlings, sides: moverSides(variantsPlanes),
	lacks: lacks(nil), encode: encodeVariants31,
	names: slices.Concat(moverNames, []string{"promoted"}, of("own", handKinds...), of("other", handKinds...), []string{"own checks left", "other checks left", "Black moves", "quiet plies", "repetition"}),
}

// The planes of variants31, by their first index. Those up to variantsPromoted
// are boards, those from variantsPocket on are the same on all squares.
const (
	variantsPromoted   = moverPlanes // pieces of both sides that were pawns (crazyhouse)
	variantsPocket     = 16          // pawns, knights, bishops, rooks, queens in the mover's hand, a quarter each (crazyhouse)
	variantsTheirs     = 21          // the same of the other side
	variantsChecks     = 26          // checks that the mover, then the other side has still to give, a third each (three-check)
	variantsBlack      = 28          // 1 when black is to move (horde, racing kings)
	variantsClock      = 29          // plies without capture or pawn move, a hundredth each, 1 at most (not in crazyhouse, which has no such rule)
	variantsRepetition = 30          // how often the position occurred earlier in the game, a half each, 1 at most
	variantsPlanes     = 31
)

func encodeVariants31(dst []uint64, g *chess.Game) {
	p := g.Position()
	dst = dst[:variantsPlanes]
	encodeMover(dst, p)
	dst[variantsPromoted] = uint64(p.Promoted())
	turnBoards(dst[:variantsPocket], view(p))

	constant := func(plane int, x float64) { dst[plane] = uint64(math.Float32bits(float32(x))) }
	own, other := p.Turn(), p.Turn().Other()
	for t := chess.Pawn; t <= chess.Queen; t++ {
		constant(variantsPocket+int(t-chess.Pawn), float64(p.Pocket(own, t))/4)
		constant(variantsTheirs+int(t-chess.Pawn), float64(p.Pocket(other, t))/4)
	}
	constant(variantsChecks, float64(p.ChecksLeft(own))/3)
	constant(variantsChecks+1, float64(p.ChecksLeft(other))/3)
	black, clock := 0.0, min(1, float64(p.Rule50())/100)
	switch v := p.Variant(); {
	case v == chess.Crazyhouse:
		clock = 0
	case own == chess.Black && (v == chess.Horde || v == chess.RacingKings):
		black = 1
	}
	constant(variantsBlack, black)
	constant(variantsClock, clock)
	dst[variantsRepetition] = repetitionWord(g)
}

// Helpers of the encodings that include earlier positions of the game, all seen from the
// side that is to move now.

// historySteps is the number of positions that AlphaZero and lc0 look at: the
// current one and the seven before it.
const historySteps = 8

// pieceBoards is the number of boards that PieceBoards writes.
const pieceBoards = 12

// PieceBoards writes twelve boards of p as it is: pawns, knights, bishops, rooks,
// queens and king of side own, then those of the other.
func PieceBoards(dst []uint64, p *chess.Position, own chess.Color) {
	for t := chess.Pawn; t <= chess.King; t++ {
		dst[t-chess.Pawn] = uint64(p.Pieces(own, t))
		dst[t-chess.Pawn+pieceBoards/2] = uint64(p.Pieces(own.Other(), t))
	}
}

// repetitions counts how often the position of g that was current back plies ago had
// occurred before, up to most. Positions are the same if their keys are the same
// ([chess.Position.Key]): an en passant square makes two positions different if an enemy
// pawn stands ready to capture there, pinned or not.
func repetitions(g *chess.Game, back, most int) int {
	p := g.Back(back)
	return occurrences(g, p.Key(), back+4, back+p.Rule50(), most)
}

// occurrences counts the positions with a key among those first, first+2, .. last
// plies ago, no further than most.
func occurrences(g *chess.Game, key uint64, first, last, most int) (n int) {
	for i := first; i <= last && n < most; i += 2 {
		p := g.Back(i)
		if p == nil {
			break
		}
		if p.Key() == key {
			n++
		}
	}
	return n
}

// Plane returns a plane of ones or of zeros.
func Plane(ones bool) uint64 {
	if ones {
		return ^uint64(0)
	}
	return 0
}

// Board draws the pieces of an encoded position in the notation of the first field of
// FEN, as the encoding sees them: upper case are White's, or, where it sees the board
// from the side to move (not [Planes.White]), those of that side, which then plays up
// the board.
func Board(e *Planes, planes []uint64) (string, error) {
	if len(planes) != e.Count() {
		return "", fmt.Errorf("encode: %d planes, want the %d of %s", len(planes), e.Count(), e.Name())
	}
	kinds := kindsOf(e)
	// The encoding of the usual start shows which plane has which pieces.
	start := chess.StartPosition(chess.Standard)
	var of []uint64
	if !ofRules(e) {
		of = make([]uint64, e.Count())
		e.Encode(of, chess.NewGame(start))
	}
	var board [64]byte
	for _, color := range []chess.Color{chess.White, chess.Black} {
		for i, t := range kinds {
			letter := t.Letter(color)
			at := i + len(kinds)*int(color)
			if of != nil {
				at = slices.Index(of, uint64(start.Pieces(color, t)))
			}
			if at < 0 {
				return "", fmt.Errorf("encode: %s has no plane of the pieces %c", e.Name(), letter)
			}
			for s := range board {
				if planes[at]>>s&1 != 0 {
					board[s] = letter
				}
			}
		}
	}
	files, height := 8, 8
	if e.only != nil {
		files, height = e.only.Size()
		for s := range (^e.only.Squares()).Squares {
			board[s] = '*'
		}
	}
	var ranks []string
	for rank := height - 1; rank >= 0; rank-- {
		row := string(board[8*rank:][:files])
		ranks = append(ranks, emptySquares.ReplaceAllStringFunc(row, func(run string) string { return strconv.Itoa(len(run)) }))
	}
	return strings.Join(ranks, "/"), nil
}

// emptySquares matches the squares of a rank that have no letter.
var emptySquares = regexp.MustCompile("\x00+")

// kindsOf returns the kinds of pieces that an encoding has planes of.
func kindsOf(e *Planes) []chess.PieceType {
	if e.kinds != nil {
		return e.kinds
	}
	return chess.Standard.Kinds()
}

// Counts counts the pieces on the board of a position that p has encoded as words, those
// of both sides together, by their type. In all encodings the first twelve planes are
// the pieces of the current position. Kinds that chess has not count as queens.
func Counts(p *Planes, words []uint64) (n [chess.King + 1]int) {
	if ofRules(p) {
		kinds := kindsOf(p)
		for i, w := range words[:2*len(kinds)] {
			t := kinds[i%len(kinds)]
			if t > chess.King {
				t = chess.Queen
			}
			n[t] += bits.OnesCount64(w)
		}
		return n
	}
	byType := p == marro77 // both sides' pawns, then both sides' knights, ..
	for i, w := range words[:pieceBoards] {
		t := i % (pieceBoards / 2)
		if byType {
			t = i / 2
		}
		n[chess.Pawn+chess.PieceType(t)] += bits.OnesCount64(w)
	}
	return n
}
