package chess

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Comments carry data for programs as commands: "[%clk 0:03:00]". A comment may
// hold several, and text around them.

// Command gives the value of a command in a comment: of "[%eval 0.17,20] good"
// the value of eval is "0.17,20".
func Command(comment, name string) (value string, found bool) {
	begin, end := findCommand(comment, name)
	if begin < 0 {
		return "", false
	}
	inside := comment[begin+len("[%")+len(name) : end-len("]")]
	return strings.TrimSpace(inside), true
}

// WithCommand gives the comment with a command's value changed, or with the
// command added before the text. A value must not hold brackets or braces.
func WithCommand(comment, name, value string) string {
	command := "[%" + name + " " + value + "]"
	begin, end := findCommand(comment, name)
	switch {
	case begin >= 0:
		return comment[:begin] + command + comment[end:]
	case comment == "":
		return command
	}
	return command + " " + comment
}

// findCommand gives the place of a command with its brackets; begin is negative
// when there is none.
func findCommand(comment, name string) (begin, end int) {
	for at := 0; ; {
		i := strings.Index(comment[at:], "[%"+name)
		if i < 0 {
			return -1, -1
		}
		begin = at + i
		at = begin + len("[%") + len(name)
		length := strings.IndexByte(comment[at:], ']')
		if length < 0 {
			return -1, -1
		}
		if length == 0 || comment[at] == ' ' {
			return begin, at + length + 1
		}
	}
}

// Clock gives the time that the player who has just moved has left, as
// "[%clk 0:03:00]" says it.
func Clock(comment string) (time.Duration, bool) { return durationCommand(comment, "clk") }

// Elapsed gives the time that the move took, as "[%emt 0:00:07]" says it.
func Elapsed(comment string) (time.Duration, bool) { return durationCommand(comment, "emt") }

func durationCommand(comment, name string) (time.Duration, bool) {
	value, found := Command(comment, name)
	if !found {
		return 0, false
	}
	d, err := ParseClock(value)
	return d, err == nil
}

// maxClockHours keeps times far from what a Duration can hold.
const maxClockHours = 99999

// ParseClock reads a time as comments give it: hours, minutes and seconds
// ("1:30:00"), or minutes and seconds, or seconds, which may have a fraction
// ("0:03:07.5"). The leading number may be as large as it likes, the others are
// below 60.
func ParseClock(s string) (time.Duration, error) {
	bad := fmt.Errorf("time %q: want h:mm:ss, such as 0:03:00 or 0:00:07.5", s)
	whole, fraction, fractional := strings.Cut(s, ".")
	fields := strings.Split(whole, ":")
	if len(fields) > 3 {
		return 0, bad
	}
	seconds := int64(0)
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 32)
		if err != nil || i > 0 && n > 59 {
			return 0, bad
		}
		seconds = 60*seconds + int64(n)
	}
	if seconds > maxClockHours*3600 {
		return 0, bad
	}
	d := time.Duration(seconds) * time.Second
	if fractional {
		if fraction == "" || strings.Trim(fraction, "0123456789") != "" {
			return 0, bad
		}
		nanos, err := strconv.Atoi((fraction + "000000000")[:9])
		if err != nil {
			return 0, bad
		}
		d += time.Duration(nanos)
	}
	return d, nil
}

// FormatClock writes a time as comments give it: "0:03:00", with as many digits
// of a fraction as are needed, at most nine. A time below zero is 0.
func FormatClock(d time.Duration) string {
	d = max(d, 0)
	s := fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	if nanos := d % time.Second; nanos > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%09d", int64(nanos)), "0")
	}
	return s
}

// Eval is an engine's opinion of a position, from White's view.
type Eval struct {
	Pawns float64 // 0 when there is a mate
	Mate  int     // moves to mate, below zero when Black mates; 0 for none
	Depth int     // plies searched, 0 when it is not told
}

// ParseEval gives the opinion that a comment holds as "[%eval 0.17]",
// "[%eval -1.5,20]" (with the depth) or "[%eval #-3]" (mate in three by Black).
func ParseEval(comment string) (Eval, bool) {
	value, found := Command(comment, "eval")
	if !found {
		return Eval{}, false
	}
	score, depth, deep := strings.Cut(value, ",")
	var e Eval
	var err error
	if deep {
		if e.Depth, err = strconv.Atoi(depth); err != nil || e.Depth < 0 {
			return Eval{}, false
		}
	}
	if mate, found := strings.CutPrefix(score, "#"); found {
		if e.Mate, err = strconv.Atoi(mate); err != nil || e.Mate == 0 {
			return Eval{}, false
		}
		return e, true
	}
	if e.Pawns, err = strconv.ParseFloat(score, 64); err != nil || math.IsNaN(e.Pawns) || math.IsInf(e.Pawns, 0) {
		return Eval{}, false
	}
	return e, true
}

// String writes the opinion as the value of an eval command.
func (e Eval) String() string {
	s := strconv.FormatFloat(e.Pawns, 'f', 2, 64)
	if e.Mate != 0 {
		s = "#" + strconv.Itoa(e.Mate)
	}
	if e.Depth > 0 {
		s += "," + strconv.Itoa(e.Depth)
	}
	return s
}
