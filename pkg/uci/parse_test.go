package uci

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
)

func TestParseOption(t *testing.T) {
	for _, test := range []struct {
		line string
		want Option
	}{
		{"option name Skill Level type spin default 20 min -20 max 20",
			Option{Name: "Skill Level", Type: "spin", Default: "20", Min: -20, Max: 20, HasMin: true, HasMax: true}},
		{"option name Ponder type check default false", Option{Name: "Ponder", Type: "check", Default: "false"}},
		{"option name Clear Hash type button", Option{Name: "Clear Hash", Type: "button"}},
		{"option name SyzygyPath type string default <empty>", Option{Name: "SyzygyPath", Type: "string"}},
		{"option name Debug Log File type string default", Option{Name: "Debug Log File", Type: "string"}},
		{"option name Path type string default /a max b", Option{Name: "Path", Type: "string", Default: "/a max b"}},
		{"option name Style type combo default Very Solid var Very Solid var Risky",
			Option{Name: "Style", Type: "combo", Default: "Very Solid", Vars: []string{"Very Solid", "Risky"}}},
	} {
		got, err := ParseOption(test.line)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.line, got, err)
		}
	}
	for _, line := range []string{
		"", "option", "option name", "option name X", "option name X type", "option type check name X",
		"option name X type slider", "option name type check", "option name X type spin default 1 min low",
		"info option name X type check",
	} {
		if o, err := ParseOption(line); err == nil {
			t.Errorf("%q was read as %+v", line, o)
		}
	}
}

func TestParseInfo(t *testing.T) {
	for _, test := range []struct {
		line string
		want Info
	}{
		{"info depth 5 seldepth 7 multipv 1 score cp 238 nodes 440 nps 5057 hashfull 3 tbhits 0 time 87 pv d2d4 b7b6 e2e4",
			Info{Depth: 5, SelDepth: 7, MultiPV: 1, Score: &Score{CP: 238}, Nodes: 440, NPS: 5057, HashFull: 3,
				Time: 87 * time.Millisecond, PV: []string{"d2d4", "b7b6", "e2e4"}}},
		{"info depth 5 score cp 58 wdl 140 859 1 nodes 174",
			Info{Depth: 5, Score: &Score{CP: 58, WDL: &[3]int{140, 859, 1}}, Nodes: 174}},
		{"info score mate -2 upperbound wdl 0 0 1000", Info{Score: &Score{Mate: -2, IsMate: true, Bound: Upper, WDL: &[3]int{0, 0, 1000}}}},
		{"info depth 0 score mate 0", Info{Score: &Score{IsMate: true}}},
		{"info pv e7e8q N@f3 nodes 5", Info{PV: []string{"e7e8q", "N@f3"}, Nodes: 5}},
		{"info string depth of despair", Info{}},
		{"info currmove e2e4 currmovenumber 1", Info{}},
		{"info", Info{}},
	} {
		got, err := ParseInfo(test.line)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.line, got, err)
		}
	}
	for _, line := range []string{
		"", "bestmove e2e4", "info depth", "info depth deep", "info score", "info score 25", "info score cp",
		"info score cp 99999999999", "info wdl 1 2", "info score cp 1 wdl -1 0 0", "info nodes 9223372036854775808",
	} {
		if in, err := ParseInfo(line); err == nil {
			t.Errorf("%q was read as %+v", line, in)
		}
	}
}

func TestParseBestMove(t *testing.T) {
	for _, test := range []struct {
		line, move, ponder string
		ok                 bool
	}{
		{"bestmove e2e4", "e2e4", "", true},
		{"bestmove e7e8q ponder a7a6", "e7e8q", "a7a6", true},
		{"bestmove e2e4 ponder (none)", "e2e4", "", true},
		{"bestmove (none)", "", "", true},
		{"bestmove 0000", "", "", true},
		{"bestmove P@e4", "P@e4", "", true},
		{"bestmove", "", "", false},
		{"bestmove Nf3", "", "", false},
		{"bestmove e2e9", "", "", false},
		{"bestmove e7e8q9", "", "", false},
		{"bestmove e7e8Q", "", "", false},
		{"Bestmove e2e4", "", "", false},
	} {
		move, ponder, err := ParseBestMove(test.line)
		if move != test.move || ponder != test.ponder || (err == nil) != test.ok {
			t.Errorf("%q: %q, %q, %v", test.line, move, ponder, err)
		}
	}
}

func TestExpected(t *testing.T) {
	for _, test := range []struct {
		score Score
		want  float64
	}{
		{Score{CP: 0}, 0},
		// tanh(0.184104), computed with Python.
		{Score{CP: 100}, 0.1820518},
		{Score{CP: -100}, -0.1820518},
		{Score{IsMate: true, Mate: 3}, 1},
		{Score{IsMate: true, Mate: -3}, -1},
		{Score{IsMate: true}, -1},
		{Score{CP: 500, WDL: &[3]int{300, 600, 100}}, 0.2},
	} {
		if got := test.score.Expected(); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%v: %v, want %v", test.score, got, test.want)
		}
	}
}

// A score survives the way over its expected result.
func TestScoreOf(t *testing.T) {
	for cp := -8000; cp <= 8000; cp++ {
		if again := ScoreOf((&Score{CP: cp}).Expected()).CP; again != cp {
			t.Fatalf("%d centipawns become %d", cp, again)
		}
	}
	if most, least := ScoreOf(1).CP, ScoreOf(-1).CP; most != 8000 || least != -8000 {
		t.Errorf("the limits are %d and %d", least, most)
	}
}

func TestLichessLevels(t *testing.T) {
	for n := -1; n <= 9; n++ {
		f, err := (&Opponent{Level: n, Limit: Limit{Nodes: 10}}).resolve(chess.Atomic, false)
		switch exists := n >= 0 && n <= 8; {
		case exists != (err == nil):
			t.Errorf("level %d: %+v, %v", n, f, err)
		case n == 2 && fmt.Sprint(f.Limit, f.Command.Settings) != "movetime 100 depth 5 nodes 10 [{Skill Level -5}]":
			t.Errorf("level 2: %v, %v", f.Limit, f.Command.Settings)
		}
	}
}

// What is read from any line must be what it says when it is read again from a
// line written with it.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"option name Style type combo default Very Solid var Very Solid var Risky",
		"option name Skill Level type spin default 20 min -20 max 20",
		"info depth 5 score cp 58 lowerbound wdl 140 859 1 nodes 174 pv d2d4 a7a6",
		"info score mate -2 string x", "bestmove e7e8q ponder a7a6", "bestmove (none)",
		"Nodes searched: 197326",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if o, err := ParseOption(line); err == nil {
			if o.Name == "" || o.Type == "" {
				t.Errorf("%q: %+v", line, o)
			}
			again, err := ParseOption("option name " + o.Name + " type " + o.Type)
			if err != nil || again.Name != o.Name {
				t.Errorf("%q: name %q is read again as %q: %v", line, o.Name, again.Name, err)
			}
		}
		if in, err := ParseInfo(line); err == nil && in.Score != nil {
			if x := in.Score.Expected(); math.IsNaN(x) || x < -1 || x > 1 {
				t.Errorf("%q: expected score %v", line, x)
			}
			again, err := ParseInfo("info score " + in.Score.String())
			if err != nil || again.Score.String() != in.Score.String() {
				t.Errorf("%q: score %v is read again as %v: %v", line, in.Score, again.Score, err)
			}
		}
		if move, ponder, err := ParseBestMove(line); err == nil {
			if move != "" && !isMove(move) || ponder != "" && !isMove(ponder) || strings.ContainsAny(move, " \n") {
				t.Errorf("%q: %q, %q", line, move, ponder)
			}
		}
		parsePerft(line)
	})
}

// What is written of a limit is read again.
func TestGoCommand(t *testing.T) {
	p := chess.StartPosition(chess.Standard)
	l := Limit{MoveTime: time.Second, Depth: 3, Nodes: 5, Mate: 2, MovesToGo: 7,
		Clock: [2]time.Duration{time.Minute, time.Second}, Increment: [2]time.Duration{time.Second, 0}}
	command := (&Task{Limit: l}).command(&p, false)
	if want := "go wtime 60000 btime 1000 winc 1000 movestogo 7 movetime 1000 depth 3 nodes 5 mate 2"; command != want {
		t.Errorf("%s, want %s", command, want)
	}
	if task, err := parseTask(&p, strings.Fields(command)[1:]); err != nil || task.Limit != l || task.Infinite {
		t.Errorf("%+v, %v, want %+v", task, err, l)
	}
}

// A value gets the spelling of its option, also where that is unusual.
func TestSpelled(t *testing.T) {
	for _, c := range []struct {
		o           Option
		value, want string
	}{
		{Option{Type: "combo", Vars: []string{"Very Solid", "True"}}, "very solid", "Very Solid"},
		{Option{Type: "combo", Vars: []string{"Very Solid", "True"}}, "true", "True"},
		{Option{Type: "check"}, "TRUE", "true"},
		{Option{Type: "string"}, "<empty>", ""},
	} {
		if have := c.o.spelled(c.value); have != c.want {
			t.Errorf("%s %q: %q, want %q", c.o.Type, c.value, have, c.want)
		}
	}
}
