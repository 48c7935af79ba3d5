package chess

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// starts is made on first use: it needs the tables that init builds.
var starts = sync.OnceValue(func() (start [variantCount]Position) {
	for v := range start {
		p, err := parseFEN(Variant(v), variantFacts[v].start)
		if err != nil {
			panic(err) // cannot be: the table is constant
		}
		start[v] = p
	}
	return start
})

// StartPosition is the position a game of the variant begins with. The variant
// must be one of [Variants], or made by [Define].
func StartPosition(v Variant) Position {
	if b := v.book(); b != nil {
		return b.start
	}
	return starts()[v]
}

// ParseFEN reads a position in Forsyth-Edwards notation.
//
// It accepts only possible positions: one king a side, at most 16 pieces a side
// and no more promoted pieces than pawns are missing, no pawns on the first and
// last rank, castling rights with king and rook in place, an en passant square
// behind a pawn that can have come there, and the side that has just moved not
// in check. The variants change this as their rules do: in atomic chess the
// side to move may have no king (the game is over), in antichess a side has any
// number of kings, in horde White has none and may have 36 pieces and pawns on
// the first rank, in racing kings nobody is in check and nobody has pawns, in
// crazyhouse what is on the board and in the pockets makes 32 pieces at most.
//
// The two clocks may be missing (0 and 1 are assumed). Castling rights may be
// written KQkq (the outermost rook) or by the rook's file, as in X-FEN and
// Shredder-FEN. In crazyhouse pockets follow the board, as [QPn] or as a ninth
// rank (none means that they are empty), and ~ follows a piece that was promoted.
// Positions of rules made by [Define] may have any pieces of theirs. They need the royal
// pieces that a side has at the start, and those of the side that has just moved must not be
// attacked.
// In three-check the checks that each side has still to give stand before the
// clocks, as 3+3, or those given stand after them, as +0+0.
//
// Errors name the field and what is wrong in it.
func ParseFEN(v Variant, fen string) (Position, error) {
	if int(v) >= variantCount && !v.Defined() {
		return Position{}, fmt.Errorf("fen: unknown variant %d", v)
	}
	p, err := parseFEN(v, fen)
	if err != nil {
		return Position{}, fmt.Errorf("fen %q: %w", fen, err)
	}
	return p, nil
}

func parseFEN(v Variant, fen string) (Position, error) {
	p := Position{variant: v, enPassant: NoSquare, fullMove: 1}
	fields := strings.Fields(fen)
	if p.checkLimit() > 0 {
		var err error
		if fields, err = p.parseChecks(fields); err != nil {
			return p, err
		}
	}
	if len(fields) < 4 || len(fields) > 6 {
		return p, fmt.Errorf("want 4 to 6 fields (pieces, turn, castling, en passant, and the two clocks), have %d", len(fields))
	}
	board, err := p.parsePocket(fields[0])
	if err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	if err := p.parsePieces(board); err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	switch fields[1] {
	case "w":
		p.turn = White
	case "b":
		p.turn = Black
	default:
		return p, fmt.Errorf("field 2 (turn): want w or b, have %q", fields[1])
	}
	if p.checkLimit() > 0 && p.checks[p.turn] == 0 {
		return p, fmt.Errorf("checks: %v has given its last and has won, but it is %v's turn", p.turn, p.turn)
	}
	if err := p.checkMaterial(); err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	if err := p.checkKings(); err != nil {
		return p, fmt.Errorf("field 1 (pieces): %w", err)
	}
	if err := p.parseCastling(fields[2]); err != nil {
		return p, fmt.Errorf("field 3 (castling): %w", err)
	}
	if err := p.parseEnPassant(fields[3]); err != nil {
		return p, fmt.Errorf("field 4 (en passant): %w", err)
	}
	if len(fields) > 4 {
		n, err := parseClock(fields[4], 0)
		if err != nil {
			return p, fmt.Errorf("field 5 (plies without capture or pawn move): %w", err)
		}
		p.rule50 = n
	}
	if len(fields) > 5 {
		n, err := parseClock(fields[5], 1)
		if err != nil {
			return p, fmt.Errorf("field 6 (move number): %w", err)
		}
		p.fullMove = n
	}
	p.key = p.computeKey()
	return p, nil
}

// parseChecks removes the count of checks from the fields of a three-check FEN:
// those still to give, "3+3", as the fifth field, or those given, "+0+0", as the
// last one. Without either, no check has been given.
func (p *Position) parseChecks(fields []string) ([]string, error) {
	most := p.checkLimit()
	p.checks = [2]uint8{most, most}
	for i := 4; i < len(fields); i++ {
		white, black, found := strings.Cut(strings.TrimPrefix(fields[i], "+"), "+")
		if !found {
			continue
		}
		for c, s := range [2]string{white, black} {
			if len(s) != 1 || s[0] < '0' || s[0] > '0'+most {
				return nil, fmt.Errorf("field %d (checks): want two numbers from 0 to %d, such as 3+3 still to give or +0+0 given, have %q", i+1, most, fields[i])
			}
			p.checks[c] = s[0] - '0'
			if fields[i][0] == '+' {
				p.checks[c] = most - p.checks[c]
			}
		}
		if p.checks == [2]uint8{} {
			return nil, fmt.Errorf("field %d (checks): both sides cannot have won", i+1)
		}
		return append(fields[:i:i], fields[i+1:]...), nil
	}
	return fields, nil
}

// checkLimit is the number of checks that wins, 0 if there is none.
func (p *Position) checkLimit() uint8 { return uint8(p.variant.rules().CheckLimit) }

// hasHand reports whether pieces can be in hand.
func (p *Position) hasHand() bool { return p.variant.rules().hand }

// Size is the number of files and ranks of the board.
func (v Variant) Size() (files, ranks int) {
	b := v.rules()
	return b.Files, b.Ranks
}

// parsePocket reads the pockets that follow the board in crazyhouse, [QPn] or /QPn, and
// returns the board.
func (p *Position) parsePocket(s string) (board string, err error) {
	if !p.hasHand() {
		return s, nil
	}
	_, ranks := p.variant.Size()
	board, hand := s, ""
	if i := strings.IndexByte(s, '['); i >= 0 {
		var closed bool
		board = s[:i]
		if hand, closed = strings.CutSuffix(s[i+1:], "]"); !closed {
			return "", fmt.Errorf("the pocket %q does not end in ]", s[i:])
		}
	} else if i := strings.LastIndexByte(s, '/'); strings.Count(s, "/") == ranks {
		board, hand = s[:i], s[i+1:]
	}
	drops := p.variant.Drops()
	for i := 0; i < len(hand) && hand != "-"; i++ {
		c, t := p.variant.pieceAndColor(hand[i])
		if !slices.Contains(drops, t) {
			return "", fmt.Errorf("%q in the pocket is not a piece that can be dropped: want letters of %s", hand[i], lettersOf(drops))
		}
		if p.Pocket(c, t) == pocketMost {
			return "", fmt.Errorf("more than %d pieces of a kind in the pocket", pocketMost)
		}
		p.pocket[c] += 1 << p.pocketShift(t)
	}
	return board, nil
}

// pieceAndColor reads a piece of the variant as FEN writes it, upper case for white.
func (v Variant) pieceAndColor(ch byte) (c Color, t PieceType) {
	if ch >= 'a' && ch <= 'z' {
		c, ch = Black, ch-0x20
	}
	t = pieceOf[ch]
	if b := v.book(); b == nil && t > King || b != nil && b.of[t] == nil {
		return c, NoPieceType
	}
	return c, t
}

// lettersOf returns the letters of kinds of pieces for messages.
func lettersOf(kinds []PieceType) (letters string) {
	for _, t := range kinds {
		letters += string(t.Letter(White))
	}
	return letters + strings.ToLower(letters)
}

func (p *Position) parsePieces(s string) error {
	ranks := strings.Split(s, "/")
	files, want := p.variant.Size()
	if len(ranks) != want {
		return fmt.Errorf("want %d ranks, have %d", want, len(ranks))
	}
	for i, rank := range ranks {
		n := len(ranks) - i
		file := 0
		digit := false
		for j := 0; j < len(rank); j++ {
			ch := rank[j]
			if ch >= '1' && ch <= '8' {
				if digit {
					return fmt.Errorf("rank %d: two digits in a row in %q", n, rank)
				}
				digit = true
				file += int(ch - '0')
				continue
			}
			digit = false
			if ch == '~' && p.hasHand() {
				last := NewSquare(file-1, n-1)
				if t, _ := p.PieceAt(last); file == 0 || file > 8 || t == NoPieceType || t == Pawn || t == King && p.variant == Crazyhouse {
					return fmt.Errorf("rank %d: ~ in %q does not follow a piece that can have been promoted", n, rank)
				}
				if b := p.variant.book(); b == nil || b.Hand == "captures" && b.Demote && b.of[Pawn] != nil {
					p.promoted |= last.bit()
				}
				continue
			}
			c, t := p.variant.pieceAndColor(ch)
			hole := ch == '*' && p.variant.Defined()
			if t == NoPieceType && !hole {
				return fmt.Errorf("rank %d: %q is not a piece (%s) or a digit 1-8", n, ch, lettersOf(p.variant.Kinds()))
			}
			if file >= files {
				return fmt.Errorf("rank %d: more than %d squares in %q", n, files, rank)
			}
			if s := NewSquare(file, n-1); p.variant.Defined() && hole == p.variant.book().squares.Has(s) {
				return fmt.Errorf("rank %d: the board has its holes elsewhere than %q", n, rank)
			}
			if !hole {
				p.set(c, t, NewSquare(file, n-1))
			}
			file++
		}
		if file != files {
			return fmt.Errorf("rank %d: want %d squares, have %d in %q", n, files, file, rank)
		}
	}
	return nil
}

func (p *Position) parseCastling(s string) error {
	if s == "-" {
		return nil
	}
	b := p.variant.book()
	if b != nil && !b.Castling && b.start.key == 0 { // the start itself
		return nil
	}
	if p.variant == Antichess || p.variant == RacingKings || b != nil && !b.Castling {
		return fmt.Errorf("%q: there is no castling in %v; want -", s, p.variant)
	}
	for i := 0; i < len(s); i++ {
		ch := s[i]
		c, letter := White, ch
		if ch >= 'a' && ch <= 'z' {
			c, letter = Black, ch-0x20
		}
		if letter != 'K' && letter != 'Q' && (letter < 'A' || letter > 'H') {
			return fmt.Errorf("%q: want - or letters of KQkq (or files A-H, a-h)", ch)
		}
		home := p.variant.backRank(c)
		king := (p.Pieces(c, King) & home).First()
		if king == NoSquare {
			return fmt.Errorf("%q: the %v king is not on its first rank", ch, c)
		}
		rooks := p.Pieces(c, Rook) & home
		left := king.bit() - 1 // squares before the king; on its rank, those to its left
		right := ^left &^ king.bit()
		var rook Bitboard
		switch letter {
		case 'K':
			for rook = rooks & right; rook&(rook-1) != 0; rook &= rook - 1 {
			}
		case 'Q':
			rook = rooks & left
			rook &= -rook
		default:
			rook = rooks & (fileA << (letter - 'A'))
		}
		if rook == 0 {
			return fmt.Errorf("%q: no %v rook stands there to castle with", ch, c)
		}
		if rook&p.promoted != 0 {
			return fmt.Errorf("%q: the rook on %v was a pawn and cannot castle", ch, rook.First())
		}
		side := left
		if rook&right != 0 {
			side = right
		}
		if p.castle&side&home != 0 {
			return fmt.Errorf("%q: a second right to castle on that side", ch)
		}
		p.castle |= rook
	}
	return nil
}

func (p *Position) parseEnPassant(s string) error {
	if s == "-" {
		return nil
	}
	if b := p.variant.book(); b != nil {
		return b.parseEnPassant(p, s)
	}
	target, err := ParseSquare(s)
	if err != nil {
		return err
	}
	us, them := p.turn, p.turn.Other()
	want := rank6
	if us == Black {
		want = rank3
	}
	if !want.Has(target) {
		return fmt.Errorf("%s: wrong rank for %v to capture on", s, us)
	}
	pawn := forward(them, target.bit())
	if p.Pieces(them, Pawn)&pawn == 0 || p.Occupied()&(target.bit()|forward(us, target.bit())) != 0 {
		return fmt.Errorf("%s: no %v pawn can just have advanced two squares over it", s, them)
	}
	if pawnAttacks[them][target]&p.Pieces(us, Pawn) != 0 {
		p.enPassant = target
	}
	return nil
}

// backRank is the first rank of side c's.
func (v Variant) backRank(c Color) Bitboard {
	if _, ranks := v.Size(); c == Black {
		return rank1 << (8 * (ranks - 1))
	}
	return rank1
}

// maxClock is the largest number that ParseFEN accepts. FEN writes larger ones if a game
// continues from there.
const maxClock = 99999

// parseClock reads one of the two clocks.
func parseClock(s string, least int) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || int(n) < least || n > maxClock || s[0] == '+' {
		return 0, fmt.Errorf("want a whole number from %d to %d, have %q", least, maxClock, s)
	}
	return uint32(n), nil
}

// Board returns the pieces as 64 letters of FEN from a8 to h1, with "." for an empty square, and a
// blank where the board of the rules has none.
func (p *Position) Board() string {
	b := make([]byte, 64)
	for i := range b {
		b[i] = '.'
		if rules := p.variant.book(); rules != nil && !rules.squares.Has(NewSquare(i%8, 7-i/8)) {
			b[i] = ' '
		}
		if t, c := p.PieceAt(NewSquare(i%8, 7-i/8)); t != NoPieceType {
			b[i] = t.Letter(c)
		}
	}
	return string(b)
}

// FEN writes the position in Forsyth-Edwards notation. The en passant square
// is given only where a capture on it is pseudo-legal. A castling right is
// written KQkq when it belongs to the outermost rook, else by the rook's file
// (X-FEN). Crazyhouse has its pockets in brackets, [QPn], and three-check the
// checks still to give before the clocks, 3+3. Where two pawns can have passed the en
// passant square, in rules in files, it may be followed by the square of the pawn, d3c4.
func (p *Position) FEN() string {
	b := make([]byte, 0, 96)
	files, ranks := p.variant.Size()
	book := p.variant.book()
	for rank := ranks - 1; rank >= 0; rank-- {
		empty := byte(0)
		for file := range files {
			s := NewSquare(file, rank)
			t, c := p.PieceAt(s)
			hole := book != nil && !book.squares.Has(s)
			if t == NoPieceType && !hole {
				empty++
				continue
			}
			if empty > 0 {
				b = append(b, '0'+empty)
				empty = 0
			}
			if hole {
				b = append(b, '*')
				continue
			}
			b = append(b, t.Letter(c))
			if p.promoted.Has(NewSquare(file, rank)) {
				b = append(b, '~')
			}
		}
		if empty > 0 {
			b = append(b, '0'+empty)
		}
		if rank > 0 {
			b = append(b, '/')
		}
	}
	if p.hasHand() {
		b = append(b, '[')
		for c := White; c <= Black; c++ {
			for t := PieceTypes - 1; t >= Pawn; t-- {
				for range p.Pocket(c, t) {
					b = append(b, t.Letter(c))
				}
			}
		}
		b = append(b, ']')
	}
	b = append(b, ' ', "wb"[p.turn], ' ')
	b = p.appendCastling(b)
	b = append(b, ' ')
	b = append(b, p.enPassant.String()...)
	if book != nil && p.enPassant != NoSquare {
		if victims := book.passers(p, p.enPassant); len(victims) > 1 && p.victim != victims[0] {
			b = append(b, p.victim.String()...)
		}
	}
	b = append(b, ' ')
	if p.checkLimit() > 0 {
		b = append(b, '0'+p.checks[White], '+', '0'+p.checks[Black], ' ')
	}
	b = strconv.AppendUint(b, uint64(p.rule50), 10)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(p.fullMove), 10)
	return string(b)
}

func (p *Position) appendCastling(b []byte) []byte {
	if p.castle == 0 {
		return append(b, '-')
	}
	for c := White; c <= Black; c++ {
		home := p.variant.backRank(c)
		king := (p.Pieces(c, King) & home).First().bit()
		rooks := p.Pieces(c, Rook) & home
		lower := byte(c) * 0x20
		if right := p.castle & p.color[c] &^ (king<<1 - 1); right != 0 {
			letter := byte('K')
			if rooks&^(right<<1-1) != 0 {
				letter = 'A' + byte(right.First().File())
			}
			b = append(b, letter|lower)
		}
		if left := p.castle & p.color[c] & (king - 1); left != 0 {
			letter := byte('Q')
			if rooks&(left-1) != 0 {
				letter = 'A' + byte(left.First().File())
			}
			b = append(b, letter|lower)
		}
	}
	return b
}
