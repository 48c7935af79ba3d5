package chess

// Attack tables, built once. All are plain arrays indexed by squares.
var (
	knightAttacks, kingAttacks [64]Bitboard
	pawnAttacks                [2][64]Bitboard // squares a pawn of the color attacks
	rookRays, bishopRays       [64]Bitboard    // sliding attacks on an empty board
	diagonals, antidiagonals   [64]Bitboard    // whole lines through the square: a1-h8 and h1-a8 direction

	// between holds the squares strictly between two squares of one line, and
	// line that whole line; both are empty when no line joins the two.
	between, line [64][64]Bitboard
)

func init() {
	initMagics()
	for s := range Square(64) {
		b := s.bit()
		sides := b | east(b) | west(b)
		kingAttacks[s] = (sides | sides<<8 | sides>>8) &^ b
		one, two := east(b)|west(b), east(east(b))|west(west(b))
		knightAttacks[s] = one<<16 | one>>16 | two<<8 | two>>8
		pawnAttacks[White][s] = (east(b) | west(b)) << 8
		pawnAttacks[Black][s] = (east(b) | west(b)) >> 8
		rookRays[s], bishopRays[s] = rookAttacks(s, 0), bishopAttacks(s, 0)
	}
	for s := range Square(64) {
		rising := s.bit()
		for t := range Square(64) {
			switch {
			case rookRays[s].Has(t):
				between[s][t] = rookAttacks(s, t.bit()) & rookAttacks(t, s.bit())
				line[s][t] = rookRays[s]&rookRays[t] | s.bit() | t.bit()
			case bishopRays[s].Has(t):
				between[s][t] = bishopAttacks(s, t.bit()) & bishopAttacks(t, s.bit())
				line[s][t] = bishopRays[s]&bishopRays[t] | s.bit() | t.bit()
				if (s.File() < t.File()) == (s.Rank() < t.Rank()) {
					rising |= t.bit()
				}
			}
		}
		diagonals[s] = rising
		antidiagonals[s] = bishopRays[s]&^rising | s.bit()
	}
}

func east(b Bitboard) Bitboard { return b &^ fileH << 1 }
func west(b Bitboard) Bitboard { return b &^ fileA >> 1 }

// forward moves a set one rank towards the opponent of c.
func forward(c Color, b Bitboard) Bitboard {
	if c == White {
		return b << 8
	}
	return b >> 8
}

// backRank is the first rank as c sees it.
func backRank(c Color) Bitboard {
	if c == White {
		return rank1
	}
	return rank8
}

// Sliding attacks by magic multiplication: the occupied squares that matter to
// a slider (mask) times a factor have their information gathered in the top
// bits, which index a table of attacks. The factors below were found by trial
// with sparse random numbers. init checks each of them, because a bad one would map two
// different attack sets to one entry.

type magic struct {
	mask, factor Bitboard
	offset       uint32
	shift        uint8
}

var (
	rookMagics, bishopMagics [64]magic
	// 102,400 entries for rooks, 5,248 for bishops: 2^(bits of mask) a square.
	sliderTable [102400 + 5248]Bitboard
)

func rookAttacks(s Square, occupied Bitboard) Bitboard {
	m := &rookMagics[s&63]
	return sliderTable[uint32((occupied&m.mask)*m.factor>>(m.shift&63))+m.offset]
}

func bishopAttacks(s Square, occupied Bitboard) Bitboard {
	m := &bishopMagics[s&63]
	return sliderTable[uint32((occupied&m.mask)*m.factor>>(m.shift&63))+m.offset]
}

var (
	rookSteps   = [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
	bishopSteps = [4][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}
)

// walk computes a slider's attacks step by step. Only the tables are made from it.
func walk(s Square, occupied Bitboard, steps *[4][2]int) Bitboard {
	var attacks Bitboard
	for _, d := range steps {
		for f, r := s.File()+d[0], s.Rank()+d[1]; f >= 0 && f < 8 && r >= 0 && r < 8; f, r = f+d[0], r+d[1] {
			b := NewSquare(f, r).bit()
			attacks |= b
			if occupied&b != 0 {
				break
			}
		}
	}
	return attacks
}

// initMagics fills the slider tables.
func initMagics() {
	offset := uint32(0)
	fill := func(magics *[64]magic, factors *[64]Bitboard, steps *[4][2]int) {
		for s := range Square(64) {
			// The last square of a ray has nothing behind it to hide.
			rank, file := rank1<<(s&56), fileA<<(s&7)
			edges := (rank1|rank8)&^rank | (fileA|fileH)&^file
			mask := walk(s, 0, steps) &^ edges
			bits := mask.Count()
			magics[s] = magic{mask, factors[s], offset, uint8(64 - bits)}
			table := sliderTable[offset:][:1<<bits]
			for occupied := Bitboard(0); ; {
				attacks := walk(s, occupied, steps)
				entry := &table[occupied*factors[s]>>(64-bits)]
				if *entry != 0 && *entry != attacks {
					panic("chess: the magic factor of " + s.String() + " does not work")
				}
				*entry = attacks
				if occupied = (occupied - mask) & mask; occupied == 0 {
					break
				}
			}
			offset += 1 << bits
		}
	}
	fill(&rookMagics, &rookFactors, &rookSteps)
	fill(&bishopMagics, &bishopFactors, &bishopSteps)
}

var rookFactors = [64]Bitboard{
	0x0080021620804001, 0x0040001000200041, 0x0200102200088040, 0x4080040800821000,
	0x2200020004200810, 0x4b00020c000d0008, 0x01000c4183000600, 0x2080010000402c80,
	0x8002800826864000, 0x0410802000884000, 0x0c01004010200100, 0x020300100100203c,
	0x0450800801040080, 0x4010800200040080, 0x8804000208048110, 0x0c40800080004100,
	0xa2018880024004a0, 0x0080848020004004, 0x1010410010200101, 0x2010008008008010,
	0x0a08010004110008, 0x0802080104209040, 0x0080040090010802, 0x0280020000841069,
	0x080c400080248000, 0x2048850100224008, 0x00200800c0300040, 0x11400d0100201000,
	0x0041001100080204, 0x4802000200040810, 0x0100080c00103601, 0x0020084200043085,
	0x0100804000800022, 0x0460401000402002, 0x8309002001001044, 0x0000800800801000,
	0x0000800800800400, 0xb542040080800200, 0x1041000401000200, 0x000318b04a000401,
	0x0280082000484000, 0x0080400081010030, 0x0010002000108080, 0x012010002101000a,
	0x0801000408010012, 0x0004008002008004, 0x0ad1005200110014, 0x4000004110820004,
	0x9400400080003080, 0x0000802200490200, 0x1521100080200280, 0x9021000824100100,
	0x0081080080840280, 0x0002000904100200, 0x0130024801302400, 0x0102008100442200,
	0x0080984063800101, 0x0016810201412812, 0x40200101603008c1, 0x2851100004082101,
	0x1049001002880005, 0x0081000804000201, 0x100020901208410c, 0x0101064400813102,
}

var bishopFactors = [64]Bitboard{
	0x24e0440c00802202, 0x00881808841a4500, 0x29c1021085004190, 0x18c4041080042020,
	0x0841104000008108, 0x890828080880c088, 0x0006021024062018, 0x2000404044104040,
	0x09000504104a0210, 0x0088390204040820, 0x4001420082008402, 0x028108048b001142,
	0x1c00140421001008, 0x0008021212200400, 0x080000581a082004, 0x3000048208027204,
	0x0120004044148482, 0x4021000808108090, 0x0084011808009452, 0x11c802242020e000,
	0x0124002210140002, 0x4009008200420200, 0x0000830202100202, 0x9002042500420200,
	0x0a60200004480210, 0x0402481020480080, 0x8001100101004200, 0x6240104004004080,
	0x1124848014002000, 0x00180200204100a0, 0x8020890844880800, 0x0000802009040204,
	0x0410042041100280, 0x0804022000020440, 0x2418280400480024, 0x0801080800420a00,
	0x4002248400020020, 0x3020004102038084, 0x84280110601c0200, 0x2004004208088080,
	0x0008022220041210, 0x00820e0120000440, 0x0002002201020822, 0x0000002019000804,
	0x0211204c10101100, 0x0604808081001200, 0x1010029204030041, 0x1008090102110621,
	0x0002015002100c00, 0x06002c040404400a, 0xc030002201100011, 0x4040008020884000,
	0x0248000903040100, 0xc010092008008040, 0x6008084108020494, 0x28102182008e0042,
	0x0010210820842002, 0x4080020111491002, 0x0108100084008800, 0x0022242100420221,
	0x10a8008110020210, 0x400019122a900102, 0x00800a1051080300, 0x0420222088008080,
}
