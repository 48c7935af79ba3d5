package match

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/nn"
	"alamos/pkg/nn/testdata/small"
	"alamos/pkg/uci"
	"alamos/pkg/uci/testdata/fake"
)

// Every player of the command line plays tournaments, and is an engine that user interfaces
// can drive, within its own limits.
func TestPlayersAndSearchers(t *testing.T) {
	net := small.Checkpoint(t, 1)
	opener := Opener{FindModel: func(name string) (string, error) { return name, nil }, Hardware: Hardware{Threads: 1, Precision: "fp32"}}
	defer opener.Close()
	for word, want := range map[string]string{ // what "go" reports
		net + ",visits=20,c_puct=2,temperature=0.5":  " nodes 20 ",
		net + ",movetime=20":                         "info depth ",
		"policy:" + net:                              "bestmove ",
		"alphabeta:" + net + ",depth=1":              "info depth 1 ",
		"alphabeta:" + net + ",depth=1,ends=network": "info depth 1 ",
		"material:2,movetime=60000":                  "info depth 2 ",
		"uniform,visits=30":                          " nodes 30 ",
		"random":                                     "bestmove ",
		"uci:" + fake.Engine(t, "well") + ",depth=1": "bestmove ",
	} {
		spec, err := ParseSpec(word)
		if err != nil {
			t.Fatal(err)
		}
		players, v, err := opener.OpenAll([]*Spec{spec, {Player: Random}}, new(chess.Atomic))
		if err != nil || v != chess.Atomic {
			t.Fatalf("%s: %v, %v", word, v, err)
		}
		entries, err := Entries(t.Context(), players, v, false, 1)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		for _, g := range play(t, Tournament{Variant: v, Rounds: 2, MaxMoves: 4, Seed: 1}, entries...) {
			checkGame(t, g, 4)
		}
		s, limit, err := players[0].Searcher(t.Context(), v)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		var out bytes.Buffer
		commands := "uci\nsetoption name UCI_Variant value atomic\nsetoption name Nothing value 1\nposition startpos moves g1f3\n" +
			"go\n"
		if err := uci.Serve(t.Context(), strings.NewReader(commands), &out, s, limit); err != nil {
			t.Errorf("%s: %v", word, err)
		}
		s.Close()
		if text := out.String(); !strings.Contains(text, want) || strings.Count(text, "bestmove ") != 1 || !strings.Contains(text, "no option is called") {
			t.Errorf("%s: no %q in\n%s", word, want, text)
		}
	}
	if err := (stateless{}).Set("x", "1"); err == nil {
		t.Error("random moves have an option")
	}
}

func TestOpenRefuses(t *testing.T) {
	opener := Opener{FindModel: func(name string) (string, error) { return name, nil }, Hardware: Hardware{Threads: 1}}
	defer opener.Close()
	blind := small.WithoutPolicy(t)
	if _, err := opener.Open(&Spec{Policy: Checkpoint(blind)}); !errors.Is(err, ErrNoPolicy) {
		t.Errorf("the policy of a network without one: %v", err)
	}
	if _, _, err := opener.OpenAll([]*Spec{{Model: Checkpoint(blind)}}, new(chess.Horde)); err == nil || !strings.Contains(err.Error(), "plays atomic, want horde") {
		t.Errorf("a network of another variant: %v", err)
	}
}

// A network plays the variant that it was trained for, with the same evaluations on any number
// of threads. Files that are none are refused.
func TestLoad(t *testing.T) {
	path := small.Checkpoint(t, 3)
	model, err := Load(path, Hardware{Threads: 2, Batch: 8, Precision: "fp32"})
	if err != nil {
		t.Fatal(err)
	}
	e := uci.New(model)
	defer e.Close()
	if e.Name() != "gen-0003 atomic 1x8" || !slices.Equal(e.Variants(), []chess.Variant{chess.Atomic}) {
		t.Errorf("%s, %v", e.Name(), e.Variants())
	}
	think := func(threads string, nodes int64, moves ...string) (best string, last uci.Report) {
		if err := e.Set("Threads", threads); err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(chess.StartPosition(chess.Atomic))
		for _, word := range moves {
			m, err := g.Position().ParseUCI(word)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
		e.NewGame()
		m, _, err := e.Think(t.Context(), g, uci.Task{Limit: uci.Limit{Nodes: nodes}}, func(r *uci.Report) { last = *r })
		if err != nil {
			t.Fatal(err)
		}
		last.Time, last.Speed = 0, 0
		return g.Position().UCI(m), last
	}
	if best, r := think("2", 1000, "g1f3", "a7a6", "f3g5", "a6a5"); best != "g5f7" && best != "g5e6" || r.Mate == 0 {
		t.Errorf("plays %s, %+v: does not explode the king", best, r)
	}
	_, one := think("1", 200)
	if _, two := think("2", 200); !reflect.DeepEqual(one, two) {
		t.Errorf("one thread reports %+v, two %+v", one, two)
	}
	if e.Set("Threads", "many") == nil {
		t.Error("many threads are accepted")
	}

	c, err := nn.ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	c.Variant = "checkers"
	other := filepath.Join(t.TempDir(), "other.safetensors")
	if err := c.Write(other); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{other, "opener.go", "none.safetensors"} {
		if m, err := Load(path, Hardware{}); err == nil {
			m.Close()
			t.Errorf("%s was loaded", path)
		}
	}
}
