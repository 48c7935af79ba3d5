package uci

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Info is an engine's report about its search in an "info" line. Missing fields are zero.
type Info struct {
	Depth    int
	SelDepth int
	MultiPV  int // 1 for the best line; 0 if not reported
	Score    *Score
	Nodes    int
	NPS      int
	Time     time.Duration
	HashFull int // per mille
	PV       []string
	String   string // free text: the rest of the line after "string"
}

// Bound distinguishes exact scores from lower and upper bounds.
type Bound int8

// Kinds of bounds.
const (
	Exact Bound = iota
	Lower       // the true score is at least this
	Upper       // the true score is at most this
)

// Score is an engine's evaluation from the view of the side to move.
type Score struct {
	CP     int  // centipawns, unless IsMate
	Mate   int  // moves to mate if IsMate, negative when being mated
	IsMate bool // "mate 0" means that the side to move is mated
	Bound  Bound
	WDL    *[3]int // per mille win, draw, loss; nil if not reported
}

// winRate is the slope of the curve from centipawns to results.
const winRate = 0.00368208

// Expected returns the expected result between -1 (loss) and 1 (win). It uses win, draw and
// loss if the engine reports them. A mate is certain. Otherwise it is
//
//	2 / (1 + exp(-0.00368208 cp)) - 1
//
// which lichess fitted to its games and documents under "accuracy".
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

// ScoreOf returns the score of an expected result between -1 and 1. It is the inverse of
// [Score.Expected] without win, draw and loss, and limited to 100 pawns.
func ScoreOf(expected float64) Score {
	const most = 10_000
	x := min(1, max(-1, expected))
	cp := (math.Log1p(x) - math.Log1p(-x)) / winRate
	return Score{CP: int(math.Round(min(most, max(-most, cp))))}
}

// String returns the score in UCI notation: "cp 31" or "mate -2".
func (s *Score) String() string {
	if s.IsMate {
		return "mate " + strconv.Itoa(s.Mate)
	}
	return "cp " + strconv.Itoa(s.CP)
}

// ParseInfo reads a line "info ...". It skips unknown words, as UCI requires. A known word
// without its number is an error.
func ParseInfo(line string) (Info, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "info" {
		return Info{}, fmt.Errorf("not an info line: %q", clip(line))
	}
	var in Info
	numbers := map[string]*int{
		"depth": &in.Depth, "seldepth": &in.SelDepth, "multipv": &in.MultiPV,
		"nodes": &in.Nodes, "nps": &in.NPS, "hashfull": &in.HashFull,
	}
	p := infoParser{words: words[1:]}
	for p.more() && p.err == nil {
		word := p.next()
		if n := numbers[word]; n != nil {
			*n = p.number(word, math.MaxInt)
			continue
		}
		switch word {
		case "time":
			in.Time = time.Duration(p.number(word, math.MaxInt/int(time.Millisecond))) * time.Millisecond
		case "score":
			in.Score = p.score()
		case "lowerbound", "upperbound", "wdl": // belongs to the score before it
			score := in.Score
			if score == nil {
				score = &Score{}
			}
			switch word {
			case "lowerbound":
				score.Bound = Lower
			case "upperbound":
				score.Bound = Upper
			default:
				score.WDL = p.wdl()
			}
		case "pv":
			for p.more() && isMove(p.words[0]) {
				in.PV = append(in.PV, p.next())
			}
		case "string":
			in.String = strings.Join(p.words, " ")
			p.words = nil
		}
	}
	if p.err != nil {
		return Info{}, fmt.Errorf("info line %q: %w", clip(line), p.err)
	}
	return in, nil
}

// line returns the line "info ...".
func (in *Info) line() string {
	var b strings.Builder
	b.WriteString("info")
	number := func(key string, n int) {
		if n != 0 {
			fmt.Fprintf(&b, " %s %d", key, n)
		}
	}
	number("depth", in.Depth)
	number("seldepth", in.SelDepth)
	number("multipv", in.MultiPV)
	if s := in.Score; s != nil {
		b.WriteString(" score " + s.String() + [...]string{Exact: "", Lower: " lowerbound", Upper: " upperbound"}[s.Bound])
		if w := s.WDL; w != nil {
			fmt.Fprintf(&b, " wdl %d %d %d", w[0], w[1], w[2])
		}
	}
	if in.Score != nil || in.Nodes != 0 {
		fmt.Fprintf(&b, " nodes %d time %d", in.Nodes, in.Time.Milliseconds())
	}
	number("nps", in.NPS)
	number("hashfull", in.HashFull)
	if len(in.PV) > 0 {
		b.WriteString(" pv " + strings.Join(in.PV, " "))
	}
	if in.String != "" {
		b.WriteString(" string " + in.String)
	}
	return b.String()
}

// infoParser iterates over the words of a line and remembers the first error.
type infoParser struct {
	words []string
	err   error
}

func (p *infoParser) more() bool { return len(p.words) > 0 }

func (p *infoParser) next() string {
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// number reads the number after key, between -most and most.
func (p *infoParser) number(key string, most int) int {
	if !p.more() {
		p.fail("nothing after %s", key)
		return 0
	}
	w := p.next()
	n, err := strconv.Atoi(w)
	if err != nil || n > most || n < -most {
		p.fail("%s is no number: %q", key, clip(w))
		return 0
	}
	return n
}

// score reads the words after "score".
func (p *infoParser) score() *Score {
	var s Score
	if !p.more() {
		p.fail("nothing after score")
		return nil
	}
	switch kind := p.next(); kind {
	case "cp":
		s.CP = p.number(kind, math.MaxInt32)
	case "mate":
		s.IsMate = true
		s.Mate = p.number(kind, math.MaxInt32)
	default:
		p.fail("score is neither cp nor mate: %q", clip(kind))
		return nil
	}
	return &s
}

// wdl reads the three numbers after the word "wdl".
func (p *infoParser) wdl() *[3]int {
	var w [3]int
	for i := range w {
		if w[i] = p.number("wdl", 1000); w[i] < 0 {
			p.fail("wdl is negative: %d", w[i])
		}
	}
	return &w
}

func (p *infoParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// ParseBestMove reads a line "bestmove M [ponder P]". The move is "" if the engine has
// none: "(none)", "0000" or "NULL".
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

// parsePerft reads the total of a perft, "Nodes searched: 197326", as Stockfish and its
// descendants write it.
func parsePerft(line string) (nodes uint64, ok bool) {
	rest, ok := strings.CutPrefix(line, "Nodes searched:")
	if !ok {
		return 0, false
	}
	nodes, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
	return nodes, err == nil
}
