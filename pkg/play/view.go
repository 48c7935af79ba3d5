package play

import (
	"fmt"
	"math"

	"alamos/pkg/chess"
)

// position is a position of a game as the page shows it.
type position struct {
	FEN    string `json:"fen"`
	Board  string `json:"board"` // 64 letters of FEN from a8 to h1, "." where nothing stands
	Turn   string `json:"turn"`  // white or black
	Number int    `json:"number"`
	Check  string `json:"check,omitempty"` // the square of a king in check

	Pockets *[2]map[string]int `json:"pockets,omitempty"` // White's and Black's, by letters such as N
	Checks  *[2]int            `json:"checks,omitempty"`  // still to be given by White and Black

	Move *played `json:"move,omitempty"` // that led here

	serial int     // of the game: a position that comes back after a take-back is another
	report *Report // what was thought about it; nil: nothing
}

// played is a move that was played.
type played struct {
	SAN  string `json:"san"`
	UCI  string `json:"uci"`
	From string `json:"from,omitempty"` // none: a drop
	To   string `json:"to"`             // of the king in castling

	// Explosion is the square of an atomic capture, and after it those that are
	// empty since.
	Explosion []string `json:"explosion,omitempty"`
}

// legal is a move that may be played.
type legal struct {
	UCI       string   `json:"uci"`
	From      string   `json:"from,omitempty"`
	To        []string `json:"to"` // castling: where the king goes, unless it can go there otherwise, and its rook
	Promotion string   `json:"promotion,omitempty"`
	Drop      string   `json:"drop,omitempty"`
	Capture   bool     `json:"capture,omitempty"`
}

const letters = ".PNBRQK"

// letter is a piece's letter in FEN.
func letter(t chess.PieceType, c chess.Color) byte {
	if c == chess.Black && t != chess.NoPieceType {
		return letters[t] + 'a' - 'A'
	}
	return letters[t]
}

func viewOf(p *chess.Position) position {
	v := position{FEN: p.FEN(), Turn: p.Turn().String(), Number: p.FullMove()}
	board := make([]byte, 0, 64)
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			board = append(board, letter(p.PieceAt(chess.NewSquare(file, rank))))
		}
	}
	v.Board = string(board)
	if p.InCheck() {
		v.Check = p.King(p.Turn()).String()
	}
	switch p.Variant() {
	case chess.Crazyhouse:
		v.Pockets = new([2]map[string]int)
		for c := range v.Pockets {
			v.Pockets[c] = map[string]int{}
			for t := chess.Pawn; t <= chess.Queen; t++ {
				if n := p.Pocket(chess.Color(c), t); n > 0 {
					v.Pockets[c][letters[t:t+1]] = n
				}
			}
		}
	case chess.ThreeCheck:
		v.Checks = &[2]int{p.ChecksLeft(chess.White), p.ChecksLeft(chess.Black)}
	}
	return v
}

// playedOf is the legal move m in the position before.
func playedOf(before *chess.Position, m chess.Move) *played {
	after := *before
	after.Play(m)
	v := &played{SAN: before.SAN(m), UCI: before.UCI(m), From: m.From().String(), To: m.To().String()}
	switch {
	case m.IsDrop():
		v.From = ""
	case m.IsCastle():
		v.To = after.King(before.Turn()).String()
	}
	if before.Variant() == chess.Atomic && captures(before, m) {
		v.Explosion = append(v.Explosion, v.To)
		gone := before.Occupied() &^ after.Occupied()
		for s := range gone.Squares {
			if s != m.From() && s != m.To() {
				v.Explosion = append(v.Explosion, s.String())
			}
		}
	}
	return v
}

func captures(p *chess.Position, m chess.Move) bool {
	return m.IsEnPassant() || !m.IsCastle() && !m.IsDrop() && p.Occupied().Has(m.To())
}

func legalOf(p *chess.Position, l *chess.MoveList) []legal {
	plain := map[[2]chess.Square]bool{}
	for _, m := range l.Slice() {
		if !m.IsCastle() && !m.IsDrop() {
			plain[[2]chess.Square{m.From(), m.To()}] = true
		}
	}
	list := make([]legal, 0, l.Len())
	for _, m := range l.Slice() {
		v := legal{UCI: p.UCI(m), From: m.From().String(), To: []string{m.To().String()}, Capture: captures(p, m)}
		switch {
		case m.IsDrop():
			v.From, v.Drop = "", letters[m.Dropped():m.Dropped()+1]
		case m.IsCastle():
			after := *p
			after.Play(m)
			if to := after.King(p.Turn()); to != m.From() && to != m.To() && !plain[[2]chess.Square{m.From(), to}] {
				v.To = []string{to.String(), m.To().String()}
			}
		case m.Promotion() != chess.NoPieceType:
			v.Promotion = letters[m.Promotion() : m.Promotion()+1]
		}
		list = append(list, v)
	}
	return list
}

// Report is what a search thinks of a position. Values are expected results from -1
// to 1, from White's view.
type Report struct {
	By     string      `json:"by"`
	Score  string      `json:"score"` // for people: White's expected share of the point, or how far a win is
	Value  float64     `json:"value"`
	Nodes  int         `json:"nodes"` // visits of a tree, positions valued of alpha-beta
	Depth  int         `json:"depth"`
	Speed  int         `json:"speed"` // nodes a second
	Tree   bool        `json:"tree"`  // candidates have visits and priors
	Moves  []Candidate `json:"moves"` // the best first
	Active bool        `json:"active"`

	mate int
}

// Candidate is a move that a search considers.
type Candidate struct {
	UCI    string   `json:"uci"`
	From   string   `json:"from,omitempty"`
	To     string   `json:"to"`
	Visits int      `json:"visits"`
	Prior  float64  `json:"prior"`
	Score  string   `json:"score"`
	Line   []string `json:"line"` // in SAN, beginning with the move
}

const (
	mostCandidates = 6
	mostLine       = 10
)

// candidate is the move at the head of a line.
func candidate(p *chess.Position, line []chess.Move) Candidate {
	first := playedOf(p, line[0])
	c := Candidate{UCI: first.UCI, From: first.From, To: first.To}
	at := *p
	for _, m := range line[:min(len(line), mostLine)] {
		c.Line = append(c.Line, at.SAN(m))
		at.Play(m)
	}
	return c
}

// scoreOf says a value from White's view for people. mate is the number of moves to
// a win by force, below zero for Black's; 0: none.
func scoreOf(value float64, mate int) string {
	switch {
	case mate > 0:
		return fmt.Sprintf("+#%d", mate)
	case mate < 0:
		return fmt.Sprintf("−#%d", -mate)
	}
	return fmt.Sprintf("%.0f %%", math.Round(50*(1+value)))
}
