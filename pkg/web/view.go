package web

import (
	"fmt"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/report"
)

// position is a position of a game as the page shows it.
type position struct {
	FEN    string `json:"fen"`
	Board  string `json:"board"` // 64 letters of FEN from a8 to h1, "." for an empty square
	Turn   string `json:"turn"`  // white or black
	Number int    `json:"number"`
	Check  string `json:"check,omitempty"` // the square of a king in check

	Pockets *[2][]held `json:"pockets,omitempty"` // White's and Black's, with each kind that can be dropped
	Checks  *[2]int    `json:"checks,omitempty"`  // that White and Black still need to give
	Limit   int        `json:"limit,omitempty"`   // checks that win

	Move *report.Played `json:"move,omitempty"` // that led here

	// Of a loaded game: marks of the move such as "!", the comment, and the lines that the file
	// gives in place of the move.
	Glyphs string   `json:"glyphs,omitempty"`
	Note   string   `json:"note,omitempty"`
	Lines  []string `json:"lines,omitempty"`

	turn     chess.Color
	serial   int     // unique in the game, also after moves are taken back
	report   *Report // of the last search; nil: none
	reviewer seat    // that has analyzed the position for a review
	left     [2]time.Duration

	// What the file of a loaded game says here, without evaluations.
	comment    string
	nags       []chess.NAG
	variations []chess.Line
}

// held is the number of pieces of a kind in hand.
type held struct {
	Kind  string `json:"kind"` // a letter such as N
	Count int    `json:"count"`
}

// legal is a legal move.
type legal struct {
	UCI       string   `json:"uci"`
	From      string   `json:"from,omitempty"`
	To        []string `json:"to"` // for castling the king's target, unless a plain move has it, and the rook
	Promotion string   `json:"promotion,omitempty"`
	Drop      string   `json:"drop,omitempty"`
	Capture   bool     `json:"capture,omitempty"`
}

// viewOf returns a position for the page.
func viewOf(p *chess.Position) position {
	v := position{FEN: p.FEN(), Board: p.Board(), Turn: p.Turn().String(), turn: p.Turn(), Number: p.FullMove()}
	if p.InCheck() {
		v.Check = p.King(p.Turn()).String()
	}
	if kinds := p.Variant().Drops(); len(kinds) > 0 {
		v.Pockets = new([2][]held)
		for c := range v.Pockets {
			for _, t := range kinds {
				v.Pockets[c] = append(v.Pockets[c], held{string(t.Letter(chess.White)), p.Pocket(chess.Color(c), t)})
			}
		}
	}
	if v.Limit = p.Variant().Checks(); v.Limit > 0 {
		v.Checks = &[2]int{p.ChecksLeft(chess.White), p.ChecksLeft(chess.Black)}
	}
	return v
}

// legalOf returns legal moves for the page.
func legalOf(p *chess.Position, l *chess.MoveList) []legal {
	plain := map[[2]chess.Square]bool{}
	for _, m := range l.Slice() {
		if !m.IsCastle() && !m.IsDrop() {
			plain[[2]chess.Square{m.From(), m.To()}] = true
		}
	}
	list := make([]legal, 0, l.Len())
	for _, m := range l.Slice() {
		v := legal{UCI: p.UCI(m), From: m.From().String(), To: []string{m.To().String()}, Capture: report.Captures(p, m)}
		switch {
		case m.IsDrop():
			v.From, v.Drop = "", string(m.Dropped().Letter(chess.White))
		case m.IsCastle():
			after := *p
			after.Play(m)
			if to := after.King(p.Turn()); to != m.From() && to != m.To() && !plain[[2]chess.Square{m.From(), to}] {
				v.To = []string{to.String(), m.To().String()}
			}
		case m.Promotion() != chess.NoPieceType:
			v.Promotion = string(m.Promotion().Letter(chess.White))
		}
		list = append(list, v)
	}
	return list
}

// Report is the result of a search so far. Values are expected results from -1 to 1, from
// White's view.
type Report struct {
	By     string      `json:"by"`
	Score  string      `json:"score"` // to show: White's expected share of the point, or the distance of a win
	Value  float64     `json:"value"`
	Nodes  int         `json:"nodes"` // visits of a tree search, positions that alpha-beta evaluated
	Depth  int         `json:"depth"`
	Speed  int         `json:"speed"` // nodes per second
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

	value float64 // White's, if there is a score
	mate  int
}

const (
	mostCandidates = 6
	mostLine       = 10
)

// candidate returns the first move of a line.
func candidate(p *chess.Position, line []chess.Move) Candidate {
	first := report.PlayedOf(p, line[0])
	c := Candidate{UCI: first.UCI, From: first.From, To: first.To}
	at := *p
	for _, m := range line[:min(len(line), mostLine)] {
		c.Line = append(c.Line, at.SAN(m))
		at.Play(m)
	}
	return c
}

// scoreOf returns a value from White's view as text. mate is the number of moves to a
// forced win, below zero for Black's; 0: none.
func scoreOf(value float64, mate int) string {
	switch {
	case mate > 0:
		return fmt.Sprintf("+#%d", mate)
	case mate < 0:
		return fmt.Sprintf("−#%d", -mate)
	}
	return fmt.Sprintf("%d %%", report.Share(value))
}

// titles are the variants' titles and what their rules add to chess, in a few words.
var titles = map[chess.Variant][2]string{
	chess.Standard:      {"Chess", "checkmate"},
	chess.Atomic:        {"Atomic", "captures explode"},
	chess.Antichess:     {"Antichess", "lose everything"},
	chess.KingOfTheHill: {"King of the Hill", "king to the center"},
	chess.ThreeCheck:    {"Three-check", "the third check wins"},
	chess.Horde:         {"Horde", "36 pawns against an army"},
	chess.RacingKings:   {"Racing Kings", "first to the last rank"},
	chess.Crazyhouse:    {"Crazyhouse", "captured pieces come back"},
}
