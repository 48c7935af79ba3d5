package uci

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Task is what a "go" command asks for. Zero fields are no limit; a task without any
// is infinite.
type Task struct {
	Limit
	Clock     [2]time.Duration // left, by color; may be negative
	Increment [2]time.Duration // a move
	HasClock  [2]bool
	MovesToGo int // until the next time control; 0: all
	Mate      int // moves: stop when one this short is found

	Infinite bool
	// Ponder asks to think in the opponent's time, until Hit is closed: the opponent
	// has played the move that was expected, and the clock runs.
	Ponder bool
	Hit    <-chan struct{}

	Moves []chess.Move // only these; none: all

	// Chess960 asks for castling in what is told as the king taking its rook.
	Chess960 bool
}

// endless tells whether the task may never come to an end by itself: without a limit,
// before the ponderhit, or in search of a mate that is not there.
func (t *Task) endless() bool {
	limited := t.Limit != (Limit{}) || t.HasClock != [2]bool{}
	return t.Infinite || t.Ponder || t.Mate > 0 && !limited
}

// maxTime is more than any game takes.
const maxTime = 1000 * time.Hour

// parseTask reads the words after "go".
func parseTask(p *chess.Position, words []string) (Task, error) {
	var t Task
	limited := false
	number := func(i int, key string) (int64, error) {
		if i >= len(words) {
			return 0, fmt.Errorf("nothing after %s", key)
		}
		n, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: want a whole number, have %q", key, clip(words[i]))
		}
		return n, nil
	}
	for i := 0; i < len(words); i++ {
		switch key := words[i]; key {
		case "infinite":
			t.Infinite = true
		case "ponder":
			t.Ponder = true
		case "searchmoves":
			for ; i+1 < len(words) && isMove(words[i+1]); i++ {
				m, err := p.ParseUCI(words[i+1])
				if err != nil {
					return t, fmt.Errorf("searchmoves: %w", err)
				}
				t.Moves = append(t.Moves, m)
			}
			if len(t.Moves) == 0 {
				return t, fmt.Errorf("nothing after searchmoves")
			}
		case "wtime", "btime", "winc", "binc", "movetime", "depth", "nodes", "movestogo", "mate":
			n, err := number(i+1, key)
			if err != nil {
				return t, err
			}
			i++
			ms := time.Duration(min(max(n, -int64(maxTime/time.Millisecond)), int64(maxTime/time.Millisecond))) * time.Millisecond
			count := int(min(max(n, 0), math.MaxInt32))
			limited = true
			switch key {
			case "wtime":
				t.Clock[chess.White], t.HasClock[chess.White] = ms, true
			case "btime":
				t.Clock[chess.Black], t.HasClock[chess.Black] = ms, true
			case "winc":
				t.Increment[chess.White] = max(0, ms)
			case "binc":
				t.Increment[chess.Black] = max(0, ms)
			case "movetime":
				t.MoveTime = max(time.Millisecond, ms)
			case "depth":
				t.Depth = max(1, count)
			case "nodes":
				t.Nodes = max(1, n)
			case "movestogo":
				t.MovesToGo = count
			case "mate":
				t.Mate = max(1, count)
			}
		default:
			return t, fmt.Errorf("unknown word %q", clip(key))
		}
	}
	t.Infinite = t.Infinite || !limited && !t.Ponder
	return t, nil
}

// parsePosition reads the words after "position".
func parsePosition(v chess.Variant, words []string) (*chess.Game, error) {
	at := slices.Index(words, "moves")
	head, moves := words, []string(nil)
	if at >= 0 {
		head, moves = words[:at], words[at+1:]
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("want startpos or fen")
	}
	start := chess.StartPosition(v)
	switch head[0] {
	case "startpos":
		if len(head) > 1 {
			return nil, fmt.Errorf("unknown word %q", clip(head[1]))
		}
	case "fen":
		var err error
		if start, err = chess.ParseFEN(v, strings.Join(head[1:], " ")); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("want startpos or fen, have %q", clip(head[0]))
	}
	g := chess.NewGame(start)
	for i, word := range moves {
		m, err := g.Position().ParseUCI(word)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		g.Play(m)
	}
	return g, nil
}

// parseSetOption reads the words after "setoption". Names and values may have
// spaces.
func parseSetOption(words []string) (name, value string, err error) {
	if len(words) < 2 || words[0] != "name" {
		return "", "", fmt.Errorf("want name NAME value VALUE")
	}
	words = words[1:]
	if at := slices.Index(words, "value"); at >= 0 {
		words, value = words[:at], strings.Join(words[at+1:], " ")
	}
	if name = strings.Join(words, " "); name == "" {
		return "", "", fmt.Errorf("no name")
	}
	return name, value, nil
}

// spelled gives a value of a check or combo in the option's own spelling.
func (o *Option) spelled(value string) string {
	for _, v := range append([]string{"true", "false"}, o.Vars...) {
		if strings.EqualFold(v, value) {
			return v
		}
	}
	return value
}

// line is the line "option ..." that offers the option.
func (o *Option) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "option name %s type %s", o.Name, o.Type)
	if o.Type != "button" {
		value := o.Default
		if value == "" {
			value = "<empty>"
		}
		b.WriteString(" default " + value)
	}
	if o.HasMin {
		fmt.Fprintf(&b, " min %d", o.Min)
	}
	if o.HasMax {
		fmt.Fprintf(&b, " max %d", o.Max)
	}
	for _, v := range o.Vars {
		b.WriteString(" var " + v)
	}
	return b.String()
}

// line is the line "info ..." that tells it.
func (in *Info) line() string {
	var b strings.Builder
	b.WriteString("info")
	number := func(key string, n int64) {
		if n != 0 {
			fmt.Fprintf(&b, " %s %d", key, n)
		}
	}
	number("depth", int64(in.Depth))
	number("seldepth", int64(in.SelDepth))
	number("multipv", int64(in.MultiPV))
	if in.Score != nil {
		b.WriteString(" score " + in.Score.String())
		switch in.Score.Bound {
		case Lower:
			b.WriteString(" lowerbound")
		case Upper:
			b.WriteString(" upperbound")
		}
		if w := in.Score.WDL; w != nil {
			fmt.Fprintf(&b, " wdl %d %d %d", w[0], w[1], w[2])
		}
	}
	if in.Score != nil || in.Nodes != 0 {
		fmt.Fprintf(&b, " nodes %d", in.Nodes)
		fmt.Fprintf(&b, " time %d", in.Time.Milliseconds())
	}
	number("nps", in.NPS)
	number("hashfull", int64(in.HashFull))
	if len(in.PV) > 0 {
		b.WriteString(" pv " + strings.Join(in.PV, " "))
	}
	if in.String != "" {
		b.WriteString(" string " + in.String)
	}
	return b.String()
}

// ScoreOf is the score of an expected result between -1 and 1, the inverse of
// [Score.Expected] without win, draw and loss. It ends at 100 pawns.
func ScoreOf(expected float64) Score {
	const most = 10_000
	x := min(1, max(-1, expected))
	cp := (math.Log1p(x) - math.Log1p(-x)) / winRate
	return Score{CP: int(math.Round(min(most, max(-most, cp))))}
}
