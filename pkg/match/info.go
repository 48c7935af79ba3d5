package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Info is what a player thinks of the position it has moved in.
type Info struct {
	Score  *float64 // expected result from its own view, -1 to 1; nil when it has none
	Visits int      // of a tree search; 0 when not told
	Depth  int      // plies looked ahead; 0 when not told
}

// String gives what is known, as in a PGN comment: "score 0.125 depth 6 visits
// 800". It is empty when nothing is.
func (in Info) String() string {
	var words []string
	if in.Score != nil {
		x := math.Round(*in.Score*1000)/1000 + 0 // no negative zero
		words = append(words, "score", strconv.FormatFloat(x, 'f', 3, 64))
	}
	if in.Depth != 0 {
		words = append(words, "depth", strconv.Itoa(in.Depth))
	}
	if in.Visits != 0 {
		words = append(words, "visits", strconv.Itoa(in.Visits))
	}
	return strings.Join(words, " ")
}

// ParseInfo reads what [Info.String] writes; the score has three digits.
func ParseInfo(s string) (Info, error) {
	var in Info
	words := strings.Fields(s)
	for ; len(words) >= 2; words = words[2:] {
		var err error
		switch words[0] {
		case "score":
			var x float64
			x, err = strconv.ParseFloat(words[1], 64)
			if err == nil && !(x >= -1 && x <= 1) {
				err = fmt.Errorf("out of range")
			}
			in.Score = &x
		case "depth":
			in.Depth, err = strconv.Atoi(words[1])
		case "visits":
			in.Visits, err = strconv.Atoi(words[1])
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			return Info{}, fmt.Errorf("arena: comment %q: %s %q: %w", s, words[0], words[1], err)
		}
	}
	if len(words) != 0 {
		return Info{}, fmt.Errorf("arena: comment %q: nothing after %q", s, words[0])
	}
	return in, nil
}
