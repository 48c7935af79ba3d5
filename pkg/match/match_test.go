package match

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/stats"
	"alamos/pkg/uci/testdata/fake"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
)

func TestMain(m *testing.M) {
	code := m.Run()
	fake.Clean()
	os.Exit(code)
}

// watched counts what a match reports, and stops the match after some games.
type watched struct {
	resumed, played int
	faults          []string
	after           int
	stop            context.CancelFunc
}

func (w *watched) Resume(games int) { w.resumed = games }

func (w *watched) Set(int, int, string) {
	if w.played++; w.stop != nil && w.played == w.after {
		w.stop()
	}
}

func (w *watched) Standings(current func() (string, []string)) { current() }

func (w *watched) Note(text string) {
	if !strings.HasPrefix(text, "continuing after ") {
		w.faults = append(w.faults, text)
	}
}

// configOf is a match of atomic chess, quickly over.
func configOf(t *testing.T, a, b, file string) Config {
	t.Helper()
	return Config{
		Tournament: Tournament{Variant: chess.Atomic, Rounds: 20, Seed: 3, RandomPlies: 2, MaxMoves: 30, Workers: 2},
		Players:    [2]*Opened{opened(t, a), opened(t, b)}, File: file,
	}
}

// opened is a player of the command line without a network.
func opened(t *testing.T, word string) *Opened {
	t.Helper()
	spec, err := ParseSpec(word)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(Opener).Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, c Config) *Summary {
	t.Helper()
	s, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The summary agrees with the games in the file. Neither depends on the number of games at
// once.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.pgn"), filepath.Join(dir, "two.pgn")
	c := configOf(t, "random", "material:1", one)
	s := run(t, c)
	c.File, c.Workers = two, 5
	if again := run(t, c); !cmp.Equal(s, again, cmpNaN) {
		t.Errorf("another standing: %s", cmp.Diff(s, again, cmpNaN))
	}
	if read(t, one) != read(t, two) {
		t.Error("other games with more at once")
	}
	c.File = ""
	if again := run(t, c); !cmp.Equal(s, again, cmpNaN) {
		t.Errorf("another standing without a file: %s", cmp.Diff(s, again, cmpNaN))
	}

	points, ends := 0.0, map[string]int{}
	games := chess.NewPGNReader(strings.NewReader(read(t, one)))
	for range s.Games {
		g, err := games.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case g.Result == chess.Draw:
			points += 0.5
		case (g.Result == chess.WhiteWins) == (g.Tag("White") == "random"):
			points++
		}
		ends[g.Tag("Termination")]++
	}
	if s.Games != 20 || s.Pairs.Pairs() != 10 || s.Record.Score() != points || !cmp.Equal(s.Ends, ends) {
		t.Errorf("%+v, want %v points, %v", s, points, ends)
	}
	if s.Wins+s.Losses != s.White.Wins+s.White.Losses+s.Black.Wins+s.Black.Losses || s.White.Wins+s.White.Draws+s.White.Losses != 10 {
		t.Errorf("by color: %+v", s)
	}
	if s.A != "random" || s.LOS > 0.1 || s.Elo.High > 0 || s.Elo.Low > s.Elo.Value {
		t.Errorf("random moves are not the weaker: %+v", s)
	}
}

var cmpNaN = cmp.FilterValues(func(a, b float64) bool { return a != a && b != b }, cmp.Ignore())

// An interrupted match continues, plays no game twice, and ends in the same file. A
// finished match continues with more games.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole.pgn"), filepath.Join(dir, "part.pgn")
	run(t, configOf(t, "random", "material:1", whole))

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := configOf(t, "random", "material:1", part)
	c.Watch = &watched{after: 7, stop: stop}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if _, err := os.Stat(part); err == nil {
		t.Error("there is a file of games before the end")
	}
	torn, err := os.OpenFile(part+".journal", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString("half an entr"); err != nil || torn.Close() != nil {
		t.Fatal(err)
	}
	second := &watched{}
	c.Watch = second
	run(t, c)
	if second.resumed < 7 || second.resumed+second.played != 20 {
		t.Errorf("%d games were there and %d were played", second.resumed, second.played)
	}
	if read(t, part) != read(t, whole) {
		t.Error("other games after an interruption")
	}

	short := filepath.Join(dir, "short.pgn")
	c.File, c.Rounds = short, 6
	run(t, c)
	third := &watched{}
	c.Watch, c.Rounds = third, 20
	run(t, c)
	if third.resumed != 6 || third.played != 14 || read(t, short) != read(t, whole) {
		t.Errorf("%d games were there and %d were played, or they are others", third.resumed, third.played)
	}
	fourth := &watched{}
	c.Watch = fourth
	run(t, c)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.journal")); fourth.played != 0 || len(left) > 0 {
		t.Errorf("a match that is over was played: %d games, %v", fourth.played, left)
	}
}

// custom returns rules that differ in the number of repetitions, but not in their name.
func custom(t *testing.T, repetition int) chess.Variant {
	t.Helper()
	r := chess.RulesOf(chess.Atomic)
	r.Name, r.Repetition = "custom", repetition
	v, err := chess.Define(r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A file of another match is not touched.
func TestOtherMatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "games.pgn")
	c := configOf(t, "random", "material:1", file)
	c.Variant = custom(t, 2)
	run(t, c)
	before := read(t, file)
	for name, change := range map[string]func(*Config){
		"another match":    func(c *Config) { c.Seed++ },
		"other settings":   func(c *Config) { c.MaxMoves++ },
		"games of another": func(c *Config) { c.Variant = custom(t, 3) },
		"or players":       func(c *Config) { c.Players[1] = opened(t, "material:2") },
		"ask for at least": func(c *Config) { c.Rounds = 4 },
	} {
		other := c
		change(&other)
		if _, err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Nor is what another match has left for itself.
	other := configOf(t, "random", "material:1", filepath.Join(t.TempDir(), "games.pgn"))
	ctx, stop := context.WithCancel(t.Context())
	other.Watch = &watched{after: 3, stop: stop}
	if _, err := Run(ctx, other); err == nil {
		t.Fatal("not interrupted")
	}
	left := read(t, other.File+".journal")
	other.Seed++
	if _, err := Run(t.Context(), other); err == nil || read(t, other.File+".journal") != left {
		t.Errorf("the journal of another match was used: %v", err)
	}
	other.Seed--
	other.Rounds = 1
	if _, err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), "ask for at least") || read(t, other.File+".journal") != left {
		t.Errorf("games of the journal were lost: %v", err)
	}
	if read(t, file) != before {
		t.Error("the file was changed")
	}
}

// A sequential test ends the match at the same pair, whichever game ended first, and
// continues after an interruption.
func TestSPRT(t *testing.T) {
	dir := t.TempDir()
	c := configOf(t, "material:1", "random", filepath.Join(dir, "a.pgn"))
	c.Rounds, c.SPRT = 1000, &SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	s := run(t, c)
	if s.Games >= 1000 || s.Games%2 != 0 || s.Games != 2*s.Pairs.Pairs() || s.SPRT.Verdict != "H1 accepted" || float64(s.SPRT.LLR) < s.SPRT.Upper {
		t.Errorf("%d games, %+v", s.Games, s.SPRT)
	}
	before := s.Pairs
	if state := c.SPRT.Test(before); state.Verdict != Accept1 {
		t.Errorf("%+v of %v", state, before)
	}
	c.File, c.Workers = filepath.Join(dir, "b.pgn"), 7
	if again := run(t, c); !cmp.Equal(s, again, cmpNaN) || read(t, c.File) != read(t, filepath.Join(dir, "a.pgn")) {
		t.Errorf("another end with more games at once: %s", cmp.Diff(s, again, cmpNaN))
	}
	seen := &watched{}
	c.Watch = seen
	if again := run(t, c); seen.played != 0 || again.Games != s.Games {
		t.Errorf("%d games were played after the end of the test, and %d counted", seen.played, again.Games)
	}
	// Without the test the match continues.
	c.SPRT, c.Rounds = nil, s.Games+10
	if again := run(t, c); seen.played != 10 || again.Games != s.Games+10 {
		t.Errorf("%d games more", seen.played)
	}
}

// A fault that loses a game is reported and logged, and the match continues.
func TestFaults(t *testing.T) {
	c := configOf(t, "uci:"+fake.Engine(t, "crash")+",depth=1", "random", filepath.Join(t.TempDir(), "games.pgn"))
	c.Rounds, c.MaxMoves = 4, 4
	w := &watched{}
	c.Watch = w
	s := run(t, c)
	if len(w.faults) == 0 || s.Ends["engine_crash"] != len(w.faults) || s.Games != 4 {
		t.Fatalf("faults %v, standing %+v", w.faults, s)
	}
	if !strings.Contains(w.faults[0], "engine_crash") || !strings.HasSuffix(w.faults[0], "games.faults.log)") {
		t.Errorf("reported %s", w.faults[0])
	}
	if log := read(t, filepath.Join(filepath.Dir(c.File), "games.faults.log")); !strings.Contains(log, "> go depth 1\n") {
		t.Errorf("log %q", log)
	}
}

// What cannot be played is found before the first game.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"cannot play the variant": func(c *Config) {
			c.Players[0] = opened(t, "uci:"+fake.Engine(t, "x")+",depth=1")
			c.Variant = chess.Horde
		},
		"cannot be started": func(c *Config) { c.Players[0] = opened(t, "uci:/no/engine,depth=1") },
		"no option": func(c *Config) {
			c.Players[0] = opened(t, "uci:"+fake.Engine(t, "y")+",depth=1,Contempt=3")
		},
		"want 1 game a pair":    func(c *Config) { c.Rounds = 0 },
		"games at once, have 0": func(c *Config) { c.Workers = 0 },
		"want elo0 below":       func(c *Config) { c.SPRT = &SPRT{Elo0: 2, Elo1: 1, Alpha: 0.05, Beta: 0.05} },
		"want at least 1 move":  func(c *Config) { c.Judge.Resign.Score = -0.5 },
	} {
		c := configOf(t, "random", "random", "")
		w := &watched{}
		c.Watch = w
		change(&c)
		if s, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) || w.played > 0 {
			t.Errorf("%s: %v, %v", want, s, err)
		}
	}
}

// The same player twice has two names.
func TestAgainstItself(t *testing.T) {
	c := configOf(t, "random", "random", "")
	c.Rounds = 1
	if s := run(t, c); s.A != "random" || s.B != "random (2)" || s.Games != 1 || s.Pairs.Pairs() != 0 {
		t.Errorf("%+v", s)
	}
}

// Infinite and unknown values are null in JSON and "?" in text.
func TestStandingIsWritten(t *testing.T) {
	c := configOf(t, "material:2", "random", "")
	c.Rounds = 4
	s := run(t, c)
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back["games"] != 4.0 || back["wins"] == nil || back["white"].(map[string]any)["wins"] == nil {
		t.Errorf("%s", b)
	}
	if text := s.Table(); text[0] != "material alpha-beta depth 2 against random" || !strings.HasPrefix(text[1], "games                4: ") {
		t.Errorf("%q", text)
	}
	if lines := (&Summary{Statistics: Statistics{Elo: stats.Unknown()}}).Table(); !slices.Contains(lines, "Elo                  ?") {
		t.Errorf("%q", lines)
	}
}
