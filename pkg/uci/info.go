package uci

import (
	"fmt"
	"math"
	"slices"
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
	Nodes    int64
	NPS      int64
	Time     time.Duration
	HashFull int // per mille
	PV       []string
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
// [Score.Expected] without win, draw and loss, and limited to 80 pawns: beyond them Expected
// rounds several scores to the same result.
func ScoreOf(expected float64) Score {
	const most = 8_000
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

// numbers returns the fields of a report that are a word and a number, in the order of the
// line. The score comes behind the first three.
func (in *Info) numbers() []numberWord {
	return []numberWord{
		{"depth", &in.Depth, 0}, {"seldepth", &in.SelDepth, 0}, {"multipv", &in.MultiPV, 0},
		{"nodes", &in.Nodes, 0}, {"time", &in.Time, 0}, {"nps", &in.NPS, 0}, {"hashfull", &in.HashFull, 0},
	}
}

// ParseInfo reads a line "info ...". It skips unknown words, as UCI requires. A known word
// without its number is an error.
func ParseInfo(line string) (in Info, err error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "info" {
		return Info{}, fmt.Errorf("not an info line: %q", clip(line))
	}
	numbers := in.numbers()
	for words = words[1:]; len(words) > 0 && err == nil; {
		word := words[0]
		words = words[1:]
		score := in.Score
		if score == nil {
			score = new(Score) // of no use: the words below belong to the score before them
		}
		switch word {
		case "score":
			in.Score = new(Score)
			words, err = in.Score.parse(words)
		case "lowerbound":
			score.Bound = Lower
		case "upperbound":
			score.Bound = Upper
		case "wdl":
			score.WDL = new([3]int)
			for i := range score.WDL {
				words, err = readNumber(words, word, 0, 1000, &score.WDL[i], err)
			}
		case "pv":
			for len(words) > 0 && isMove(words[0]) {
				in.PV = append(in.PV, words[0])
				words = words[1:]
			}
		case "string": // free text to the end of the line
			words = nil
		default:
			if i := slices.IndexFunc(numbers, func(n numberWord) bool { return n.name == word }); i >= 0 {
				var n int
				words, err = readNumber(words, word, math.MinInt, math.MaxInt, &n, nil)
				numbers[i].set(int64(n))
			}
		}
	}
	if err != nil {
		return Info{}, fmt.Errorf("info line %q: %w", clip(line), err)
	}
	return in, nil
}

// parse reads the words after "score" and returns those behind them.
func (s *Score) parse(words []string) ([]string, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("nothing after score")
	}
	into := &s.CP
	switch words[0] {
	case "cp":
	case "mate":
		into, s.IsMate = &s.Mate, true
	default:
		return nil, fmt.Errorf("score is neither cp nor mate: %q", clip(words[0]))
	}
	return readNumber(words[1:], words[0], -math.MaxInt32, math.MaxInt32, into, nil)
}

// readNumber reads the number after key, unless there is an error already, and returns the
// words behind it.
func readNumber(words []string, key string, least, most int, into *int, err error) ([]string, error) {
	switch {
	case err != nil:
		return nil, err
	case len(words) == 0:
		return nil, fmt.Errorf("nothing after %s", key)
	}
	if *into, err = strconv.Atoi(words[0]); err != nil || *into < least || *into > most {
		return nil, fmt.Errorf("%s is not a number from %d to %d: %q", key, least, most, clip(words[0]))
	}
	return words[1:], nil
}

// line returns the line "info ...".
func (in *Info) line() string {
	words := []string{"info"}
	for i, n := range in.numbers() {
		if s := in.Score; i == 3 && s != nil {
			words = append(words, "score", s.String()+[...]string{Exact: "", Lower: " lowerbound", Upper: " upperbound"}[s.Bound])
			if w := s.WDL; w != nil {
				words = append(words, fmt.Sprintf("wdl %d %d %d", w[0], w[1], w[2]))
			}
		}
		if x := n.get(); x != 0 {
			words = append(words, n.name, strconv.FormatInt(x, 10))
		}
	}
	if len(in.PV) > 0 {
		words = append(words, "pv", strings.Join(in.PV, " "))
	}
	return strings.Join(words, " ")
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
