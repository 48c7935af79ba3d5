package uci

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Info is what an engine tells about its search in an "info" line. Fields that
// the line does not have are zero.
type Info struct {
	Depth    int
	SelDepth int
	MultiPV  int // 1 for the best line; 0 when not told
	Score    *Score
	Nodes    int64
	NPS      int64
	Time     time.Duration
	HashFull int // per mille
	PV       []string
	String   string // free text: the rest of the line after "string"
}

// Bound tells whether a score is exact.
type Bound int8

// The kinds of bounds.
const (
	Exact Bound = iota
	Lower       // the true score is at least this
	Upper       // the true score is at most this
)

// Score is an engine's opinion from the view of the side to move.
type Score struct {
	CP     int  // centipawns, when not IsMate
	Mate   int  // moves to mate, negative when being mated, when IsMate
	IsMate bool // "mate 0" means that the side to move is mated
	Bound  Bound
	WDL    *[3]int // per mille win, draw, loss, when told
}

// winRate is the slope of the curve from centipawns to results.
const winRate = 0.00368208

// Expected is the expected result between -1 (loss) and 1 (win): from win, draw
// and loss when the engine tells them, else certain for a mate, else
//
//	2 / (1 + exp(-0.00368208 cp)) - 1
//
// the curve that lichess fitted to its games and documents under "accuracy".
func (s *Score) Expected() float64 {
	switch {
	case s.WDL != nil && s.WDL[0]+s.WDL[1]+s.WDL[2] > 0:
		w := s.WDL
		return float64(w[0]-w[2]) / float64(w[0]+w[1]+w[2])
	case s.IsMate && s.Mate > 0:
		return 1
	case s.IsMate:
		return -1
	}
	return 2/(1+math.Exp(-winRate*float64(s.CP))) - 1
}

// String gives the score as engines write it: "cp 31" or "mate -2".
func (s *Score) String() string {
	if s.IsMate {
		return "mate " + strconv.Itoa(s.Mate)
	}
	return "cp " + strconv.Itoa(s.CP)
}

// ParseInfo reads a line "info ...". Unknown words are skipped, as UCI asks; a
// known word without its number is an error.
func ParseInfo(line string) (Info, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "info" {
		return Info{}, fmt.Errorf("not an info line: %q", clip(line))
	}
	var in Info
	p := infoParser{words: words[1:]}
	for p.more() && p.err == nil {
		switch w := p.next(); w {
		case "depth":
			in.Depth = int(p.number(w, math.MaxInt32))
		case "seldepth":
			in.SelDepth = int(p.number(w, math.MaxInt32))
		case "multipv":
			in.MultiPV = int(p.number(w, math.MaxInt32))
		case "nodes":
			in.Nodes = p.number(w, math.MaxInt64)
		case "nps":
			in.NPS = p.number(w, math.MaxInt64)
		case "hashfull":
			in.HashFull = int(p.number(w, math.MaxInt32))
		case "time":
			in.Time = time.Duration(p.number(w, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
		case "score":
			in.Score = p.score()
		case "wdl":
			// Some engines write it before, some after the score, none alone.
			w := p.wdl()
			if in.Score != nil {
				in.Score.WDL = w
			}
		case "pv":
			for p.more() && isMove(p.peek()) {
				in.PV = append(in.PV, p.next())
			}
		case "string":
			in.String = strings.Join(p.rest(), " ")
		}
	}
	if p.err != nil {
		return Info{}, fmt.Errorf("info line %q: %w", clip(line), p.err)
	}
	return in, nil
}

// infoParser walks over the words of a line and remembers the first error.
type infoParser struct {
	words []string
	err   error
}

func (p *infoParser) more() bool   { return len(p.words) > 0 }
func (p *infoParser) peek() string { return p.words[0] }

func (p *infoParser) next() string {
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

func (p *infoParser) rest() []string {
	r := p.words
	p.words = nil
	return r
}

// number reads the number after the word key, between -most and most.
func (p *infoParser) number(key string, most int64) int64 {
	if !p.more() {
		p.fail("nothing after %s", key)
		return 0
	}
	w := p.next()
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil || n > most || n < -most {
		p.fail("%s is no number: %q", key, clip(w))
		return 0
	}
	return n
}

// score reads what follows the word "score".
func (p *infoParser) score() *Score {
	var s Score
	if !p.more() {
		p.fail("nothing after score")
		return nil
	}
	switch kind := p.next(); kind {
	case "cp":
		s.CP = int(p.number(kind, math.MaxInt32))
	case "mate":
		s.IsMate = true
		s.Mate = int(p.number(kind, math.MaxInt32))
	default:
		p.fail("score is neither cp nor mate: %q", clip(kind))
		return nil
	}
	for p.more() {
		switch p.peek() {
		case "lowerbound":
			s.Bound = Lower
		case "upperbound":
			s.Bound = Upper
		case "wdl":
			p.next()
			s.WDL = p.wdl()
			continue
		default:
			return &s
		}
		p.next()
	}
	return &s
}

// wdl reads the three numbers after the word "wdl".
func (p *infoParser) wdl() *[3]int {
	var w [3]int
	for i := range w {
		n := p.number("wdl", 1000)
		if n < 0 {
			p.fail("wdl is negative: %d", n)
		}
		w[i] = int(n)
	}
	return &w
}

func (p *infoParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// isMove reports whether a word has the form of a move: "e2e4", "e7e8q", and
// "P@e4" or "N@f3" as variants with drops write them.
func isMove(w string) bool {
	square := func(s string) bool {
		return s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8'
	}
	switch {
	case len(w) == 4 && w[1] == '@':
		return strings.IndexByte("PNBRQK", w[0]) >= 0 && square(w[2:])
	case len(w) == 4:
		return square(w) && square(w[2:])
	case len(w) == 5:
		return square(w) && square(w[2:]) && strings.IndexByte("nbrqk", w[4]) >= 0
	}
	return false
}

// ParseBestMove reads a line "bestmove M [ponder P]". The move is "" when the
// engine says that it has none: "(none)", "0000" or "NULL".
func ParseBestMove(line string) (move, ponder string, err error) {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "bestmove" {
		return "", "", fmt.Errorf("not a bestmove line: %q", clip(line))
	}
	move = words[1]
	switch {
	case move == "(none)" || move == "0000" || move == "NULL":
		move = ""
	case !isMove(move):
		return "", "", fmt.Errorf("%q in the line %q is not the form of a move", clip(move), clip(line))
	}
	if len(words) >= 4 && words[2] == "ponder" && isMove(words[3]) {
		ponder = words[3]
	}
	return move, ponder, nil
}

// parsePerft reads the total of a perft, "Nodes searched: 197326", in the form
// that Stockfish and its descendants write.
func parsePerft(line string) (nodes uint64, ok bool) {
	rest, ok := strings.CutPrefix(line, "Nodes searched:")
	if !ok {
		return 0, false
	}
	nodes, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
	return nodes, err == nil
}
