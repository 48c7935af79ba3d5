package match

import (
	"strings"
	"testing"

	"alamos/pkg/config"
	"alamos/pkg/uci"
)

// The tags of Spec are sound: this panics where one is not.
func TestSpecTags(t *testing.T) {
	if keys := config.Of[Spec]().Keys(); len(keys) < 14 {
		t.Errorf("the keys of a player are %v", keys)
	}
}

func TestParseSpec(t *testing.T) {
	for word, want := range map[string]string{
		"random":                                             "random",
		"material:3":                                         "material alpha-beta depth 3",
		"alphabeta:quickstart@8,depth=2":                     "quickstart@8 alpha-beta depth 2",
		"alphabeta:q@8,depth=2,ends=network":                 "q@8 alpha-beta depth 2 ends by network",
		"policy:nets/old.safetensors":                        "old policy",
		"quickstart@last":                                    "quickstart@last 800 visits",
		"nets/old.safetensors, visits=50":                    "old 50 visits",
		"a/b@2,movetime=100":                                 "a/b@2 100 ms",
		"lab/width=16,seed=8@last,depth=5":                   "lab/width=16,seed=8@last depth 5",
		"policy:lab/width=16,seed=8@2":                       "lab/width=16,seed=8@2 policy",
		"q@2,depth=5,c_puct=2.5,temperature=1":               "q@2 depth 5, c_puct 2.5, temperature 1",
		"q@2,nodes=300,leaves=32":                            "q@2, nodes 300, leaves 32",
		"q@2,c_base=19652,solver=false":                      "q@2 800 visits, c_base 19652, solver false",
		"stockfish,nodes=200":                                "stockfish 200 nodes",
		"fairy-stockfish,level=3,depth=2":                    "fairy-stockfish level 3 depth 2",
		"uci:bin/lc0.exe --weights=w,nodes=1,Hash=2,CPuct=1": "lc0 --weights=w 1 nodes, CPuct 1, Hash 2",
	} {
		p, err := ParseSpec(word)
		if err != nil {
			t.Errorf("%s: %v", word, err)
			continue
		}
		LimitVisits([]*Spec{p}, 800)
		if have := p.Name(networkName(string(p.Network()))); have != want {
			t.Errorf("%s is called %q, want %q", word, have, want)
		}
	}
	first, second := uci.SearchConfig(1), uci.SearchConfig(1)
	kind, considered := uci.Setting{Name: "root", Value: "gumbel"}, uci.Setting{Name: "root.considered", Value: "8"}
	set(&first, []uci.Setting{kind, considered})
	set(&second, []uci.Setting{considered, kind})
	if first != second || first.Root.Considered != 8 {
		t.Errorf("a root in two orders: %+v and %+v", first.Root, second.Root)
	}
	for word, want := range map[string]string{
		"":                          "no such player",
		"magic":                     "no such player",
		"material:":                 "nothing after",
		"material:0":                "depth: want a whole number from 1 to 100",
		"material:2,visits=3":       `no setting "visits"`,
		"random,depth=1":            `no setting "depth"`,
		"alphabeta:x@1":             "depth=N",
		"alphabeta:x@1,ends=mate":   "ends: want rules or network",
		"material:2,ends=network":   `no setting "ends"`,
		"x@1,visits=many":           "visits: want a whole number",
		"x@1,visits=0":              "visits: want a whole number",
		"x@1,c_puct=NaN":            "c_puct: want a number above 0",
		"x@1,solver=perhaps":        "solver: want true or false",
		"random,solver=true":        `no setting "solver"`,
		"x@1,temperature":           "want NAME=VALUE",
		"x@1,=3":                    "want NAME=VALUE",
		"stockfish":                 "needs a limit",
		"stockfish,Hash=16":         "needs a limit",
		"stockfish,level=9":         "level: want a whole number from 1 to 8",
		"stockfish,nodes=-1":        "nodes: want a whole number of at least 1",
		"stockfish,movetime=1e3":    "movetime: want a whole number",
		"stockfish,depth=100000000": "depth: want a whole number from 1 to 1000",
		"uci:":                      "nothing after",
		"x@1,root.considered=8":     "root.considered: it has no effect in this search",
		"x@1,c_init=1":              "c_init: it has no effect in this search",
		"x@1,root=gumbel,depth=3":   "add visits=N",
	} {
		if _, err := ParseSpec(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", word, err, want)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, word := range []string{"random", "x@1,visits=3,c_puct=0.1", "uci:a b,nodes=1,Hash=2", "alphabeta:x,depth=1"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if p, err := ParseSpec(word); err == nil && p.Name("net") == "" {
			t.Errorf("%q has no name", word)
		}
	})
}
