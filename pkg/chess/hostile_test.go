package chess

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	hostileGames = flag.Int("hostile.games", 150, "play so many games of each variant from hostile positions beside the reference")
	hostileSeed  = flag.Uint64("hostile.seed", 1, "of those games")
)

const hostilePlies = 12

// TestHostile begins games where no game would: on boards strewn with pieces and
// at FENs with typing errors. Whatever ParseFEN accepts must be played as by the
// reference, in every detail, and what it refuses must be refused in peace.
//
// A longer run: go test ./pkg/chess -run TestHostile -hostile.games 20000 -v
func TestHostile(t *testing.T) {
	for _, v := range Variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*hostileSeed, uint64(v)))
			seen := hostileTally{ends: map[string]int{}}
			for seen.games < *hostileGames {
				playHostile(t, v, hostileFEN(r, v), r.IntN, &seen)
				if seen.refused > 100*(1+seen.games) {
					t.Fatalf("hardly any position is accepted: %+v", seen)
				}
			}
			t.Logf("%+v", seen)
		})
	}
}

// FuzzHostile is TestHostile with the positions and the moves of a fuzzer.
func FuzzHostile(f *testing.F) {
	for _, fen := range seedFENs {
		for _, v := range Variants() {
			f.Add(uint8(v), fen, []byte("\x00\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59\x90"))
		}
	}
	f.Fuzz(func(t *testing.T, v uint8, fen string, choices []byte) {
		choose := func(n int) (choice int) {
			if len(choices) > 0 {
				choice = int(choices[0]) % n
				choices = choices[1:]
			}
			return choice
		}
		playHostile(t, Variant(v), fen, choose, &hostileTally{ends: map[string]int{}})
	})
}

// hostileTally is what was covered.
type hostileTally struct {
	games, refused, positions, moves int
	ends                             map[string]int
}

// playHostile plays a game from a position, if it is one, by both rules, and
// compares. Choose makes the choices, from 0 to n-1.
func playHostile(t *testing.T, v Variant, fen string, choose func(n int) int, seen *hostileTally) {
	t.Helper()
	defer func() {
		if wrong := recover(); wrong != nil {
			t.Fatalf("%v %q: panic: %v\n%s", v, fen, wrong, debug.Stack())
		}
	}()
	start, err := ParseFEN(v, fen)
	if err != nil {
		seen.refused++
		return
	}
	seen.games++
	game := NewGame(start)
	reference := referenceGame{readReference(&start)}
	retreating := choose(4) == 0 // pieces go back whence they came, for repetitions
	var l MoveList
	for range hostilePlies {
		game.Position().LegalMoves(&l)
		if wrong := compareHostile(game, &l, reference); wrong != "" {
			t.Fatalf("%v from %q, after %v, at %s: %s", v, fen, game.Moves(), game.Position().FEN(), wrong)
		}
		seen.positions++
		seen.moves += l.Len()
		if outcome := game.Outcome(&l); outcome.Over() {
			seen.ends[outcome.Reason.String()]++
		}
		if l.Len() == 0 {
			return
		}
		m := l.At(choose(l.Len()))
		if back := retreat(game); retreating && l.Contains(back) {
			m = back
		}
		game.Play(m)
		reference = append(reference, reference[len(reference)-1].play(readReferenceMove(m)))
	}
}

// retreat is the move that takes back what the side to move has last moved; it
// need not be legal.
func retreat(g *Game) Move {
	if g.Ply() < 2 {
		return 0
	}
	last := g.Moves()[g.Ply()-2]
	return newMove(last.To(), last.From())
}

// compareHostile says in what a position, the last of its game, differs from the
// reference, "" if in nothing.
func compareHostile(game *Game, l *MoveList, reference referenceGame) string {
	p, want := game.Position(), &reference[len(reference)-1]
	if wrong := invalid(p); wrong != "" {
		return wrong
	}
	if wrong := differs(p, want); wrong != "" {
		return wrong
	}
	legal := want.legalMoves()
	have := make([]referenceMove, l.Len())
	for i, m := range l.Slice() {
		have[i] = readReferenceMove(m)
	}
	if wrong := cmp.Diff(sortedTexts(legal), sortedTexts(have)); wrong != "" {
		return "moves (-want +have):\n" + wrong
	}
	if n := p.countMoves(); n != l.Len() || n > mostMoves {
		return fmt.Sprintf("%d moves counted, %d generated", n, l.Len())
	}
	if have, want := p.InCheck(), want.inCheck(want.turn); have != want {
		return fmt.Sprintf("check %v, want %v", have, want)
	}
	if have, want := game.Outcome(l), reference.outcome(legal, p.InsufficientMaterial()); have != want {
		return fmt.Sprintf("outcome %v, want %v", have, want)
	}
	for _, fen := range []string{p.FEN(), want.fen()} {
		again, err := ParseFEN(p.Variant(), fen)
		if again != *p && p.Rule50() <= maxClock && p.FullMove() <= maxClock { // longer games are not read
			return fmt.Sprintf("%s reads as %s, %v", fen, again.FEN(), err)
		}
	}
	for _, m := range l.Slice() {
		next := *p
		next.Play(m)
		if wrong := invalid(&next); wrong != "" {
			return fmt.Sprintf("after %v: %s", m, wrong)
		}
		wanted := want.play(readReferenceMove(m))
		if wrong := differs(&next, &wanted); wrong != "" {
			return fmt.Sprintf("after %v: %s", m, wrong)
		}
		if read, err := p.ParseSAN(p.SAN(m)); read != m || err != nil {
			return fmt.Sprintf("%v is written %s and reads as %v, %v", m, p.SAN(m), read, err)
		}
		for _, text := range []string{p.UCI(m), m.String()} {
			if read, err := p.ParseUCI(text); read != m || err != nil {
				return fmt.Sprintf("%v is written %s and reads as %v, %v", m, text, read, err)
			}
		}
	}
	return ""
}

// differs describes how a position differs from that of the reference, "" if it does not.
func differs(p *Position, want *referencePosition) string {
	have := readReference(p)
	if have == *want {
		return ""
	}
	return "position (-want +have):\n" + cmp.Diff(*want, have, cmp.AllowUnexported(have, referencePiece{}))
}

func sortedTexts(moves []referenceMove) []string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = m.String()
	}
	slices.Sort(texts)
	return texts
}

// hostileFEN is a FEN of a strewn board, or one with typing errors.
func hostileFEN(r *rand.Rand, v Variant) string {
	strewn := strewnPosition(r, v)
	switch r.IntN(8) {
	case 0:
		return mistype(r, seedFENs[r.IntN(len(seedFENs))])
	case 1:
		start := StartPosition(v)
		return mistype(r, start.FEN())
	case 2, 3:
		return mistype(r, strewn.fen())
	}
	return strewn.fen()
}

// mistype changes, drops, adds or exchanges one to five characters.
func mistype(r *rand.Rand, fen string) string {
	const characters = "PNBRQKpnbrqk12345678/wb -~[]ABCDEFGHabcdefghKQkq0123456789+"
	text := []byte(fen)
	for range 1 + r.IntN(5) {
		typed := characters[r.IntN(len(characters))]
		at, other := r.IntN(len(text)), r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text[at] = typed
		case 1:
			text = slices.Delete(text, at, at+1)
		case 2:
			text = slices.Insert(text, at, typed)
		case 3:
			text[at], text[other] = text[other], text[at]
		}
	}
	return string(text)
}

// strewnPosition puts pieces anywhere, with a liking for what is rare in games:
// many queens and rooks, rooks that may castle from all files, pawns side by side
// after a double advance. Not all of it is a position that ParseFEN accepts.
func strewnPosition(r *rand.Rand, v Variant) referencePosition {
	p := referencePosition{variant: v, turn: Color(r.IntN(2)), enPassant: NoSquare, rule50: r.IntN(120), fullMove: 1 + r.IntN(300)}
	put := func(s Square, kind PieceType, c Color) {
		onEnd := s.Rank() == 7 || s.Rank() == 0 && !(v == Horde && c == White)
		if p.empty(s) && !(kind == Pawn && (onEnd || v == RacingKings)) {
			p.board[s] = referencePiece{kind: kind, color: c, promoted: v == Crazyhouse && kind != Pawn && kind != King && r.IntN(4) == 0}
		}
	}
	anywhere := func() Square { return Square(r.IntN(64)) }
	for c := White; c <= Black; c++ {
		home := NewSquare(r.IntN(8), 7*int(c))
		switch {
		case v == Horde && c == White, v == Antichess && r.IntN(2) == 0, v == Atomic && r.IntN(16) == 0:
		case r.IntN(4) == 0, v == RacingKings:
			put(anywhere(), King, c)
		default:
			put(home, King, c)
			for range r.IntN(3) {
				put(NewSquare(r.IntN(8), home.Rank()), Rook, c)
			}
		}
	}
	if file := r.IntN(7); r.IntN(2) == 0 {
		rank, left := 3+r.IntN(2), Color(r.IntN(2))
		put(NewSquare(file, rank), Pawn, left)
		put(NewSquare(file+1, rank), Pawn, left.Other())
	}
	kinds := []PieceType{Pawn, Knight, Bishop, Rook, Queen}
	switch {
	case r.IntN(4) == 0:
		kinds = append(kinds, Rook, Rook, Queen, Queen)
	case v == Antichess:
		kinds = append(kinds, King)
	}
	for range r.IntN(30) {
		put(anywhere(), kinds[r.IntN(len(kinds))], Color(r.IntN(2)))
	}
	if v == Crazyhouse {
		for range r.IntN(6) {
			p.pocket[r.IntN(2)][Pawn+PieceType(r.IntN(5))]++
		}
	}
	if v == ThreeCheck {
		p.checksLeft = [2]int{r.IntN(4), r.IntN(4)}
	}
	if p.inCheck(p.turn.Other()) {
		p.turn = p.turn.Other() // who is in check is to move
	}
	if v != Antichess && v != RacingKings {
		p.strewCastling(r)
	}
	p.strewEnPassant(r)
	return p
}

// strewCastling gives some rooks the right to castle, one on each side of a king
// at most.
func (p *referencePosition) strewCastling(r *rand.Rand) {
	for c := White; c <= Black; c++ {
		king := p.king(c)
		if king == NoSquare || king.Rank() != 7*int(c) {
			continue
		}
		given := map[bool]bool{} // by whether the rook stands left of the king
		for _, file := range r.Perm(8) {
			rook := &p.board[NewSquare(file, king.Rank())]
			left := file < king.File()
			if rook.kind == Rook && rook.color == c && !rook.promoted && !given[left] && r.IntN(4) > 0 {
				rook.castles, given[left] = true, true
			}
		}
	}
}

// strewEnPassant says of a pawn that may have come by a double advance that it
// has, where it can be captured.
func (p *referencePosition) strewEnPassant(r *rand.Rand) {
	them, step := p.turn.Other(), pawnStep(p.turn)
	for _, file := range r.Perm(8) {
		rank := 3 + int(p.turn.Other()^Black) // 3 for a white pawn, 4 for a black one
		pawn := p.board[NewSquare(file, rank)]
		from, to := NewSquare(file, rank+2*step), NewSquare(file, rank)
		if pawn.kind == Pawn && pawn.color == them && p.empty(from) && p.empty(NewSquare(file, rank+step)) && r.IntN(4) > 0 {
			p.passed(p.turn, referenceMove{from: from, to: to})
			return
		}
	}
}

// fen writes the position, castling rights by the files of the rooks.
func (p *referencePosition) fen() string {
	var ranks []string
	rights := ""
	for rank := 7; rank >= 0; rank-- {
		text := ""
		for file := range 8 {
			piece := p.board[NewSquare(file, rank)]
			if piece.kind == NoPieceType {
				text += "1"
				continue
			}
			text += string(piece.kind.Letter(piece.color))
			if piece.promoted {
				text += "~"
			}
			if piece.castles && piece.color == White {
				rights += string("ABCDEFGH"[file])
			} else if piece.castles {
				rights += string("abcdefgh"[file])
			}
		}
		for n := 8; n > 1; n-- { // one digit for neighboring empty squares
			text = strings.ReplaceAll(text, strings.Repeat("1", n), fmt.Sprint(n))
		}
		ranks = append(ranks, text)
	}
	board := strings.Join(ranks, "/")
	if p.variant == Crazyhouse {
		pocket := ""
		for c := White; c <= Black; c++ {
			for kind := Pawn; kind <= Queen; kind++ {
				pocket += strings.Repeat(string(kind.Letter(c)), p.pocket[c][kind])
			}
		}
		board += "[" + pocket + "]"
	}
	if rights == "" {
		rights = "-"
	}
	checks := ""
	if p.variant == ThreeCheck {
		checks = fmt.Sprintf(" %d+%d", p.checksLeft[White], p.checksLeft[Black])
	}
	return fmt.Sprintf("%s %c %s %v%s %d %d", board, "wb"[p.turn], rights, p.enPassant, checks, p.rule50, p.fullMove)
}
