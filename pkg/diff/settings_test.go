package diff

import (
	"errors"
	"strings"
	"testing"

	"alamos/pkg/config"
)

const baseFile = `alamos: 1
name: base
search: {visits: 100, c_puct: 2}
tournament:
  players:
    - last
    - untrained
    - {uci: fairy-stockfish, level: 2}
`

// The notebook of files without one fits their other settings: these differ, it does not.
func TestNotebookOfDefaults(t *testing.T) {
	inFolder(t, map[string]string{
		"a.yaml": "alamos: 1\nname: a\n",
		"b.yaml": "alamos: 1\nname: b\ntournament: {rounds: 0}\n",
		"c.yaml": "alamos: 1\nname: c\nnotebook: [table: settings]\n",
	})
	if have := text(t, compared(t, "a.yaml", "b.yaml", Options{})); strings.Contains(have, "notebook") || !strings.Contains(have, "rounds") {
		t.Error(have)
	}
	if have := text(t, compared(t, "a.yaml", "c.yaml", Options{})); !strings.Contains(have, "notebook") {
		t.Error(have)
	}
}

func TestSettings(t *testing.T) {
	inFolder(t, map[string]string{
		"base.yaml": baseFile,
		"respelled.yaml": `# a comment
name: other
about: no setting
alamos: 1
tournament: {players: [last, untrained, {level: 2.0, uci: "fairy-stockfish"}]}
search: {c_puct: 2.0, visits: 1e2}
sweep: {seeds: 1}
`,
		"child.yaml": `alamos: 1
name: child
extends: base
network: {depth: 10}
search: {visits: 200}
training: {schedule: {kind: constant}}
selfplay:
  opening:
    fens: ["8/8/8/8/8/8/8/KQ5k w - - 0 1", "8/8/8/8/8/8/8/KR5k w - - 0 1"]
tournament:
  players:
    - untrained
    - last
    - {uci: fairy-stockfish, level: 3}
    - random
`,
	})
	if r := compared(t, "base.yaml", "respelled.yaml", Options{}); !r.Equal() {
		t.Errorf("comments, order and spelling differ:\n%s", text(t, r))
	}
	const want = `a  base.yaml: 1 trial, no results
b  child.yaml: 1 trial, no results

setting                     a                                 b                                 set by
network.depth               6                                 10                                default → child.yaml:4
search.visits               100                               200                               base.yaml:3 → child.yaml:5
selfplay.opening.fens[0]    –                                 "8/8/8/8/8/8/8/KQ5k w - - 0 1"    child.yaml:9
selfplay.opening.fens[1]    –                                 "8/8/8/8/8/8/8/KR5k w - - 0 1"    child.yaml:9
training.schedule.kind      plateau                           constant                          default → child.yaml:6
training.schedule.factor    0.5                               –                                 default
training.schedule.patience  3                                 –                                 default
training.schedule.minimum   0.0001                            –                                 default
tournament.search.visits    100                               200                               as search.visits
tournament.players[0→1]     last                              last (moved)                      base.yaml:6 → child.yaml:13
tournament.players[2]       {uci: fairy-stockfish, level: 2}  {uci: fairy-stockfish, level: 3}  base.yaml:8 → child.yaml:14
tournament.players[3]       –                                 random                            child.yaml:15
`
	if have := text(t, compared(t, "base.yaml", "child.yaml", Options{})); have != want {
		t.Errorf("have:\n%s\nwant:\n%s", have, want)
	}
}

func TestSweeps(t *testing.T) {
	inFolder(t, map[string]string{
		"a.yaml": "alamos: 1\nname: a\nsweep:\n  grid: {network.depth: [2, 5], search.c_puct: [1, 2]}\n",
		"b.yaml": "alamos: 1\nname: b\nsearch: {c_puct: 1}\nsweep:\n  grid: {network.depth: [5, 2, 10]}\n  seeds: 3\n",
		"c.yaml": "alamos: 1\nname: c\nsweep:\n  grid: {search.c_puct: [1, 2], network.depth: [5, 2]}\n",
	})
	const want = `setting                   a             b                 set by
network.depth             swept [2, 5]  swept [5, 2, 10]  a.yaml:4 → b.yaml:5
search.c_puct             swept [1, 2]  1                 a.yaml:4 → b.yaml:3
tournament.search.c_puct  2             1                 as search.c_puct
sweep.seeds               –             3                 b.yaml:6
`
	r := compared(t, "a.yaml", "b.yaml", Options{})
	if have := text(t, r); !strings.HasSuffix(have, "\n\n"+want) {
		t.Errorf("have:\n%s\nwant:\n%s", have, want)
	}
	if len(r.OnlyA) != 2 || r.OnlyA[0] != "network.depth=2 search.c_puct=2" || len(r.OnlyB) != 1 || r.OnlyB[0] != "network.depth=10" {
		t.Errorf("without counterpart: %q, %q", r.OnlyA, r.OnlyB)
	}
	if r := compared(t, "a.yaml", "c.yaml", Options{}); !r.Equal() || len(r.OnlyA)+len(r.OnlyB) > 0 {
		t.Errorf("the same trials in another order:\n%s", text(t, r))
	}
}

func TestScripts(t *testing.T) {
	const file = "alamos: 1\nname: x\nhooks: [count.go]\nselfplay: {adjudicate: resign.go}\n"
	inFolder(t, map[string]string{
		"a/x.yaml": file, "a/count.go": "1", "a/resign.go": "1",
		"b/x.yaml": file, "b/count.go": "1", "b/resign.go": "2",
	})
	r := compared(t, "a/x.yaml", "b/x.yaml", Options{})
	if len(r.Settings) != 1 || r.Settings[0].Key != "selfplay.adjudicate" {
		t.Errorf("have:\n%s\nwant only the script that says something else", text(t, r))
	}
	// Scripts that a sweep varies.
	const swept = "alamos: 1\nname: x\nsweep: {grid: {selfplay.adjudicate: [resign.go, other.go]}}\n"
	for _, folder := range []string{"a", "b"} {
		writeFile(t, folder+"/y.yaml", swept)
		writeFile(t, folder+"/other.go", "9")
	}
	if have := text(t, compared(t, "a/y.yaml", "b/y.yaml", Options{})); !strings.Contains(have, "sweep.grid.selfplay.adjudicate  swept [a") {
		t.Errorf("have:\n%s", have)
	}
	writeFile(t, "b/resign.go", "1")
	if r := compared(t, "a/y.yaml", "b/y.yaml", Options{}); len(r.Settings) != 0 {
		t.Errorf("equal scripts of two folders:\n%s", text(t, r))
	}
	writeFile(t, "b/resign.go", "2")
	// The same path at two times: what it says tells them apart.
	a := open(t, "a/x.yaml")
	writeFile(t, "a/resign.go", "3")
	r = Compare(a, open(t, "a/x.yaml"), Options{})
	if have := text(t, r); !strings.Contains(have, "selfplay.adjudicate  a/resign.go (content 6b86b27)  a/resign.go (content 4e07408)  a/x.yaml:4\n") {
		t.Errorf("have:\n%s", have)
	}
}

func TestOpenFaults(t *testing.T) {
	inFolder(t, map[string]string{"bad.yaml": "alamos: 1\nname: x\nsearch: {visits: many}\n", "empty/x.txt": ""})
	for name, want := range map[string]string{
		"bad.yaml":    `bad.yaml:3:18: search.visits: want a whole number`,
		"gone.yaml":   `gone.yaml:1:1: cannot read the file`,
		"nothing":     `no results of "nothing": there are none at all in results`,
		"empty":       `no results of "empty"`,
		"HEAD:x.yaml": "HEAD:x.yaml: git: ",
		"-x:y.yaml":   `"-x" is not a revision`,
	} {
		_, err := Open(name, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	var faults config.Errors
	if _, err := Open("bad.yaml", Options{}); !errors.As(err, &faults) {
		t.Errorf("a fault of the file is %T", err)
	}
}

func TestExcerpts(t *testing.T) {
	long := strings.Repeat("0123456789", 20)
	for _, test := range [][4]string{
		{"short", "shorter", "short", "shorter"},
		{long, "", long[:mostShown] + "…", ""},
		{long + "x" + long, long + "y", "…" + (long + "x" + long)[200-mostShown/3:][:mostShown] + "…", "…" + long[200-mostShown/3:] + "y"},
		{long, long, long[:mostShown] + "…", long[:mostShown] + "…"},
	} {
		if a, b := excerpts(test[0], test[1]); a != test[2] || b != test[3] {
			t.Errorf("%.20s and %.20s: %q and %q, want %q and %q", test[0], test[1], a, b, test[2], test[3])
		}
	}
}
