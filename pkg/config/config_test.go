package config_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/config"
)

type sub struct {
	_ struct{} `short:"kind"`

	Kind string  `key:"kind" default:"sgd" enum:"sgd adam" doc:"K."`
	Beta float64 `key:"beta" default:"0.9" range:">0..<1" when:"kind=adam" doc:"B."`
}

type item struct {
	_ struct{} `oneof:"every uci"`

	Every   int               `key:"every" range:"1.." doc:"E."`
	UCI     string            `key:"uci" want:"an engine" doc:"U."`
	Depth   int               `key:"depth" range:"1..9" when:"uci" doc:"D."`
	Options map[string]string `key:"options" when:"uci" doc:"O."`
}

type root struct {
	Count  int           `key:"count" default:"3" range:"1.." unit:"games" doc:"C."`
	Power  float64       `key:"power" default:"max" range:">0..1000" words:"max=inf" doc:"P."`
	Maps   int           `key:"maps" default:"1" range:"0..8" zero:"-1" doc:"M."`
	Skip   bool          `key:"broken" default:"error" enum:"error skip" doc:"S."`
	Widths []int         `key:"widths" default:"[256]" range:"1..512" flags:"single" doc:"W."`
	Sub    sub           `key:"sub" doc:"Sub."`
	Other  sub           `key:"other" inherit:"sub" except:"beta=0.5" doc:"Other."`
	Script *config.File  `key:"script" ext:".go" doc:"F."`
	Items  []item        `key:"items" default:"[{every: 4}]" doc:"I."`
	Label  *sub          `key:"label" flags:"optional" doc:"L."`
	Files  []config.File `key:"files" ext:".pgn .epd" doc:"Fs."`
	Limit  limit         `key:"limit" flags:"optional" keys:"depth time" oneof:"depth time" doc:"L."`
}

type limit struct {
	Depth int           `key:"depth" range:"1..9" doc:"D."`
	Nodes int           `key:"nodes" range:"1..9" doc:"N."`
	Time  time.Duration `key:"time" range:"1..1000" unit:"ms" doc:"T."`
}

func read(t *testing.T, text string) (*config.Schema, map[string]any, error) {
	t.Helper()
	n, errs := config.Parse(config.Position{File: "x.yaml"}, []byte(text), "write something")
	s := config.Of[root]()
	r := &config.Reader{Bad: map[string]bool{}, Whole: true, Files: &config.Files{ReadFile: func(path string) ([]byte, error) { return []byte(path), nil }}}
	if len(errs) == 0 {
		values, _ := s.Read(r, "", n)
		if len(r.Errs) == 0 {
			return s, values, nil
		}
		errs = r.Errs
	}
	return s, nil, errs.Sorted()
}

func TestReadFillValues(t *testing.T) {
	s, values, err := read(t, "count: 1e2\nmaps: 0\nbroken: skip\nwidths: 8\nsub: adam\nitems: [{uci: fish, depth: 2, options: {Hash: 16}}]\nfiles: [a.pgn]\nlimit: {time: 250}\n")
	if err != nil {
		t.Fatal(err)
	}
	var got root
	s.Fill(&got, values)
	want := root{
		Count: 100, Power: math.Inf(1), Maps: -1, Skip: true, Widths: []int{8}, Sub: sub{Kind: "adam", Beta: 0.9}, Other: sub{Kind: "adam", Beta: 0.5},
		Items: []item{{UCI: "fish", Depth: 2, Options: map[string]string{"Hash": "16"}}}, Files: []config.File{{Path: "a.pgn"}},
		Limit: limit{Time: 250 * time.Millisecond},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(values, s.Values(&got, config.Form{})); diff != "" {
		t.Error(diff)
	}
	again, back, err := read(t, string(s.YAML(values)))
	if diff := cmp.Diff(values, back); again != s || err != nil || diff != "" {
		t.Errorf("%v\n%s\n%s", err, s.YAML(values), diff)
	}
	if err := config.Check("x", &got); err != nil {
		t.Error(err)
	}
}

func TestReadFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "x.yaml:1:1: the file is empty (write something)",
		"count: 0":                         "x.yaml:1:8: count: want a whole number of at least 1, have 0",
		"cuont: 1":                         `x.yaml:1:1: cuont: unknown key (did you mean "count"?)`,
		"power: maxx":                      `x.yaml:1:8: power: want a number above 0 and at most 1000 or the word max, have maxx (did you mean "max"?)`,
		"sub: {beta: 0.5}":                 "x.yaml:1:7: sub.beta: applies only with kind: adam",
		"items: [{every: 1, uci: a}]":      "x.yaml:1:20: items[0].uci: want only one of every or uci",
		"limit: {nodes: 1}":                "x.yaml:1:9: limit.nodes: unknown key",
		"limit: {depth: 1, time: 2}":       "x.yaml:1:19: limit.time: want only one of depth or time",
		"items: [{}]":                      "x.yaml:1:9: items[0]: want one of the keys every or uci",
		"script: a.py\nwidths: [1, \"2\"]": "x.yaml:1:9: script: want the path of a .go file, have a.py\nx.yaml:2:13: widths[1]: want a whole number from 1 to 512, have the text \"2\" (remove the quotes)",
	} {
		if _, _, err := read(t, text); err == nil || err.Error() != want {
			t.Errorf("%q\nhave %v\nwant %s", text, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for want, c := range map[string]root{
		"x.count: want a whole number of at least 1, have -1":             {Count: -1},
		"x.power: want a number above 0 and at most 1000 or the word max": {Power: math.NaN()},
		"x.widths[0]: want a whole number from 1 to 512, have 0":          {Widths: []int{0}},
		"x.sub.kind: want sgd or adam, have adm":                          {Sub: sub{Kind: "adm"}},
		"x.label.beta: want a number above 0 and below 1, have 1":         {Label: &sub{Beta: 1}},
		"x.maps: want a whole number from 0 to 8, have -2":                {Maps: -2},
	} {
		if err := config.Check("x", c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("have %v\nwant %s", err, want)
		}
	}
	if err := config.Check("x", root{}); err != nil {
		t.Error("nothing is set, but", err)
	}
}

func TestDefaultsSetRange(t *testing.T) {
	d := config.Defaults[root]()
	if d.Count != 3 || d.Maps != 1 || len(d.Items) != 1 || d.Label != nil || !math.IsInf(d.Power, 1) {
		t.Errorf("%+v", d)
	}
	if err := config.Set(&d, "sub.kind", "adam"); err != nil || d.Sub.Kind != "adam" {
		t.Errorf("%+v %v", d, err)
	}
	if err := config.Set(&d, "sub.kind", "adm"); err == nil || err.Error() != `want sgd or adam, have adm (did you mean "adam"?)` {
		t.Error(err)
	}
	if err := config.Set(&d, "x", "1"); err == nil {
		t.Error("no error")
	}
	if n := config.Of[root]().Lookup("sub.beta").Type.(config.Number); n.Min != 0 || n.Max != 1 {
		t.Error(n)
	}
}

func TestFaultyTagsPanic(t *testing.T) {
	for name, of := range map[string]func(){
		"flag": func() {
			config.Of[struct {
				A int `key:"a" range:"1.." flags:"hm" doc:"A."`
			}]()
		},
		"range": func() {
			config.Of[struct {
				A int `key:"a" range:"1" doc:"A."`
			}]()
		},
		"doc": func() {
			config.Of[struct {
				A int `key:"a" range:"1.."`
			}]()
		},
		"default": func() {
			config.Of[struct {
				A int `key:"a" default:"0" range:"1.." doc:"A."`
			}]()
		},
		"type": func() {
			config.Of[struct {
				A int `key:"a" doc:"A."`
			}]()
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			of()
		}()
	}
}

// The origin of a value does not depend on the working directory.
func TestOriginFrom(t *testing.T) {
	for _, c := range []struct{ file, dir, want string }{
		{"/home/ann/experiments/small.yaml", "/home/ann/experiments", "small.yaml:3"},
		{"experiments/paper.yaml", "experiments/papers", "../paper.yaml:3"},
		{"small.yaml", ".", "small.yaml:3"},
		{"small.yaml", "/elsewhere", "small.yaml:3"}, // there is no relative path
		{config.SetFile, "experiments", config.SetFile},
		{"", "experiments", "default"},
	} {
		o := config.Origin{Position: config.Position{File: c.file, Line: 3}}
		if got := o.From(c.dir).String(); got != c.want {
			t.Errorf("%q from %q is %q, want %q", c.file, c.dir, got, c.want)
		}
	}
}
