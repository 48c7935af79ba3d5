package encode

import (
	"math"

	"alamos/pkg/chess"
)

// variants31 expresses every variant, from the view of the side to move. Its
// first planes are those of mover15; the others are of no use in chess and in
// atomic chess but for the two clocks, which matter in all variants alike. It
// goes with uci2206-mover.
//
// Sides that are alike look alike: a position and the same one with colors
// changed are one position to the network. In horde and racing kings the sides
// are not alike, and a plane tells black.
//
// Counts are scaled to about 1, by what bfloat16 keeps apart.
type variants31 struct{}

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

var variants31Constant = func() []bool {
	constant := make([]bool, variantsPlanes)
	for i := variantsPocket; i < variantsPlanes; i++ {
		constant[i] = true
	}
	return constant
}()

func (variants31) Name() string     { return "variants31" }
func (variants31) Count() int       { return variantsPlanes }
func (variants31) Constant() []bool { return variants31Constant }
func (variants31) White() bool      { return false }

func (e variants31) Supports(v chess.Variant) error { return lacks(nil).support(e.Name(), v) }

func (variants31) Encode(dst []uint64, g *chess.Game) {
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
	constant(variantsRepetition, min(1, float64(g.Repetitions())/2))
}
