package chess

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// naive is a second implementation of the moves of rules on the board, without castling and
// drops: a board of letters, steps walked one by one, and every move tried.
type naive struct {
	r     Rules
	steps map[byte][]step // by lower-case letter
	board [8][8]byte      // by rank and file: a letter as in FEN, '.' empty, '*' no square
	white bool
	ep    [2][2]int // the passed square and that of the victim, by rank and file; rank -1: none
}

func newNaive(r Rules, p *Position) *naive {
	n := &naive{r: r, steps: map[byte][]step{}, white: p.turn == White, ep: [2][2]int{{-1, -1}, {-1, -1}}}
	for _, piece := range r.Pieces {
		n.steps[piece.Letter[0]] = mustBetza(piece.Moves)
	}
	text := p.Board()
	for i := range 64 {
		c := text[i]
		if c == ' ' {
			c = '*'
		}
		n.board[7-i/8][i%8] = c
	}
	if p.enPassant != NoSquare {
		n.ep = [2][2]int{{p.enPassant.Rank(), p.enPassant.File()}, {p.victim.Rank(), p.victim.File()}}
	}
	return n
}

func isWhite(c byte) bool { return c >= 'A' && c <= 'Z' }
func isPiece(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (n *naive) royal(c byte) bool {
	return isPiece(c) && n.r.Royal != none && strings.IndexByte(n.r.Royal, c|0x20) >= 0
}

func (n *naive) allowed(c byte, rank, file int) bool {
	for _, p := range n.r.Pieces {
		if p.Letter[0] == c|0x20 {
			if !isWhite(c) {
				rank = n.r.Ranks - 1 - rank
			}
			set, err := n.r.parseSquares("", p.Region)
			return err == nil && set.Has(NewSquare(file, rank))
		}
	}
	return false
}

// naiveMove is a move with what it captures en passant.
type naiveMove struct {
	from, to [2]int
	promote  byte
	passing  bool
}

// moves calls f with the pseudo-legal moves of a side.
func (n *naive) moves(white bool, f func(naiveMove)) {
	for rank := range n.r.Ranks {
		for file := range n.r.Files {
			c := n.board[rank][file]
			if !isPiece(c) || isWhite(c) != white {
				continue
			}
			for _, s := range n.steps[c|0x20] {
				dy := s.dy
				if !white {
					dy = -dy
				}
				for i := 1; i <= s.reach; i++ {
					y, x := rank+i*dy, file+i*s.dx
					if y < 0 || x < 0 || y >= n.r.Ranks || x >= n.r.Files || n.board[y][x] == '*' {
						break
					}
					target := n.board[y][x]
					enemy := isPiece(target) && isWhite(target) != white
					own := isPiece(target) && !enemy && n.r.SelfCapture && !n.royal(target)
					good := target == '.' && s.quiet || (enemy || own) && s.capture
					passing := c|0x20 == 'p' && s.capture && white == n.white && n.ep[0] == [2]int{y, x}
					if good && n.allowed(c, y, x) {
						n.promotions(f, naiveMove{[2]int{rank, file}, [2]int{y, x}, 0, false}, c)
					}
					if passing {
						f(naiveMove{[2]int{rank, file}, [2]int{y, x}, 0, true})
					}
					if target != '.' {
						break
					}
				}
				own := rank + 1
				if !white {
					own = n.r.Ranks - rank
				}
				if c|0x20 == 'p' && s.quiet && s.dy > 0 && slices.Contains(n.r.DoubleStep, own) {
					y, x, y2, x2 := rank+dy, file+s.dx, rank+2*dy, file+2*s.dx
					if y2 >= 0 && x2 >= 0 && y2 < n.r.Ranks && x2 < n.r.Files && n.board[y][x] == '.' && n.board[y2][x2] == '.' && n.allowed(c, y, x) && n.allowed(c, y2, x2) {
						n.promotions(f, naiveMove{[2]int{rank, file}, [2]int{y2, x2}, 0, false}, c)
					}
				}
			}
		}
	}
}

func (n *naive) promotions(f func(naiveMove), m naiveMove, c byte) {
	own, kinds := m.to[0]+1, n.r.Promotion
	if !isWhite(c) {
		own = n.r.Ranks - m.to[0]
		if n.r.BlackPromotes != same {
			kinds = n.r.BlackPromotes
		}
	}
	if c|0x20 != 'p' || !slices.Contains(n.r.PromoteOn, own) {
		f(m)
		return
	}
	for i := range kinds {
		m.promote = kinds[i]
		f(m)
	}
	if m.promote = 0; n.r.MayPromote {
		f(m)
	}
}

// after returns the board after a move.
func (n *naive) after(m naiveMove) *naive {
	q := *n
	c := q.board[m.from[0]][m.from[1]]
	captured := isPiece(q.board[m.to[0]][m.to[1]])
	if m.passing {
		captured = true
		q.board[n.ep[1][0]][n.ep[1][1]] = '.'
	}
	q.board[m.from[0]][m.from[1]] = '.'
	if m.promote != 0 {
		c = m.promote - 0x20
		if !isWhite(n.board[m.from[0]][m.from[1]]) {
			c = m.promote
		}
	}
	if q.board[m.to[0]][m.to[1]] = c; captured && n.r.Explosion > 0 {
		q.board[m.to[0]][m.to[1]] = '.'
		for y := range 8 {
			for x := range 8 {
				if dy, dx := y-m.to[0], x-m.to[1]; max(dy, -dy, dx, -dx) <= n.r.Explosion && isPiece(q.board[y][x]) && (n.r.Immune == none || strings.IndexByte(n.r.Immune, q.board[y][x]|0x20) < 0) {
					q.board[y][x] = '.'
				}
			}
		}
	}
	q.white = !n.white
	return &q
}

// royals returns the squares of a side's royal pieces.
func (n *naive) royals(white bool) (squares [][2]int) {
	for y := range 8 {
		for x := range 8 {
			if c := n.board[y][x]; n.royal(c) && isWhite(c) == white {
				squares = append(squares, [2]int{y, x})
			}
		}
	}
	return squares
}

// attacked reports whether a side is in check.
func (n *naive) attacked(white bool) (check bool) {
	royals, theirs := n.royals(white), n.royals(!white)
	n.moves(!white, func(m naiveMove) {
		for _, r := range royals {
			if r != m.to || m.passing || !isPiece(n.board[r[0]][r[1]]) {
				continue
			}
			near := false
			for _, t := range theirs {
				immune := n.r.Immune != none && strings.IndexByte(n.r.Immune, n.board[t[0]][t[1]]|0x20) >= 0
				near = near || n.r.Explosion > 0 && !immune && max(t[0]-r[0], r[0]-t[0], t[1]-r[1], r[1]-t[1]) <= n.r.Explosion
			}
			check = check || !near
		}
	})
	return check
}

// legal returns the legal moves as UCI writes them.
func (n *naive) legal() (texts []string) {
	before, captures := len(n.royals(n.white)), 0
	n.moves(n.white, func(m naiveMove) {
		q := n.after(m)
		left, theirs := len(q.royals(n.white)), len(q.royals(!n.white))
		if left < before || theirs > 0 && (q.attacked(n.white) || !n.r.GiveCheck && q.attacked(!n.white)) {
			return
		}
		text := NewSquare(m.from[1], m.from[0]).String() + NewSquare(m.to[1], m.to[0]).String()
		if m.promote != 0 {
			text += string(m.promote)
		}
		if capture := m.passing || isPiece(n.board[m.to[0]][m.to[1]]); capture && n.r.MustCapture {
			texts = slices.Insert(texts, captures, text)
			captures++
		} else {
			texts = append(texts, text)
		}
	})
	if captures > 0 {
		texts = texts[:captures]
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Rules composed at random, with what Fairy-Stockfish cannot say (self-capture, holes, other
// explosions and riders), have the moves of the naive implementation.
func TestRulesAgainstNaive(t *testing.T) {
	count := 60
	if testing.Short() {
		count = 15
	}
	r := rand.New(rand.NewPCG(23, 1956))
	for n := 0; n < count; {
		x := composeRules(r, "naive-"+strconv.Itoa(n))
		x.Hand, x.Castling, x.Royals, x.Goals, x.LastReply, x.CheckLimit, x.Extinctions = none, false, "each", []Goal{}, false, 0, []Extinct{}
		board, _, _ := strings.Cut(x.Start, " ")
		board, _, _ = strings.Cut(board, "[")
		if holes := strconv.Itoa(x.Files); r.IntN(3) == 0 {
			board = strings.Replace(board, holes, "*"+strconv.Itoa(x.Files-2)+"*", 1)
		}
		x.Start = board + " w - - 0 1"
		if x.SelfCapture = !x.MustCapture && r.IntN(2) == 0; x.Explosion == 1 {
			x.Explosion, x.Immune = 1+r.IntN(2), []string{"p", "none", "n"}[r.IntN(3)]
		}
		if len(x.Pieces) > 6 && r.IntN(2) == 0 {
			x.Pieces[6].Moves += []string{"DD", "fsAA", "HH", "cvCC", "ZZ", "sRcsR"}[r.IntN(6)]
		}
		if strings.HasPrefix(x.Pieces[0].Moves, "mfF") {
			x.EnPassant = x.DoubleStep
		}
		if r.IntN(6) == 0 {
			x.Pieces[0].Moves = []string{"fmWfmDfcF", "fmWfWfcF", "fF", "K"}[r.IntN(4)]
		}
		if x.Stalemate = "loss"; x.Royal == none {
			x.Royal = "k"
		}
		v, err := Define(x)
		if err != nil {
			continue
		}
		n++
		for range 4 {
			g := NewGame(StartPosition(v))
			var l MoveList
			for range 80 {
				p := g.Position()
				p.LegalMoves(&l)
				if p.Ended(&l).Over() {
					break
				}
				want, have := newNaive(x, p).legal(), moveTexts(p, &l, true)
				if !slices.Equal(want, have) {
					t.Fatalf("%s\n%s\nhave %s\nwant %s", x, p.FEN(), strings.Join(have, " "), strings.Join(want, " "))
				}
				if check := newNaive(x, p).attacked(p.turn == White); check != p.InCheck() {
					t.Fatalf("%s\n%s: check is %v", x, p.FEN(), p.InCheck())
				}
				if n := p.countMoves(); n != l.Len() {
					t.Fatalf("%s\n%s: %d moves are counted, %d listed", x, p.FEN(), n, l.Len())
				}
				if key := p.computeKey(); key != p.key {
					t.Fatalf("%s\n%s: the key is %x, want %x", x, p.FEN(), p.key, key)
				}
				if q, err := ParseFEN(v, p.FEN()); err != nil || q.FEN() != p.FEN() || q.Key() != p.Key() || q.enPassant != NoSquare && q.victim != p.victim {
					t.Fatalf("%s\n%s, read as %s: %v", x, p.FEN(), q.FEN(), err)
				}
				g.Play(l.At(r.IntN(l.Len())))
			}
		}
	}
}

func FuzzBetza(f *testing.F) {
	for _, s := range []string{"N", "fmWfcF", "QN", "mfFcfW", "fsW", "NN", "R4fbB2", "none", "hW", "m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		steps, err := parseBetza(s)
		if err == nil && len(steps) == 0 && s != none {
			t.Errorf("%q has no steps and no error", s)
		}
		for _, x := range steps {
			if x.reach < 1 || x.reach > endless || x.dx == 0 && x.dy == 0 || !x.quiet && !x.capture {
				t.Errorf("%q has the step %v", s, x)
			}
		}
	})
}

func FuzzRules(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 20 {
		f.Add(composeRules(r, fmt.Sprint("f", i)).String())
	}
	f.Fuzz(func(t *testing.T, s string) {
		rules, err := parseRules(s)
		if err != nil {
			return
		}
		again, err := parseRules(rules.String())
		if err != nil || again.String() != rules.String() {
			t.Errorf("%s reads as %s, %v", rules, again, err)
		}
		if _, err := compile(rules, 0); err != nil {
			return
		}
		v, err := Define(rules)
		if err != nil {
			return
		}
		p := StartPosition(v)
		var l MoveList
		for range 20 {
			if p.LegalMoves(&l); l.Len() == 0 {
				return
			}
			p.Play(l.At(l.Len() / 2))
		}
	})
}
