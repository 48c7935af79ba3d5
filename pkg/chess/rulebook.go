package chess

import (
	"fmt"
	"slices"
	"strings"
)

// rulebook is what [Rules] are compiled to: tables by kind, color and square, and flags.
type rulebook struct {
	Rules
	text    string // of Rules.String
	key     uint64 // that of an empty board
	variant Variant
	start   Position

	squares           Bitboard // of the board, without its holes
	kinds             []*kind
	of                [PieceTypes]*kind
	royals            []PieceType
	bound             [2]bool // the side has royal pieces at the start
	promotes          [2][]PieceType
	zone              [2]Bitboard // where pawns promote
	drops             [2]Bitboard // where pawns can be dropped
	leaps             [2]Bitboard // from where pawns make a double step
	answered          [2]Bitboard // and may be captured en passant
	goals             []goalSquares
	extinct           []extinctKinds
	immune            [PieceTypes]bool
	blast             [64]Bitboard
	hand              bool
	others            uint             // kinds beside those of chess that a hand can hold
	insufficient      Variant          // whose definition of insufficient material holds
	pawnsIrreversible bool             // no move of a pawn can be taken back
	most              int              // a bound on the moves of one piece
	ways              map[[2]int]bool  // the directions of all pieces
	slots             [PieceTypes]uint // where a pocket counts each kind
}

// kind is a kind of piece.
type kind struct {
	Piece
	t              PieceType
	quiet, capture [2]motion // of each color
	back           [2]motion // from where each color captures on a square
	twice          [2][]int8 // what each forward step of a pawn adds to a square
	sliding        bool      // some capture is not a leap
	alike          bool      // moves and captures in the same way
	royal          bool
	most           int // of its moves on an empty board
}

// motion is how a piece moves: leaps, the lines of rook and bishop, and other lines.
type motion struct {
	leaps        [64]Bitboard
	simple       bool // there are only leaps
	rook, bishop bool
	rays         []ray
	region       Bitboard
}

// ray is the part of a line that a rider can reach.
type ray struct {
	squares [64]Bitboard
	beyond  [64]Bitboard // without a limit
	rising  bool         // the first square on the way has the lowest number
}

type goalSquares struct {
	kinds   []PieceType
	squares [2]Bitboard
}

type extinctKinds struct {
	kinds []PieceType
	all   bool
	count int
	sides [2]bool
	win   bool
}

// compile checks rules and makes their tables.
func compile(r Rules, v Variant) (*rulebook, error) {
	b := &rulebook{ways: map[[2]int]bool{}, Rules: r, variant: v, hand: r.Hand != none}
	for t := range b.slots {
		b.slots[t] = 64
	}
	board, _, _ := strings.Cut(r.Start, " ")
	holes, err := r.holes(board)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if r.Files < 2 || r.Ranks < 2 || r.Files > 8 || r.Ranks > 8 {
		return nil, fmt.Errorf("a board of %d files and %d ranks: want 2 to 8 of each", r.Files, r.Ranks)
	}
	b.squares = r.board() &^ holes
	for _, p := range r.Pieces {
		if err := b.addKind(p); err != nil {
			return nil, err
		}
	}
	for _, k := range b.kinds {
		if b.hand && k.t > Queen && b.slots[k.t] == 64 {
			return nil, fmt.Errorf("pieces: a hand has room for %d kinds beside pawn, knight, bishop, rook and queen", b.others)
		}
	}
	for _, step := range []func() error{b.compilePawns, b.compileCaptures, b.compileEnds} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b, b.contradictions()
}

// holes returns the squares marked * in the first field of a FEN.
func (r *Rules) holes(board string) (holes Bitboard, err error) {
	board, _, _ = strings.Cut(board, "[")
	ranks := strings.Split(board, "/")
	if len(ranks) != r.Ranks {
		return 0, fmt.Errorf("want %d ranks, have %d", r.Ranks, len(ranks))
	}
	for i, rank := range ranks {
		file := 0
		for _, c := range []byte(rank) {
			switch {
			case c >= '1' && c <= '8':
				file += int(c - '0')
			case c == '~':
			default:
				if c == '*' && file < r.Files {
					holes |= NewSquare(file, r.Ranks-1-i).bit()
				}
				file++
			}
		}
	}
	return holes, nil
}

func (b *rulebook) addKind(p Piece) error {
	k := &kind{Piece: p}
	if len(p.Letter) != 1 || p.Letter[0] < 'a' || p.Letter[0] > 'z' || p.Letter == "o" {
		return fmt.Errorf("piece %s: the letter %q: want one of a-z other than o", p.Name, p.Letter)
	}
	if k.t = pieceOf[p.Letter[0]-0x20]; b.of[k.t] != nil {
		return fmt.Errorf("pieces: %s and %s have the same letter %s", b.of[k.t].Name, p.Name, p.Letter)
	}
	steps, err := parseBetza(p.Moves)
	if err != nil {
		return fmt.Errorf("piece %s: %w", p.Name, err)
	}
	region, err := b.parseSquares("region of "+p.Name, p.Region)
	if err != nil {
		return err
	}
	k.alike = true
	for _, s := range steps {
		k.alike = k.alike && s.quiet == s.capture
		k.sliding = k.sliding || s.capture && s.reach > 1
	}
	for c := White; c <= Black; c++ {
		var quiet, capture, back []step
		for _, s := range steps {
			if c == Black {
				s.dy = -s.dy
			}
			if s.quiet {
				quiet = append(quiet, s)
			}
			if s.capture {
				capture = append(capture, s)
				s.dx, s.dy = -s.dx, -s.dy
				back = append(back, s)
			}
		}
		allowed := region
		if c == Black {
			allowed = b.flip(region)
		}
		k.quiet[c] = b.newMotion(quiet, allowed)
		k.capture[c] = b.newMotion(capture, allowed)
		k.back[c] = b.newMotion(back, ^Bitboard(0))
		if k.t == Pawn {
			for _, s := range quiet {
				if d := int8(8*s.dy + s.dx); s.dy > 0 == (c == White) && s.dy != 0 && s.reach == 1 && !slices.Contains(k.twice[c], d) {
					k.twice[c] = append(k.twice[c], d)
				}
			}
		}
	}
	most := 0
	for _, s := range steps {
		b.ways[[2]int{s.dx, s.dy}], b.ways[[2]int{s.dx, -s.dy}] = true, true
	}
	for s := range b.squares.Squares {
		most = max(most, b.reach(&k.quiet[White], s, ^b.squares).Count()+b.reach(&k.capture[White], s, ^b.squares).Count())
	}
	if k.most = most; k.alike {
		k.most /= 2
	}
	b.most = max(b.most, k.most)
	b.of[k.t] = k
	b.kinds = append(b.kinds, k)
	if k.t > Queen && b.hand && b.others < pocketKinds-5 {
		b.slots[k.t] = pocketBits * (5 + b.others)
		b.others++
	}
	return nil
}

// flip turns the board upside down.
func (r *Rules) flip(b Bitboard) (flipped Bitboard) {
	for s := range b.Squares {
		flipped |= r.flipSquare(s).bit()
	}
	return flipped
}

func (r *Rules) flipSquare(s Square) Square { return NewSquare(s.File(), r.Ranks-1-s.Rank()) }

func (b *rulebook) newMotion(all []step, region Bitboard) motion {
	m := motion{region: region & b.squares}
	var steps []step // each way once, also if one is for captures only
	for _, s := range all {
		if s.quiet, s.capture = true, true; !slices.Contains(steps, s) {
			steps = append(steps, s)
		}
	}
	straight, diagonal := 0, 0
	for _, s := range steps {
		if s.reach == endless && s.dx*s.dx+s.dy*s.dy == 1 {
			straight++
		}
		if s.reach == endless && s.dx*s.dx == 1 && s.dy*s.dy == 1 {
			diagonal++
		}
	}
	m.rook, m.bishop = straight == 4, diagonal == 4
	for _, s := range steps {
		length := s.dx*s.dx + s.dy*s.dy
		switch {
		case s.reach == 1:
			for from := range b.squares.Squares {
				m.leaps[from] |= b.line(from, s, 1)
			}
		case s.reach == endless && (m.rook && length == 1 || m.bishop && length == 2):
		default:
			r := ray{rising: 8*s.dy+s.dx > 0}
			for from := range b.board().Squares { // holes too, beyond which nothing is reached
				r.squares[from], r.beyond[from] = b.line(from, s, s.reach), b.line(from, s, endless)
			}
			m.rays = append(m.rays, r)
		}
	}
	for s := range m.leaps {
		m.leaps[s] &= m.region
	}
	m.simple = !m.rook && !m.bishop && len(m.rays) == 0
	return m
}

// line returns the squares of the board in one direction, as far as it and the step go.
func (b *rulebook) line(from Square, s step, reach int) (squares Bitboard) {
	for f, r := from.File()+s.dx, from.Rank()+s.dy; reach > 0 && f >= 0 && r >= 0 && f < b.Files && r < b.Ranks; f, r, reach = f+s.dx, r+s.dy, reach-1 {
		squares |= NewSquare(f, r).bit()
	}
	return squares
}

// reach returns the squares to which a motion leads. occupied includes all that is not on
// the board.
func (b *rulebook) reach(m *motion, s Square, occupied Bitboard) Bitboard {
	to := m.leaps[s&63]
	if m.simple {
		return to
	}
	if m.rook {
		to |= rookAttacks(s, occupied)
	}
	if m.bishop {
		to |= bishopAttacks(s, occupied)
	}
	for i := range m.rays {
		to |= m.rays[i].reach(s, occupied)
	}
	return to & m.region
}

func (r *ray) reach(s Square, occupied Bitboard) Bitboard {
	to := r.squares[s&63]
	if stop := to & occupied; stop != 0 {
		at := stop.First()
		if !r.rising {
			at = stop.last()
		}
		to &^= r.beyond[at&63]
	}
	return to
}

func (b *rulebook) compilePawns() (err error) {
	if b.leaps, err = b.ranksOf("double_step", b.DoubleStep); err != nil {
		return err
	}
	if b.answered, err = b.ranksOf("en_passant", b.EnPassant); err != nil {
		return err
	}
	if b.promotes[White], err = b.parseKinds("promotion", b.Promotion); err != nil {
		return err
	}
	b.promotes[Black] = b.promotes[White]
	if b.BlackPromotes != same {
		if b.promotes[Black], err = b.parseKinds("promotion_black", b.BlackPromotes); err != nil {
			return err
		}
	}
	if b.zone, err = b.ranksOf("promotion_ranks", b.PromoteOn); err != nil {
		return err
	}
	for c := range b.zone {
		if b.of[Pawn] == nil {
			b.promotes[c] = nil
		}
		if len(b.promotes[c]) == 0 {
			b.zone[c] = 0
		}
	}
	pawn := b.of[Pawn]
	if pawn == nil {
		return nil
	}
	b.pawnsIrreversible = true
	for s := range b.squares.Squares {
		around := rank1<<(s&56) | (s.bit() - 1)
		b.pawnsIrreversible = b.pawnsIrreversible && b.reach(&pawn.quiet[White], s, ^b.squares)&around == 0
	}
	b.most = max(b.most, (pawn.most+len(pawn.twice[White]))*(1+b.promotions()))
	if b.hand {
		b.drops, err = b.ranksOf("pawn_drops", b.PawnDrops)
	}
	for c := range b.drops {
		if !b.MayPromote { // a pawn there would have promoted
			b.drops[c] &^= b.zone[c]
		}
	}
	return err
}

func (b *rulebook) compileCaptures() error {
	royals, err := b.parseKinds("royal", b.Royal)
	if err != nil {
		return err
	}
	b.royals = royals
	for _, t := range royals {
		b.of[t].royal = true
	}
	immune, err := b.parseKinds("explosion_immune", b.immuneThatExist())
	for _, t := range immune {
		b.immune[t] = true
	}
	for s := range b.squares.Squares {
		for other := range b.squares.Squares {
			if files, ranks := distance(s, other); max(files, ranks) <= b.Explosion {
				b.blast[s] |= other.bit()
			}
		}
	}
	return err
}

// immuneThatExist returns the immune kinds. That of the default, the pawn, need not exist.
func (r *Rules) immuneThatExist() string {
	if r.Immune == "p" && !slices.ContainsFunc(r.Pieces, func(p Piece) bool { return p.Letter == "p" }) {
		return none
	}
	return r.Immune
}

func distance(s, t Square) (files, ranks int) {
	abs := func(x int) int { return max(x, -x) }
	return abs(s.File() - t.File()), abs(s.Rank() - t.Rank())
}

func (b *rulebook) compileEnds() error {
	var known bool
	if b.insufficient, known = definitions[b.Insufficient]; !known {
		return fmt.Errorf("insufficient: %q is no definition of insufficient material", b.Insufficient)
	}
	for _, x := range RulesOf(Standard).Pieces {
		k := b.of[pieceOf[x.Letter[0]-0x20]]
		if k == nil {
			continue
		}
		here, err := parseBetza(k.Moves)
		if err != nil {
			return err
		}
		there, err := parseBetza(x.Moves)
		if err != nil {
			return err
		}
		if !sameSteps(here, there) {
			b.insufficient = definitions[none]
		}
	}
	for _, g := range b.Goals {
		kinds, err := b.parseKinds("goals", g.Pieces)
		if err != nil {
			return err
		}
		goal := goalSquares{kinds: kinds}
		if goal.squares[White], err = b.parseSquares("goals", g.Squares); err != nil {
			return err
		}
		goal.squares[Black] = goal.squares[White]
		if g.Black != same {
			if goal.squares[Black], err = b.parseSquares("goals", g.Black); err != nil {
				return err
			}
		}
		b.goals = append(b.goals, goal)
	}
	for _, x := range b.Extinctions {
		kinds, err := b.parseKinds("extinction", x.Pieces)
		if err != nil {
			return err
		}
		b.extinct = append(b.extinct, extinctKinds{kinds, x.Pieces == all, x.Count, [2]bool{x.Side != "black", x.Side != "white"}, x.Result == "win"})
	}
	return nil
}

// contradictions names rules that cannot be meant together.
func (b *rulebook) contradictions() error {
	board, _, _ := strings.Cut(b.Start, " ")
	count := func(letter byte) (n [2]int) {
		return [2]int{strings.Count(board, string(letter-0x20)), strings.Count(board, string(letter))}
	}
	pawns := [2]int{}
	if b.of[Pawn] != nil {
		pawns = count('p')
	}
	for _, t := range b.royals {
		for c, n := range count(t.Letter(Black)) {
			b.bound[c] = b.bound[c] || n > 0
		}
	}
	switch {
	case !b.bound[White] && !b.bound[Black] && len(b.goals) == 0 && len(b.extinct) == 0 && b.Stalemate == "draw":
		return fmt.Errorf("royal: no side has a royal piece, and there is no goal, no extinction and no value of stalemate: nobody can win")
	case b.CheckLimit > 0 && !b.bound[White] && !b.bound[Black]:
		return fmt.Errorf("checks: no side has a royal piece that can be in check")
	case b.CheckLimit > 0 && !b.GiveCheck:
		return fmt.Errorf("checks: give_check is false, so that there are none")
	case b.MustCapture && b.SelfCapture:
		return fmt.Errorf("must_capture: with self_capture there is nearly always a capture of one's own pieces: choose one of them")
	case b.Castling && (b.of[King] == nil || b.of[Rook] == nil || b.Files != 8):
		return fmt.Errorf("castling: it needs the pieces k and r and 8 files: set castling: false")
	case b.hand && b.of[King] != nil && (!b.of[King].royal || b.Royals == "last") && b.Castling:
		return fmt.Errorf("castling: a king that can be dropped cannot castle: set castling: false")
	case b.Castling && slices.Contains(b.PromoteOn, 1) && (slices.Contains(b.promotes[White], King) || slices.Contains(b.promotes[Black], King)):
		return fmt.Errorf("castling: a pawn could become a king on its first rank: set castling: false, or change promotion or promotion_ranks")
	case b.LastReply && len(b.goals) == 0:
		return fmt.Errorf("goals_reply: there are no goals")
	}
	for _, rank := range b.EnPassant {
		if b.of[Pawn] == nil || !slices.Contains(b.DoubleStep, rank) {
			continue
		}
		if b.of[Pawn].royal {
			return fmt.Errorf("en_passant: pawns are royal, and no move may leave them to a capture: set en_passant: []")
		}
		for _, d := range b.of[Pawn].twice[White] {
			up := (int(d) + 4) >> 3
			if passed := b.Ranks + 1 - rank - up; b.promotions() > 0 && slices.Contains(b.PromoteOn, passed) {
				return fmt.Errorf("en_passant: a capture of a pawn that has passed ends on rank %d, and does not promote there: change promotion_ranks or en_passant", passed)
			}
		}
	}
	for c := White; c <= Black; c++ {
		if slices.Contains(b.promotes[c], Pawn) {
			return fmt.Errorf("promotion: a pawn cannot become a pawn: for that, set promotion_optional")
		}
		if pawns[c] > 0 && len(b.promotes[c]) > 0 && !b.pawnsArrive(c) {
			return fmt.Errorf("promotion_ranks: no pawn of %v can reach one of the ranks %d", c, b.PromoteOn)
		}
	}
	return nil
}

// promotions is the number of kinds to which a pawn may promote.
func (b *rulebook) promotions() int { return max(len(b.promotes[White]), len(b.promotes[Black])) }

// pawnsArrive reports whether a pawn can come to a rank of promotion from elsewhere.
func (b *rulebook) pawnsArrive(c Color) bool {
	pawn := b.of[Pawn]
	for s := range (b.squares &^ b.zone[c]).Squares {
		if (b.reach(&pawn.quiet[c], s, ^b.squares)|b.reach(&pawn.capture[c], s, ^b.squares))&b.zone[c] != 0 {
			return true
		}
	}
	return false
}
